import { getWindowSize, type NamedWorld, windowSize } from '../../contract/named-world.js';
import { combineWithAnd, type Obligation, requireIf } from '../../contract/oracle.js';
import type { Rule, Tier } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { renderHiddenPromotionsHint } from '../../judge/own-promotions.js';
import { groupBy } from '../../support/group-by.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import { renderShortList } from '../../support/render-short-list.js';
import type { Observations } from './observation.js';
import {
  type Change,
  combineWithOr,
  decideRules,
  keepFirst,
  type Mistake,
  type ReadRequest,
  readRequest,
  remember,
} from './prediction.js';

/** Lists the mistakes that may explain the observations. Their sizes are those that the responses show. */
export function listMistakes(observations: Observations): readonly Mistake[] {
  return [
    ...ruleMistakes,
    ...listFilterMistakes(observations.world),
    ...listWindowMistakes(observations),
    ...listResultMistakes(observations),
    ...listQuantityMistakes(observations.world),
    ...listItemMistakes(observations.world),
    ...listTextMistakes(observations.world),
    ...carelessMistakes,
  ];
}

// The window and the size of results --------------------------------------------------------------------------------

function listWindowMistakes({ all, tiers, ranks, world }: Observations): Mistake[] {
  const total = world.tiers.length;
  const returnedRanks = all.flatMap(({ oracle, returned }) =>
    oracle.filteredOn === undefined && oracle.undocumentedReason === undefined && returned !== undefined
      ? [tiers.flatMap((_, n) => (returned[n] ? [ranks[n] ?? 0] : []))]
      : [],
  );
  const seen = new Set(returnedRanks.flat());
  const first = Math.min(total, ...seen);
  const last = Math.max(1, ...seen);
  const lasts = [...takeMostFrequent(returnedRanks.flatMap((shown) => shown.at(-1) ?? [])), last, total];
  const ranges = [1, first].flatMap((from) => lasts.map((to) => [from, to] as const));
  const named = all.flatMap(({ returned }) => returned ?? []).length === 0 ? [] : tiers;
  const missing = named.filter((_, n) => (ranks[n] ?? 0) <= windowSize && all.every(({ returned }) => !returned?.[n]));
  const sorted = { id: 'ids', name: 'names', campaign_id: 'campaigns' } as const;
  return [
    ...ranges
      .filter(([from, to]) => (from === 1 ? to !== getWindowSize(world) : to - from >= minWindow))
      .map(([from, to]) => createWindowMistake(from, to, world, missing)),
    {
      id: 'window-after-rules',
      sentence: `The deployment applies the limit of ${windowSize} after it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid.`,
      change: takeWindowAfter(() => true, world),
    },
    {
      id: 'window-after-customer',
      sentence: `The deployment applies the limit of ${windowSize} after it has left out promotions for other customers.`,
      change: takeWindowAfter(({ kind }) => kind === 'customer', world),
    },
    ...Object.entries(sorted).flatMap(([key, name]) =>
      [1, -1].map((direction): Mistake => {
        const keyOf = (tier: Tier) => tier[key as keyof typeof sorted];
        const order = world.tiers.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1) * direction);
        return {
          id: `window-by-${key === 'campaign_id' ? 'campaign' : key}`,
          sentence: `The deployment sorts promotion tiers by their ${name}, and takes the first ${windowSize} of that order: it must take the newest.`,
          change: takeWindow(new Set(order.slice(0, getWindowSize(world))), false),
        };
      }),
    ),
  ];
}

/** Fewer promotion tiers are no window. */
const minWindow = 10;

function takeMostFrequent(numbers: readonly number[]): number[] {
  const countOf = (wanted: number) => numbers.filter((number) => number === wanted).length;
  return [...new Set(numbers)].toSorted((left, right) => countOf(right) - countOf(left)).slice(0, 3);
}

