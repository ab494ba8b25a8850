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
}

/**
 * How exchanges are judged. A redirect or a refusal of the configured credentials proves nothing about a requirement,
 * but it can answer a question.
 */
export type JudgeMode = 'requirement' | 'question';

/** An exchange that has a response. */
export type AnsweredExchange = Extract<Exchange, { response: unknown }>;

/** Finds the exchange of a request, or returns the reason why its response proves nothing. */
export function findAnsweredExchange(
  name: string,
  { exchanges }: RowEvidence,
  mode: JudgeMode,
): AnsweredExchange | { readonly reason: string } {
  const exchange = exchanges.get(name);
  if (exchange === undefined) throw new Error(`There is no exchange '${name}'.`);
  const failure = explainTransientFailure(exchange);
  if (!('response' in exchange) || failure !== undefined) return { reason: failure ?? '' };
  if (mode === 'question') return exchange;
  const reason = explainRedirect(exchange.response) ?? explainRefusal(exchange, exchanges);
  return reason === undefined ? exchange : { reason };
}

/** A 401 counts if another request of the row was accepted with the same credentials. */
function explainRefusal({ response }: AnsweredExchange, exchanges: RowEvidence['exchanges']): string | undefined {
  const areAccepted = [...exchanges.values()].some((each) => 'response' in each && isSuccessful(each.response));
  return response.status === 401 && areAccepted ? undefined : explainRefusedCredentials(response);
}
