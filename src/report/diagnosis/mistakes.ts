import { parseFilterParameter } from '../../contract/operation.js';
import type { Obligation } from '../../contract/oracle.js';
import type { Exchange, HttpRequest } from '../../http/exchange.js';
import { renderHiddenPromotionsHint } from '../../judge/own-promotions.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import { getWindowSize, type NamedWorld, windowSize } from '../../world/named-world.js';
import type { Rule, Tier } from '../../world/world.js';
import type { CauseKind } from './cause.js';
import type { Observations } from './observation.js';
import {
  type Change,
  combine,
  combineWithOr,
  cut,
  type Filter,
  type JsonObject,
  type Reading,
  type ReadRequest,
  requireIf,
} from './prediction.js';

/** A mistake that a deployment may make, with what it would then return. */
export interface Mistake {
  readonly kind: CauseKind;
  readonly sentence: string;
  readonly change: Change;
}

type MistakeEntry = readonly [kind: CauseKind, sentence: string, change: Change];

/** Lists the mistakes that may explain the observations. Their sizes are those that the responses show. */
export function listMistakes(observations: Observations, world: NamedWorld): readonly Mistake[] {
  const entries = [
    ...listWindowMistakes(observations, world),
    ...ruleMistakes,
    ...listQuantityMistakes(world),
    ...unreadParts,
    ...listFilterMistakes(world),
    ...comparisonMistakes,
    ...listStateMistakes(observations),
    ...listDescriptions(observations, world),
  ];
  return entries.map(([kind, sentence, change]) => ({ kind, sentence, change }));
}

// The window and the size of results --------------------------------------------------------------------------------

function listWindowMistakes({ all, tiers, ranks }: Observations, world: NamedWorld): MistakeEntry[] {
  const total = world.tiers.length;
  const returnedRanks = all.flatMap(({ oracle, returned }) =>
    oracle.filteredOn === undefined && returned !== undefined
      ? [tiers.flatMap((_, n) => (returned[n] ? [ranks[n] ?? 0] : []))]
      : [],
  );
  const seen = [...new Set(returnedRanks.flat())].sort((one, other) => one - other);
  const [first = 1] = seen;
  const lasts = [...takeMostFrequent(returnedRanks.flatMap((each) => each.at(-1) ?? [])), seen.at(-1) ?? total, total];
  const ranges = [1, first].flatMap((from) => lasts.map((to) => [from, to] as const));
  const counts = takeMostFrequent(returnedRanks.map(({ length }) => length));
  const orders: readonly (readonly [string, (tier: Tier) => string])[] = [
    ['id', ({ id }) => id],
    ['month and day, without the year', ({ created_at }) => created_at.slice('2024-'.length)],
  ];
  return [
    ...ranges
      .filter(([from, to]) => from !== 1 || to !== getWindowSize(world))
      .flatMap(([from, to]) =>
        (['forbidden', 'open'] as const).map((outside): MistakeEntry => {
          const change = takeWindow(world.tiers.slice(from - 1, to), world, outside, from === 1);
          return [...describeWindow(from, to, world), change];
        }),
      ),
    ...orders.flatMap(([words, keyOf]) =>
      ([1, -1] as const).map((direction): MistakeEntry => {
        const sorted = world.tiers.toSorted((one, other) => direction * (keyOf(one) < keyOf(other) ? -1 : 1));
        const sentence = `The deployment checks the ${windowSize} promotion tiers that come ${direction === 1 ? 'first' : 'last'} by ${words}, not the newest ${windowSize}.`;
        return ['window-order', sentence, takeWindow(sorted.slice(0, windowSize), world, 'open')];
      }),
    ),
    [
      'window-after-rules',
      `The deployment applies the limit of ${windowSize} after it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid.`,
      takeWindowAfter(() => true, world),
    ],
    [
      'window-after-rules',
      `The deployment applies the limit of ${windowSize} after it has left out promotions for other customers.`,
      takeWindowAfter(({ kind }) => kind === 'customer', world),
    ],
    ...[...new Set([...counts, 1, 10, 20, 25, 50, 100])]
      .filter((count) => count > 0 && count < windowSize)
      .map((count): MistakeEntry => {
        const sentence = `A response has at most ${count} ${count === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`;
        return ['page', sentence, (reading) => ({ ...reading, max: Math.min(count, reading.max ?? count) })];
      }),
  ];
}