/** @param missing tiers of the window that no response has: they may not be loaded */
function createWindowMistake(from: number, to: number, world: NamedWorld, missing: readonly Tier[]): Mistake {
  const { tiers, ownPromotions } = world;
  const isToOldest = to === tiers.length;
  const chosen = new Set(tiers.slice(from - 1, to));
  const change = takeWindow(chosen, from === 1);
  if (from === 1 && isToOldest)
    return {
      id: 'window-missing',
      sentence: `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`,
      change,
    };
  const size = to + (ownPromotions ?? 0);
  const checks = (which: string) => `The deployment checks the ${which}, not the newest ${windowSize}`;
  const [id, sentence] =
    from === 1
      ? [`window-size/${size}`, checks(`newest ${size} promotion tiers`)]
      : isToOldest
        ? [
            `window-oldest/${to - from + 1}`,
            `${checks(`oldest ${to - from + 1} promotion tiers`)}: they are sorted in the wrong direction`,
          ]
        : [`window-ranks/${from}-${to}`, checks(`promotion tiers from rank ${from} to ${to}`)];
  const hint = from === 1 && ownPromotions === undefined ? renderHiddenPromotionsHint(to) : '';
  return {
    id,
    sentence: `${sentence}.${describeUnloaded(missing.filter((tier) => !chosen.has(tier)))}${hint}`,
    change,
  };
}

/** Says that promotions may not be loaded; empty if there are none. */
function describeUnloaded(missing: readonly Tier[]): string {
  if (missing.length === 0) return '';
  return ` Or these promotion tiers are not loaded: ${renderShortList(missing.map(({ name }) => `'${name}'`))}.`;
}

/** Takes some of the tiers. @param isNewest whether they are, so that a deployment may filter before it takes them */
function takeWindow(chosen: ReadonlySet<Tier>, isNewest: boolean): Change {
  return (before) => ({
    ...before,
    checked: (tier, request) => {
      if (request.filters.length === 0) return requireIf(chosen.has(tier));
      return isNewest && chosen.has(tier) ? before.checked(tier, request) : 'open';
    },
  });
}

/** Takes the window from the promotions for which some of the rules hold. With a filter, it is open unless it is smaller. */
function takeWindowAfter(isMeant: (rule: Rule) => boolean, { tiers }: NamedWorld, size = windowSize): Change {
  const findWindow = remember(({ oracle }: ReadRequest) => {
    const valid = tiers.map((tier) => oracle.valid({ ...tier, rules: tier.rules.filter(isMeant) }));
    const checked = keepFirst(valid, size);
    return new Map(tiers.map((tier, n) => [tier, checked[n]]));
  });
  return (before) => ({
    ...before,
    checked: (tier, request) =>
      request.filters.length > 0 && size === windowSize ? 'open' : (findWindow(request).get(tier) ?? 'open'),
  });
}

function listResultMistakes({ all, tiers, world }: Observations): Mistake[] {
  const counts = takeMostFrequent(all.map(({ returned = [] }) => returned.filter(Boolean).length));
  const keepOne = (keyOf: (tier: Tier) => string): Change =>
    changeResult((obligations) => {
      const seen = new Map<string, Obligation>();
      return obligations.map((obligation, n) => {
        const key = keyOf(tiers[n] as Tier);
        const before = seen.get(key) ?? 'forbidden';
        if (obligation === 'forbidden') return obligation;
        seen.set(key, combineWithOr([before, obligation]));
        return before === 'required' ? 'forbidden' : before === 'open' ? 'open' : obligation;
      });
    });
  return [
    ...[...new Set([...counts, 1, 2, 5, 10, 20, 25, 50, 100])]
      .filter((count) => count > 0 && count < windowSize)
      .map((count) => ({
        id: `page-size/${count}`,
        sentence: `A response has at most ${count} ${count === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`,
        change: changeResult((obligations) => keepFirst(obligations, count)),
      })),
    ...[10, 20, 25, 50, 100].map((count) => ({
      id: `page-before-filter/${count}`,
      sentence: `A filter is applied to the first ${count} promotions alone: the result is cut before it is filtered.`,
      change: takeWindowAfter(() => true, world, count),
    })),
    {
      id: 'result-empty',
      sentence: 'Nothing is returned.',
      change: changeResult((obligations) => obligations.map(() => 'forbidden')),
    },
    {
      id: 'first-promotion-lost',
      sentence: 'The newest promotion of a result is left out.',
      change: changeResult(dropFirst),
    },
    {
      id: 'last-promotion-lost',
      sentence: 'The oldest promotion of a result is left out.',
      change: changeResult((obligations) => dropFirst(obligations.toReversed()).toReversed()),
    },
    {
      id: 'one-per-campaign',
      sentence: 'Only one promotion of each campaign is returned.',
      change: keepOne(({ campaign_id }) => campaign_id),
    },
  ];
}

