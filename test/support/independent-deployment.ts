/**
 * A second implementation of the documented operation. It was written from the documentation and shares no code with the
 * reference deployment.
 */

import type { Tier, TierRule, World } from '../../src/contract/world.js';
import type { HttpResponse } from '../../src/http/exchange.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import { type Listening, listenStatefully } from './listen-on-loopback.js';

type Json = Readonly<Record<string, unknown>>;
type Tiers = readonly Tier[];

/** A parsed request. */
interface Sent {
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body: Json;
}

interface Filter {
  readonly on: 'campaign' | 'metadata';
  readonly holds: (tier: Tier) => boolean;
}

export type RuleTable = {
  readonly [Kind in TierRule['kind']]: (rule: Extract<TierRule, { kind: Kind }>, body: Json) => boolean;
};

const always = () => true;

/** Returns an object unchanged, and an empty object for anything else: the documentation does not mention wrong types. */
const record = (value: unknown): Json => (isObject(value) ? value : {});
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const itemsOf = (body: Json): readonly Json[] => {
  const { items } = record(body.order);
  return Array.isArray(items) ? items.map(record) : [];
};
const orderMetadataOf = (body: Json) => record(record(body.order).metadata);
const valuesOf = ({ query }: Sent, name: string) => query.filter(([key]) => key === name).map(([, value]) => value);

// How results are presented ------------------------------------------------------------------------------------------

/** Presents returned tiers. Gets the world and all tiers that were checked, too. */
export type Shape = (tiers: Tiers, world: World, all: Tiers) => unknown;

const idOf = ({ id }: Tier) => id;
const keyedById = (tiers: Tiers) => Object.fromEntries(tiers.map(({ id, name }) => [id, { name }]));
const byCampaign = (tiers: Tiers, world: World) =>
  world.campaigns
    .map(({ id }) => ({ id, members: tiers.filter((tier) => tier.campaign_id === id) }))
    .filter(({ members }) => members.length > 0);

const shapeTable = {
  wrapped: (tiers) => ({ data: tiers.map(({ id, name }) => ({ id, name })) }),
  'bare-array': (tiers) => tiers.map(({ id }) => ({ id })),
  'result-ids': (tiers) => ({ result: tiers.map(idOf) }),
  nested: (tiers) => ({ data: tiers.map(({ id, name }) => ({ node: { tier: { identifier: id, label: name } } })) }),
  renamed: (tiers) => ({ items: tiers.map(({ id, name }) => ({ tier_id: id, title: name })) }),
  'keyed-by-id': keyedById,
  'wrapped-keyed-by-id': (tiers) => ({ promotions: keyedById(tiers), total: tiers.length }),
  'grouped-by-campaign': (tiers, world) => ({
    campaigns: byCampaign(tiers, world).map(({ id, members }) => ({
      id,
      tiers: members.map((tier) => ({ tier: tier.id })),
    })),
  }),
  'grouped-by-campaign-key': (tiers, world) =>
    Object.fromEntries(
      byCampaign(tiers, world).map(({ id, members }) => [id, members.map((tier) => ({ id: tier.id }))]),
    ),
  'agreeing-paths': (tiers) => ({
    promotions: tiers.map(({ id }) => ({ id, object: { ref: id } })),
    ids: tiers.map(idOf),
  }),
  'extra-fields': (tiers) => ({
    object: 'list',
    next: null,
    data: tiers.map(({ rules, ...tier }, index) => ({
      label: `Größe ½ – 特価 🎁\u2028"${tier.name}"`,
      position: [index, -0.5e-7, true, null],
      'odd key/~with.dots': { '': [[{ deep: { er: [null, {}, rules.length] } }]] },
      ...tier,
    })),
    total: tiers.length,
  }),
  'huge-records': (tiers) => ({ data: tiers.map(({ id }) => ({ terms: 'Terms apply. '.repeat(350), id })) }),
  // How PHP writes a filtered list, and Lua one with gaps.
  'indices-as-keys': (tiers, world) => ({
    data: Object.fromEntries(tiers.map(({ id }) => [world.tiers.findIndex((tier) => tier.id === id), { id }])),
  }),
  'in-urls': (tiers) => ({
    links: tiers.map(({ id }) => ({ href: `https://shop.example/tiers/${encodeURIComponent(id)}` })),
  }),
  'packed-in-a-string': (tiers) => ({
    status: 200,
    body: JSON.stringify({ promotions: tiers.map(({ id }) => ({ id })) }),
  }),
  'linked-list': (tiers) => ({
    first: tiers.reduceRight<object | null>((next, { id, name }) => ({ promotion: { id, name }, next }), null),
  }),
  // A binary tree, so that there are several nested levels.
  tree: (tiers) => {
    const node = (n: number): object | undefined => {
      const tier = tiers[n];
      if (tier === undefined) return undefined;
      return { id: tier.id, children: [node(2 * n + 1), node(2 * n + 2)].filter((child) => child !== undefined) };
    };
    return { roots: [node(0)].filter((child) => child !== undefined) };
  },
  'with-rejected': (tiers, _world, all) => ({
    promotions: tiers.map(({ id }) => ({ id })),
    skipped: all.filter((tier) => !tiers.includes(tier)).map(({ id }) => ({ id })),
  }),
} satisfies Record<string, Shape>;

