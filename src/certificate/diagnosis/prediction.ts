import type { NamedWorld } from '../../contract/named-world.js';
import { type FilterSubject, parseFilterParameter } from '../../contract/operation.js';
import { combineWithAnd, createOracle, type Obligation, type Oracle } from '../../contract/oracle.js';
import type { Rule, Tier } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember, isJsonObject } from '../../support/json.js';
import type { Observations } from './observation.js';

/** A mistake that a deployment may make: what is wrong, and what it would then return. */
export interface Mistake {
  /** Stable, with the size that it has, such as `window-size/100`. */
  readonly id: string;
  readonly sentence: string;
  readonly change: Change;
}

/** Changes how a deployment decides about requests. */
export type Change = (decisions: Decisions) => Decisions;

/** How a deployment decides what it returns. A mistake changes one of the decisions of the documentation. */
export interface Decisions {
  /** The request that the deployment acts on. */
  readonly request: ReadRequest;
  readonly checked: (tier: Tier, request: ReadRequest) => Obligation;
  readonly matching: (tier: Tier, request: ReadRequest) => Obligation;
  readonly rule: (rule: Rule, request: ReadRequest) => Obligation;
  /** How the decisions about the rules of a tier are combined. */
  readonly valid: (tier: Tier, request: ReadRequest, judge: (rule: Rule) => Obligation) => Obligation;
  /** What becomes of the result as a whole. */
  readonly cut?: (obligations: readonly Obligation[], request: ReadRequest) => readonly Obligation[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a deployment reads in a request. */
export interface ReadRequest {
  readonly sent: HttpRequest;
  readonly oracle: Oracle;
  readonly customer: unknown;
  readonly items: readonly JsonObject[];
  readonly metadata: JsonObject | undefined;
  readonly filters: readonly (FilterSubject & { readonly value: string })[];
}

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

/** Predicts what a deployment with some mistakes returns. Nothing is computed until it is asked for. */
export interface Predictor {
  predict(changes: readonly Change[], sent: HttpRequest): Prediction;
  read(sent: HttpRequest): ReadRequest;
}

export function createPredictor({ tiers, world }: Observations): Predictor {
  const read = remember((request: HttpRequest) => readRequest(request, world));
  const getBase = remember(({ oracle }: ReadRequest) => oracle.valid(withoutRules));
  const judge = remember(({ oracle }: ReadRequest) =>
    remember((rule: Rule) => oracle.valid({ ...withoutRules, rules: [rule] })),
  );
  const decide = (changes: readonly Change[], sent: HttpRequest): Prediction => {
    const documented: Decisions = {
      request: read(sent),
      checked: (tier, { oracle }) => oracle.checked(tier),
      matching: (tier, { oracle }) => oracle.matching(tier),
      rule: (rule, request) => judge(request)(rule),
      valid: ({ rules }, _, judgeRule) => combineWithAnd(rules.map(judgeRule)),
    };
    const { request, checked, matching, rule, valid, cut } = changes.reduce(
      (before, change) => change(before),
      documented,
    );
    const judgeRule = (judged: Rule) => rule(judged, request);
    const base = getBase(request);
    const predictTier = (tier: Tier): Obligation => {
      const isChecked = checked(tier, request);
      if (isChecked === 'forbidden') return isChecked;
      const isMatching = matching(tier, request);
      if (isMatching === 'forbidden') return isMatching;
      const isValid = valid(tier, request, judgeRule);
      if (isValid === 'forbidden') return isValid;
      return isChecked === 'open' || isMatching === 'open' || base === 'open' ? 'open' : isValid;
    };
    const known: Obligation[] = [];
    if (cut !== undefined) known.push(...cut(tiers.map(predictTier), request));
    return (n) => {
      known[n] ??= predictTier(tiers[n] as Tier);
      return known[n];
    };
  };
  // Every mistake is compared with the documented decisions.
  const predictDocumented = remember((sent: HttpRequest) => decide([], sent));
  return {
    predict: (changes, sent) => (changes.length === 0 ? predictDocumented(sent) : decide(changes, sent)),
    read,
  };
}

const withoutRules: Tier = { id: '', campaign_id: '', name: '', created_at: '', metadata: {}, rules: [] };

/** Computes something of a key once. */
export function remember<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

function readRequest(sent: HttpRequest, world: NamedWorld): ReadRequest {
  const { query, body } = parseRequest(sent);
  const items = getMember(getMember(body, 'order'), 'items');
  const metadata = getMember(body, 'metadata');
  const oracle = createOracle(sent, world);
  return {
    sent,
    // Most mistakes change few decisions, so the documented ones are made once.
    oracle: { ...oracle, checked: remember(oracle.checked), matching: remember(oracle.matching) },
    customer: getMember(getMember(body, 'customer'), 'id'),
    items: Array.isArray(items) ? items.filter(isJsonObject) : [],
    metadata: isJsonObject(metadata) ? metadata : undefined,
    filters: query.flatMap(([name, value]) => {
      const subject = parseFilterParameter(name);
      return subject === undefined ? [] : [{ ...subject, value }];
    }),
  };
}

/** Acts on another request than the one that was sent. */
export function changeRequest(change: (request: HttpRequest) => HttpRequest, world: NamedWorld): Change {
  const readChanged = remember((request: ReadRequest) => {
    const changed = change(request.sent);
    return changed === request.sent ? request : readRequest(changed, world);
  });
  return (before) => ({ ...before, request: readChanged(before.request) });
}

/** Decides about the rules of some kinds in another way. `decide` returns undefined for what is decided as before. */
export function decideRules(decide: (rule: Rule, request: ReadRequest) => Obligation | undefined): Change {
  return (before) => ({
    ...before,
    rule: (rule, request) => {
      const obligation = decide(rule, request);
      if (obligation === undefined) return before.rule(rule, request);
      // Where the documentation leaves a part of the request open, these rules are open; but a customer is read or is not.
      const isOpen = request.oracle.openReason !== undefined;
      return isOpen && (rule.kind !== 'customer' || obligation === 'required') ? 'open' : obligation;
    },
  });
}

export function combineWithOr(obligations: readonly Obligation[]): Obligation {
  if (obligations.includes('required')) return 'required';
  return obligations.includes('open') ? 'open' : 'forbidden';
}

/** Predicts a result that ends after a number of promotions: those beyond it are forbidden, or open. */
export function keepFirst(obligations: readonly Obligation[], max: number): Obligation[] {
  let least = 0;
  let most = 0;
  return obligations.map((obligation) => {
    const kept = least >= max ? 'forbidden' : most >= max && obligation === 'required' ? 'open' : obligation;
    if (obligation === 'required') least += 1;
    if (obligation !== 'forbidden') most += 1;
    return kept;
  });
}