function changeResult(cut: (obligations: readonly Obligation[]) => readonly Obligation[]): Change {
  return (before) => ({
    ...before,
    cut: (obligations, request) => cut(before.cut?.(obligations, request) ?? obligations),
  });
}

function dropFirst(obligations: readonly Obligation[]): Obligation[] {
  const kept = keepFirst(obligations, 1);
  return obligations.map((obligation, n) => {
    if (kept[n] === 'required') return 'forbidden';
    return kept[n] === 'open' ? 'open' : obligation;
  });
}

// Rules ---------------------------------------------------------------------------------------------------------------

const ruleKinds: Readonly<Record<string, readonly [name: string, kinds: readonly Rule['kind'][]]>> = {
  customer: ['the customer', ['customer']],
  product: ['products', ['product']],
  sku: ['SKUs', ['sku']],
  item: ['order items', ['product', 'sku']],
  metadata: ['metadata', ['metadata']],
};

const ruleMistakes: readonly Mistake[] = [
  ...Object.entries(ruleKinds).flatMap(([id, [name, kinds]]): Mistake[] => {
    const decideKinds = (obligation: Obligation) =>
      decideRules(({ kind }) => (kinds.includes(kind) ? obligation : undefined));
    return [
      {
        id: `${id}-rules-ignored`,
        sentence: `The deployment ignores rules about ${name}: promotions are returned although these rules do not hold.`,
        change: decideKinds('required'),
      },
      {
        id: `${id}-rules-unmet`,
        sentence: `Promotions with rules about ${name} are never returned, although their rules hold.`,
        change: decideKinds('forbidden'),
      },
    ];
  }),
  {
    id: 'rules-joined-by-or',
    sentence: 'A promotion is returned as soon as one of its rules holds: the rules are joined by "or", not by "and".',
    change: joinWithOr(() => ''),
  },
  {
    id: 'rules-of-a-kind-joined-by-or',
    sentence: 'Of several rules of one kind, one is enough: they are joined by "or", not by "and".',
    change: joinWithOr(({ kind }) => kind),
  },
  {
    id: 'first-rule-only',
    sentence: 'Only the first rule of a promotion is evaluated.',
    change: chooseRules((rules) => rules.slice(0, 1)),
  },
  {
    id: 'last-rule-only',
    sentence: 'Only the last rule of a promotion is evaluated.',
    change: chooseRules((rules) => rules.slice(-1)),
  },
  {
    id: 'first-rule-lost',
    sentence: 'The first rule of a promotion is not evaluated.',
    change: chooseRules((rules) => rules.slice(1)),
  },
  {
    id: 'last-rule-lost',
    sentence: 'The last rule of a promotion is not evaluated.',
    change: chooseRules((rules) => rules.slice(0, -1)),
  },
  {
    id: 'first-customer-only',
    sentence: 'Of the customers that a promotion is reserved for, only the first one gets it.',
    change: changeCustomers(0, 1),
  },
  {
    id: 'last-customer-only',
    sentence: 'Of the customers that a promotion is reserved for, only the last one gets it.',
    change: changeCustomers(-1),
  },
  {
    id: 'rules-ignored',
    sentence: 'The deployment ignores rules: promotions are returned although these rules do not hold.',
    change: decideRules(() => 'required'),
  },
  {
    id: 'body-unread',
    sentence: 'The body of the request is not read: only promotions without rules are returned.',
    change: decideRules(() => 'forbidden'),
  },
];

/** They explain much, so they come last. */
const carelessMistakes: readonly Mistake[] = [
  {
    id: 'window-returned',
    sentence: `The newest ${windowSize} promotion tiers are returned, whatever the request asks for.`,
    change: (before) => ({ ...before, matching: () => 'required', rule: () => 'required' }),
  },
  {
    id: 'everything-returned',
    sentence: 'Every promotion is returned, whatever the request asks for.',
    change: (before) => ({ ...before, checked: () => 'required', matching: () => 'required', rule: () => 'required' }),
  },
];

function chooseRules(choose: (rules: readonly Rule[]) => readonly Rule[]): Change {
  return (before) => ({
    ...before,
    valid: (tier, request, judge) => before.valid({ ...tier, rules: choose(tier.rules) }, request, judge),
  });
}

/** Keeps some of the customers of a rule. @param range as of `slice` */
function changeCustomers(...range: readonly [start: number, end?: number]): Change {
  const changeRule = remember((rule: Rule) =>
    rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.slice(...range) } : rule,
  );
  return (before) => ({ ...before, rule: (rule, request) => before.rule(changeRule(rule), request) });
}

