import { isOwnCase } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { type Channel, type Exchange, type HttpRequest, mapExchangeTexts } from '../http/exchange.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { CaseExchanges } from './case-result.js';

/** An exchange as it was judged, except that secrets are redacted. Escape control characters before you show it. */
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

/**
 * Collects the exchanges of a run.
 *
 * @param redactSecrets replaces secrets in a text and changes nothing else
 */
export function createEvidenceKeeper(redactSecrets: (text: string) => string) {
  const stored = new WeakMap<Exchange, StoredExchange>();
  const ids = new Set<string>();
  let exchanges: StoredExchange[] = [];
  let uses: ExchangeUse[] = [];
  let used = new Set<StoredExchange>();
  const keep = (use: Omit<ExchangeUse, 'id'>, exchange: Exchange, isOfSuite = true): void => {
    let kept = stored.get(exchange);
    if (kept === undefined) {
      const id = findFreeName(`${use.case}/${use.row}/${use.request}/${use.attempt}`, ids);
      ids.add(id);
      // Nothing else changes, so that the exchange can be judged again with the same result.
      const redacted = mapExchangeTexts(exchange, redactSecrets);
      kept = { id, exchange: isOfSuite ? restoreRequest(redacted, exchange.request) : redacted };
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
        for (const [row, own] of exchanges.entries())
          for (const [request, exchange] of own)
            keep({ case: purpose, row, request, attempt: n + 1 }, exchange, !isOwnCase(testCase));
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

/**
 * Restores the query and the body of a request that the suite wrote itself: a secret may be a word of them, and `verify`
 * compares them with the case.
 */
function restoreRequest(redacted: Exchange, { path, body }: HttpRequest): Exchange {
  const [, query = ''] = /^[^?]*(\?.*)$/s.exec(path) ?? [];
  const request = { ...redacted.request, path: redacted.request.path.replace(/\?.*$/s, () => query) };
  return { ...redacted, request: { ...request, ...omitUndefined({ body }) } };
}
