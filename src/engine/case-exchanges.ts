import type { Exchange } from '../http/exchange.js';
import type { RowExchanges } from '../judge/judge-case.js';

/** The exchanges of a case, by row and request name. */
export interface CaseExchanges {
  readonly exchanges: RowExchanges;
  readonly count: number;
  /** The number of requests, retries included; fewer than the exchanges if other cases sent equal ones before. */
  readonly requestsSent: number;
  /** Of a single row that was repeated under a condition: what else was sent to make the condition, by name. */
  readonly partners?: ReadonlyMap<string, Exchange>;
}
