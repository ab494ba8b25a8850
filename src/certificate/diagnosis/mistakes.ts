import { getWindowSize, type NamedWorld, windowSize } from '../../contract/named-world.js';
import { combineWithAnd, type Obligation, requireIf } from '../../contract/oracle.js';
import type { Rule, Tier } from '../../contract/world.js';
import { renderHiddenPromotionsHint } from '../../judge/own-promotions.js';
import { groupBy } from '../../support/group-by.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import type { Observations } from './observation.js';
import {
  type Change,
  changeDecision,
  combineWithOr,
  type Filter,
  type JsonObject,
  keepFirst,
  type Mistake,
  type ReadRequest,
  remember,
} from './prediction.js';

/** Lists the mistakes that may explain the observations. Their sizes are those that the responses show. */
export function listMistakes(observations: Observations): readonly Mistake[] {
  return [
    ...listWindowMistakes(observations),
    ...ruleMistakes,
    ...listQuantityMistakes(observations.world),
    ...unreadParts,
    ...textMistakes,
  ];
}

/** Describes promotions that no response has, if no mistake explains it. */
export function describeMissing({ all, tiers }: Observations): Mistake {
  const missing = new Set(tiers.filter((_, n) => all.every(({ returned }) => !returned?.[n])));
  return [
    'Some promotions are never returned, whatever the request asks for.',
    changeDecision('valid', (tier, request, before) => (missing.has(tier) ? 'forbidden' : before(tier, request))),
  ];
}

// The window and the size of results --------------------------------------------------------------------------------

function listWindowMistakes({ all, tiers, ranks, world }: Observations): Mistake[] {
  const total = world.tiers.length;
  const returnedRanks = all.flatMap(({ oracle, returned }) =>
    oracle.filteredOn === undefined && returned !== undefined
      ? [tiers.flatMap((_, n) => (returned[n] ? [ranks[n] ?? 0] : []))]
      : [],
  );
  const seen = [...new Set(returnedRanks.flat())].sort((left, right) => left - right);
  const [first = 1] = seen;
  const lasts = [
    ...takeMostFrequent(returnedRanks.flatMap((shown) => shown.at(-1) ?? [])),
    seen.at(-1) ?? total,
    total,
  ];
  const ranges = [1, first].flatMap((from) => lasts.map((to) => [from, to] as const));
  const counts = takeMostFrequent(returnedRanks.map(({ length }) => length));
  return [
    ...ranges
      .filter(([from, to]) => from !== 1 || to !== getWindowSize(world))
      .map(([from, to]): Mistake => [describeWindow(from, to, world), takeWindow(from, to, world)]),
    ...Object.entries({
      [`The deployment applies the limit of ${windowSize} after it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid.`]:
        takeWindowAfter(() => true, world),
      [`The deployment applies the limit of ${windowSize} after it has left out promotions for other customers.`]:
        takeWindowAfter(({ kind }) => kind === 'customer', world),
    }),
    ...[...new Set([...counts, 10, 20, 25, 50, 100])]
      .filter((count) => count > 0 && count < windowSize)
      .map((count): Mistake => {
        const sentence = `A response has at most ${count} ${count === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`;
        return [sentence, (reading) => ({ ...reading, max: Math.min(count, reading.max ?? count) })];
      }),
  ];
}

function takeMostFrequent(numbers: readonly number[]): number[] {
  const countOf = (wanted: number) => numbers.filter((number) => number === wanted).length;
  return [...new Set(numbers)].toSorted((left, right) => countOf(right) - countOf(left)).slice(0, 3);
}

function describeWindow(from: number, to: number, { tiers, ownPromotions }: NamedWorld): string {
  const hint = ownPromotions === undefined ? renderHiddenPromotionsHint(to) : '';
  const isToOldest = to === tiers.length;
  if (from === 1 && isToOldest)
    return `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`;
  const checks = (which: string) => `The deployment checks the ${which}, not the newest ${windowSize}`;
  if (from === 1) return `${checks(`newest ${to + (ownPromotions ?? 0)} promotion tiers`)}.${hint}`;
  if (!isToOldest) return `${checks(`promotion tiers from rank ${from} to ${to}`)}.`;
  return `${checks(`oldest ${to - from + 1} promotion tiers`)}: they are sorted in the wrong direction.`;
}

