import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { RowExchanges } from '../judge/judge-case.js';

/** The exchanges of a case, by row and request name. */
export interface CaseExchanges {
  readonly exchanges: RowExchanges;
  readonly count: number;
  /** The number of requests, retries included; fewer than the exchanges if other cases sent equal ones before. */
  readonly requestsSent: number;
  /** Of a single row that was repeated under a condition: the other requests that make the condition, by name. */
  readonly partners?: {
    readonly row: number;
    readonly exchanges: ReadonlyMap<string, { readonly request: HttpRequest; readonly exchange: Exchange }>;
  };
}
