import { type FilterSubject, parseFilterParameter } from '../../contract/operation.js';
import { createOracle, type Obligation, type Oracle } from '../../contract/oracle.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember, isJsonObject } from '../../support/json.js';
import type { NamedWorld } from '../../world/named-world.js';
import type { Tier } from '../../world/world.js';
import { getRequestKey, type Observation, type Observations } from './observation.js';

/** How a deployment decides what it returns. A mistake changes one of the decisions of the documentation. */
export interface Reading {
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

/** Changes how a deployment decides about a request. */
export type Change = (reading: Reading, observation: Observation) => Reading;

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

/** Predicts what a deployment with some mistakes returns. Nothing is computed until it is asked for. */
export type Predict = (changes: readonly Change[], observation: Observation) => Prediction;

export function createPredictor({ tiers }: Observations, world: NamedWorld): Predict {
  const requests = new Map<string, ReadRequest>();
  const read = (request: HttpRequest): ReadRequest => {
    const key = getRequestKey(request);
    const known = requests.get(key) ?? readRequest(request, world);
    requests.set(key, known);
    return known;
  };
  // Most mistakes change few decisions, so the documented ones are made once.
  const positions = new Map(tiers.map((tier, n) => [tier, n]));
  const remember = (decide: Decision): Decision => {
    const decisions = new WeakMap<ReadRequest, Obligation[]>();
    return (tier, request) => {
      const n = positions.get(tier);
      if (n === undefined) return decide(tier, request);
      const known = decisions.get(request) ?? [];
      if (known.length === 0) decisions.set(request, known);
      known[n] ??= decide(tier, request);
      return known[n];
    };
  };
  const documented = {
    checked: remember((tier, { oracle }) => oracle.checked(tier)),
    matching: remember((tier, { oracle }) => oracle.matching(tier)),
    valid: remember((tier, { oracle }) => oracle.valid(tier)),
  };
  return (changes, observation) => {
    const asSent: Reading = { ...documented, request: observation.exchange.request };
    const reading = changes.reduce((before, change) => change(before, observation), asSent);
    const { checked, matching, valid, max } = reading;
    const request = read(reading.request);
    const predictOne = (n: number) => {
      const tier = tiers[n] as Tier;
      const isChecked = checked(tier, request);
      if (isChecked === 'forbidden') return isChecked;
      const isMatching = matching(tier, request);
      return isMatching === 'forbidden' ? isMatching : combine([isChecked, isMatching, valid(tier, request)]);
    };
    if (max === undefined) return predictOne;
    const all = cut(
      tiers.map((_, n) => predictOne(n)),
      max,
    );
    return (n) => all[n] as Obligation;
  };
}

function readRequest(request: HttpRequest, world: NamedWorld): ReadRequest {
  const { query, body } = parseRequest(request);
  const items = getMember(getMember(body, 'order'), 'items');
  const metadata = getMember(body, 'metadata');
  return {
    oracle: createOracle(request, world),
    items: Array.isArray(items) ? items.filter(isJsonObject) : [],
    metadata: isJsonObject(metadata) ? metadata : undefined,
    filters: query.flatMap(([name, value]) => {
      const subject = parseFilterParameter(name);
      return subject === undefined ? [] : [{ ...subject, value }];
    }),
  };
}

/** Combines obligations with "and". */
export function combine(obligations: readonly Obligation[]): Obligation {
  if (obligations.includes('forbidden')) return 'forbidden';
  return obligations.includes('open') ? 'open' : 'required';
}

export function combineWithOr(obligations: readonly Obligation[]): Obligation {
  if (obligations.includes('required')) return 'required';
  return obligations.includes('open') ? 'open' : 'forbidden';
}

export function requireIf(condition: boolean): Obligation {
  return condition ? 'required' : 'forbidden';
}

/** Keeps the first of a result. */
export function cut(obligations: readonly Obligation[], max: number): Obligation[] {
  let least = 0;
  let most = 0;
  return obligations.map((obligation) => {
    const kept = least >= max ? 'forbidden' : most >= max && obligation === 'required' ? 'open' : obligation;
    if (obligation === 'required') least += 1;
    if (obligation !== 'forbidden') most += 1;
    return kept;
  });
}
