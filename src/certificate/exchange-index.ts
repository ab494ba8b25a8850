import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { type ReturnedTiers, readReturnedTiers } from '../recognition/returned-tiers.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { determineReading } from '../recognition/tier-reading.js';
import type { CaseResult } from '../run/case-result.js';
import { calibrationPurpose, type ExchangeUse, type RunEvidence, type StoredExchange } from '../run/evidence-keeper.js';
import { cutBodies, maxResultBody, shortenExchange } from '../run/sanitize-result.js';
import { groupBy } from '../support/group-by.js';

/** An exchange of a case, as outputs show it. Its body may be cut. */
export interface CaseExchange extends Omit<ExchangeUse, 'case'> {
  readonly exchange: Exchange;
  /** The tiers that the body names, if the response is a success. */
  readonly mentions?: TierMentions;
}

/** An exchange, with the tiers that it returned if the response is a success. */
export interface ReadExchange extends CaseExchange {
  readonly result?: ReturnedTiers | undefined;
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

/** The maximum length of a body that no result refers to, in characters. The rest is cut. */
const maxShownBody = 2_000;

/**
 * Creates an indexer that keeps of each exchange what outputs show: all of them with whole bodies may be more than fits
 * into memory.
 */
export function createExchangeIndexer(recognizer: Recognizer) {
  const kept = new Map<string, Pick<CaseExchange, 'exchange' | 'mentions'>>();
  return {
    add({ id, exchange }: StoredExchange): void {
      const isRead = 'response' in exchange && isSuccessful(exchange.response);
      kept.set(id, {
        exchange: cutBodies(exchange, maxResultBody),
        ...(isRead ? { mentions: recognizer.findMentions(exchange.response.body) } : {}),
      });
    },
    /** @param results refer to exchanges of which more is shown */
    finish(uses: readonly ExchangeUse[], results: readonly CaseResult[]): ExchangeIndex {
      const referred = new Set(
        results.flatMap(({ exchangeId, repeatedExchangeId }) => [exchangeId, repeatedExchangeId]),
      );
      for (const [id, found] of kept) {
        const maxBody = referred.has(id) ? maxResultBody : maxShownBody;
        kept.set(id, { ...found, exchange: shortenExchange(found.exchange, maxBody) });
      }
      const used = uses.flatMap((use) => {
        const found = kept.get(use.id);
        return found === undefined ? [] : [{ ...use, ...found }];
      });
      const byCase = groupBy(used, (use) => use.case);
      const listByCase = (caseId: string) => byCase.get(caseId) ?? [];
      return {
        find: (id) => kept.get(id)?.exchange,
        listByCase,
        all: [...kept.values()].map(({ exchange }) => exchange),
        calibration: listByCase(calibrationPurpose).flatMap(({ mentions }) => mentions ?? []),
      };
    },
  };
}

/** Indexes the exchanges of a run that has ended. */
export function indexExchanges(
  { exchanges, uses }: RunEvidence,
  recognizer: Recognizer,
  results: readonly CaseResult[] = [],
): ExchangeIndex {
  const indexer = createExchangeIndexer(recognizer);
  for (const kept of exchanges) indexer.add(kept);
  return indexer.finish(uses, results);
}

/**
 * Finds what exchanges of one case returned. They are read together, as they are when the case is judged.
 *
 * @param statedPatterns the patterns under which, by the target file, returned tiers are named
 */
export function readTogether(
  exchanges: readonly CaseExchange[],
  { calibration }: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
): ReadExchange[] {
  const mentions = new Set(exchanges.flatMap((used) => used.mentions ?? []));
  const reading = determineReading([...calibration, ...mentions], statedPatterns);
  return exchanges.map((used) => ({ ...used, result: used.mentions && readReturnedTiers(used.mentions, reading) }));
}