/** Takes the tiers of some ranks. With a filter, a deployment may filter before or after that. */
function takeWindow(from: number, to: number, { tiers }: NamedWorld): Change {
  const chosen = new Set(tiers.slice(from - 1, to));
  return changeDecision('checked', (tier, request, before) => {
    if (request.filters.length === 0) return requireIf(chosen.has(tier));
    return from === 1 && chosen.has(tier) ? before(tier, request) : 'open';
  });
}

/** Takes the window from the promotions for which some of the rules hold. */
function takeWindowAfter(isMeant: (rule: Rule) => boolean, { tiers }: NamedWorld): Change {
  const findWindow = remember(({ oracle }: ReadRequest) => {
    const valid = tiers.map((tier) => oracle.valid({ ...tier, rules: tier.rules.filter(isMeant) }));
    const checked = keepFirst(valid, windowSize);
    return new Map(tiers.map((tier, n) => [tier, checked[n]]));
  });
  return changeDecision('checked', (tier, request) =>
    request.filters.length > 0 ? 'open' : (findWindow(request).get(tier) ?? 'open'),
  );
}

// Rules ---------------------------------------------------------------------------------------------------------------

const rulePlaces: Readonly<Record<string, readonly Rule['kind'][]>> = {
  'the customer': ['customer'],
  products: ['product'],
  SKUs: ['sku'],
  'order items': ['product', 'sku'],
  metadata: ['metadata'],
};

const ruleMistakes: readonly Mistake[] = [
  ...Object.entries<Change>({
    'Every promotion is returned, whatever the request asks for.': (reading) => ({
      ...reading,
      checked: () => 'required',
      matching: () => 'required',
      valid: () => 'required',
    }),
    [`The newest ${windowSize} promotion tiers are returned, whatever the request asks for.`]: (reading) => {
      return { ...reading, matching: () => 'required', valid: () => 'required' };
    },
    'A promotion is returned as soon as one of its rules holds: the rules are joined by "or", not by "and".':
      joinWithOr(() => ''),
    'Of several rules of one kind, one is enough: they are joined by "or", not by "and".': joinWithOr(
      ({ kind }) => kind,
    ),
    'Only the first rule of a promotion is evaluated.': changeRules((rules) => rules.slice(0, 1)),
    'Only the last rule of a promotion is evaluated.': changeRules((rules) => rules.slice(-1)),
    'Of the customers that a promotion is reserved for, only the first one gets it.': changeCustomers(0, 1),
    'Of the customers that a promotion is reserved for, only the last one gets it.': changeCustomers(-1),
  }),
  ...Object.entries(rulePlaces).flatMap(([name, kinds]): Mistake[] => {
    const decideKinds = (obligation: Obligation) =>
      decideRules(({ kind }) => (kinds.includes(kind) ? obligation : undefined));
    const ignored = `The deployment ignores rules about ${name}: promotions are returned although these rules do not hold.`;
    const unmet = `Promotions with rules about ${name} are never returned, although their rules hold.`;
    return [
      [ignored, decideKinds('required')],
      [unmet, decideKinds('forbidden')],
    ];
  }),
  ...Object.entries({
    'The deployment ignores rules: promotions are returned although these rules do not hold.': decideRules(
      () => 'required',
    ),
    'The body of the request is not read: only promotions without rules are returned.': decideRules(() => 'forbidden'),
  }),
];

function changeRules(change: (rules: readonly Rule[]) => readonly Rule[]): Change {
  return changeDecision('valid', (tier, request, before) => before({ ...tier, rules: change(tier.rules) }, request));
}

/** Keeps some of the customers of a rule. @param range as of `slice` */
function changeCustomers(...range: readonly [start: number, end?: number]): Change {
  return changeRules((rules) =>
    rules.map((rule) => (rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.slice(...range) } : rule)),
  );
}

function joinWithOr(groupOf: (rule: Rule) => string): Change {
  return changeDecision('valid', (tier, request, before) => {
    const groups = groupBy(tier.rules, groupOf);
    if (groups.size === tier.rules.length) return before(tier, request);
    const judge = (rule: Rule) => before({ ...tier, rules: [rule] }, request);
    return combineWithAnd([...groups.values()].map((rules) => combineWithOr(rules.map(judge))));
  });
}

/**
 * Decides rules in another way. `decide` returns undefined for rules that are decided as documented. Where the
 * documentation leaves a part of the request open, these rules are open, except that a customer is read or is not.
 */
