import { parseFilterParameter } from '../../contract/operation.js';
import { createOracle, type Obligation, type Oracle } from '../../contract/oracle.js';
import type { Exchange, HttpRequest } from '../../http/exchange.js';
import { decodePercent, parseRequest, type RequestContent } from '../../http/request-content.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import { type NamedWorld, windowSize } from '../../world/named-world.js';
import type { Rule, Tier } from '../../world/world.js';
import type { CauseKind, Picture } from './cause.js';
import type { Observation, Observations } from './observation.js';

/** How a deployment decides what it returns. A mistake changes one of the decisions of the documentation. */
interface Reading {
  /** The request that the deployment acts on. */
  readonly request: HttpRequest;
  readonly checked: Decision;
  readonly matching: Decision;
  readonly valid: Decision;
  /** The number of promotions after which the result ends. */
  readonly max?: number;
}

type Decision = (tier: Tier, context: Context) => Obligation;

interface Context {
  readonly oracle: Oracle;
  readonly content: RequestContent;
  readonly isFiltered: boolean;
  /** Counted from 1. */
  rankOf(tier: Tier): number;
  readonly tiers: readonly Tier[];
}

/** A mistake that a deployment may make, with what it would then return. */
export interface Mistake {
  readonly kind: CauseKind;
  readonly sentence: string;
  readonly picture?: Picture;
  /** Whether it only describes what is seen; a mistake that also explains it is preferred. */
  readonly isDescription?: true;
  change(reading: Reading, observation: Observation): Reading;
}

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

/** Predicts what a deployment with some mistakes returns. Nothing is computed until it is asked for. */
export type Predict = (mistakes: readonly Mistake[], observation: Observation) => Prediction;

export function createPredictor({ tiers }: Observations, world: NamedWorld): Predict {
  const ranks = new Map(world.tiers.map(({ id }, index) => [id, index + 1]));
  const rankOf = ({ id }: Tier) => ranks.get(id) ?? Number.POSITIVE_INFINITY;
  // Most mistakes change few decisions, so the documented ones are made once.
  const positions = new Map(tiers.map((tier, n) => [tier, n]));
  const remember = (decide: (oracle: Oracle, tier: Tier) => Obligation): Decision => {
    const decisions = new WeakMap<Oracle, Obligation[]>();
    return (tier, { oracle }) => {
      const n = positions.get(tier);
      if (n === undefined) return decide(oracle, tier);
      const ofOracle = decisions.get(oracle) ?? [];
      if (ofOracle.length === 0) decisions.set(oracle, ofOracle);
      ofOracle[n] ??= decide(oracle, tier);
      return ofOracle[n];
    };
  };
  const documented = {
    checked: remember((oracle, tier) => oracle.checked(tier)),
    matching: remember((oracle, tier) => oracle.matching(tier)),
    valid: remember((oracle, tier) => oracle.valid(tier)),
  };
  const contents = new WeakMap<HttpRequest, RequestContent>();
  const parse = (request: HttpRequest) => {
    const content = contents.get(request) ?? parseRequest(request);
    contents.set(request, content);
    return content;
  };
  return (mistakes, observation) => {
    const { request } = observation.exchange;
    const reading = mistakes.reduce<Reading>((before, { change }) => change(before, observation), {
      ...documented,
      request,
    });
    const content = parse(reading.request);
    const context: Context = {
      oracle: reading.request === request ? observation.oracle : createOracle(reading.request, world),
      content,
      isFiltered: content.query.some(([name]) => parseFilterParameter(name) !== undefined),
      rankOf,
      tiers: world.tiers,
    };
    const { checked, matching, valid, max } = reading;
    const predictOne = (n: number) => {
      const tier = tiers[n] as Tier;
      const isChecked = checked(tier, context);
      if (isChecked === 'forbidden') return isChecked;
      const isMatching = matching(tier, context);
      return isMatching === 'forbidden' ? isMatching : combine([isChecked, isMatching, valid(tier, context)]);
    };
    if (max === undefined) return predictOne;
    const all = cut(
      tiers.map((_, n) => predictOne(n)),
      max,
    );
    return (n) => all[n] as Obligation;
  };
}

function combine(obligations: readonly Obligation[]): Obligation {
  if (obligations.includes('forbidden')) return 'forbidden';
  return obligations.includes('open') ? 'open' : 'required';
}

function combineWithOr(obligations: readonly Obligation[]): Obligation {
  if (obligations.includes('required')) return 'required';
  return obligations.includes('open') ? 'open' : 'forbidden';
}

function requireIf(condition: boolean): Obligation {
  return condition ? 'required' : 'forbidden';
}