function describeWindow(from: number, to: number, { tiers, ownPromotions }: NamedWorld): [CauseKind, string] {
  const hint = ownPromotions === undefined ? renderHiddenPromotionsHint(to) : '';
  const isToOldest = to === tiers.length;
  if (from === 1 && isToOldest)
    return [
      'window-missing',
      `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`,
    ];
  const checks = (which: string) => `The deployment checks the ${which}, not the newest ${windowSize}`;
  if (from === 1) return ['window-size', `${checks(`newest ${to + (ownPromotions ?? 0)} promotion tiers`)}.${hint}`];
  if (!isToOldest) return ['window-shifted', `${checks(`promotion tiers from rank ${from} to ${to}`)}.`];
  const oldest = checks(`oldest ${to - from + 1} promotion tiers`);
  return ['window-oldest-first', `${oldest}: they are sorted in the wrong direction.`];
}

/** @param outside what becomes of the documented promotions outside of the window when there is a filter */
function takeWindow(window: readonly Tier[], { tiers }: NamedWorld, outside: Obligation, isOfNewest = false): Change {
  const chosen = new Set(window);
  const newest = new Set(tiers.slice(0, windowSize));
  return (reading) => ({
    ...reading,
    checked(tier, { filters, oracle }) {
      if (filters.length === 0) return requireIf(chosen.has(tier));
      if (chosen.has(tier)) return isOfNewest ? oracle.checked(tier) : 'open';
      return newest.has(tier) ? outside : 'open';
    },
  });
}

/** Takes the window from the promotions for which some of the rules hold. */
function takeWindowAfter(isMeant: (rule: Rule) => boolean, { tiers }: NamedWorld): Change {
  const windows = new WeakMap<ReadRequest, ReadonlyMap<Tier, Obligation>>();
  const find = (request: ReadRequest) => {
    const valid = tiers.map((tier) => request.oracle.valid({ ...tier, rules: tier.rules.filter(isMeant) }));
    const checked = cut(valid, windowSize);
    return new Map(tiers.map((tier, n) => [tier, checked[n] as Obligation]));
  };
  return (reading) => ({
    ...reading,
    checked(tier, request) {
      if (request.filters.length > 0) return 'open';
      const window = windows.get(request) ?? find(request);
      windows.set(request, window);
      return window.get(tier) ?? 'open';
    },
  });
}

function takeMostFrequent(numbers: readonly number[]): number[] {
  const countOf = (number: number) => numbers.filter((each) => each === number).length;
  return [...new Set(numbers)].toSorted((one, other) => countOf(other) - countOf(one)).slice(0, 3);
}

// Rules ---------------------------------------------------------------------------------------------------------------

const rulePlaces: readonly (readonly [name: string, kinds: readonly Rule['kind'][]])[] = [
  ['products', ['product']],
  ['SKUs', ['sku']],
  ['metadata', ['metadata']],
  ['order items', ['product', 'sku']],
];

const everything: Pick<Reading, 'matching' | 'valid'> = { matching: () => 'required', valid: () => 'required' };

