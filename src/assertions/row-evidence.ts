import { describeRequest } from '../contract/describe-request.js';
import type { Exchange } from '../http/exchange.js';
import {
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  isSuccessful,
} from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { TierReading } from '../recognition/tier-reading.js';
import type { NamedWorld } from '../world/named-world.js';

/** Everything that the assertions of one row are judged by. */
export interface RowEvidence {
  /** By the name of the request. */
  readonly exchanges: ReadonlyMap<string, Exchange>;
  readonly reading: TierReading;
  readonly recognizer: Recognizer;
  readonly world: NamedWorld;
  /** The first exchanges of the run. */
  readonly calibration?: readonly Exchange[];
}

/**
 * How exchanges are judged. A redirect or a refusal of the configured credentials proves nothing about a requirement,
 * but it can answer a question.
 */
export type JudgeMode = 'requirement' | 'question';

export type AnsweredExchange = Extract<Exchange, { response: unknown }>;

/** Finds the exchange of a request, or returns the reason why its response proves nothing. */
export function findAnsweredExchange(
  name: string,
  evidence: RowEvidence,
  mode: JudgeMode,
): AnsweredExchange | { readonly reason: string } {
  const exchange = evidence.exchanges.get(name);
  if (exchange === undefined) throw new Error(`There is no exchange '${name}'.`);
  const failure = explainTransientFailure(exchange);
  if (!('response' in exchange) || failure !== undefined) return { reason: failure ?? '' };
  if (mode === 'question') return exchange;
  const reason = explainRedirect(exchange.response) ?? explainRefusal(exchange, evidence);
  return reason === undefined ? exchange : { reason };
}

/**
 * Explains a 401 or 403: a firewall or a missing right may refuse some requests only. A 401 counts if the same path and
 * body are accepted: then the header names were not recognized.
 */
function explainRefusal(
  { request, response }: AnsweredExchange,
  { exchanges, calibration = [] }: RowEvidence,
): string | undefined {
  const refusal = explainRefusedCredentials(response);
  if (refusal === undefined) return undefined;
  const accepted = [...exchanges.values(), ...calibration].filter(
    (each) => 'response' in each && isSuccessful(each.response),
  );
  if (accepted.length === 0) return refusal;
  const isSame = (each: Exchange) => each.request.path === request.path && each.request.body === request.body;
  if (response.status === 401 && [...exchanges.values()].some((each) => accepted.includes(each) && isSame(each)))
    return undefined;
  const known = new Set(accepted.flatMap((each) => describeRequest(each.request)));
  const peculiar = describeRequest(request).filter((feature) => !known.has(feature));
  const what = peculiar.length === 0 ? 'This request' : `A request with ${peculiar.slice(0, 3).join(', ')}`;
  return `Answered ${response.status}, but other requests with the same credentials are accepted. ${what} is refused: perhaps by a firewall, or because the application lacks a right.`;
}