export type ShapeName = keyof typeof shapeTable;
export const shapes: Readonly<Record<ShapeName, Shape>> = shapeTable;

// What is decided ----------------------------------------------------------------------------------------------------

type Enough = (quantities: readonly number[], atLeast: number) => boolean;

const enough = {
  summed: (quantities, atLeast) => quantities.reduce((sum, quantity) => sum + quantity, 0) >= atLeast,
  'each-item-alone': (quantities, atLeast) => quantities.some((quantity) => quantity >= atLeast),
} satisfies Record<string, Enough>;

/** An item without quantity counts as one, an invalid quantity as zero. */
const itemRule =
  (member: 'product_id' | 'sku_id', suffices: Enough) =>
  ({ id, at_least }: { id: string; at_least: number }, body: Json) => {
    const items = itemsOf(body).filter((item) => item[member] === id);
    const quantities = items.map(({ quantity = 1 }) => Number(quantity) || 0);
    return suffices(quantities, at_least);
  };

const otherRules: Omit<RuleTable, 'product' | 'sku'> = {
  customer: ({ any_of }, body) => any_of.some((id) => id === record(body.customer).id),
  order_metadata: ({ key, includes }, body) => [orderMetadataOf(body)[key]].flat().includes(includes),
  metadata: ({ key, is }, body) => record(body.metadata)[key] === is,
  other: always,
};

const filterName =
  /^(?:\[filters\]|filters)\[(?:(?<campaign>promotion_id)|metadata\.(?<key>.+))\]\[conditions\]\[\$is\]$/;

function filtersOf({ query }: Sent): Filter[] {
  return query.flatMap(([name, value]): Filter[] => {
    const { campaign, key } = filterName.exec(name)?.groups ?? {};
    if (campaign) return [{ on: 'campaign', holds: (tier) => tier.campaign_id === value }];
    if (!key) return [];
    const holds = ({ metadata }: Tier) => Object.hasOwn(metadata, key) && String(metadata[key]) === value;
    return [{ on: 'metadata', holds }];
  });
}

/** Combines several filters of a request. */
const combined = {
  intersection: (filters: readonly Filter[]) => (tier: Tier) => filters.every(({ holds }) => holds(tier)),
  // A request without filters selects everything.
  union: (filters: readonly Filter[]) => (tier: Tier) =>
    filters.length === 0 || filters.some(({ holds }) => holds(tier)),
};

// The deployment -----------------------------------------------------------------------------------------------------

/** Variations of the deployment. It conforms with all of them; faults are those of the reference deployment. */
export interface Traits {
  readonly shape?: ShapeName | Shape;
  /** The status of a success. */
  readonly status?: number;
  /** The form of an empty result. */
  readonly empty?: 'list' | 404 | 204 | 'no-body';
  readonly order?: keyof typeof orders;
  readonly numericStrings?: 'read' | 'rejected';
  readonly unknownCustomer?: 'accepted' | 'rejected';
  readonly bothFilters?: keyof typeof combined;
  /** Whether `customer` and `order` are optional. */
  readonly omitted?: 'accepted' | 'rejected';
  readonly repeated?: keyof typeof enough;
  readonly orderMetadataRules?: 'applied' | 'ignored';
  readonly audienceRulesOnly?: 'no-effect' | 'skips-order-rules' | 'returns-nothing';
  readonly filteredWindow?: 'window-first' | 'filter-first' | 'campaign-filter-first';
  /** Mistakes: rules that are decided in another way, and another number of newest tiers. */
  readonly mistakenRules?: Partial<RuleTable>;
  readonly mistakenWindow?: number;
}

