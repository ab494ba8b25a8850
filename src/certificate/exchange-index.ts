import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { calibrationPurpose, type ExchangeUse, type RunEvidence, type StoredExchange } from '../run/evidence-keeper.js';
import { cutBodies, maxResultBody, shortenExchange } from '../run/sanitize-result.js';
import { groupBy } from '../support/collections.js';

interface KeptExchange {
  readonly exchange: Exchange;
  /** With more of its body, not yet fit for display: to escape a long one takes time. */
  readonly longer: Exchange;
  /** The tiers that the body names, if the response is a success. */
  readonly mentions: TierMentions | undefined;
}

/** The exchanges of a run, fit for display, with the beginnings of their bodies: the whole ones may not fit into memory. */
export type ExchangeIndex = ReturnType<ReturnType<typeof createExchangeIndexer>['finish']>;

/** The maximum length of a body that is not found by its id, in characters. */
const maxShownBody = 2_000;

export function createExchangeIndexer(recognizer: Recognizer) {
  const kept = new Map<string, KeptExchange>();
  return {
    /** @returns the exchange as the index has it */
    add({ id, exchange }: StoredExchange): Exchange {
      const isRead = 'response' in exchange && isSuccessful(exchange.response);
      const mentions = isRead ? recognizer.findMentions(exchange.response.body) : undefined;
      const shown = shortenExchange(exchange, maxShownBody);
      kept.set(id, { exchange: shown, longer: cutBodies(exchange, maxResultBody), mentions });
      return shown;
    },
    finish(uses: readonly ExchangeUse[]) {
      const used = uses.flatMap((use) => {
        const found = kept.get(use.id);
        return found === undefined ? [] : [{ ...use, ...found }];
      });
      const byCase = groupBy(used, (use) => use.case);
      return {
        /** Finds an exchange, with more of its body. */
        find(id: string): Exchange | undefined {
          const found = kept.get(id);
          return found && shortenExchange(found.longer, maxResultBody);
        },
        /** Lists the exchanges of a case, in the order of its rows and requests, attempt by attempt. */
        listByCase: (caseId: string) => byCase.get(caseId) ?? [],
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