/** Keeps the first of a result. */
function cut(obligations: readonly Obligation[], max: number): Obligation[] {
  let least = 0;
  let most = 0;
  return obligations.map((obligation) => {
    const kept = least >= max ? 'forbidden' : most >= max && obligation === 'required' ? 'open' : obligation;
    if (obligation === 'required') least += 1;
    if (obligation !== 'forbidden') most += 1;
    return kept;
  });
}

/** Lists the mistakes that may explain the observations. Their sizes are those that the responses show. */
export function listMistakes(observations: Observations, world: NamedWorld): readonly Mistake[] {
  return [
    ...listWindowMistakes(observations, world),
    ...listRuleMistakes(),
    ...listComparisons(world),
    ...listUnreadParts(),
    ...listFilterMistakes(),
    ...listStateMistakes(observations),
    ...listMissingCampaigns(world),
    ...listDescriptions(observations),
  ];
}

// The window and the size of results --------------------------------------------------------------------------------

function listWindowMistakes({ all, tiers }: Observations, world: NamedWorld): Mistake[] {
  const rank = new Map(world.tiers.map(({ id }, n) => [id, n + 1]));
  const total = world.tiers.length;
  const unfiltered = all.filter(({ oracle, returned }) => oracle.filteredOn === undefined && returned !== undefined);
  const returnedRanks = unfiltered.map(({ returned = [] }) =>
    tiers.flatMap(({ id }, n) => (returned[n] ? [rank.get(id) ?? 0] : [])),
  );
  const everReturned = [...new Set(returnedRanks.flat())].sort((one, other) => one - other);
  const first = everReturned[0] ?? 1;
  const ends = mostFrequent(returnedRanks.flatMap((ranks) => (ranks.length === 0 ? [] : [Math.max(...ranks)])));
  const lasts = new Set([...ends, everReturned.at(-1) ?? total, total]);
  const orders: readonly (readonly [string, (tier: Tier) => string])[] = [
    ['name', ({ name }) => name],
    ['id', ({ id }) => id],
    ['month and day, without the year', ({ created_at }) => created_at.slice('2024-'.length)],
  ];
  const counts = mostFrequent(unfiltered.map(({ returned = [] }) => returned.filter(Boolean).length));
  return [
    ...[...new Set([1, first])].flatMap((from) =>
      [...lasts]
        .filter((to) => from !== 1 || to !== windowSize)
        .flatMap((to) => [windowMistake(from, to, total, 'forbidden'), windowMistake(from, to, total, 'open')]),
    ),
    ...orders.flatMap(([words, keyOf]) =>
      ([1, -1] as const).map((direction): Mistake => {
        const sorted = world.tiers.toSorted((one, other) => direction * compareTexts(keyOf(one), keyOf(other)));
        const chosen = new Set(sorted.slice(0, windowSize));
        const first = direction === 1 ? 'first' : 'last';
        return {
          kind: 'window-order',
          picture: 'window',
          sentence: `The deployment checks the ${windowSize} promotion tiers that come ${first} by ${words}, not the newest ${windowSize}.`,
          change: (reading) => ({
            ...reading,
            checked: (tier, { isFiltered }) => (isFiltered ? 'open' : requireIf(chosen.has(tier))),
          }),
        };
      }),
    ),
    {
      kind: 'window-after-rules',
      picture: 'window',
      sentence: `The deployment applies the limit of ${windowSize} after it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid.`,
      change: (reading) => ({ ...reading, checked: () => 'required', max: windowSize }),
    },
    {
      kind: 'window-after-rules',
      picture: 'window',
      sentence: `The deployment applies the limit of ${windowSize} after it has left out promotions for other customers.`,
      change: (reading) => {
        const known = new WeakMap<Context, ReadonlyMap<string, Obligation>>();
        return {
          ...reading,
          checked(tier, context) {
            if (context.isFiltered) return 'open';
            const found = known.get(context) ?? checkWithinAudience(context);
            known.set(context, found);
            return found.get(tier.id) ?? 'open';
          },
        };
      },
    },
    ...[...new Set([...counts, 1, 10, 20, 25, 50, 100])]
      .filter((count) => count > 0 && count < windowSize)
      .map((count): Mistake => {
        return {
          kind: 'page',
          picture: 'window',
          sentence: `A response has at most ${count} promotions: a page, or a limit on the result.`,
          change: (reading) => ({ ...reading, max: Math.min(count, reading.max ?? count) }),
        };
      }),
  ];
}

