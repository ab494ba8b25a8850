import { parseFilterParameter } from '../../contract/operation.js';
import type { Obligation } from '../../contract/oracle.js';
import type { Exchange, HttpRequest } from '../../http/exchange.js';
import { renderHiddenPromotionsHint } from '../../judge/own-promotions.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import { getWindowSize, type NamedWorld, windowSize } from '../../world/named-world.js';
import type { Rule, Tier } from '../../world/world.js';
import type { CauseKind, Picture } from './cause.js';
import type { Observations } from './observation.js';
import {
  type Change,
  combine,
  combineWithOr,
  cut,
  type Decision,
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
  readonly picture?: Picture;
  /** Whether it only describes what is seen; a mistake that also explains it is preferred. */
  readonly isDescription?: true;
  readonly change: Change;
}

/** Lists the mistakes that may explain the observations. Their sizes are those that the responses show. */
export function listMistakes(observations: Observations, world: NamedWorld): readonly Mistake[] {
  return [
    ...listWindowMistakes(observations, world),
    ...ruleMistakes,
    ...listQuantityMistakes(world),
    ...unreadParts,
    ...textMistakes,
    ...listStateMistakes(observations),
    ...listDescriptions(observations, world),
  ];
}

// The window and the size of results --------------------------------------------------------------------------------