const ruleMistakes: readonly MistakeEntry[] = [
  [
    'everything-returned',
    'Every promotion is returned, whatever the request asks for.',
    (reading) => ({ ...reading, ...everything, checked: () => 'required' }),
  ],
  [
    'everything-returned',
    `The newest ${windowSize} promotion tiers are returned, whatever the request asks for.`,
    (reading) => ({ ...reading, ...everything }),
  ],
  [
    'rules-joined-by-or',
    'A promotion is returned as soon as one of its rules holds: the rules are joined by "or", not by "and".',
    joinWithOr(() => ''),
  ],
  [
    'rules-joined-by-or',
    'Of several rules of one kind, one is enough: they are joined by "or", not by "and".',
    joinWithOr(({ kind }) => kind),
  ],
  ...[1, 2, 3, 4, 5].map((count): MistakeEntry => {
    const which = count === 1 ? 'rule of a promotion is' : `${count} rules of a promotion are`;
    return ['first-rule-only', `Only the first ${which} evaluated.`, changeRules((rules) => rules.slice(0, count))];
  }),
  ['first-rule-only', 'Only the last rule of a promotion is evaluated.', changeRules((rules) => rules.slice(-1))],
  ...[0, -1].map(
    (at): MistakeEntry => [
      'first-customer-only',
      `Of the customers that a promotion is reserved for, only the ${at === 0 ? 'first' : 'last'} one gets it.`,
      changeRules((rules) =>
        rules.map((rule) => (rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.slice(at).slice(0, 1) } : rule)),
      ),
    ],
  ),
  [
    'customer-ignored',
    'The customer is ignored: promotions that are reserved for other customers are returned.',
    ignoreRules(['customer']),
  ],
  [
    'customer-ignored',
    'The customer is not read: promotions that are reserved for the customer are not returned.',
    refuseRules(['customer']),
  ],
  ...rulePlaces.flatMap(([name, kinds]): MistakeEntry[] => [
    [
      'rule-ignored',
      `The deployment ignores rules about ${name}: promotions are returned although these rules do not hold.`,
      ignoreRules(kinds),
    ],
    [
      'rule-never-met',
      `Promotions with rules about ${name} are never returned, although their rules hold.`,
      refuseRules(kinds),
    ],
  ]),
  [
    'rule-ignored',
    'The deployment ignores rules: promotions are returned although these rules do not hold.',
    changeRules(() => []),
  ],
  [
    'body-not-read',
    'The body of the request is not read: only promotions without rules are returned.',
    decideRules(() => 'forbidden'),
  ],
];

function ignoreRules(kinds: readonly Rule['kind'][]): Change {
  return changeRules((rules) => rules.filter(({ kind }) => !kinds.includes(kind)));
}

function refuseRules(kinds: readonly Rule['kind'][]): Change {
  return decideRules(({ kind }) => (kinds.includes(kind) ? 'forbidden' : undefined));
}

function changeRules(change: (rules: readonly Rule[]) => readonly Rule[]): Change {
  return (reading) => ({
    ...reading,
    valid(tier, request) {
      const rules = change(tier.rules);
      const isSame = rules.length === tier.rules.length && rules.every((rule, n) => rule === tier.rules[n]);
      return reading.valid(isSame ? tier : { ...tier, rules }, request);
    },
  });
}

function joinWithOr(groupOf: (rule: Rule) => string): Change {
  return (reading) => ({
    ...reading,
    valid(tier, request) {
      const groups = [...new Set(tier.rules.map(groupOf))];
      if (groups.length === tier.rules.length) return reading.valid(tier, request);
      const judge = (rule: Rule) => reading.valid({ ...tier, rules: [rule] }, request);
      return combine(
        groups.map((group) => combineWithOr(tier.rules.filter((rule) => groupOf(rule) === group).map(judge))),
      );
    },
  });
}

/**
 * Decides rules in another way. `decide` returns undefined for rules that are decided as documented. Where the
 * documentation leaves a part of the request open, these rules are open, except that a customer is read or is not.
 */
function decideRules(decide: (rule: Rule, request: ReadRequest) => Obligation | undefined): Change {
  return (reading) => ({
    ...reading,
    valid(tier, request) {
      const isOpen = request.oracle.openReason !== undefined;
      const rest: Rule[] = [];
      const decided: Obligation[] = [];
      for (const rule of tier.rules) {
        const obligation = decide(rule, request);
        if (obligation === undefined) rest.push(rule);
        else decided.push(isOpen && (rule.kind !== 'customer' || obligation === 'required') ? 'open' : obligation);
      }
      if (decided.length === 0) return reading.valid(tier, request);
      return combine([reading.valid({ ...tier, rules: rest }, request), ...decided]);
    },
  });
}

// Quantities ----------------------------------------------------------------------------------------------------------

type QuantityRule = Extract<Rule, { kind: 'product' | 'sku' }>;
type DecideQuantity = (rule: QuantityRule, request: ReadRequest) => Obligation | undefined;

