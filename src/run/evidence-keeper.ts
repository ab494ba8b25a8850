import type { TestCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import type { CaseExchanges } from './case-result.js';

/** An exchange as it was judged. Escape control characters before you show it. */
export interface StoredExchange {
  /** Unique within a run; it names the first use. */
  readonly id: string;
  readonly exchange: Exchange;
}

export interface ExchangeUse {
  readonly id: string;
  /** The id of a case, or another purpose: see {@link formatPurpose}. */
  readonly case: string;
  readonly row: number;
  readonly request: string;
  /** 1 for the first time that the case was sent, more for repetitions. */
  readonly attempt: number;
}

export interface RunEvidence {
  readonly exchanges: readonly StoredExchange[];
  readonly uses: readonly ExchangeUse[];
}

/** The purpose of exchanges that belong to no case. */
export const calibrationPurpose = 'calibration';

/** Names the purpose of a case's exchanges. @param prefix why the case was sent again; undefined for its own verdict */
export function formatPurpose({ id }: Pick<TestCase, 'id'>, prefix: string | undefined): string {
  return prefix === undefined ? id : `${prefix}/${id}`;
}

/** Names the purpose of a batch that was sent again for a case. @param purpose that of the case */
export function formatBatchPurpose(purpose: string): string {
  return `batch/${purpose}`;
}

export type EvidenceKeeper = ReturnType<typeof createEvidenceKeeper>;

/** @param suffix of ids: several processes may share a run */
export function createEvidenceKeeper(suffix = '') {
  const stored = new WeakMap<Exchange, StoredExchange>();
  const ids = new Set<string>();
  let taken = { exchanges: [] as StoredExchange[], uses: [] as ExchangeUse[] };
  let used = new Set<StoredExchange>();
  const keep = (use: Omit<ExchangeUse, 'id'>, exchange: Exchange): void => {
    let kept = stored.get(exchange);
    if (kept === undefined) {
      const name = `${use.case}/${use.row}/${use.request}/${use.attempt}${suffix}`;
      let id = name;
      // Playwright may repeat a test.
      for (let n = 2; ids.has(id); n += 1) id = `${name}~${n}`;
      ids.add(id);
      kept = { id, exchange };
      stored.set(exchange, kept);
      taken.exchanges.push(kept);
    }
    taken.uses.push({ ...use, id: kept.id });
    used.add(kept);
  };
  return {
    keepCase(testCase: Pick<TestCase, 'id'>, attempts: readonly CaseExchanges[], prefix?: string): void {
      const purpose = formatPurpose(testCase, prefix);
      for (const [n, { exchanges, batch }] of attempts.entries()) {
        for (const [row, ofRow] of exchanges.entries())
          for (const [request, exchange] of ofRow) keep({ case: purpose, row, request, attempt: n + 1 }, exchange);
        for (const [m, exchange] of batch?.exchanges.entries() ?? [])
          keep(
            { case: formatBatchPurpose(purpose), row: batch?.row ?? 0, request: String(m + 1), attempt: n + 1 },
            exchange,
          );
      }
    },
    find: (exchange: Exchange) => stored.get(exchange),
    /** Takes what was kept since the last call. `used` has exchanges that were kept before, too. */
    take(): RunEvidence & { readonly used: readonly StoredExchange[] } {
      const kept = { ...taken, used: [...used] };
      taken = { exchanges: [], uses: [] };
      used = new Set();
      return kept;
    },
  };
}