function decideRules(decide: (rule: Rule, request: ReadRequest) => Obligation | undefined): Change {
  return changeDecision('valid', (tier, request, before) => {
    const isOpen = request.oracle.openReason !== undefined;
    const rest: Rule[] = [];
    const decided: Obligation[] = [];
    for (const rule of tier.rules) {
      const obligation = decide(rule, request);
      if (obligation === undefined) rest.push(rule);
      else decided.push(isOpen && (rule.kind !== 'customer' || obligation === 'required') ? 'open' : obligation);
    }
    if (decided.length === 0) return before(tier, request);
    return combineWithAnd([before({ ...tier, rules: rest }, request), ...decided]);
  });
}

// Quantities ----------------------------------------------------------------------------------------------------------

/** @param sent the quantity of the item that a rule asks for; 0 without one. @param all those of all items of its kind */
type CompareQuantity = (sent: number, atLeast: number, all: readonly number[]) => boolean;

const quantityComparisons: Readonly<Record<string, CompareQuantity>> = {
  'A quantity must be greater than the threshold, not equal to it (">" in place of ">=").': (sent, least) =>
    sent > least,
  'A quantity of one less than the threshold is enough.': (sent, least) => sent >= least - 1,
  'Any quantity is enough: the threshold of a rule is ignored.': (sent) => sent > 0,
  'A quantity must equal the threshold; larger ones do not count.': (sent, least) => sent === least,
  'Quantities are compared as text, so that 10 is less than 2.': (sent, least) => String(sent) >= String(least),
  'A quantity must be below the threshold: the comparison is the wrong way round.': (sent, least) =>
    sent > 0 && sent < least,
  'The number of items counts, not their quantities.': (sent, least) => sent > 0 && least <= 1,
  'The quantities of all items are added up, whatever they are: other products count, too.': (sent, least, all) =>
    sent > 0 && all.reduce((sum, quantity) => sum + quantity, 0) >= least,
  'Any item with enough quantity is enough: its id is not compared.': (_, least, all) =>
    all.some((quantity) => quantity >= least),
};

const quantityPlaces: Readonly<Record<string, readonly Rule['kind'][]>> = {
  '': ['product', 'sku'],
  ' This concerns products.': ['product'],
  ' This concerns SKUs.': ['sku'],
};

function listQuantityMistakes({ skus, tiers }: NamedWorld): Mistake[] {
  const isOwned = (rule: Rule, { sku_id }: JsonObject) =>
    rule.kind === 'product' && skus.some(({ id, product_id }) => id === sku_id && product_id === rule.id);
  const decide = (rule: Rule, items: readonly JsonObject[], compare: CompareQuantity): Obligation | undefined => {
    if (rule.kind !== 'product' && rule.kind !== 'sku') return undefined;
    const idName = rule.kind === 'product' ? 'product_id' : 'sku_id';
    const ofKind = items.filter((item) => item[idName] !== undefined);
    const [item, ...further] = ofKind.filter((sent) => sent[idName] === rule.id);
    // How several items add up is open, and whether a SKU counts as its product.
    if (further.length > 0 || items.some((sent) => isOwned(rule, sent))) return 'open';
    const quantityOf = (sent: JsonObject | undefined) => Number(sent?.quantity ?? 0);
    return requireIf(compare(quantityOf(item), rule.at_least, ofKind.map(quantityOf)));
  };
  const thresholds = new Set(
    tiers.flatMap(({ rules }) => rules.flatMap((rule) => ('at_least' in rule ? rule.at_least : []))),
  );
  const capped = [...thresholds]
    .sort((left, right) => left - right)
    .slice(0, -1)
    .map((most): [string, CompareQuantity] => [
      `Large quantities do not count in full: none meets a threshold above ${most}.`,
      (sent, least) => Math.min(sent, most) >= least,
    ]);
  return [...Object.entries(quantityComparisons), ...capped].flatMap(([sentence, compare]) =>
    Object.entries(quantityPlaces).map(([more, kinds]): Mistake => {
      const change = decideRules((rule, { items }) =>
        kinds.includes(rule.kind) ? decide(rule, items, compare) : undefined,
      );
      return [`${sentence}${more}`, change];
    }),
  );
}

// Texts: filters, and rules about metadata ------------------------------------------------------------------------------

/** Compares what was sent with what a promotion has. @param isAnywhere whether they are equal under any two keys */
type CompareTexts = (sent: string | undefined, held: string | undefined, isAnywhere: boolean) => boolean;