function listWindowMistakes({ all, tiers }: Observations, world: NamedWorld): Mistake[] {
  const total = world.tiers.length;
  const ranks = new Map(world.tiers.map(({ id }, n) => [id, n + 1]));
  const unfiltered = all.flatMap(({ oracle, returned }) =>
    oracle.filteredOn === undefined && returned !== undefined ? [returned] : [],
  );
  const returnedRanks = unfiltered.map((returned) =>
    tiers.flatMap(({ id }, n) => (returned[n] ? [ranks.get(id) ?? 0] : [])),
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
  const isOfRule: Record<string, (rule: Rule) => boolean> = {
    'it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid': () => true,
    'it has left out promotions for other customers': ({ kind }) => kind === 'customer',
  };
  const mistakes: (readonly [kind: CauseKind, sentence: string, change: Change])[] = [
    ...ranges
      .filter(([from, to]) => from !== 1 || to !== getWindowSize(world))
      .flatMap(([from, to]) =>
        (['forbidden', 'open'] as const).map((outside) => {
          const [kind, sentence] = describeWindow(from, to, world);
          return [kind, sentence, takeWindow(world.tiers.slice(from - 1, to), from === 1, outside)] as const;
        }),
      ),
    ...orders.flatMap(([words, keyOf]) =>
      ([1, -1] as const).map((direction) => {
        const sorted = world.tiers.toSorted((one, other) => direction * (keyOf(one) < keyOf(other) ? -1 : 1));
        const sentence = `The deployment checks the ${windowSize} promotion tiers that come ${direction === 1 ? 'first' : 'last'} by ${words}, not the newest ${windowSize}.`;
        return ['window-order', sentence, takeWindow(sorted.slice(0, windowSize), false, 'open')] as const;
      }),
    ),
    ...Object.entries(isOfRule).map(([words, isMeant]) => {
      const sentence = `The deployment applies the limit of ${windowSize} after ${words}.`;
      return ['window-after-rules', sentence, takeWindowAfter(isMeant, world.tiers)] as const;
    }),
    ...[...new Set([...counts, 1, 10, 20, 25, 50, 100])]
      .filter((count) => count > 0 && count < windowSize)
      .map((count) => {
        const sentence = `A response has at most ${count} ${count === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`;
        const change: Change = (reading) => ({ ...reading, max: Math.min(count, reading.max ?? count) });
        return ['page', sentence, change] as const;
      }),
  ];
  return mistakes.map(([kind, sentence, change]) => ({ kind, sentence, change, picture: 'window' }));
}

function describeWindow(from: number, to: number, world: NamedWorld): [CauseKind, string] {
  const total = world.tiers.length;
  const { ownPromotions } = world;
  const hint = ownPromotions === undefined ? renderHiddenPromotionsHint(to) : '';
  const not = `, not the newest ${windowSize}`;
  if (from > 1 && to === total)
    return [
      'window-oldest-first',
      `The deployment checks the oldest ${to - from + 1} promotion tiers${not}: they are sorted in the wrong direction.`,
    ];
  if (from > 1)
    return ['window-shifted', `The deployment checks the promotion tiers from rank ${from} to ${to}${not}.`];
  return to === total
    ? [
        'window-missing',
        `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`,
      ]
    : ['window-size', `The deployment checks the newest ${to + (ownPromotions ?? 0)} promotion tiers${not}.${hint}`];
}

/** @param outside what becomes of the documented promotions outside of the window when there is a filter */
function takeWindow(window: readonly Tier[], isOfNewest: boolean, outside: Obligation): Change {
  const chosen = new Set(window);
  return (reading) => ({
    ...reading,
    checked(tier, { filters, rankOf, oracle }) {
      if (filters.length === 0) return requireIf(chosen.has(tier));
      if (chosen.has(tier)) return isOfNewest ? oracle.checked(tier) : 'open';
      return rankOf(tier) <= windowSize ? outside : 'open';
    },
  });
}

/** Takes the window from the promotions for which some of the rules hold. */
function takeWindowAfter(isMeant: (rule: Rule) => boolean, tiers: readonly Tier[]): Change {
  const windows = new WeakMap<ReadRequest, ReadonlyMap<string, Obligation>>();
  const find = (request: ReadRequest) => {
    const valid = tiers.map((tier) => request.oracle.valid({ ...tier, rules: tier.rules.filter(isMeant) }));
    const checked = cut(valid, windowSize);
    return new Map(tiers.map(({ id }, n) => [id, checked[n] as Obligation]));
  };
  return (reading) => ({
    ...reading,
    checked(tier, request) {
      if (request.filters.length > 0) return 'open';
      const window = windows.get(request) ?? find(request);
      windows.set(request, window);
      return window.get(tier.id) ?? 'open';
    },
  });
}

function takeMostFrequent(numbers: readonly number[]): number[] {
  const countOf = (number: number) => numbers.filter((each) => each === number).length;
  return [...new Set(numbers)].toSorted((one, other) => countOf(other) - countOf(one)).slice(0, 3);
}

// Rules ---------------------------------------------------------------------------------------------------------------

/** The rules of some kinds, and what goes wrong with them. */
interface RulePlace {
  readonly name: string;
  readonly kinds: readonly Rule['kind'][];
  /** Sentences, and kinds of causes, that say it better than the general ones. */
  readonly ignored?: string;
  readonly neverMet?: string;
  readonly kind?: CauseKind;
}

const rulePlaces: readonly RulePlace[] = [
  {
    name: 'customer rules',
    kinds: ['customer'],
    ignored: 'The customer is ignored: promotions that are reserved for other customers are returned.',
    neverMet: 'The customer is not read: promotions that are reserved for the customer are not returned.',
    kind: 'customer-ignored',
  },
  { name: 'rules about products', kinds: ['product'] },
  { name: 'rules about SKUs', kinds: ['sku'] },
  { name: 'rules about metadata', kinds: ['metadata'] },
  { name: 'rules about order items', kinds: ['product', 'sku'] },
  {
    name: 'rules',
    kinds: ['customer', 'product', 'sku', 'order_metadata', 'metadata'],
    neverMet: 'The body of the request is not read: only promotions without rules are returned.',
  },
];

const everything: Pick<Reading, 'matching' | 'valid'> = { matching: () => 'required', valid: () => 'required' };

const ruleMistakes: readonly Mistake[] = [
  {
    kind: 'everything-returned',
    picture: 'window',
    sentence: 'Every promotion is returned, whatever the request asks for.',
    change: (reading) => ({ ...reading, ...everything, checked: () => 'required' }),
  },
  {
    kind: 'everything-returned',
    picture: 'window',
    sentence: `The newest ${windowSize} promotion tiers are returned, whatever the request asks for.`,
    change: (reading) => ({ ...reading, ...everything }),
  },
  {
    kind: 'rules-joined-by-or',
    sentence: 'A promotion is returned as soon as one of its rules holds: the rules are joined by "or", not by "and".',
    change: joinWithOr(() => ''),
  },
  {
    kind: 'rules-joined-by-or',
    sentence: 'Of several rules of one kind, one is enough: they are joined by "or", not by "and".',
    change: joinWithOr(({ kind }) => kind),
  },
  ...[1, 2, 3, 4, 5].map(
    (count): Mistake => ({
      kind: 'first-rule-only',
      sentence: `Only the first ${count === 1 ? 'rule' : `${count} rules`} of a promotion ${count === 1 ? 'is' : 'are'} evaluated.`,
      change: changeRules((rules) => rules.slice(0, count)),
    }),
  ),
  {
    kind: 'first-rule-only',
    sentence: 'Only the last rule of a promotion is evaluated.',
    change: changeRules((rules) => rules.slice(-1)),
  },
  ...[0, -1].map(
    (at): Mistake => ({
      kind: 'first-customer-only',
      sentence: `Of the customers that a promotion is reserved for, only the ${at === 0 ? 'first' : 'last'} one gets it.`,
      change: changeRules((rules) =>
        rules.map((rule) => (rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.slice(at).slice(0, 1) } : rule)),
      ),
    }),
  ),
  ...rulePlaces.flatMap(({ name, kinds, kind, ignored, neverMet }): Mistake[] => {
    const isOwn = (rule: Rule) => kinds.includes(rule.kind);
    const picture = name.includes('product') || name.includes('SKU') ? ({ picture: 'quantities' } as const) : {};
    return [
      {
        kind: kind ?? 'rule-ignored',
        ...picture,
        sentence:
          ignored ?? `The deployment ignores ${name}: promotions are returned although these rules do not hold.`,
        change: changeRules((rules) => rules.filter((rule) => !isOwn(rule))),
      },
      {
        kind: kind ?? (name === 'rules' ? 'body-not-read' : 'rule-never-met'),
        ...picture,
        sentence: neverMet ?? `Promotions with ${name} are never returned, although their rules hold.`,
        change: decideRules((rule) => (isOwn(rule) ? 'forbidden' : undefined)),
      },
    ];
  }),
];

