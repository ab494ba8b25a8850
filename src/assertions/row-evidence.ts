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
 * How exchanges are judged. For a requirement, an answer without success says nothing of the result, and a refusal of
 * the configured credentials says nothing at all. A question is about such answers, too.
 */
export type JudgeMode = 'requirement' | 'question';

/** An exchange that brought a response. */
export type AnsweredExchange = Extract<Exchange, { response: unknown }>;

/** The exchange of a name with its response, or why it shows nothing. */
export function findAnsweredExchange(
  name: string,
  { exchanges }: RowEvidence,
  mode: JudgeMode,
): AnsweredExchange | { readonly because: string } {
  const exchange = exchanges.get(name);
  if (exchange === undefined) throw new Error(`There is no exchange '${name}'.`);
  const because = explainTransientFailure(exchange);
  if (!('response' in exchange) || because !== undefined) return { because: because ?? '' };
  if (mode === 'question') return exchange;
  const misled = explainRedirect(exchange.response) ?? whyRefused(exchange, exchanges);
  return misled === undefined ? exchange : { because: misled };
}

/** That an exchange shows nothing since the credentials may be wrong: they are not where another request got through. */
function whyRefused({ response }: AnsweredExchange, exchanges: RowEvidence['exchanges']): string | undefined {
  const areGood = [...exchanges.values()].some((each) => 'response' in each && isSuccessful(each.response));
  return response.status === 401 && areGood ? undefined : explainRefusedCredentials(response);
}
