/**
 * Keeps the exchanges of a run under ids, with what each response names and what it was used for, until a report takes them.
 * It runs in the process that sends.
 */

import type { TestCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import type { ExchangeUse, StoredEvidence, StoredExchange } from './case-report.js';
import type { BatchKind, CaseExchanges } from './case-result.js';
import { createExchangeStore } from './exchange-store.js';

/** The purpose of exchanges that belong to no case. */
export const calibrationPurpose = 'calibration';

/** The purpose of the requests that are sent after the cases, to find out what makes a difference. */
export const narrowingPurpose = 'narrowing';

/** Names the purpose of a case's exchanges. @param prefix why the case was sent again; undefined for its own verdict */
export function formatExchangePurpose({ id }: Pick<TestCase, 'id'>, prefix: string | undefined): string {
  return prefix === undefined ? id : `${prefix}/${id}`;
}

const batchPrefixes: Readonly<Record<BatchKind, string>> = {
  series: 'series',
  'same-row': 'batch',
  'in-order': 'batch-in-order',
  together: 'batch-together',
  alone: 'batch-alone',
};

/** Names the purpose of a batch that was sent again for a case. @param purpose that of the case */
export function formatBatchPurpose(purpose: string, kind: BatchKind): string {
  return `${batchPrefixes[kind]}/${purpose}`;
}

export type EvidenceKeeper = ReturnType<typeof createEvidenceKeeper>;

/** Stores an exchange with what its response names. Only a success names tiers. */
export function createStoredExchange(id: string, exchange: Exchange, recognizer: Recognizer): StoredExchange {
  if (!('response' in exchange) || !isSuccessful(exchange.response)) return { id, exchange };
  return { id, exchange, mentions: recognizer.findMentions(exchange.response.body).found };
}

/** @param suffix of ids: several processes may share a run */
export function createEvidenceKeeper(recognizer: Recognizer, suffix = '') {
  const stored = new WeakMap<Exchange, StoredExchange>();
  const shown = createExchangeStore();
  let taken = { exchanges: [] as StoredExchange[], uses: [] as ExchangeUse[] };
  const keep = (use: Omit<ExchangeUse, 'id'>, exchange: Exchange): void => {
    let kept = stored.get(exchange);
    if (kept === undefined) {
      const name = `${use.case}/${use.row}/${use.request}/${use.attempt}${suffix}`;
      let id = name;
      // Playwright may repeat a test.
      for (let n = 2; shown.has(id); n += 1) id = `${name}~${n}`;
      kept = createStoredExchange(id, exchange, recognizer);
      stored.set(exchange, kept);
      shown.add(kept);
      taken.exchanges.push(kept);
    }
    taken.uses.push({ ...use, id: kept.id });
  };
  return {
    keepCase(testCase: Pick<TestCase, 'id'>, attempts: readonly CaseExchanges[], prefix?: string): void {
      const purpose = formatExchangePurpose(testCase, prefix);
      for (const [n, { exchanges, batch }] of attempts.entries()) {
        for (const [row, ofRow] of exchanges.entries())
          for (const [request, exchange] of ofRow) keep({ case: purpose, row, request, attempt: n + 1 }, exchange);
        if (batch === undefined) continue;
        const ofBatch = { case: formatBatchPurpose(purpose, batch.kind), row: batch.row, attempt: n + 1 };
        for (const [m, exchange] of batch.exchanges.entries()) keep({ ...ofBatch, request: String(m + 1) }, exchange);
      }
    },
    findId: (exchange: Exchange) => stored.get(exchange)?.id,
    /** All exchanges that were kept, by their ids. */
    shown,
    /** Takes what was kept since the last call. */
    take(): StoredEvidence {
      const kept = taken;
      taken = { exchanges: [], uses: [] };
      return kept;
    },
  };
}
