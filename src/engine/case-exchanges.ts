import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { RowExchanges } from '../judge/judge-case.js';

/** What was sent for a case and what came back, by row and then by name. */
export interface CaseExchanges {
  readonly exchanges: RowExchanges;
  /** How many exchanges there are, each counted once. */
  readonly count: number;
  /** How many requests they took, repeats included; fewer where equal requests had been sent for other cases. */
  readonly requestsSent: number;
  /** Of a single row that was sent again under a condition: the other requests that made the condition, by name. */
  readonly partners?: {
    readonly row: number;
    readonly exchanges: ReadonlyMap<string, { readonly request: HttpRequest; readonly exchange: Exchange }>;
  };
}
