/**
 * Collects the exchanges of all reports. In: exchanges as the reports have them. Out: an index that shows an exchange by its id,
 * and lists those of a case for the explanation of failures. It runs in the process that certifies: the one of the reporter.
 */

import type { Exchange } from '../http/exchange.js';
import type { IdFinders } from '../recognition/id-finders.js';
import { createTierMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { groupBy } from '../support/collections.js';
import type { ExchangeUse, StoredExchange } from './case-report.js';
import { calibrationPurpose } from './evidence-keeper.js';
import { createExchangeStore } from './exchange-store.js';

/** The exchanges of a run, to be shown by id, and to be explained case by case. */
export type ExchangeIndex = ReturnType<ReturnType<typeof createExchangeIndexer>['finish']>;

/** @param ids of the world of the run */
export function createExchangeIndexer(ids: IdFinders) {
  const shown = createExchangeStore();
  const kept = new Map<string, { readonly exchange: Exchange; readonly mentions: TierMentions | undefined }>();
  // Most responses repeat another one, and what is searched in one of them takes long.
  const byBody = new Map<string, TierMentions>();
  const readMentions = ({ exchange, mentions: found }: StoredExchange): TierMentions | undefined => {
    if (found === undefined || !('response' in exchange)) return undefined;
    const { body } = exchange.response;
    const mentions = byBody.get(body) ?? createTierMentions(found, body, ids);
    byBody.set(body, mentions);
    return mentions;
  };
  return {
    /** @returns the exchange as the index has it */
    add(stored: StoredExchange): Exchange {
      const mentions = readMentions(stored);
      // Cases share requests, and what a mistake about state does to one depends on its turn.
      const indexed = { ...shown.add(stored), request: { ...stored.exchange.request } };
      kept.set(stored.id, { exchange: indexed, mentions });
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