const quantityComparisons: readonly (readonly [string, (quantity: number, atLeast: number) => boolean])[] = [
  ['A quantity must be greater than the threshold, not equal to it (">" in place of ">=").', (q, least) => q > least],
  ['A quantity of one less than the threshold is enough.', (q, least) => q >= least - 1],
  ['Any quantity is enough: the threshold of a rule is ignored.', () => true],
  ['A quantity must equal the threshold; larger ones do not count.', (q, least) => q === least],
  ['Quantities are compared as text, so that 10 is less than 2.', (q, least) => String(q) >= String(least)],
  ['A quantity must be below the threshold: the comparison is the wrong way round.', (q, least) => q < least],
  ['A quantity above 1 counts as 1.', (_, least) => least <= 1],
  ['A quantity above 1 does not count.', (q, least) => q === 1 && least <= 1],
  ['Only the first digit of a quantity is read.', (q, least) => Number(String(q).charAt(0)) >= least],
  ['Quantities overflow: they are kept in a signed integer of 8 bits.', (q, least) => ((q + 128) % 256) - 128 >= least],
];

function listQuantityMistakes({ skus }: NamedWorld): MistakeEntry[] {
  const isOf = (rule: QuantityRule, item: JsonObject) =>
    rule.id === (rule.kind === 'product' ? item.product_id : item.sku_id);
  const quantityOf = ({ quantity }: JsonObject) => Number(quantity ?? 0);
  const ways: readonly (readonly [string, DecideQuantity])[] = [
    ...quantityComparisons.map(([sentence, compare]): (typeof ways)[number] => [
      sentence,
      (rule, { items }) => {
        const [item, ...others] = items.filter((each) => isOf(rule, each));
        // How several items add up is open, and whether a SKU counts as its product.
        const isOwned = (sku: unknown) => skus.some(({ id, product_id }) => id === sku && product_id === rule.id);
        if (others.length > 0 || items.some(({ sku_id }) => isOwned(sku_id))) return 'open';
        if (item === undefined) return undefined;
        return typeof item.quantity === 'number' ? requireIf(compare(item.quantity, rule.at_least)) : 'open';
      },
    ]),
    [
      'The number of items in the order counts, not their quantities.',
      (rule, { items }) => requireIf(items.filter((item) => isOf(rule, item)).length >= rule.at_least),
    ],
    [
      'The quantities of all items are added up, whatever they are: other products count, too.',
      (rule, { items }) =>
        items.some((item) => isOf(rule, item))
          ? requireIf(items.reduce((sum, item) => sum + quantityOf(item), 0) >= rule.at_least)
          : undefined,
    ],
    [
      'Any item with enough quantity is enough: its id is not compared.',
      (rule, { items }) => {
        const ids = rule.kind === 'product' ? 'product_id' : 'sku_id';
        const quantities = items.filter((item) => item[ids] !== undefined).map(quantityOf);
        if (quantities.some((each) => each >= rule.at_least)) return 'required';
        return quantities.reduce((sum, each) => sum + each, 0) >= rule.at_least ? 'open' : 'forbidden';
      },
    ],
  ];
  const places: readonly (readonly [string, ...Rule['kind'][]])[] = [
    ['', 'product', 'sku'],
    [' This concerns products.', 'product'],
    [' This concerns SKUs.', 'sku'],
  ];
  return ways.flatMap(([sentence, decide]) =>
    places.map(([more, ...kinds]): MistakeEntry => {
      const isMeant = (rule: Rule): rule is QuantityRule => kinds.includes(rule.kind);
      const change = decideRules((rule, request) => (isMeant(rule) ? decide(rule, request) : undefined));
      return ['threshold', `${sentence}${more}`, change];
    }),
  );
}

// Texts: filters, and rules about metadata ------------------------------------------------------------------------------

/** Compares what was sent with what a promotion has. @param all that the promotion has, under any key */
type CompareTexts = (sent: string, own: string | undefined, all: readonly string[]) => boolean;