/** @param outside what becomes of the documented promotions outside of it when there is a filter */
function windowMistake(from: number, to: number, total: number, outside: Obligation): Mistake {
  const size = to - from + 1;
  const [kind, sentence]: [CauseKind, string] =
    from === 1 && to === total
      ? [
          'window-missing',
          `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`,
        ]
      : from === 1
        ? ['window-size', `The deployment checks the newest ${to} promotion tiers, not the newest ${windowSize}.`]
        : to === total
          ? [
              'window-oldest-first',
              `The deployment checks the oldest ${size} promotion tiers, not the newest ${windowSize}: they are sorted in the wrong direction.`,
            ]
          : [
              'window-shifted',
              `The deployment checks the promotion tiers from rank ${from} to ${to}, not the newest ${windowSize}.`,
            ];
  return {
    kind,
    sentence,
    picture: 'window',
    change: (reading) => ({
      ...reading,
      checked: (tier, { rankOf, isFiltered, oracle }) => {
        const rank = rankOf(tier);
        const isInside = rank >= from && rank <= to;
        if (isFiltered) {
          if (isInside) return from === 1 ? oracle.checked(tier) : 'open';
          return rank <= windowSize ? outside : 'open';
        }
        return requireIf(isInside);
      },
    }),
  };
}

function checkWithinAudience({ tiers, oracle }: Context): ReadonlyMap<string, Obligation> {
  const audience = tiers.map((tier) => {
    const rules = tier.rules.filter(({ kind }) => kind === 'customer');
    return oracle.valid({ ...tier, rules });
  });
  const obligations = cut(audience, windowSize);
  return new Map(tiers.map(({ id }, n) => [id, obligations[n] ?? 'open']));
}

function mostFrequent(numbers: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 3)
    .map(([number]) => number);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

// Rules ---------------------------------------------------------------------------------------------------------------

const ruleNames: Readonly<Record<Rule['kind'], string>> = {
  customer: 'customer rules',
  product: 'rules about products',
  sku: 'rules about SKUs',
  order_metadata: 'rules about order metadata',
  metadata: 'rules about metadata',
};

/** Changes which rules of a tier count. */
function withRules(rulesOf: (tier: Tier) => readonly Rule[]): Mistake['change'] {
  return (reading) => ({
    ...reading,
    valid(tier, context) {
      const rules = rulesOf(tier);
      return reading.valid(
        rules.length === tier.rules.length && rules.every((rule, n) => rule === tier.rules[n])
          ? tier
          : { ...tier, rules },
        context,
      );
    },
  });
}

/**
 * Decides rules of some kinds in another way. `decide` returns undefined for rules that are decided as documented. Where
 * the documentation leaves a part of the request open, these rules are open, too.
 */
function decideRules(decide: (rule: Rule, content: RequestContent) => Obligation | undefined): Mistake['change'] {
  return (reading) => ({
    ...reading,
    valid(tier, context) {
      const decided = tier.rules.map((rule) => decide(rule, context.content));
      if (decided.every((each) => each === undefined)) return reading.valid(tier, context);
      const rules = tier.rules.filter((_, n) => decided[n] === undefined);
      const isOpen = context.oracle.openReason !== undefined;
      const others = decided.flatMap((each) => (each === undefined ? [] : isOpen ? ('open' as const) : each));
      return combine([reading.valid({ ...tier, rules }, context), ...others]);
    },
  });
}

