import { calibrationPurpose, type RunEvidence } from '../engine/evidence-keeper.js';
import { sanitizeExchange } from '../engine/sanitize-result.js';
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
  /** The name of the request in the case. */
  readonly request: string;
  /** 1 for the first time that the case was sent. */
  readonly attempt: number;
  /** With the beginning of its body alone. */
  readonly exchange: Exchange;
  /** The tiers that its body names, where that was wanted and it was answered with success. */
  readonly naming?: TierMentions;
}

/** What is shown of the exchanges of a run. */
export interface ShownEvidence {
  /** Those of a case, in the order of its rows and requests, those of each attempt together. */
  of(caseId: string): readonly CaseExchange[];
  /** What the calibration exchanges named. */
  readonly calibration: readonly TierMentions[];
}

/** Of a response's body, in characters. */
export const maxShownBody = 2_000;

/**
 * Keeps what is to be shown of exchanges while they go by: all of them with their whole bodies may be more than fits
 * into memory.
 *
 * @param isRead whether it is wanted which tiers the responses of a case name
 * @returns the same exchanges, to be gone through once, and what was kept of them by then
 */
export function relayEvidence(
  { exchanges, uses }: RunEvidence,
  recognizer: Recognizer,
  isRead: (caseId: string) => boolean,
): { readonly evidence: RunEvidence; shown(): ShownEvidence } {
  const read = new Set(uses.filter((use) => use.case === calibrationPurpose || isRead(use.case)).map(({ id }) => id));
  const kept = new Map<string, Pick<CaseExchange, 'exchange' | 'naming'>>();
  function* relayed() {
    for (const each of exchanges) {
      const { id, exchange } = each;
      const isNamed = read.has(id) && 'response' in exchange && isSuccessful(exchange.response);
      kept.set(id, {
        exchange: sanitizeExchange(exchange, escapeControlCharacters, maxShownBody),
        ...(isNamed ? { naming: recognizer.findMentions(exchange.response.body) } : {}),
      });
      yield each;
    }
  }
  return {
    evidence: { exchanges: relayed(), uses },
    shown() {
      const byCase = new Map<string, CaseExchange[]>();
      for (const { case: caseId, ...use } of uses) {
        const exchange = kept.get(use.id);
        const list = byCase.get(caseId) ?? [];
        byCase.set(caseId, list);
        if (exchange !== undefined) list.push({ ...use, ...exchange });
      }
      const of = (caseId: string) => byCase.get(caseId) ?? [];
      return { of, calibration: of(calibrationPurpose).flatMap(({ naming }) => naming ?? []) };
    },
  };
}