/** Evaluates other rules than those of a promotion. */
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

/** Joins the rules of each group by "or". */
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

/** How a quantity may be compared with a threshold. */
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

function listQuantityMistakes({ skus }: NamedWorld): Mistake[] {
  const isOf = (rule: QuantityRule, item: JsonObject) =>
    rule.id === (rule.kind === 'product' ? item.product_id : item.sku_id);
  const quantityOf = ({ quantity }: JsonObject) => Number(quantity ?? 0);
  type Decide = (rule: QuantityRule, request: ReadRequest) => Obligation | undefined;
  const ways: readonly (readonly [string, Decide])[] = [
    ...quantityComparisons.map(([sentence, compare]): readonly [string, Decide] => [
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
  const places: readonly (readonly [string, readonly Rule['kind'][]])[] = [
    ['', ['product', 'sku']],
    [' This concerns products.', ['product']],
    [' This concerns SKUs.', ['sku']],
  ];
  return ways.flatMap(([sentence, decide]) =>
    places.map(([more, kinds]) => ({
      kind: 'threshold',
      picture: 'quantities',
      sentence: `${sentence}${more}`,
      change: decideRules((rule, request) =>
        (rule.kind === 'product' || rule.kind === 'sku') && kinds.includes(rule.kind)
          ? decide(rule, request)
          : undefined,
      ),
    })),
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

const filterPlaces: readonly (readonly [string, on: readonly Filter['on'][], isPlural?: true])[] = [
  ['The filter by promotion_id', ['campaign']],
  ['The filter by tier metadata', ['metadata']],
  ['The filters', ['campaign', 'metadata'], true],
];

const textMistakes: readonly Mistake[] = [
  ...filterPlaces.flatMap(([name, on, isPlural]): Mistake[] => {
    const choose = (plural: string, singular: string) => (isPlural ? plural : singular);
    const ignore = compareFilters(on, () => true);
    const mistakes: (readonly [CauseKind, string, Change])[] = [
      [
        'filter-ignored',
        `${choose('are', 'is')} ignored: promotions that do not match are returned.`,
        (reading, observation) => ({
          ...ignore(reading, observation),
          // Without the filter, the limit applies as to any other request.
          checked: (tier, request) =>
            request.filters.length > 0 && request.rankOf(tier) > windowSize ? 'open' : reading.checked(tier, request),
        }),
      ],
      [
        'filter-never-met',
        `${choose('match', 'matches')} nothing: promotions that match are not returned.`,
        compareFilters(on, () => false),
      ],
      [
        'filter-inverted',
        `${choose('leave', 'leaves')} out what ${choose('they', 'it')} should keep.`,
        compareFilters(on, (sent, own) => sent !== own),
      ],
      ...[...textComparisons, ...(on[0] === 'metadata' ? entryComparisons : [])].map(([words, compare]) => {
        return [
          'filter-loose',
          `${choose('compare', 'compares')} loosely: ${words}.`,
          compareFilters(on, compare),
        ] as const;
      }),
    ];
    return mistakes.map(([kind, words, change]) => ({
      kind,
      change,
      picture: 'filters',
      sentence: `${name} ${words}`,
    }));
  }),
  ...textComparisons.map(
    ([words, compare]): Mistake => ({
      kind: 'comparison',
      sentence: `Rules about metadata compare loosely: ${words}.`,
      change: decideRules((rule, { metadata = {} }) => {
        const sent = rule.kind === 'metadata' ? metadata[rule.key] : undefined;
        return rule.kind === 'metadata' && typeof sent === 'string' ? requireIf(compare(sent, rule.is, [])) : undefined;
      }),
    }),
  ),
  {
    kind: 'comparison',
    sentence: 'Rules about metadata are inverted: a value that differs meets them, and an equal one does not.',
    change: decideRules((rule, { metadata = {} }) =>
      rule.kind === 'metadata' && rule.key in metadata ? requireIf(metadata[rule.key] !== rule.is) : undefined,
    ),
  },
  {
    kind: 'comparison',
    sentence: 'Rules about metadata compare the value alone: it may be under any key.',
    change: decideRules((rule, { metadata = {} }) =>
      rule.kind === 'metadata' ? requireIf(Object.values(metadata).includes(rule.is)) : undefined,
    ),
  },
];

/** Compares the values of some filters in another way. */
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

const itemMistakes: readonly (readonly [CauseKind, string, (items: readonly unknown[]) => readonly unknown[]])[] = [
  ['first-item-only', 'Only the first item of an order is read.', (items) => items.slice(0, 1)],
  ['first-item-only', 'Only the last item of an order is read.', (items) => items.slice(-1)],
  ...[2, 3, 5, 10, 16, 20, 32, 50].map(
    (count) =>
      [
        'items-not-read',
        `Only the first ${count} items of an order are read.`,
        (items: readonly unknown[]) => items.slice(0, count),
      ] as const,
  ),
];

type Entries = readonly (readonly [string, unknown])[];
const entryMistakes: readonly (readonly [CauseKind, string, (entries: Entries) => Entries])[] = [
  ['metadata-not-read', 'The metadata of a request is not read.', () => []],
  ['first-entry-only', 'Only the first entry of the metadata is read.', (entries) => entries.slice(0, 1)],
  ['first-entry-only', 'Only the last entry of the metadata is read.', (entries) => entries.slice(-1)],
];

const unreadParts: readonly Mistake[] = [
  ...itemMistakes.map(([kind, sentence, take]): Mistake => {
    const change = (body: JsonObject) => {
      const items = getMember(body.order, 'items');
      const taken = Array.isArray(items) ? take(items) : [];
      // What an order without items means is open.
      return taken.length === 0 ? body : { ...body, order: { ...(body.order as JsonObject), items: taken } };
    };
    const picture = kind === 'first-item-only' ? ({ picture: 'quantities' } as const) : {};
    return { kind, sentence, ...picture, change: changeRequest((request) => changeBody(request, change)) };
  }),
  ...entryMistakes.map(([kind, sentence, take]): Mistake => {
    const change = ({ metadata, ...body }: JsonObject) =>
      isJsonObject(metadata) ? { ...body, metadata: Object.fromEntries(take(Object.entries(metadata))) } : body;
    return { kind, sentence, change: changeRequest((request) => changeBody(request, change)) };
  }),
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

function listStateMistakes({ history, all }: Observations): Mistake[] {
  const position = new Map(history.map((exchange, n) => [exchange, n]));
  const requests = history.map(({ request }) => request);
  return Object.entries(keptParts).flatMap(([name, { read, write }]): Mistake[] => {
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
    return ways.map(([kind, sentence, findSource]) => ({
      kind,
      sentence,
      change: changeRequest((request, exchange) => {
        const source = findSource(position.get(exchange) ?? 0, exchange.request);
        return source === undefined || source === exchange.request ? request : write(request, read(source));
      }),
    }));
  });
}

// Descriptions --------------------------------------------------------------------------------------------------------

/** Which promotions are always or never returned, if no mistake explains it. */
function listDescriptions({ all, tiers }: Observations, { campaigns, ids }: NamedWorld): Mistake[] {
  const names = new Map([...ids.campaign].map(([name, id]) => [id, name]));
  const seen = all.flatMap(({ returned }) => (returned === undefined ? [] : [returned]));
  const never = new Set(tiers.filter((_, n) => seen.every((returned) => !returned[n])));
  const always = new Set(tiers.filter((_, n) => seen.every((returned) => returned[n])));
  const whatever = 'whatever the request asks for.';
  const descriptions: readonly (readonly [string, (tier: Tier) => boolean, Obligation])[] = [
    ...campaigns.map(({ id, category_ids }) => {
      const which = category_ids.length === 0 ? ', which has no category,' : '';
      const sentence = `The promotions of campaign '${names.get(id) ?? id}'${which} are never returned.`;
      return [sentence, (tier: Tier) => tier.campaign_id === id, 'forbidden'] as const;
    }),
    [`Some promotions are never returned, ${whatever}`, (tier) => never.has(tier), 'forbidden'],
    [`Some promotions are always returned, ${whatever}`, (tier) => always.has(tier), 'required'],
  ];
  return descriptions.map(([sentence, isMeant, obligation]) => {
    const decide =
      (valid: Decision): Decision =>
      (tier, request) =>
        isMeant(tier) ? obligation : valid(tier, request);
    return {
      kind: 'same-promotions',
      isDescription: true,
      sentence,
      change: (reading) => ({ ...reading, valid: decide(reading.valid) }),
    };
  });
}
