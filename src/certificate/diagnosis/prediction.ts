import type { NamedWorld } from '../../contract/named-world.js';
import { type FilterSubject, parseFilterParameter } from '../../contract/operation.js';
import { combineWithAnd, createOracle, type Obligation, type Oracle } from '../../contract/oracle.js';
import type { Tier } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember, isJsonObject } from '../../support/json.js';
import { getRequestKey, type Observations } from './observation.js';

/** How a deployment decides what it returns. A mistake changes one of the decisions of the documentation. */
export interface DeploymentDecisions {
  readonly sent: HttpRequest;
  /** The request that the deployment acts on. */
  readonly request: HttpRequest;
  readonly checked: Decision;
  readonly matching: Decision;
  readonly valid: Decision;
  /** The number of promotions after which the result ends. */
  readonly max?: number;
}

export type Decision = (tier: Tier, request: ReadRequest) => Obligation;

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a deployment reads in a request. */
export interface ReadRequest {
  readonly oracle: Oracle;
  readonly items: readonly JsonObject[];
  readonly metadata: JsonObject | undefined;
  readonly filters: readonly Filter[];
}

export type Filter = FilterSubject & { readonly value: string };

/** Changes how a deployment decides about requests. */
export type Change = (reading: DeploymentDecisions) => DeploymentDecisions;

/** A mistake that a deployment may make, with what it would then return. */
export type Mistake = readonly [sentence: string, change: Change];

/** Changes one decision. @param decide takes the decision as it was before */
export function changeDecision(
  name: 'checked' | 'matching' | 'valid',
  decide: (tier: Tier, request: ReadRequest, before: Decision) => Obligation,
): Change {
  return (reading) => ({
    ...reading,
    [name]: (tier: Tier, request: ReadRequest) => decide(tier, request, reading[name]),
  });
}

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

/** Predicts what a deployment with some mistakes returns. Nothing is computed until it is asked for. */
export type Predict = (changes: readonly Change[], request: HttpRequest) => Prediction;

export function createPredictor({ tiers, world }: Observations): Predict {
  const requests = new Map<string, ReadRequest>();
  const read = (request: HttpRequest): ReadRequest => {
    const key = getRequestKey(request);
    const known = requests.get(key) ?? readRequest(request, world);
    requests.set(key, known);
    return known;
  };
  return (changes, sent) => {
    const documented: DeploymentDecisions = {
      sent,
      request: sent,
      checked: (tier, { oracle }) => oracle.checked(tier),
      matching: (tier, { oracle }) => oracle.matching(tier),
      valid: (tier, { oracle }) => oracle.valid(tier),
    };
    const reading = changes.reduce((before, change) => change(before), documented);
    const { checked, matching, valid, max } = reading;
    const request = read(reading.request);
    const predictTier = (tier: Tier) => {
      const isChecked = checked(tier, request);
      if (isChecked === 'forbidden') return isChecked;
      const isMatching = matching(tier, request);
      return isMatching === 'forbidden' ? isMatching : combineWithAnd([isChecked, isMatching, valid(tier, request)]);
    };
    if (max === undefined) return (n) => predictTier(tiers[n] as Tier);
    const all = keepFirst(tiers.map(predictTier), max);
    return (n) => all[n] as Obligation;
  };
}

/** Computes something of a key once. */
export function remember<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

function readRequest(request: HttpRequest, world: NamedWorld): ReadRequest {
  const { query, body } = parseRequest(request);
  const items = getMember(getMember(body, 'order'), 'items');
  const metadata = getMember(body, 'metadata');
  const { checked, matching, valid, ...rest } = createOracle(request, world);
  return {
    // Most mistakes change few decisions, so the documented ones are made once.
    oracle: { ...rest, checked: remember(checked), matching: remember(matching), valid: remember(valid) },
    items: Array.isArray(items) ? items.filter(isJsonObject) : [],
    metadata: isJsonObject(metadata) ? metadata : undefined,
    filters: query.flatMap(([name, value]) => {
      const subject = parseFilterParameter(name);
      return subject === undefined ? [] : [{ ...subject, value }];
    }),
  };
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