function listRuleMistakes(): Mistake[] {
  const quantityRules = ['product', 'sku'] as const;
  const groups: readonly (readonly [string, readonly Rule['kind'][]])[] = [
    ...(Object.entries(ruleNames) as [Rule['kind'], string][]).map(([kind, name]) => [name, [kind]] as const),
    ['rules about order items', quantityRules],
    ['rules about the order', [...quantityRules, 'order_metadata']],
    ['rules', Object.keys(ruleNames) as Rule['kind'][]],
  ];
  const rulesOf = (kinds: readonly Rule['kind'][], { rules }: Tier) => rules.filter(({ kind }) => kinds.includes(kind));
  const isCustomer = (kinds: readonly Rule['kind'][]) => kinds.length === 1 && kinds[0] === 'customer';
  const pictureOf = (kinds: readonly Rule['kind'][]) =>
    kinds.some((kind) => kind === 'product' || kind === 'sku') ? ({ picture: 'quantities' } as const) : {};
  return [
    {
      kind: 'everything-returned',
      picture: 'window',
      sentence: 'Every promotion is returned, whatever the request asks for.',
      change: (reading) => ({
        ...reading,
        checked: () => 'required',
        matching: () => 'required',
        valid: () => 'required',
      }),
    },
    {
      kind: 'everything-returned',
      picture: 'window',
      sentence: `The newest ${windowSize} promotion tiers are returned, whatever the request asks for.`,
      change: (reading) => ({ ...reading, matching: () => 'required', valid: () => 'required' }),
    },
    {
      kind: 'rules-joined-by-or',
      sentence:
        'A promotion is returned as soon as one of its rules holds: the rules are joined by "or", not by "and".',
      change: (reading) => ({
        ...reading,
        valid: (tier, context) =>
          tier.rules.length < 2
            ? reading.valid(tier, context)
            : combineWithOr(tier.rules.map((rule) => reading.valid({ ...tier, rules: [rule] }, context))),
      }),
    },
    {
      kind: 'rules-joined-by-or',
      sentence: 'Of several rules of one kind, one is enough: they are joined by "or", not by "and".',
      change: (reading) => ({
        ...reading,
        valid(tier, context) {
          const kinds = [...new Set(tier.rules.map(({ kind }) => kind))];
          if (kinds.length === tier.rules.length) return reading.valid(tier, context);
          const ofKind = (kind: Rule['kind']) =>
            tier.rules
              .filter((rule) => rule.kind === kind)
              .map((rule) => reading.valid({ ...tier, rules: [rule] }, context));
          return combine(kinds.map((kind) => combineWithOr(ofKind(kind))));
        },
      }),
    },
    ...[1, 2, 3, 4].map((count): Mistake => {
      return {
        kind: 'first-rule-only',
        sentence: `Only the first ${count === 1 ? 'rule' : `${count} rules`} of a promotion ${count === 1 ? 'is' : 'are'} evaluated.`,
        change: withRules(({ rules }) => rules.slice(0, count)),
      };
    }),
    {
      kind: 'first-rule-only',
      sentence: 'Only the last rule of a promotion is evaluated.',
      change: withRules(({ rules }) => rules.slice(-1)),
    },
    ...groups.flatMap(([name, kinds]): Mistake[] => [
      {
        kind: isCustomer(kinds) ? 'customer-ignored' : 'rule-ignored',
        ...pictureOf(kinds),
        sentence: isCustomer(kinds)
          ? 'The customer is ignored: promotions that are reserved for other customers are returned.'
          : `The deployment ignores ${name}: promotions are returned although these rules do not hold.`,
        change: withRules((tier) => tier.rules.filter(({ kind }) => !kinds.includes(kind))),
      },
      {
        kind: kinds.length > 3 ? 'body-not-read' : isCustomer(kinds) ? 'customer-ignored' : 'rule-never-met',
        ...pictureOf(kinds),
        sentence:
          kinds.length > 3
            ? 'The body of the request is not read: only promotions without rules are returned.'
            : isCustomer(kinds)
              ? 'The customer is not read: promotions that are reserved for the customer are not returned.'
              : `Promotions with ${name} are never returned, although their rules hold.`,
        change: (reading) => ({
          ...reading,
          valid(tier, context) {
            if (rulesOf(kinds, tier).length === 0) return reading.valid(tier, context);
            return context.oracle.openReason === undefined || isCustomer(kinds) ? 'forbidden' : 'open';
          },
        }),
      },
      {
        kind: 'rule-inverted',
        ...pictureOf(kinds),
        sentence: `The deployment inverts ${name}: promotions are returned when these rules do not hold.`,
        change: (reading) => ({
          ...reading,
          valid(tier, context) {
            const own = rulesOf(kinds, tier);
            if (own.length === 0) return reading.valid(tier, context);
            const rest = tier.rules.filter((rule) => !own.includes(rule));
            const inverted = invert(reading.valid({ ...tier, rules: own }, context));
            return combine([reading.valid({ ...tier, rules: rest }, context), inverted]);
          },
        }),
      },
    ]),
    ...([0, -1] as const).map((at): Mistake => {
      return {
        kind: 'first-customer-only',
        sentence: `Of the customers that a promotion is reserved for, only the ${at === 0 ? 'first' : 'last'} one gets it.`,
        change: withRules(({ rules }) =>
          rules.map((rule) => (rule.kind === 'customer' ? { ...rule, any_of: [rule.any_of.at(at) ?? ''] } : rule)),
        ),
      };
    }),
  ];
}

function invert(obligation: Obligation): Obligation {
  return obligation === 'open' ? 'open' : requireIf(obligation === 'forbidden');
}

// Comparisons ---------------------------------------------------------------------------------------------------------