function joinWithOr(groupOf: (rule: Rule) => string): Change {
  return (before) => ({
    ...before,
    valid: (tier, request, judge) => {
      if (tier.rules.length < 2) return before.valid(tier, request, judge);
      const groups = [...groupBy(tier.rules, groupOf).values()];
      return combineWithAnd(groups.map((group) => combineWithOr(group.map(judge))));
    },
  });
}

// Quantities ----------------------------------------------------------------------------------------------------------

/** @param sent the quantities of the items that a rule asks for; 0 without one. @param all those of all items of its kind */
type CompareQuantity = (sent: number, atLeast: number, all: readonly number[]) => boolean;

const quantityComparisons: Readonly<Record<string, readonly [sentence: string, compare: CompareQuantity]>> = {
  'quantity-above': [
    'A quantity must be greater than the threshold, not equal to it (">" in place of ">=").',
    (sent, least) => sent > least,
  ],
  'quantity-one-short': ['A quantity of one less than the threshold is enough.', (sent, least) => sent >= least - 1],
  'quantity-ignored': ['Any quantity is enough: the threshold of a rule is ignored.', (sent) => sent > 0],
  'quantity-equal': ['A quantity must equal the threshold; larger ones do not count.', (sent, least) => sent === least],
  'quantity-as-text': [
    'Quantities are compared as text, so that 10 is less than 2.',
    (sent, least) => sent > 0 && String(sent) >= String(least),
  ],
  'quantity-below': [
    'A quantity must be below the threshold: the comparison is the wrong way round.',
    (sent, least) => sent > 0 && sent < least,
  ],
  'quantity-as-one': ['The number of items counts, not their quantities.', (sent, least) => sent > 0 && least <= 1],
  'quantity-of-all-items': [
    'The quantities of all items are added up, whatever they are: other products count, too.',
    (sent, least, all) => sent > 0 && all.reduce((sum, quantity) => sum + quantity, 0) >= least,
  ],
  'quantity-of-any-item': [
    'Any item with enough quantity is enough: its id is not compared.',
    (_, least, all) => all.some((quantity) => quantity >= least),
  ],
};

/** How the quantities of several items with one id may be combined. The words continue "… several items are". */
const quantitySums: Readonly<Record<string, readonly [words: string, sum: (quantities: readonly number[]) => number]>> =
  {
    concatenated: ['joined as text: 1 and 2 make 12', (quantities) => Number(quantities.join(''))],
    multiplied: ['multiplied', (quantities) => quantities.reduce((product, quantity) => product * quantity, 1)],
    dropped: ['not counted', () => 0],
    unbounded: ['enough for every threshold', () => Number.POSITIVE_INFINITY],
  };

function listQuantityMistakes({ skus, tiers }: NamedWorld): Mistake[] {
  const isOwned = (rule: Rule, { sku_id }: ReadRequest['items'][number]) =>
    rule.kind === 'product' && skus.some(({ id, product_id }) => id === sku_id && product_id === rule.id);
  const quantityOf = (item: ReadRequest['items'][number]) => Number(item.quantity ?? 0);
  const decide = (
    rule: Rule,
    { items }: ReadRequest,
    compare: CompareQuantity,
    sum?: (quantities: readonly number[]) => number,
  ): Obligation | undefined => {
    if (rule.kind !== 'product' && rule.kind !== 'sku') return undefined;
    const idName = rule.kind === 'product' ? 'product_id' : 'sku_id';
    const ofKind = items.filter((item) => item[idName] !== undefined);
    const quantities = ofKind.filter((item) => item[idName] === rule.id).map(quantityOf);
    if (sum !== undefined && quantities.length < 2) return undefined;
    // How several items add up is open, and whether a SKU counts as its product.
    if ((quantities.length > 1 && sum === undefined) || items.some((item) => isOwned(rule, item))) return 'open';
    return requireIf(compare(sum?.(quantities) ?? quantities[0] ?? 0, rule.at_least, ofKind.map(quantityOf)));
  };
  const thresholds = [
    ...new Set(tiers.flatMap(({ rules }) => rules.flatMap((rule) => ('at_least' in rule ? rule.at_least : [])))),
  ].sort((left, right) => left - right);
  const capped = thresholds
    .slice(0, -1)
    .map((most, n): [string, readonly [string, CompareQuantity]] => [
      `quantity-capped/${most}`,
      [
        `Large quantities do not count in full: they meet a threshold of ${most}, and none of ${thresholds[n + 1]}.`,
        (sent, least) => Math.min(sent, most) >= least,
      ],
    ]);
  const places = { item: '', product: ' This concerns products.', sku: ' This concerns SKUs.' };
  return Object.entries(places).flatMap(([place, more]) => {
    const [, kinds = []] = ruleKinds[place] ?? [];
    const id = (name: string) => (place === 'item' ? name : `${name}/${place}`);
    const create = (
      name: string,
      sentence: string,
      compare: CompareQuantity,
      sum?: (list: readonly number[]) => number,
    ) => ({
      id: id(name),
      sentence: `${sentence}${more}`,
      change: decideRules((rule, request) =>
        kinds.includes(rule.kind) ? decide(rule, request, compare, sum) : undefined,
      ),
    });
    return [
      ...[...Object.entries(quantityComparisons), ...capped].map(([name, [sentence, compare]]) =>
        create(name, sentence, compare),
      ),
      ...Object.entries(quantitySums).map(([name, [words, sum]]) =>
        create(
          `quantities-${name}`,
          `The quantities of several items with one id are ${words}.`,
          (sent, least) => sent >= least,
          sum,
        ),
      ),
    ];
  });
}

