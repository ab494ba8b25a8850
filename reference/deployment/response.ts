import { createHash } from 'node:crypto';
import type { Tier } from '../../src/contract/world.js';
import type { Headers, HttpResponse } from '../../src/http/exchange.js';
import type { Outcome } from './behaviours.js';
import { createDecider } from './decider.js';
import type { Refusal } from './early-response.js';
import type { DeploymentFacts, HandlerLookup, ResponseHandlers } from './handlers.js';
import { type Line, type ParsedRequest, type Turn, waived } from './parsed-request.js';

/** Longer orders are echoed in part, because every record repeats the echo. */
const echoedLines = 2;

const emptyList = { data: [], total: 0, data_ref: 'data', object: 'list' } as const;

export function createResponseHandlers(
  handlers: HandlerLookup,
  { catalogue, behaviours }: DeploymentFacts,
): ResponseHandlers {
  const inRequest = createDecider(behaviours, 'bad_request');
  const status = Number(behaviours['response-status']);
  const mediaType = behaviours['response-media-type'];
  const headers: Headers = mediaType === 'none' ? [] : [['content-type', mediaType]];
  const hierarchies = hierarchiesOf(catalogue.tiers);

  return {
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

    refused: createRefusalResponse,

    end: (response) => response,

    present(tiers, request) {
      if (tiers.length > 0) return handlers().list(tiers, request);
      switch (inRequest('empty-result', 'promotions')) {
        case 'empty-list':
          return handlers().list(tiers, request);
        case 'empty-body':
          return { status, headers, body: '' };
        case 'no-content':
          return { status: 204, headers: [], body: '' };
      }
    },

    list(found, request) {
      const { customer, lines, expand, turn } = request;
      const tiers = repeatTiers(found, request, behaviours['result-repetition']);
      const tracking_id = trackingId(customer === waived ? undefined : customer, turn);
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

/** The tiers as a response lists them: each once, or more than once. */
export function repeatTiers(
  tiers: readonly Tier[],
  { expand, filters }: ParsedRequest,
  repetition: Outcome<'result-repetition'>,
): readonly Tier[] {
  const isRepeated = {
    once: false,
    'more-than-once': true,
    'more-than-once-with-expand': expand.length > 0,
    'more-than-once-with-a-filter': filters.length > 0,
  }[repetition];
  return isRepeated ? tiers.flatMap((tier) => [tier, tier]) : tiers;
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

/** The response that says why a request is refused. */
export function createRefusalResponse({ status, key, details, headers }: Refusal): HttpResponse {
  const message = `The request was not answered: ${key.replaceAll('_', ' ')}.`;
  const body = { code: status, key, message, details, request_id: `v-${digest(`${status} ${key} ${details}`)}` };
  const allowed: Headers = status === 405 ? [['allow', 'GET']] : [];
  return {
    status,
    headers: [['content-type', 'application/json'], ...allowed, ...headers],
    body: JSON.stringify(body),
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
