import { createHash } from 'node:crypto';
import type { TestCase } from '../cases/test-case.js';
import { type Channel, type Exchange, type Headers, type HttpRequest, serializeRequest } from '../http/exchange.js';
import type { CaseExchanges } from './case-sender.js';

/** An exchange without secrets, and else as it was judged: whoever shows it writes out what is obeyed rather than shown. */
export interface KeptExchange {
  /** Unique within a run: where it was first of use. */
  readonly id: string;
  /** Equal for requests that are equal before the client completes them for the target: see {@link computeRequestKey}. */
  readonly key: string;
  readonly exchange: Exchange;
}

/** That an exchange was judged, and what for. */
export interface ExchangeUse {
  /** The exchange. */
  readonly id: string;
  /** The id of a case, or what else it was for: see {@link formatPurpose}. */
  readonly case: string;
  /** Counted from 0. */
  readonly row: number;
  /** The name of the request in the case. */
  readonly request: string;
  /** 1 for the first time that the case was sent; a case that is about to fail is sent again. */
  readonly attempt: number;
}

/** Exchanges, each once, and what they were for. There may be more than fits into memory: then they come bit by bit. */
export interface RunEvidence {
  readonly exchanges: Iterable<KeptExchange>;
  readonly uses: readonly ExchangeUse[];
}

/** What is not of a case. */
export const calibrationPurpose = 'calibration';

/** What a case was sent for, where that is not its own verdict. @param by what for; undefined for its own verdict */
export function formatPurpose({ id }: Pick<TestCase, 'id'>, by: string | undefined): string {
  return by === undefined ? id : `${by}/${id}`;
}

/** What is known of a request before it is sent, as a short text. */
export function computeRequestKey(request: HttpRequest): string {
  return createHash('sha256').update(serializeRequest(request)).digest('base64url').slice(0, 16);
}

/** Takes note of the exchanges of a run. */
export interface EvidenceKeeper {
  /**
   * @param sent what came back each time that the case was sent
   * @param by what it was sent for, where that is not its own verdict
   */
  keepCase(testCase: TestCase, sent: readonly CaseExchanges[], by?: string): void;
  /** A channel whose exchanges are noted. @param by what they are for, where that is no case */
  wrapChannel(channel: Channel, by: string): Channel;
  /** What was noted since it was last taken. */
  take(): { readonly exchanges: readonly KeptExchange[]; readonly uses: readonly ExchangeUse[] };
}

/** @param withoutSecrets replaces every secret in a text, and leaves the rest as it is */
export function createEvidenceKeeper(withoutSecrets: (text: string) => string): EvidenceKeeper {
  const ids = new WeakMap<Exchange, string>();
  let exchanges: KeptExchange[] = [];
  let uses: ExchangeUse[] = [];
  const keep = (use: Omit<ExchangeUse, 'id'>, request: HttpRequest, exchange: Exchange): void => {
    const known = ids.get(exchange);
    const id = known ?? `${use.case}/${use.row}/${use.request}/${use.attempt}`;
    if (known === undefined) {
      ids.set(exchange, id);
      exchanges.push({ id, key: computeRequestKey(request), exchange: keptExchange(exchange, withoutSecrets) });
    }
    uses.push({ ...use, id });
  };
  return {
    keepCase(testCase, sent, by) {
      const purpose = formatPurpose(testCase, by);
      for (const [n, each] of sent.entries())
        for (const [row, { requests }] of testCase.rows.entries())
          for (const [name, request] of requests) {
            const exchange = each.exchanges[row]?.get(name);
            const use = { case: purpose, row, request: name, attempt: n + 1 };
            if (exchange !== undefined) keep(use, request, exchange);
          }
    },
    wrapChannel(channel, by) {
      let turn = 0;
      return {
        ...channel,
        send: async (request, whyWithheld) => {
          const exchange = await channel.send(request, whyWithheld);
          turn += 1;
          keep({ case: by, row: 0, request: String(turn), attempt: 1 }, request, exchange);
          return exchange;
        },
      };
    },
    take() {
      const taken = { exchanges, uses };
      exchanges = [];
      uses = [];
      return taken;
    },
  };
}

/** Judged again from it, a case comes to the same: so nothing is cut, and nothing escaped. */
function keptExchange(exchange: Exchange, withoutSecrets: (text: string) => string): Exchange {
  const lines = (headers: Headers): Headers =>
    headers.map(([name, value]) => [withoutSecrets(name), withoutSecrets(value)]);
  const { path, headers, body } = exchange.request;
  const request = {
    ...exchange.request,
    path: withoutSecrets(path),
    headers: lines(headers),
    ...(body === undefined ? {} : { body: withoutSecrets(body) }),
  };
  if (!('response' in exchange)) return { ...exchange, request, message: withoutSecrets(exchange.message) };
  const { response } = exchange;
  return {
    ...exchange,
    request,
    response: { ...response, headers: lines(response.headers), body: withoutSecrets(response.body) },
  };
}
