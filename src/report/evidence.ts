import type { Evidence } from '../engine/evidence.js';
import type { Exchange } from '../http/exchange.js';

/** An exchange by which a case was judged. */
export interface CaseExchange {
  /** The same for cases that share it. */
  readonly id: string;
  /** Counted from 0. */
  readonly row: number;
  /** The name of the request in the case. */
  readonly request: string;
  /** 1 for the first time that the case was sent. */
  readonly attempt: number;
  readonly exchange: Exchange;
}

/** Finds the exchanges of a case, in the order of its rows and requests, those of each attempt together. */
export function exchangesByCase({ exchanges, uses }: Evidence): (caseId: string) => readonly CaseExchange[] {
  const byId = new Map([...exchanges].map(({ id, exchange }) => [id, exchange]));
  const byCase = new Map<string, CaseExchange[]>();
  for (const { case: caseId, ...use } of uses) {
    const exchange = byId.get(use.id);
    const list = byCase.get(caseId) ?? [];
    byCase.set(caseId, list);
    if (exchange !== undefined) list.push({ ...use, exchange });
  }
  return (caseId) => byCase.get(caseId) ?? [];
}