function listComparisons({ skus }: NamedWorld): Mistake[] {
  const wrap = (bits: number, isSigned: boolean) => (quantity: number, atLeast: number) => {
    const rest = quantity % 2 ** bits;
    return (isSigned && rest >= 2 ** (bits - 1) ? rest - 2 ** bits : rest) >= atLeast;
  };
  const quantities: readonly (readonly [string, (quantity: number, atLeast: number) => boolean])[] = [
    ['A quantity must be greater than the threshold, not equal to it (">" in place of ">=").', (q, least) => q > least],
    ['A quantity of one less than the threshold is enough.', (q, least) => q >= least - 1],
    ['Any quantity is enough: the threshold of a rule is ignored.', () => true],
    ['A quantity must equal the threshold; larger ones do not count.', (q, least) => q === least],
    ['Quantities are compared as text, so that 10 is less than 2.', (q, least) => String(q) >= String(least)],
    ['A quantity must not exceed the threshold: the comparison is the wrong way round.', (q, least) => q <= least],
    ...([8, 16] as const).flatMap((bits) =>
      ([true, false] as const).map(
        (isSigned) =>
          [
            `Quantities overflow: they are kept in ${isSigned ? 'a signed' : 'an unsigned'} integer of ${bits} bits.`,
            wrap(bits, isSigned),
          ] as const,
      ),
    ),
    ['Only the first digit of a quantity is read.', (q, least) => Number(String(q).charAt(0)) >= least],
    ...([10, 99, 100, 255, 999, 1000] as const).map(
      (max) =>
        [`A quantity above ${max} counts as ${max}.`, (q: number, least: number) => Math.min(q, max) >= least] as const,
    ),
  ];
  const kindsOfItems: readonly (readonly [string, readonly Rule['kind'][]])[] = [
    [' This concerns products.', ['product']],
    [' This concerns SKUs.', ['sku']],
    ['', ['product', 'sku']],
  ];
  const ofItem = (rule: Rule, item: Readonly<Record<string, unknown>>) =>
    (rule.kind === 'product' && item.product_id === rule.id) || (rule.kind === 'sku' && item.sku_id === rule.id);
  return [
    ...quantities.flatMap(([sentence, compare]) =>
      kindsOfItems.map(([more, kinds]): Mistake => {
        return {
          kind: 'threshold',
          picture: 'quantities',
          sentence: `${sentence}${more}`,
          change: decideRules((rule, content) => {
            if ((rule.kind !== 'product' && rule.kind !== 'sku') || !kinds.includes(rule.kind)) return undefined;
            const items = listItems(content).filter((item) => ofItem(rule, item));
            const [item, ...others] = items;
            // How several items add up is open, and whether a SKU counts as its product.
            const isOwned = (sku: unknown) => skus.some(({ id, product_id }) => id === sku && product_id === rule.id);
            if (others.length > 0 || listItems(content).some(({ sku_id }) => isOwned(sku_id))) return 'open';
            if (item === undefined) return undefined;
            return typeof item.quantity === 'number' ? requireIf(compare(item.quantity, rule.at_least)) : 'open';
          }),
        };
      }),
    ),
    {
      kind: 'threshold',
      picture: 'quantities',
      sentence: 'The number of items in the order counts, not their quantities.',
      change: decideRules((rule, content) => {
        if (rule.kind !== 'product' && rule.kind !== 'sku') return undefined;
        const count = listItems(content).filter((item) => ofItem(rule, item)).length;
        return requireIf(count >= rule.at_least);
      }),
    },
    {
      kind: 'threshold',
      picture: 'quantities',
      sentence: 'The quantities of all items are added up, whatever they are: other products count, too.',
      change: decideRules((rule, content) => {
        if (rule.kind !== 'product' && rule.kind !== 'sku') return undefined;
        const items = listItems(content);
        if (!items.some((item) => ofItem(rule, item))) return undefined;
        return requireIf(items.reduce((sum, { quantity }) => sum + Number(quantity ?? 0), 0) >= rule.at_least);
      }),
    },
    ...textComparisons.map(([words, isEqual]): Mistake => {
      return {
        kind: 'comparison',
        sentence: `Rules about metadata compare loosely: ${words}.`,
        change: decideRules((rule, { body }) => {
          if (rule.kind !== 'metadata') return undefined;
          const metadata = getMember(body, 'metadata');
          const value = getMember(metadata, rule.key);
          return typeof value === 'string' ? requireIf(isEqual(value, rule.is)) : undefined;
        }),
      };
    }),
    {
      kind: 'comparison',
      sentence: 'Rules about metadata compare the key alone: any value is enough.',
      change: decideRules((rule, { body }) => {
        if (rule.kind !== 'metadata') return undefined;
        return requireIf(getMember(getMember(body, 'metadata'), rule.key) !== undefined);
      }),
    },
    {
      kind: 'comparison',
      sentence: 'Rules about metadata compare the value alone: it may be under any key.',
      change: decideRules((rule, { body }) => {
        if (rule.kind !== 'metadata') return undefined;
        const metadata = getMember(body, 'metadata');
        return requireIf(isJsonObject(metadata) && Object.values(metadata).includes(rule.is));
      }),
    },
  ];
}

/** How a text that was sent may be compared with the text that a promotion has. */
const textComparisons: readonly (readonly [string, (sent: string, own: string) => boolean])[] = [
  ['a part of the value is enough', (sent, own) => own.includes(sent)],
  ['the value may be a part of what is sent', (sent, own) => sent.includes(own)],
  ['the beginning of the value is enough', (sent, own) => own.startsWith(sent)],
  ['the value may be the beginning of what is sent', (sent, own) => sent.startsWith(own)],
  ['white space at the ends does not count', (sent, own) => sent.trim() === own.trim()],
  ['% and _ are wildcards, as in LIKE of SQL', (sent, own) => matchesLike(own, sent)],
  ['characters are normalized (NFKC)', (sent, own) => sent.normalize('NFKC') === own.normalize('NFKC')],
  ['accents do not count', (sent, own) => removeAccents(sent) === removeAccents(own)],
  ['values are percent-decoded twice', (sent, own) => decodePercent(sent) === own],
  ['numbers in other spellings are equal', (sent, own) => sent === own || (own !== '' && Number(sent) === Number(own))],
  ['values are cut to 20 characters', (sent, own) => sent.slice(0, 20) === own.slice(0, 20)],
  ['punctuation does not count', (sent, own) => removePunctuation(sent) === removePunctuation(own)],
];