/** How texts may be compared. The words continue "… compares wrongly:". */
const textComparisons: readonly (readonly [string, CompareTexts])[] = [
  ['a part of the value is enough', ifBoth((sent, held) => held.includes(sent))],
  ['the value may be a part of what is sent', ifBoth((sent, held) => sent.includes(held))],
  ['the beginning of the value is enough', ifBoth((sent, held) => held.startsWith(sent))],
  ['the value may be the beginning of what is sent', ifBoth((sent, held) => sent.startsWith(held))],
  ['white space at the ends does not count', ifBoth((sent, held) => sent.trim() === held.trim())],
  ['numbers in other spellings are equal', ifBoth((sent, held) => held !== '' && Number(sent) === Number(held))],
  ...[16, 20, 32, 64].map((max): readonly [string, CompareTexts] => [
    'long values are cut, so that only their beginnings are compared',
    ifBoth((sent, held) => sent.slice(0, max) === held.slice(0, max)),
  ]),
  ['the key alone decides, and any value matches', ifBoth(() => true)],
  ['the value alone decides, under any key', (_, __, isAnywhere) => isAnywhere],
  ['a missing key matches, too', (sent, held) => sent === undefined || held === undefined || held === sent],
  ['an equal value does not match, and any other does', (sent, held) => sent !== undefined && sent !== held],
];

function ifBoth(compare: (sent: string, held: string) => boolean): CompareTexts {
  return (sent, held) => sent !== undefined && held !== undefined && (sent === held || compare(sent, held));
}

const filterPlaces: Readonly<Record<string, readonly Filter['on'][]>> = {
  'The filter by promotion_id': ['campaign'],
  'The filter by tier metadata': ['metadata'],
  'Every filter': ['campaign', 'metadata'],
};

const textMistakes: readonly Mistake[] = [
  ...Object.entries(filterPlaces).flatMap(([name, on]): Mistake[] => {
    const ignored = `${name} is ignored: promotions that do not match are returned.`;
    const unmet = `${name} matches nothing: promotions that match are not returned.`;
    return [
      [ignored, compareFilters(on, () => true)],
      [unmet, compareFilters(on, () => false)],
      ...textComparisons.map(([how, compare]): Mistake => {
        return [`${name} compares wrongly: ${how}.`, compareFilters(on, compare)];
      }),
    ];
  }),
  ...textComparisons.map(([how, compare]): Mistake => {
    const change = decideRules((rule, { metadata = {} }) => {
      if (rule.kind !== 'metadata') return undefined;
      const sent = metadata[rule.key];
      const isAnywhere = Object.values(metadata).includes(rule.is);
      return requireIf(compare(typeof sent === 'string' ? sent : undefined, rule.is, isAnywhere));
    });
    return [`Rules about metadata compare wrongly: ${how}.`, change];
  }),
];

function compareFilters(on: readonly Filter['on'][], compare: CompareTexts): Change {
  const isMatch = ({ campaign_id, metadata }: Tier, filter: Filter) => {
    if (filter.on === 'campaign') return compare(filter.value, campaign_id, filter.value === campaign_id);
    const held = Object.hasOwn(metadata, filter.key) ? String(metadata[filter.key]) : undefined;
    return compare(filter.value, held, Object.values(metadata).map(String).includes(filter.value));
  };
  return changeDecision('matching', (tier, request, before) => {
    const { filters, oracle } = request;
    const [filter] = filters.filter((sent) => on.includes(sent.on));
    if (filter === undefined) return before(tier, request);
    // How several filters are combined is open.
    if (filters.length > 1) return 'open';
    const matches = isMatch(tier, filter);
    const isOpen = oracle.openReason !== undefined && (matches || oracle.matching(tier) === 'open');
    return isOpen ? 'open' : requireIf(matches);
  });
}

// Parts of the request that are not read ----------------------------------------------------------------------------

const unreadParts: readonly Mistake[] = [
  ...[1, 2, 3, 5, 10, 16, 20, 32, 50].map((count): Mistake => {
    const sentence = `Items of an order after the first ${count === 1 ? 'one' : count} are not read.`;
    return [sentence, takeItems((items) => items.slice(0, count))];
  }),
  ['Only the last item of an order is read.', takeItems((items) => items.slice(-1))],
];

/** Reads some items only. */
function takeItems(take: (items: readonly unknown[]) => readonly unknown[]): Change {
  return (reading) => {
    const body = parseJson(reading.request.body ?? '');
    const order = getMember(body, 'order');
    const items = getMember(order, 'items');
    if (!isJsonObject(body) || !isJsonObject(order) || !Array.isArray(items)) return reading;
    const changed = { ...body, order: { ...order, items: take(items) } };
    return { ...reading, request: { ...reading.request, body: JSON.stringify(changed) } };
  };
}