/** How texts may be compared. The words continue "… compares loosely:". */
const textComparisons: readonly (readonly [string, CompareTexts])[] = [
  ['a part of the value is enough', (sent, own = '') => own.includes(sent)],
  ['the value may be a part of what is sent', (sent, own) => own !== undefined && sent.includes(own)],
  ['the beginning of the value is enough', (sent, own) => own?.startsWith(sent) === true],
  ['the value may be the beginning of what is sent', (sent, own) => own !== undefined && sent.startsWith(own)],
  ['white space at the ends does not count', (sent, own) => sent.trim() === own?.trim()],
  ['numbers in other spellings are equal', (sent, own) => sent === own || (own !== '' && Number(sent) === Number(own))],
  ['punctuation does not count', (sent, own) => removePunctuation(sent) === removePunctuation(own)],
  ...[16, 20, 32, 64].map((max): readonly [string, CompareTexts] => [
    'long values are cut, so that only their beginnings are compared',
    (sent, own) => sent.slice(0, max) === own?.slice(0, max),
  ]),
  ['the key alone decides, and any value matches', (_, own) => own !== undefined],
];

const entryComparisons: typeof textComparisons = [
  ['the value alone decides, under any key', (sent, _, all) => all.includes(sent)],
  ['a promotion without the key matches, too', (sent, own) => own === undefined || own === sent],
];

const filterPlaces: readonly (readonly [string, ...on: Filter['on'][]])[] = [
  ['The filter by promotion_id', 'campaign'],
  ['The filter by tier metadata', 'metadata'],
  ['The filters', 'campaign', 'metadata'],
];

function listFilterMistakes({ tiers }: NamedWorld): MistakeEntry[] {
  const newest = new Set(tiers.slice(0, windowSize));
  return filterPlaces.flatMap(([name, ...on]): MistakeEntry[] => {
    const say = (singular: string, plural: string) => `${name} ${on.length === 1 ? singular : plural}`;
    const ignore = compareFilters(on, () => true);
    return [
      [
        'filter-ignored',
        `${say('is', 'are')} ignored: promotions that do not match are returned.`,
        (reading, observation) => ({
          ...ignore(reading, observation),
          // Without the filter, the limit applies as to any other request.
          checked: (tier, request) =>
            request.filters.length > 0 && !newest.has(tier) ? 'open' : reading.checked(tier, request),
        }),
      ],
      [
        'filter-never-met',
        `${say('matches', 'match')} nothing: promotions that match are not returned.`,
        compareFilters(on, () => false),
      ],
      [
        'filter-inverted',
        `${say('leaves out what it', 'leave out what they')} should keep.`,
        compareFilters(on, (sent, own) => sent !== own),
      ],
      ...[...textComparisons, ...(on[0] === 'metadata' ? entryComparisons : [])].map(([how, compare]): MistakeEntry => {
        return ['filter-loose', `${say('compares', 'compare')} loosely: ${how}.`, compareFilters(on, compare)];
      }),
    ];
  });
}

const comparisonMistakes: readonly MistakeEntry[] = [
  ...textComparisons.map(
    ([words, compare]): MistakeEntry => [
      'comparison',
      `Rules about metadata compare loosely: ${words}.`,
      decideRules((rule, { metadata = {} }) => {
        const sent = rule.kind === 'metadata' ? metadata[rule.key] : undefined;
        return rule.kind === 'metadata' && typeof sent === 'string' ? requireIf(compare(sent, rule.is, [])) : undefined;
      }),
    ],
  ),
  [
    'comparison',
    'Rules about metadata are inverted: a value that differs meets them, and an equal one does not.',
    decideRules((rule, { metadata = {} }) =>
      rule.kind === 'metadata' && rule.key in metadata ? requireIf(metadata[rule.key] !== rule.is) : undefined,
    ),
  ],
  [
    'comparison',
    'Rules about metadata compare the value alone: it may be under any key.',
    decideRules((rule, { metadata = {} }) =>
      rule.kind === 'metadata' ? requireIf(Object.values(metadata).includes(rule.is)) : undefined,
    ),
  ],
];

