import { type AnsweredExchange, type RowEvidence, readReturnedTiersOfExchange } from '../assertions/row-evidence.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import { findById, type World } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { hasTransientStatus, isDataIndependentRefusal, isSuccessful } from '../http/response-status.js';
import { cacheByObject } from '../support/caches.js';
import type { Reason } from '../support/reason.js';

/** What the deployment seems to have in place of the test data. */
export interface SuspectedWrongDataLoad {
  /** What to check. */
  readonly reason: Reason;
  /** Whether it is certainly the load. Otherwise a mistake of the deployment explains the responses as well. */
  readonly isProven: boolean;
  /** What the deployment may have. What these differ in is open. Empty if it is not known. */
  readonly worlds: readonly World[];
}

export type ResponseReadingContext = Omit<RowEvidence, 'exchanges' | 'ofCase'>;

/** Whether everything that was received is right for a deployment that has one of some worlds, and not the test data. */
export function agreesWithOtherWorlds(
  exchanges: readonly Exchange[],
  worlds: readonly World[],
  evidence: ResponseReadingContext,
): boolean {
  if (worlds.length === 0) return false;
  return exchanges.every((exchange) => {
    if (!('response' in exchange) || hasTransientStatus(exchange.response)) return true;
    const predict = predictFrom(worlds)(exchange);
    return isSuccessful(exchange.response)
      ? agreesWithResult(exchange, predict, evidence)
      : predict.mayBeRefused && exchange.response.status < 500 && !isDataIndependentRefusal(exchange.response.status);
  });
}

interface Prediction {
  /** Whether there may be nothing to return, so that any status is right, or the request may be refused. */
  readonly mayBeRefused: boolean;
  readonly returned: (id: string) => Obligation;
}

const predictFrom = cacheByObject((worlds: readonly World[]) =>
  cacheByObject(({ request }: AnsweredExchange): Prediction => {
    const oracles = worlds.map((world) => createOracle(request, world));
    const judge = (oracle: Oracle, world: World | undefined, id: string): Obligation => {
      const tier = world && findById(world.tiers, id);
      return tier === undefined ? 'forbidden' : oracle.returned(tier);
    };
    const isEmpty = (oracle: Oracle, n: number) =>
      !oracle.accepted || worlds[n]?.tiers.every((tier) => oracle.returned(tier) !== 'required') === true;
    return {
      mayBeRefused: oracles.some(isEmpty),
      returned(id) {
        const [first = 'open', ...others] = oracles.map((oracle, n) => judge(oracle, worlds[n], id));
        return others.every((obligation) => obligation === first) ? first : 'open';
      },
    };
  }),
);

function agreesWithResult(exchange: AnsweredExchange, predict: Prediction, evidence: ResponseReadingContext): boolean {
  const { returned, unclear } = readReturnedTiersOfExchange(exchange, {
    ...evidence,
    exchanges: new Map(),
    ofCase: [],
  });
  const named = new Set(returned);
  return evidence.world.tiers.every(({ id }) => {
    if (unclear.has(id) || evidence.world.unavailable.has(id)) return true;
    const obligation = predict.returned(id);
    return obligation === 'open' || named.has(id) === (obligation === 'required');
  });
}