// Texts: filters, and rules about metadata ------------------------------------------------------------------------------

/** Compares what was sent with what a promotion has. */
type CompareTexts = (sent: string, held: string) => boolean;

/** How texts may be compared. The words continue "… compares wrongly:". */
const textComparisons: Readonly<Record<string, readonly [words: string, compare: CompareTexts]>> = {
  part: ['a part of the value is enough', (sent, held) => held.includes(sent)],
  'part-of-sent': ['the value may be a part of what is sent', (sent, held) => sent.includes(held)],
  prefix: ['the beginning of the value is enough', (sent, held) => held.startsWith(sent)],
  'prefix-of-sent': ['the value may be the beginning of what is sent', (sent, held) => sent.startsWith(held)],
  trimmed: ['white space at the ends does not count', (sent, held) => sent.trim() === held.trim()],
  numbers: ['numbers in other spellings are equal', (sent, held) => held !== '' && Number(sent) === Number(held)],
  'letter-case': ['letter case is ignored', (sent, held) => sent.toLowerCase() === held.toLowerCase()],
  accents: ['accents are ignored', (sent, held) => stripAccents(sent) === stripAccents(held)],
  key: ['the key alone decides, and any value matches', () => true],
};

function stripAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

const filterKinds: Readonly<Record<string, readonly [name: string, on: readonly ('campaign' | 'metadata')[]]>> = {
  'promotion-id-filter': ['The filter by promotion_id', ['campaign']],
  'tier-metadata-filter': ['The filter by tier metadata', ['metadata']],
  filter: ['Every filter', ['campaign', 'metadata']],
};

function listFilterMistakes(world: NamedWorld): Mistake[] {
  return Object.entries(filterKinds).flatMap(([id, [name, on]]) => [
    {
      id: `${id}-ignored`,
      sentence: `${name} is ignored: promotions that do not match are returned.`,
      change: compareFilters(on, () => true, world),
    },
    {
      id: `${id}-unmet`,
      sentence: `${name} matches nothing: promotions that match are not returned.`,
      change: compareFilters(on, () => false, world),
    },
    {
      id: `${id}-inverted`,
      sentence: `${name} says what is left out: promotions that do not match are returned, and others are not.`,
      change: compareFilters(on, (sent, held) => sent !== held, world),
    },
  ]);
}

/** Mistakes about entries of metadata; one side may lack the key. */
const entryComparisons: Readonly<Record<string, readonly [words: string, compare: CompareEntry]>> = {
  ...Object.fromEntries(
    Object.entries(textComparisons).map(([id, [words, compare]]) => [
      id,
      [
        words,
        (sent: string | undefined, held: string | undefined) =>
          sent !== undefined && held !== undefined && (sent === held || compare(sent, held)),
      ],
    ]),
  ),
  value: ['the value alone decides, under any key', (_, __, isAnywhere) => isAnywhere],
  'missing-key': [
    'a missing key matches, too',
    (sent, held) => sent === undefined || held === undefined || held === sent,
  ],
};

