import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { calibrationPurpose, type ExchangeUse, type RunEvidence, type StoredExchange } from '../run/evidence-keeper.js';
import { cutBodies, maxResultBody, shortenExchange } from '../run/sanitize-result.js';
import { groupBy } from '../support/collections.js';

/** An exchange of a case, fit for display. Its body may be cut. */
export interface CaseExchange extends Omit<ExchangeUse, 'case'> {
  readonly exchange: Exchange;
  /** The tiers that the body names, if the response is a success. */
  readonly mentions?: TierMentions;
}

/** The exchanges of a run, fit for display, with the beginnings of their bodies: the whole ones may not fit into memory. */
export interface ExchangeIndex {
  /** Finds an exchange, with more of its body. */
  find(id: string): Exchange | undefined;
  /** Lists the exchanges of a case, in the order of its rows and requests, attempt by attempt. */
  listByCase(caseId: string): readonly CaseExchange[];
  readonly all: readonly Exchange[];
  readonly calibration: readonly TierMentions[];
}

/** The maximum length of a body that is not found by its id, in characters. To escape a long one takes time. */
const maxShownBody = 2_000;

export function createExchangeIndexer(recognizer: Recognizer) {
  const kept = new Map<string, Pick<CaseExchange, 'exchange' | 'mentions'>>();
  const longer = new Map<string, Exchange>();
  return {
    /** @returns the exchange as the index has it */
    add({ id, exchange }: StoredExchange): Exchange {
      const isRead = 'response' in exchange && isSuccessful(exchange.response);
      const mentions = isRead && recognizer.findMentions(exchange.response.body);
      const shown = shortenExchange(exchange, maxShownBody);
      kept.set(id, { exchange: shown, ...(mentions && { mentions }) });
      longer.set(id, cutBodies(exchange, maxResultBody));
      return shown;
    },
    finish(uses: readonly ExchangeUse[]): ExchangeIndex {
      const used = uses.flatMap((use) => {
        const found = kept.get(use.id);
        return found === undefined ? [] : [{ ...use, ...found }];
      });
      const byCase = groupBy(used, (use) => use.case);
      return {
        find: (id) => {
          const found = longer.get(id);
          return found && shortenExchange(found, maxResultBody);
        },
        listByCase: (caseId) => byCase.get(caseId) ?? [],
        all: [...kept.values()].map(({ exchange }) => exchange),
        calibration: (byCase.get(calibrationPurpose) ?? []).flatMap(({ mentions }) => mentions ?? []),
      };
    },
  };
}

export function indexExchanges({ exchanges, uses }: RunEvidence, recognizer: Recognizer): ExchangeIndex {
  const indexer = createExchangeIndexer(recognizer);
  for (const kept of exchanges) indexer.add(kept);
  return indexer.finish(uses);
}