const orders = {
  'newest-first': (a: Tier, b: Tier) => b.created_at.localeCompare(a.created_at),
  'oldest-first': (a: Tier, b: Tier) => a.created_at.localeCompare(b.created_at),
  'by-name': (a: Tier, b: Tier) => a.name.localeCompare(b.name),
};

const reply = (status: number, value: unknown): HttpResponse => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(value),
});
const refuse = (status: number, error: string): HttpResponse => reply(status, { error });

/** Parses query and body. Returns undefined if one is malformed. */
function read(query: string, json: string): Sent | undefined {
  try {
    const pairs = query.split('&').map((pair): readonly [string, string] => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      return [decodeURIComponent(name), decodeURIComponent(value)];
    });
    const body: unknown = json === '' ? {} : JSON.parse(json);
    return isObject(body) ? { query: pairs, body } : undefined;
  } catch {
    return undefined;
  }
}

/** Creates a deployment that has this world. */
export function createIndependentDeployment(world: World, traits: Traits = {}): Answer {
  const { status = 200, empty = 'list' } = traits;
  const all = world.tiers.toSorted(orders['newest-first']);
  const customers = new Set<unknown>(world.customers.map(({ id }) => id));
  const { shape = 'wrapped' } = traits;
  const present = typeof shape === 'string' ? shapes[shape] : shape;
  const suffices = enough[traits.repeated ?? 'summed'];
  const rules: RuleTable = {
    product: itemRule('product_id', suffices),
    sku: itemRule('sku_id', suffices),
    ...otherRules,
    ...(traits.orderMetadataRules === 'ignored' && { order_metadata: always }),
    ...traits.mistakenRules,
  };
  const audienceRules: RuleTable = { ...rules, product: always, sku: always, order_metadata: always };

  const noBody = { headers: [], body: '' };
  const emptyAnswers = {
    404: refuse(404, 'no promotion is valid'),
    204: { status: 204, ...noBody },
    'no-body': { status, ...noBody },
  };

  function refusal(sent: Sent): HttpResponse | undefined {
    const { customer, order } = sent.body;
    const { id } = record(customer);
    if (traits.omitted === 'rejected' && (customer === undefined || order === undefined))
      return refuse(400, 'customer and order are required');
    if (traits.numericStrings === 'rejected' && itemsOf(sent.body).some(({ quantity }) => typeof quantity === 'string'))
      return refuse(400, 'quantity must be an integer');
    if (traits.unknownCustomer === 'rejected' && id !== undefined && !customers.has(id))
      return refuse(404, 'no such customer');
    return undefined;
  }

  function validate(sent: Sent): HttpResponse {
    const filters = filtersOf(sent);
    const selects = combined[traits.bothFilters ?? 'intersection'](filters);
    const audience = valuesOf(sent, 'audienceRulesOnly').includes('true') ? traits.audienceRulesOnly : 'no-effect';
    const table = audience === 'skips-order-rules' ? audienceRules : rules;
    // The compiler cannot relate the kind of a rule to the type of its function.
    const holds = (rule: TierRule) => (table[rule.kind] as (rule: TierRule, body: Json) => boolean)(rule, sent.body);

    const isFirst =
      traits.filteredWindow === 'filter-first' ||
      (traits.filteredWindow === 'campaign-filter-first' && filters.every(({ on }) => on === 'campaign'));
    const checked = (isFirst ? all.filter(selects) : all).slice(0, traits.mistakenWindow ?? 150);
    const isReturned = (tier: Tier) => selects(tier) && tier.rules.every(holds) && audience !== 'returns-nothing';
    const returned = checked.filter(isReturned).toSorted(orders[traits.order ?? 'newest-first']);
    if (returned.length === 0 && empty !== 'list') return emptyAnswers[empty];
    return reply(status, present(returned, world, checked));
  }

  return (request) => {
    const [, path, query = ''] = /^([^?]*)\??(.*)$/s.exec(request.path) ?? [];
    const has = (header: string) => request.headers.some(([name]) => name.toLowerCase() === header);
    if (path !== '/v1/promotions/validation') return refuse(404, 'no such resource');
    if (request.method !== 'GET') return refuse(405, 'only GET is allowed');
    if (!has('x-client-application-id') || !has('x-client-token')) return refuse(401, 'credentials are absent');

    const sent = read(query, request.body ?? '');
    if (!sent) return refuse(400, 'malformed request');
    return refusal(sent) ?? validate(sent);
  };
}

/** Starts a server on a free local port. */
export function listen(answer: Answer): Promise<Listening> {
  return listenStatefully(async (request) => answer(request));
}
