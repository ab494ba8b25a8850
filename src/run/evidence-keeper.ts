import type { TestCase } from '../cases/test-case.js';
import type { Channel, Exchange } from '../http/exchange.js';
import type { CaseExchanges } from './case-result.js';

/** An exchange as it was judged. Escape control characters before you show it. */
export interface StoredExchange {
  /** Unique within a run; it names the first use. */
  readonly id: string;
  readonly exchange: Exchange;
}

/** States which case an exchange was judged for. */
export interface ExchangeUse {
  readonly id: string;
  /** The id of a case, or another purpose: see {@link formatPurpose}. */
  readonly case: string;
  /** Counted from 0. */
  readonly row: number;
  readonly request: string;
  /** 1 for the first time that the case was sent, more for repetitions. */
  readonly attempt: number;
}

/** All exchanges of a run with their uses. The exchanges may not fit into memory together. */
export interface RunEvidence {
  readonly exchanges: Iterable<StoredExchange>;
  readonly uses: readonly ExchangeUse[];
}

/** Evidence in memory. */
export interface KeptEvidence extends RunEvidence {
  readonly exchanges: readonly StoredExchange[];
  /** All exchanges that were used since the last call, those that were kept before included. */
  readonly used: readonly StoredExchange[];
}

/** A name with a number if it is taken: Playwright may repeat a test. */
export function findFreeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n += 1) free = `${name}~${n}`;
  return free;
}

/** The purpose of exchanges that belong to no case. */
export const calibrationPurpose = 'calibration';

/** The purpose of the other exchanges of a batch that was sent again for a case, before that of the case. */
const batchPurpose = 'batch';

/** Names the purpose of a case's exchanges. @param prefix why the case was sent again; undefined for its own verdict */
export function formatPurpose({ id }: Pick<TestCase, 'id'>, prefix: string | undefined): string {
  return prefix === undefined ? id : `${prefix}/${id}`;
}

export type EvidenceKeeper = ReturnType<typeof createEvidenceKeeper>;

/** Collects the exchanges of a run. */
export function createEvidenceKeeper() {
  const stored = new WeakMap<Exchange, StoredExchange>();
  const ids = new Set<string>();
  let exchanges: StoredExchange[] = [];
  let uses: ExchangeUse[] = [];
  let used = new Set<StoredExchange>();
  const keep = (use: Omit<ExchangeUse, 'id'>, exchange: Exchange): void => {
    let kept = stored.get(exchange);
    if (kept === undefined) {
      const id = findFreeName(`${use.case}/${use.row}/${use.request}/${use.attempt}`, ids);
      ids.add(id);
      kept = { id, exchange };
      stored.set(exchange, kept);
      exchanges.push(kept);
    }
    uses.push({ ...use, id: kept.id });
    used.add(kept);
  };
  return {
    /**
     * @param attempts the exchanges of each time that the case was sent
     * @param prefix why the case was sent again; undefined for its own verdict
     */
    keepCase(testCase: TestCase, attempts: readonly CaseExchanges[], prefix?: string): void {
      const purpose = formatPurpose(testCase, prefix);
      for (const [n, { exchanges, others = [] }] of attempts.entries()) {
        for (const [row, ofRow] of exchanges.entries())
          for (const [request, exchange] of ofRow) keep({ case: purpose, row, request, attempt: n + 1 }, exchange);
        for (const [m, exchange] of others.entries())
          keep({ case: `${batchPurpose}/${purpose}`, row: 0, request: String(m + 1), attempt: n + 1 }, exchange);
      }
    },
    /** Wraps a channel so that its exchanges are kept for a purpose. */
    wrapChannel(channel: Channel, purpose: string): Channel {
      let count = 0;
      return {
        ...channel,
        send: async (request, whyWithheld) => {
          const exchange = await channel.send(request, whyWithheld);
          count += 1;
          keep({ case: purpose, row: 0, request: String(count), attempt: 1 }, exchange);
          return exchange;
        },
      };
    },
    /** Finds an exchange as it was kept. */
    find: (exchange: Exchange) => stored.get(exchange),
    /** Returns what was kept since the last call. */
    take(): KeptEvidence {
      const taken = { exchanges, uses, used: [...used] };
      exchanges = [];
      uses = [];
      used = new Set();
      return taken;
    },
  };
}
