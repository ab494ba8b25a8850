import { calibrationPurpose, type RunEvidence } from '../engine/evidence-keeper.js';
import { cutBodies, maxResultBody, sanitizeExchange } from '../engine/sanitize-result.js';
import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';

/** An exchange by which a case was judged, as it may be shown. */
export interface CaseExchange {
  /** The same for cases that share it. */
  readonly id: string;
  /** Counted from 0. */
  readonly row: number;
  readonly request: string;
  /** 1 for the first time that the case was sent. */
  readonly attempt: number;
  /** Its body may be cut. */
  readonly exchange: Exchange;
  /** The tiers that the body names, if the case is charted and the response is a success. */
  readonly mentions?: TierMentions;
}

/** The exchanges of a run, as they may be shown. */
export interface ExchangeIndex {
  find(id: string): Exchange | undefined;
  /** Lists the exchanges of a case, in the order of its rows and requests, attempt by attempt. */
  listByCase(caseId: string): readonly CaseExchange[];
  /** Each exchange once, as the evidence lists them. */
  readonly all: readonly Exchange[];
  /** What the calibration exchanges name. */
  readonly calibration: readonly TierMentions[];
}

/** So many characters of a body are shown, unless a result refers to it. */
export const maxShownBody = 2_000;

/**
 * Reads all exchanges once and keeps what outputs show: all of them with whole bodies may be more than fits into memory.
 *
 * @param isCharted whether a chart shows what the responses of a case return
 * @param referred the ids of exchanges that results refer to
 */
export function indexExchanges(
  { exchanges, uses }: RunEvidence,
  recognizer: Recognizer,
  isCharted: (caseId: string) => boolean = () => false,
  referred: ReadonlySet<string> = new Set(),
): ExchangeIndex {
  const charted = new Set(
    uses.filter((use) => use.case === calibrationPurpose || isCharted(use.case)).map(({ id }) => id),
  );
  const kept = new Map<string, Pick<CaseExchange, 'exchange' | 'mentions'>>();
  for (const { id, exchange } of exchanges) {
    const isRead = charted.has(id) && 'response' in exchange && isSuccessful(exchange.response);
    const maxBody = referred.has(id) ? maxResultBody : maxShownBody;
    kept.set(id, {
      // Cut first: to escape a long body takes most of the time.
      exchange: sanitizeExchange(cutBodies(exchange, maxBody), escapeControlCharacters, maxBody),
      ...(isRead ? { mentions: recognizer.findMentions(exchange.response.body) } : {}),
    });
  }
  const byCase = new Map<string, CaseExchange[]>();
  for (const { case: caseId, ...use } of uses) {
    const found = kept.get(use.id);
    const ofCase = byCase.get(caseId) ?? [];
    byCase.set(caseId, ofCase);
    if (found !== undefined) ofCase.push({ ...use, ...found });
  }
  const listByCase = (caseId: string) => byCase.get(caseId) ?? [];
  return {
    find: (id) => kept.get(id)?.exchange,
    listByCase,
    all: [...kept.values()].map(({ exchange }) => exchange),
    calibration: listByCase(calibrationPurpose).flatMap(({ mentions }) => mentions ?? []),
  };
}
