import { createHash } from 'node:crypto';
import type { Headers, HttpRequest } from '../src/http/exchange.js';
import type { Tier } from '../src/world/world.js';
import type { Asked, Line, Turn } from './asked.js';
import { decider } from './decide.js';
import type { Parts, Setting } from './parts.js';

type Answering = Pick<Parts, 'answer' | 'arrange' | 'page' | 'present' | 'list' | 'fail'>;

/** Longer orders are echoed only so far: the echo stands in every record. */
const echoedLines = 2;

const emptyList = { data: [], total: 0, data_ref: 'data', object: 'list' } as const;

/** The parts that put an answer together. */
export function answering(parts: Parts, { catalogue, behaviours }: Setting): Answering {
  const inRequest = decider(behaviours, 'bad_request');
  const takeTurn = turns();
  const status = Number(behaviours['response-status']);
  const mediaType = behaviours['response-media-type'];
  const headers: Headers = mediaType === 'none' ? [] : [['content-type', mediaType]];
  const hierarchies = hierarchiesOf(catalogue.tiers);

  return {
    answer(request) {
      const query = parts.route(request);
      const understand = () => parts.understand(parts.readBody(request));
      const admit = () => parts.admit(request.headers);
      const statement = behaviours['credentials-before-body'] === 'body-first' ? understand() : undefined;
      admit();
      const turn = behaviours.repeatability === 'identical' ? 'first' : takeTurn(request);
      const asked: Asked = { ...(statement ?? understand()), ...parts.readQuery(query), turn };
      return parts.present(parts.page(parts.arrange(parts.select(asked))), asked);
    },

    arrange(tiers) {
      switch (behaviours['result-order']) {
        case 'newest-first':
          return tiers;
        case 'oldest-first':
          return tiers.toReversed();
        case 'another-order':
          // From three tiers on this is neither of the others, whatever the tiers are.
          return [...tiers.slice(1), ...tiers.slice(0, 1)];
      }
    },

    page: (tiers) => tiers,

    present(tiers, asked) {
      if (tiers.length > 0) return parts.list(tiers, asked);
      switch (inRequest('empty-result', 'promotions')) {
        case 'empty-list':
          return parts.list(tiers, asked);
        case 'empty-body':
          return { status, headers, body: '' };
        case 'no-content':
          return { status: 204, headers: [], body: '' };
      }
    },

    list(tiers, asked) {
      const { customer, lines, expand, turn } = asked;
      const id = customer.kind === 'told' ? customer.value : undefined;
      const tracking_id = trackingId(id, turn);
      const order = { items: lines.slice(0, echoedLines).map(echo) };
      const promotions = tiers.map((tier) => ({
        valid: true,
        applicable_to: emptyList,
        inapplicable_to: emptyList,
        tracking_id,
        order,
        id: tier.id,
        name: tier.name,
        discount: { type: 'PERCENT', percent_off: 10, effect: 'APPLY_TO_ORDER' },
        campaign: campaignRecord(tier.campaign_id, expand.length > 0),
        hierarchy: hierarchies.get(tier.id),
        metadata: tier.metadata,
        object: 'promotion_tier',
      }));
      return { status, headers, body: JSON.stringify({ valid: tiers.length > 0, tracking_id, promotions }) };
    },

    fail({ status: code, key, details, headers: more }) {
      const message = `The request was not answered: ${key.replaceAll('_', ' ')}.`;
      const body = { code, key, message, details, request_id: `v-${digest(`${code} ${key} ${details}`)}` };
      const allowed: Headers = code === 405 ? [['allow', 'GET']] : [];
      return {
        status: code,
        headers: [['content-type', 'application/json'], ...allowed, ...more],
        body: JSON.stringify(body),
      };
    },
  };

  function campaignRecord(id: string, isExpanded: boolean): object {
    const record = { id, start_date: null, expiration_date: null, active: true, object: 'campaign' };
    switch (behaviours['expand-category-effect']) {
      case 'categories-added':
        return isExpanded ? { ...record, categories: categoriesOf(id) } : record;
      case 'categories-always':
        return { ...record, categories: categoriesOf(id) };
      case 'another-difference':
        return isExpanded ? { ...record, categories: [] } : record;
      case 'no-difference':
        return record;
    }
  }

  function categoriesOf(campaign: string): object[] {
    const ids = catalogue.campaigns.get(campaign)?.category_ids ?? [];
    return ids.map((id, at) => ({
      id,
      name: catalogue.categories.get(id)?.name,
      hierarchy: at,
      created_at: '2024-01-01T00:00:00.000Z',
      object: 'category',
    }));
  }
}

/** The places of tiers in their campaigns, from the oldest. */
function hierarchiesOf(tiers: readonly Tier[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  return new Map(
    tiers.toReversed().map((tier) => {
      const place = (sizes.get(tier.campaign_id) ?? 0) + 1;
      sizes.set(tier.campaign_id, place);
      return [tier.id, place];
    }),
  );
}

/** A function that tells whether the same request came an even number of times before. */
function turns(): (request: HttpRequest) => Turn {
  const odd = new Set<string>();
  return ({ method, path, body = '' }) => {
    const request = `${method} ${path}\n${body}`;
    if (odd.delete(request)) return 'second';
    odd.add(request);
    return 'first';
  };
}

function echo({ as, id, quantity }: Line): object {
  return { [as === 'product' ? 'product_id' : 'sku_id']: id, quantity: Number(quantity ?? 1) };
}

function trackingId(customer: string | undefined, turn: Turn): string | null {
  if (customer === undefined && turn === 'first') return null;
  return `track_${digest(`${customer ?? ''} ${turn}`)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
