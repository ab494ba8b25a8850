import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { groupBy } from '../support/collections.js';
import { calibrationPurpose, type ExchangeUse, type StoredExchange } from './evidence-keeper.js';
import { cutBodies, maxResultBody, shortenExchange } from './sanitize-result.js';

/** The exchanges of a run with the beginnings of their bodies: the whole ones may not fit into memory. */
export type ExchangeIndex = ReturnType<ReturnType<typeof createExchangeIndexer>['finish']>;

export function createExchangeIndexer(recognizer: Recognizer) {
  // Not fit for display: to escape an exchange takes time. Only a success names tiers.
  const kept = new Map<string, { readonly exchange: Exchange; readonly mentions: TierMentions | undefined }>();
  return {
    /** @returns the exchange as the index has it */
    add({ id, exchange }: StoredExchange): Exchange {
      const isRead = 'response' in exchange && isSuccessful(exchange.response);
      const mentions = isRead ? recognizer.findMentions(exchange.response.body) : undefined;
      // Cases share requests, and what a mistake about state does to one depends on its turn.
      const indexed = { ...cutBodies(exchange, maxResultBody), request: { ...exchange.request } };
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
        /** Finds an exchange, fit for display. */
        find(id: string): Exchange | undefined {
          const found = kept.get(id);
          return found && shortenExchange(found.exchange, maxResultBody);
        },
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
