import type { TargetWorld } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import {
  explainRedirect,
  explainRefusedCredentials,
  explainTooLongRequest,
  explainTransientFailure,
  isSuccessful,
} from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { ReturnedTierPaths } from '../recognition/returned-tier-paths.js';
import { type ReturnedTiers, readReturnedTiersOfBody } from '../recognition/returned-tiers.js';
import { createReason, type Reason } from '../support/reason.js';

export interface RowEvidence {
  /** By the name of the request. */
  readonly exchanges: ReadonlyMap<string, Exchange>;
  /** Those of all rows of the case. */
  readonly ofCase: readonly Exchange[];
  readonly reading: ReturnedTierPaths;
  readonly recognizer: Recognizer;
  readonly world: TargetWorld;
  /** The first exchanges of the run. */
  readonly calibration: readonly Exchange[];
  /** What is wrong with the target, if the row is judged as though it was right. */
  readonly corrections?: KnownMistakeCorrections;
}

/** A correction turns a response that the known mistakes explain into the documented one, and any other into a wrong one. */
export interface KnownMistakeCorrections {
  correctResult(result: ReturnedTiers, request: HttpRequest): ReturnedTiers;
  /** Turns the response to a request for which the mistakes leave nothing to return into an empty result. */
  correctExchange(exchange: AnsweredExchange): AnsweredExchange;
  /** Whether the request is one that is refused, so that nothing can be judged by its response. */
  isRefused(exchange: Exchange): boolean;
}

/** Reads which tiers a response returned, as if known mistakes were right if the row is judged so. */
export function readReturnedTiersOfExchange(
  { request, response }: AnsweredExchange,
  evidence: RowEvidence,
): ReturnedTiers {
  const result = readReturnedTiersOfBody(response.body, evidence);
  return evidence.corrections?.correctResult(result, request) ?? result;
}

/** A redirect, a limit of sizes or refused credentials answer a question, but prove nothing about a requirement. */
export type JudgeMode = 'requirement' | 'question';

export type AnsweredExchange = Extract<Exchange, { response: unknown }>;

/** Lists the exchanges with a 2xx response. */
export function listSuccesses(exchanges: readonly Exchange[]): AnsweredExchange[] {
  return exchanges.flatMap((exchange) => ('response' in exchange && isSuccessful(exchange.response) ? [exchange] : []));
}

/** Finds the exchange of a request, or returns the reason why its response proves nothing. */
export function findAnsweredExchange(
  name: string,
  evidence: RowEvidence,
  mode: JudgeMode,
): AnsweredExchange | { readonly reason: Reason } {
  const exchange = evidence.exchanges.get(name);
  if (exchange === undefined) throw new Error(`There is no exchange '${name}'.`);
  const failure = explainTransientFailure(exchange);
  if (!('response' in exchange) || failure !== undefined) return { reason: failure as Reason };
  if (mode === 'question') return exchange;
  const reason = explainRedirect(exchange) ?? explainTooLongRequest(exchange) ?? explainRefusal(exchange, evidence);
  const { corrections } = evidence;
  if (corrections?.isRefused(exchange)) return { reason: createReason('refused-as-known') };
  return reason === undefined ? (corrections?.correctExchange(exchange) ?? exchange) : { reason };
}

/** A 401 counts if the same request is accepted with its header names in another letter case: they were not recognized. */
function explainRefusal({ request, response }: AnsweredExchange, { exchanges, calibration }: RowEvidence) {
  const refusal = explainRefusedCredentials(response);
  if (refusal === undefined) return undefined;
  const accepted = listSuccesses([...exchanges.values()]);
  if (accepted.length + listSuccesses(calibration).length === 0) return refusal;
  const headerNames = request.headers.map(([name]) => name).join();
  const isInOtherLetterCase = ({ request: { headers, path, body } }: Exchange) => {
    const names = headers.map(([name]) => name).join();
    const isSpelledAlike = names === headerNames || names.toLowerCase() !== headerNames.toLowerCase();
    return !isSpelledAlike && path === request.path && body === request.body;
  };
  if (response.status === 401 && accepted.some(isInOtherLetterCase)) return undefined;
  return createReason('refused-here-only', { status: response.status });
}