/** @param isAnywhere whether the value is found under any key */
type CompareEntry = (sent: string | undefined, held: string | undefined, isAnywhere: boolean) => boolean;

function listTextMistakes(world: NamedWorld): Mistake[] {
  return Object.entries(entryComparisons).flatMap(([id, [words, compare]]) => [
    {
      id: `tier-metadata-filter-compared/${id}`,
      sentence: `The filter by tier metadata compares wrongly: ${words}.`,
      change: compareFilters(['metadata'], compare, world),
    },
    {
      id: `metadata-rules-compared/${id}`,
      sentence: `Rules about metadata compare wrongly: ${words}.`,
      change: decideRules((rule, { metadata = {} }) => {
        if (rule.kind !== 'metadata') return undefined;
        const sent = metadata[rule.key];
        const isAnywhere = Object.values(metadata).includes(rule.is);
        return requireIf(compare(typeof sent === 'string' ? sent : undefined, rule.is, isAnywhere));
      }),
    },
  ]);
}

function compareFilters(
  on: readonly ('campaign' | 'metadata')[],
  compare: CompareEntry,
  { tiers }: NamedWorld,
): Change {
  // The documentation leaves some comparisons open, such as those of other letter case. A deployment may treat them apart.
  const hasOpenMatch = remember(({ oracle }: ReadRequest) => tiers.some((tier) => oracle.matching(tier) === 'open'));
  const isMatch = ({ campaign_id, metadata }: Tier, filter: ReadRequest['filters'][number]) => {
    if (filter.on === 'campaign') return compare(filter.value, campaign_id, filter.value === campaign_id);
    const held = Object.hasOwn(metadata, filter.key) ? String(metadata[filter.key]) : undefined;
    return compare(filter.value, held, Object.values(metadata).map(String).includes(filter.value));
  };
  return (before) => ({
    ...before,
    matching: (tier, request) => {
      const { filters, oracle } = request;
      const [filter] = filters.filter((sent) => on.includes(sent.on));
      if (filter === undefined) return before.matching(tier, request);
      // How several filters are combined is open.
      const isAnyMatch = () => filters.some((sent) => on.includes(sent.on) && isMatch(tier, sent));
      if (filters.length > 1) return isAnyMatch() ? 'open' : before.matching(tier, request);
      const matches = isMatch(tier, filter);
      const isOpen =
        oracle.openReason === undefined ? hasOpenMatch(request) : matches || oracle.matching(tier) === 'open';
      return isOpen ? 'open' : requireIf(matches);
    },
  });
}

// Parts of the request that are not read ----------------------------------------------------------------------------

function listItemMistakes(world: NamedWorld): Mistake[] {
  return [
    ...[1, 2, 3, 5, 10, 16, 20, 32, 50].map((count) => ({
      id: `first-items-only/${count}`,
      sentence: `Items of an order after the first ${count === 1 ? 'one' : count} are not read.`,
      change: takeItems((items) => items.slice(0, count), world),
    })),
    {
      id: 'last-item-only',
      sentence: 'Only the last item of an order is read.',
      change: takeItems((items) => items.slice(-1), world),
    },
    {
      id: 'last-item-lost',
      sentence: 'The last item of an order is not read.',
      change: takeItems((items) => items.slice(0, -1), world),
    },
    {
      id: 'first-item-lost',
      sentence: 'The first item of an order is not read.',
      change: takeItems((items) => items.slice(1), world),
    },
  ];
}

/** Reads some items only. */
function takeItems(take: (items: readonly unknown[]) => readonly unknown[], world: NamedWorld): Change {
  return changeRequest((request) => {
    const body = parseJson(request.body ?? '');
    const order = getMember(body, 'order');
    const items = getMember(order, 'items');
    if (!isJsonObject(body) || !isJsonObject(order) || !Array.isArray(items)) return request;
    return { ...request, body: JSON.stringify({ ...body, order: { ...order, items: take(items) } }) };
  }, world);
}

/** Acts on another request than the one that was sent. */
export function changeRequest(change: (request: HttpRequest) => HttpRequest, world: NamedWorld): Change {
  const readChanged = remember((request: ReadRequest) => {
    const changed = change(request.sent);
    return changed === request.sent ? request : readRequest(changed, world);
  });
  return (before) => ({ ...before, request: readChanged(before.request) });
}
