/**
 * What passes from the process that sends to the one that certifies, case by case. Playwright's tests attach it, and the
 * reporter reads it as it is.
 */

import type { Exchange } from '../http/exchange.js';
import type { SerializedMentions } from '../recognition/tier-mentions.js';
import type { CaseResult } from './case-result.js';

/** An exchange as it was judged. Escape control characters before you show it. */
export interface StoredExchange {
  /** Unique within a run; it names the first use. */
  readonly id: string;
  readonly exchange: Exchange;
  /** What a successful response names, found in the whole body. The evidence lacks it: who judges it again finds it. */
  readonly mentions?: SerializedMentions;
}

export interface ExchangeUse {
  readonly id: string;
  /** The id of a case, or another purpose: see `formatExchangePurpose`. */
  readonly case: string;
  readonly row: number;
  readonly request: string;
  /** 1 for the first time that the case was sent, more for repetitions. */
  readonly attempt: number;
}

export interface StoredEvidence {
  readonly exchanges: readonly StoredExchange[];
  readonly uses: readonly ExchangeUse[];
}

/**
 * What the process that sends makes of a case, as plain JSON without secrets. The result names exchanges by their ids. An
 * exchange is in the report of the first case that used it.
 */
export interface CaseReport extends StoredEvidence {
  readonly result: CaseResult;
  /** What this process found out about its failures. The last case of a run has it. */
  readonly explanation?: Explanation;
}

/** What explains the failures of a process that sends, as plain JSON. */
export interface Explanation {
  /** Undefined if no mistake was tried. */
  readonly proved?: ProvedMistakes;
  /** What narrowing found out. */
  readonly contrasts: readonly Contrast[];
}

/** The structural mistakes that responses prove. */
export interface ProvedMistakes {
  /** The ids of all of them, and of those that the same responses show. */
  readonly ids: readonly string[];
  /** How many responses were compared. With more or fewer of them, others may be proved. */
  readonly compared: number;
}

/** A row of a case, by its number. */
export interface RowId {
  readonly case: string;
  readonly row: number;
}

/** What was found out about some failing rows by sending further requests. It names exchanges by their ids. */
export interface Contrast {
  /** The id of a structural mistake that further requests bear out. */
  readonly cause?: string;
  readonly sentence: string;
  /** What else the responses of the run show, a sentence each. */
  readonly evidence: readonly string[];
  /** In the order in which they have to be sent. */
  readonly wrong: readonly string[];
  /** Undefined if no right request was found near the wrong one: then the failure is not explained. */
  readonly right?: string;
  readonly rows: readonly RowId[];
}
