import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { groupBy } from '../support/collections.js';
import type { ExchangeUse, StoredExchange } from './case-report.js';
import { calibrationPurpose } from './evidence-keeper.js';
import { createShownExchanges } from './shown-exchanges.js';

/** The exchanges of a run, to be shown by id, and to be explained case by case. */
export type ExchangeIndex = ReturnType<ReturnType<typeof createExchangeIndexer>['finish']>;

export function createExchangeIndexer(recognizer: Recognizer) {
  const shown = createShownExchanges();
  const kept = new Map<string, { readonly exchange: Exchange; readonly mentions: TierMentions | undefined }>();
  return {
    /** @returns the exchange as the index has it */
    add(stored: StoredExchange): Exchange {
      const { id, exchange } = stored;
      // Only a success names tiers.
      const isRead = 'response' in exchange && isSuccessful(exchange.response);
      const mentions = isRead ? recognizer.findMentions(exchange.response.body) : undefined;
      // Cases share requests, and what a mistake about state does to one depends on its turn.
      const indexed = { ...shown.add(stored), request: { ...exchange.request } };
      kept.set(id, { exchange: indexed, mentions });
      return indexed;
    },
    finish(uses: readonly ExchangeUse[]) {
      const used = uses.flatMap((use) => {
        const found = kept.get(use.id);
        return found === undefined ? [] : [{ ...use, ...found }];
      });
      const byCase = groupBy(used, (use) => use.case);
      return {
        show: shown.show,
        /** Lists the exchanges of a case, in the order of its rows and requests, attempt by attempt. */
        listByCase: (caseId: string) => byCase.get(caseId) ?? [],
        all: [...kept.values()].map(({ exchange }) => exchange),
        calibration: (byCase.get(calibrationPurpose) ?? []).flatMap(({ exchange: { request }, mentions }) =>
          mentions === undefined ? [] : [{ request, mentions }],
        ),
      };
    },
  };
}
