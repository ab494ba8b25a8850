import type { Exchange } from '../http/exchange.js';

/** The exchanges that a run rests on. */
export interface Evidence {
  /** Those of a case, in the order of its rows. */
  of(caseId: string): readonly CaseExchange[];
}

/** One exchange as a case has it, redacted, with its body whole. */
export interface CaseExchange {
  /** The same for cases that share an exchange. */
  readonly id: string;
  readonly row: number;
  /** The name of the request within the row. */
  readonly request: string;
  readonly attempt: number;
  readonly exchange: Exchange;
}