function compareFilters(on: readonly Filter['on'][], compare: CompareTexts): Change {
  const isMatch = ({ campaign_id, metadata }: Tier, filter: Filter) => {
    if (filter.on === 'campaign') return compare(filter.value, campaign_id, [campaign_id]);
    const own = Object.hasOwn(metadata, filter.key) ? String(metadata[filter.key]) : undefined;
    return compare(filter.value, own, Object.values(metadata).map(String));
  };
  return (reading) => ({
    ...reading,
    matching(tier, request) {
      const { filters, oracle } = request;
      const own = filters.filter((each) => on.includes(each.on));
      if (own.length === 0) return reading.matching(tier, request);
      // How several filters are combined is open.
      if (filters.length > 1) return 'open';
      const matches = own.every((filter) => isMatch(tier, filter));
      const isOpen = oracle.openReason !== undefined && (matches || oracle.matching(tier) === 'open');
      return isOpen ? 'open' : requireIf(matches);
    },
  });
}

function removePunctuation(text: string | undefined): string | undefined {
  return text?.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

// Parts of the request that are not read ----------------------------------------------------------------------------

function changeBody(request: HttpRequest, change: (body: JsonObject) => JsonObject): HttpRequest {
  const body = request.body === undefined ? undefined : parseJson(request.body);
  return isJsonObject(body) ? { ...request, body: JSON.stringify(change(body)) } : request;
}

/** Reads some items only. What an order without items means is open. */
function takeItems(take: (items: readonly unknown[]) => readonly unknown[]): Change {
  return changeRequest((request) =>
    changeBody(request, (body) => {
      const items = getMember(body.order, 'items');
      const taken = Array.isArray(items) ? take(items) : [];
      return taken.length === 0 ? body : { ...body, order: { ...(body.order as JsonObject), items: taken } };
    }),
  );
}

type Entries = readonly (readonly [string, unknown])[];

function takeMetadata(take: (entries: Entries) => Entries): Change {
  return changeRequest((request) =>
    changeBody(request, ({ metadata, ...body }) =>
      isJsonObject(metadata) ? { ...body, metadata: Object.fromEntries(take(Object.entries(metadata))) } : body,
    ),
  );
}

const unreadParts: readonly MistakeEntry[] = [
  ['first-item-only', 'Only the first item of an order is read.', takeItems((items) => items.slice(0, 1))],
  ['first-item-only', 'Only the last item of an order is read.', takeItems((items) => items.slice(-1))],
  ...[2, 3, 5, 10, 16, 20, 32, 50].map((count): MistakeEntry => {
    const sentence = `Only the first ${count} items of an order are read.`;
    return ['items-not-read', sentence, takeItems((items) => items.slice(0, count))];
  }),
  ['metadata-not-read', 'The metadata of a request is not read.', takeMetadata(() => [])],
  ['first-entry-only', 'Only the first entry of the metadata is read.', takeMetadata((entries) => entries.slice(0, 1))],
  ['first-entry-only', 'Only the last entry of the metadata is read.', takeMetadata((entries) => entries.slice(-1))],
];

function changeRequest(change: (request: HttpRequest, exchange: Exchange) => HttpRequest): Change {
  return (reading, { exchange }) => ({ ...reading, request: change(reading.request, exchange) });
}

// State ---------------------------------------------------------------------------------------------------------------

/** A part of a request that a deployment may keep from another one. */
interface KeptPart {
  read(request: HttpRequest): unknown;
  write(request: HttpRequest, part: unknown): HttpRequest;
}

function bodyPart(member: string): KeptPart {
  return {
    read: ({ body = '' }) => getMember(parseJson(body), member),
    write: (request, part) => changeBody(request, (body) => ({ ...body, [member]: part })),
  };
}

function filterPart(on: Filter['on']): KeptPart {
  const list = ({ path }: HttpRequest) => path.split('?')[1]?.split('&') ?? [];
  const isOwn = (parameter: string) => parseFilterParameter(parameter.split('=')[0] ?? '')?.on === on;
  return {
    read: (request) => list(request).filter(isOwn),
    write(request, part) {
      const query = [...list(request).filter((each) => !isOwn(each)), ...((part ?? []) as string[])].join('&');
      return { ...request, path: `${request.path.split('?')[0]}${query === '' ? '' : `?${query}`}` };
    },
  };
}

const keptParts: Readonly<Record<string, KeptPart>> = {
  'the whole body': {
    read: ({ body }) => body,
    write: (request, body) => ({ ...request, body: body as string }),
  },
  'the customer': bodyPart('customer'),
  'the order': bodyPart('order'),
  'the metadata': bodyPart('metadata'),
  'the filter by promotion_id': filterPart('campaign'),
  'the filter by tier metadata': filterPart('metadata'),
};

function listStateMistakes({ history, all }: Observations): MistakeEntry[] {
  const position = new Map(history.map((exchange, n) => [exchange, n]));
  const requests = history.map(({ request }) => request);
  return Object.entries(keptParts).flatMap(([name, { read, write }]) => {
    const isFilled = requests.map((request) => !['', '""', '{}', '[]'].includes(JSON.stringify(read(request)) ?? ''));
    const first = isFilled.indexOf(true);
    const lastFilled: number[] = [];
    for (const [n, has] of isFilled.entries()) lastFilled[n] = has ? n : (lastFilled[n - 1] ?? -1);
    const getRest = (request: HttpRequest) => {
      const { method, path, body } = write(request, undefined);
      return JSON.stringify([method, path, body]);
    };
    const firstByRest = new Map(all.map(({ exchange: { request } }) => [getRest(request), request] as const).reverse());
    const ways: readonly (readonly [CauseKind, string, (n: number, own: HttpRequest) => HttpRequest | undefined])[] = [
      [
        'cached',
        `Responses are cached without ${name} in the key: requests that differ only in it get the answer of the first one.`,
        (_, own) => firstByRest.get(getRest(own)),
      ],
      ['earlier-request', `A request is answered with ${name} of the request before it.`, (n) => requests[n - 1]],
      [
        'earlier-request',
        `The first ${name} is kept and used for all later requests.`,
        (n) => (first >= 0 && first < n && isFilled[n] ? requests[first] : undefined),
      ],
      [
        'earlier-request',
        `A request without ${name} is answered with that of an earlier request.`,
        (n) => (isFilled[n] ? undefined : requests[lastFilled[n - 1] ?? -1]),
      ],
    ];
    return ways.map(([kind, sentence, findSource]): MistakeEntry => {
      const change = changeRequest((request, exchange) => {
        const source = findSource(position.get(exchange) ?? 0, exchange.request);
        return source === undefined || source === exchange.request ? request : write(request, read(source));
      });
      return [kind, sentence, change];
    });
  });
}

// Descriptions --------------------------------------------------------------------------------------------------------

/** Which promotions are always or never returned, if no mistake explains it. */
function listDescriptions({ all, tiers }: Observations, { campaigns, ids }: NamedWorld): MistakeEntry[] {
  const names = new Map([...ids.campaign].map(([name, id]) => [id, name]));
  const seen = all.flatMap(({ returned }) => (returned === undefined ? [] : [returned]));
  const never = new Set(tiers.filter((_, n) => seen.every((returned) => !returned[n])));
  const always = new Set(tiers.filter((_, n) => seen.every((returned) => returned[n])));
  const describe = (sentence: string, isMeant: (tier: Tier) => boolean, obligation: Obligation): MistakeEntry => [
    'same-promotions',
    sentence,
    (reading) => ({
      ...reading,
      valid: (tier, request) => (isMeant(tier) ? obligation : reading.valid(tier, request)),
    }),
  ];
  const whatever = 'whatever the request asks for.';
  return [
    ...campaigns.map(({ id, category_ids }) => {
      const which = category_ids.length === 0 ? ', which has no category,' : '';
      const sentence = `The promotions of campaign '${names.get(id) ?? id}'${which} are never returned.`;
      return describe(sentence, (tier) => tier.campaign_id === id, 'forbidden');
    }),
    describe(`Some promotions are never returned, ${whatever}`, (tier) => never.has(tier), 'forbidden'),
    describe(`Some promotions are always returned, ${whatever}`, (tier) => always.has(tier), 'required'),
  ];
}