function matchesLike(text: string, pattern: string): boolean {
  const source = [...pattern].map((each) =>
    each === '%' ? '.*' : each === '_' ? '.' : each.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'),
  );
  return new RegExp(`^${source.join('')}$`, 'su').test(text);
}

function removeAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

function removePunctuation(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function listItems({ body }: RequestContent): readonly Readonly<Record<string, unknown>>[] {
  const items = getMember(getMember(body, 'order'), 'items');
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

// Parts of the request that are not read ----------------------------------------------------------------------------

type Json = Readonly<Record<string, unknown>>;

function changeBody(request: HttpRequest, change: (body: Json) => Json): HttpRequest {
  const body = request.body === undefined ? undefined : parseJson(request.body);
  return isJsonObject(body) ? { ...request, body: JSON.stringify(change(body)) } : request;
}

function changeItems(change: (items: readonly unknown[]) => readonly unknown[]): Mistake['change'] {
  return (reading) => ({
    ...reading,
    request: changeBody(reading.request, (body) => {
      const items = getMember(body.order, 'items');
      const changed = Array.isArray(items) ? change(items) : [];
      // What an order without items means is open.
      if (!Array.isArray(items) || changed.length === 0 || changed.length === items.length) return body;
      return { ...body, order: { ...(body.order as Json), items: changed } };
    }),
  });
}

function listUnreadParts(): Mistake[] {
  const takeMetadata = (at: number): Mistake['change'] => {
    return (reading) => ({
      ...reading,
      request: changeBody(reading.request, (body) =>
        isJsonObject(body.metadata)
          ? { ...body, metadata: Object.fromEntries(Object.entries(body.metadata).slice(at, at + 1 || undefined)) }
          : body,
      ),
    });
  };
  return [
    {
      kind: 'first-item-only',
      picture: 'quantities',
      sentence: 'Only the first item of an order is read.',
      change: changeItems((items) => items.slice(0, 1)),
    },
    {
      kind: 'first-item-only',
      picture: 'quantities',
      sentence: 'Only the last item of an order is read.',
      change: changeItems((items) => items.slice(-1)),
    },
    ...[2, 3, 5, 10, 20, 50].map((count): Mistake => {
      return {
        kind: 'items-not-read',
        sentence: `Only the first ${count} items of an order are read.`,
        change: changeItems((items) => items.slice(0, count)),
      };
    }),
    ...(['sku_id', 'product_id'] as const).map((member): Mistake => {
      return {
        kind: 'items-not-read',
        sentence: `Items with ${member} are not read when the order has other items.`,
        change: changeItems((items) => items.filter((item) => getMember(item, member) === undefined)),
      };
    }),
    {
      kind: 'metadata-not-read',
      sentence: 'The metadata of a request is not read.',
      change: (reading) => ({
        ...reading,
        request: changeBody(reading.request, (body) =>
          isJsonObject(body.metadata) ? { ...body, metadata: {} } : body,
        ),
      }),
    },
    { kind: 'first-entry-only', sentence: 'Only the first entry of the metadata is read.', change: takeMetadata(0) },
    { kind: 'first-entry-only', sentence: 'Only the last entry of the metadata is read.', change: takeMetadata(-1) },
  ];
}

// Filters -------------------------------------------------------------------------------------------------------------

function listFilterMistakes(): Mistake[] {
  const groups = [
    ['The filter by promotion_id', ['campaign']],
    ['The filter by tier metadata', ['metadata']],
    ['The filters', ['campaign', 'metadata']],
  ] as const;
  return groups.flatMap(([name, kinds]): Mistake[] => {
    const plural = kinds.length > 1;
    /** Decides the filters of these kinds in another way. */
    const decide = (
      decideFilter: (
        tier: Tier,
        subject: NonNullable<ReturnType<typeof parseFilterParameter>>,
        value: string,
      ) => boolean,
    ): Mistake['change'] => {
      return (reading) => ({
        ...reading,
        matching(tier, context) {
          const { query } = context.content;
          const filters = query.flatMap(([parameter, value]) => {
            const subject = parseFilterParameter(parameter);
            return subject === undefined ? [] : [{ subject, value }];
          });
          const own = filters.filter(({ subject }) => (kinds as readonly string[]).includes(subject.on));
          if (own.length === 0) return reading.matching(tier, context);
          // How several filters are combined is open.
          if (filters.length > 1) return 'open';
          const isMatch = own.every(({ subject, value }) => decideFilter(tier, subject, value));
          const isOpen = context.oracle.openReason !== undefined;
          return isOpen && (isMatch || context.oracle.matching(tier) === 'open') ? 'open' : requireIf(isMatch);
        },
      });
    };
    const texts = (tier: Tier, subject: { readonly on: string; readonly key?: string }) =>
      subject.on === 'campaign' ? tier.campaign_id : String(tier.metadata[subject.key ?? ''] ?? '');
    const has = (tier: Tier, subject: { readonly on: string; readonly key?: string }) =>
      subject.on === 'campaign' || Object.hasOwn(tier.metadata, subject.key ?? '');
    const filter = { picture: 'filters' } as const;
    return [
      {
        kind: 'filter-ignored',
        ...filter,
        sentence: `${name} ${plural ? 'are' : 'is'} ignored: promotions that do not match are returned.`,
        change: (reading) => {
          const ignoring = decide(() => true)(reading, undefined as never);
          return {
            ...ignoring,
            // Without the filter, the limit applies as to any other request.
            checked: (tier, context) =>
              context.isFiltered && context.rankOf(tier) > windowSize ? 'open' : reading.checked(tier, context),
          };
        },
      },
      {
        kind: 'filter-never-met',
        ...filter,
        sentence: `${name} ${plural ? 'match' : 'matches'} nothing: promotions that match are not returned.`,
        change: decide(() => false),
      },
      {
        kind: 'filter-inverted',
        ...filter,
        sentence: `${name} ${plural ? 'leave' : 'leaves'} out what ${plural ? 'they' : 'it'} should keep.`,
        change: decide((tier, subject, value) => !(has(tier, subject) && texts(tier, subject) === value)),
      },
      ...textComparisons.map(([words, isEqual]): Mistake => {
        return {
          kind: 'filter-loose',
          ...filter,
          sentence: `${name} ${plural ? 'compare' : 'compares'} loosely: ${words}.`,
          change: decide((tier, subject, value) => has(tier, subject) && isEqual(value, texts(tier, subject))),
        };
      }),
      ...(kinds[0] === 'metadata'
        ? ([
            ['the key alone decides, and any value matches', (tier, subject) => has(tier, subject)],
            [
              'the value alone decides, under any key',
              (tier, _, value) => Object.values(tier.metadata).some((own) => String(own) === value),
            ],
            [
              'a promotion without the key matches, too',
              (tier, subject, value) => !has(tier, subject) || texts(tier, subject) === value,
            ],
          ] as readonly (readonly [string, Parameters<typeof decide>[0]])[])
        : []
      ).map(([words, isMatch]): Mistake => {
        return {
          kind: 'filter-loose',
          ...filter,
          sentence: `${name} compares loosely: ${words}.`,
          change: decide(isMatch),
        };
      }),
    ];
  });
}

// State ---------------------------------------------------------------------------------------------------------------

const bodyPart = (read: (body: Json) => unknown, write: (body: Json, part: unknown) => Json) => ({
  read: ({ body }: HttpRequest) => {
    const parsed = body === undefined ? undefined : parseJson(body);
    return isJsonObject(parsed) ? read(parsed) : undefined;
  },
  write: (request: HttpRequest, part: unknown) => changeBody(request, (body) => write(body, part)),
});

function filterPart(on: string) {
  const isOwn = (parameter: string) => parseFilterParameter(parameter.split('=')[0] ?? '')?.on === on;
  const split = ({ path }: HttpRequest) => path.split('?')[1]?.split('&') ?? [];
  return {
    read: (request: HttpRequest) => {
      const own = split(request).filter(isOwn);
      return own.length === 0 ? undefined : own;
    },
    write: (request: HttpRequest, part: unknown) => {
      const others = split(request).filter((parameter) => !isOwn(parameter));
      const query = [...others, ...((part as string[] | undefined) ?? [])].join('&');
      return { ...request, path: `${request.path.split('?')[0]}${query === '' ? '' : `?${query}`}` };
    },
  };
}

/** The parts of a request that a deployment may keep from another one. */
const keptParts: Readonly<
  Record<string, { read(request: HttpRequest): unknown; write(request: HttpRequest, part: unknown): HttpRequest }>
> = {
  'the whole body': {
    read: ({ body }) => body,
    write: (request, body) => ({ ...request, body: body as string }),
  },
  'the customer': bodyPart(
    ({ customer }) => customer,
    (body, customer) => ({ ...body, customer }),
  ),
  'the order': bodyPart(
    ({ order }) => order,
    (body, order) => ({ ...body, order }),
  ),
  'the items of the order': bodyPart(
    ({ order }) => getMember(order, 'items'),
    (body, items) => ({ ...body, order: { ...(isJsonObject(body.order) ? body.order : {}), items } }),
  ),
  'the metadata': bodyPart(
    ({ metadata }) => metadata,
    (body, metadata) => ({ ...body, metadata }),
  ),
  'the filter by promotion_id': filterPart('campaign'),
  'the filter by tier metadata': filterPart('metadata'),
  'the query': {
    read: ({ path }) => path.split('?')[1],
    write: (request, query) => ({ ...request, path: `${request.path.split('?')[0]}${query ? `?${query}` : ''}` }),
  },
};

function listStateMistakes({ history, all }: Observations): Mistake[] {
  const position = new Map(history.map((exchange, n) => [exchange, n]));
  const requests = history.map(({ request }) => request);
  return Object.entries(keptParts).flatMap(([name, { read, write }]): Mistake[] => {
    const replace = (findSource: (own: Exchange) => HttpRequest | undefined): Mistake['change'] => {
      return (reading, { exchange }) => {
        const source = findSource(exchange);
        if (source === undefined || source === exchange.request) return reading;
        return { ...reading, request: write(reading.request, read(source)) };
      };
    };
    const firstFilled = requests.find((request) => isFilled(read(request)));
    const lastFilled: (HttpRequest | undefined)[] = [];
    for (const [n, request] of requests.entries())
      lastFilled[n] = isFilled(read(request)) ? request : lastFilled[n - 1];
    const firstByRest = new Map<string, HttpRequest>();
    const getRestKey = (request: HttpRequest) => {
      const { method, path, body } = write(request, undefined);
      return JSON.stringify([method, path, body]);
    };
    for (const { exchange } of all) {
      const key = getRestKey(exchange.request);
      if (!firstByRest.has(key)) firstByRest.set(key, exchange.request);
    }
    return [
      {
        kind: 'cached',
        sentence: `Responses are cached without ${name} in the key: requests that differ only in it get the answer of the first one.`,
        change: replace(({ request }) => firstByRest.get(getRestKey(request))),
      },
      {
        kind: 'earlier-request',
        sentence: `A request is answered with ${name} of the request before it.`,
        change: replace((exchange) => requests[(position.get(exchange) ?? 0) - 1]),
      },
      {
        kind: 'earlier-request',
        sentence: `All requests are answered with ${name} of the first one that has it.`,
        change: replace((exchange) => {
          const isLater = firstFilled !== undefined && requests.indexOf(firstFilled) < (position.get(exchange) ?? 0);
          return isLater && isFilled(read(exchange.request)) ? firstFilled : undefined;
        }),
      },
      {
        kind: 'earlier-request',
        sentence: `A request without ${name} is answered with that of an earlier request.`,
        change: replace((exchange) =>
          isFilled(read(exchange.request)) ? undefined : lastFilled[(position.get(exchange) ?? 0) - 1],
        ),
      },
    ];
  });
}

function isFilled(part: unknown): boolean {
  return part !== undefined && part !== '' && JSON.stringify(part) !== '{}' && JSON.stringify(part) !== '[]';
}

// Descriptions --------------------------------------------------------------------------------------------------------

function listMissingCampaigns({ campaigns, ids }: NamedWorld): Mistake[] {
  const names = new Map([...ids.campaign].map(([name, id]) => [id, name]));
  return campaigns.map(({ id, category_ids }) => {
    const categories = category_ids.length === 0 ? ', which has no category,' : '';
    return {
      kind: 'same-promotions',
      sentence: `The promotions of campaign '${names.get(id) ?? id}'${categories} are never returned.`,
      change: (reading) => ({
        ...reading,
        valid: (tier, context) => (tier.campaign_id === id ? 'forbidden' : reading.valid(tier, context)),
      }),
    };
  });
}

/** Which promotions are always or never returned, if no mistake explains it. */
function listDescriptions({ all, tiers }: Observations): Mistake[] {
  const seen = all.flatMap(({ returned }) => (returned === undefined ? [] : [returned]));
  const tiersWhere = (test: (n: number) => boolean) => new Set(tiers.filter((_, n) => test(n)));
  const never = tiersWhere((n) => seen.every((returned) => !returned[n]));
  const always = tiersWhere((n) => seen.every((returned) => returned[n]));
  const describe = (sentence: string, wanted: ReadonlySet<Tier>, obligation: Obligation): Mistake => {
    return {
      kind: 'same-promotions',
      isDescription: true,
      sentence,
      change: (reading) => ({
        ...reading,
        valid: (tier, context) => (wanted.has(tier) ? obligation : reading.valid(tier, context)),
      }),
    };
  };
  return [
    describe('The same promotions are never returned, whatever the request asks for.', never, 'forbidden'),
    describe('The same promotions are always returned, whatever the request asks for.', always, 'required'),
  ];
}
