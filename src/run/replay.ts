import type { TestCase } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import type { CaseExchanges } from './case-result.js';
import type { CaseSender } from './case-sender.js';
import { calibrationPurpose, formatPurpose, type RunEvidence } from './evidence-keeper.js';

export type Replay = ReturnType<typeof createReplay>;

/** Whatever the order of the members is. */
function createKey({ method, path, headers, body, sent, again }: HttpRequest): string {
  return JSON.stringify([method, path, headers, body, sent, again]);
}

const notRecorded = 'The evidence has no exchange for this request: the cases did not send it when it was recorded.';

/**
 * Answers with the exchanges of an earlier run instead of a target. Nothing is sent. An exchange answers a request only if
 * it was recorded for the same purpose and the same request. When a case is judged for the first time, the exchange of an
 * equal request does, too.
 *
 * @param adapt returns a request as it was sent to the target: with its headers, at its path
 */
export function createReplay(
  { exchanges, uses }: RunEvidence,
  adapt: (request: HttpRequest) => HttpRequest = (request) => request,
) {
  const all = [...exchanges];
  const byId = new Map(all.map(({ id, exchange }) => [id, exchange]));
  const byExchange = new Map(all.map((kept) => [kept.exchange, kept]));
  const firstByKey = new Map(all.toReversed().map(({ exchange }) => [createKey(exchange.request), exchange]));
  const recorded = new Map<string, Set<Exchange>>();
  const byUse = new Map<string, Exchange>();
  for (const { id, case: purpose, row, request: requestName, attempt } of uses) {
    const exchange = byId.get(id);
    if (exchange === undefined) continue;
    const name = JSON.stringify([purpose, attempt, createKey(exchange.request)]);
    recorded.set(name, (recorded.get(name) ?? new Set()).add(exchange));
    byUse.set(JSON.stringify([purpose, attempt, row, requestName]), exchange);
  }
  const turns = new Map<string, number>();
  const next = (purpose: string, attempt: number, request: HttpRequest, mayBeShared = false): Exchange => {
    const key = createKey(adapt(request));
    const name = JSON.stringify([purpose, attempt, key]);
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const own = [...(recorded.get(name) ?? [])];
    const found = own[turn] ?? own.at(-1) ?? (mayBeShared ? firstByKey.get(key) : undefined);
    if (found === undefined) return { request, transportError: 'not-sent', message: notRecorded, attempts: 0 };
    return found;
  };
  return {
    /** Creates a channel for exchanges that belong to no case. */
    createChannel: (purpose: string): Channel => ({
      send: async (request) => next(purpose, 1, request, purpose === calibrationPurpose),
      reconnect: () => undefined,
      maxCaseBodyLength: Number.POSITIVE_INFINITY,
      maxConcurrency: 1,
    }),
    /** @param prefix why cases are sent again; undefined for their own verdict */
    createSender(prefix?: string): CaseSender {
      const counts = new Map<string, number>();
      const replay = async (testCase: TestCase, rows?: readonly number[]): Promise<CaseExchanges> => {
        const purpose = formatPurpose(testCase, prefix);
        const attempt = (counts.get(purpose) ?? 0) + 1;
        counts.set(purpose, attempt);
        const replayed = new Map<string, Exchange>();
        const find = (name: string, request: HttpRequest): Exchange => {
          const key = JSON.stringify([name, request]);
          const exchange = replayed.get(key) ?? next(purpose, attempt, request, attempt === 1 && prefix === undefined);
          replayed.set(key, exchange);
          return exchange;
        };
        const exchanges = testCase.rows.map(({ requests, unavailable }, row) => {
          const sent = unavailable.length > 0 || rows?.includes(row) === false ? [] : [...requests];
          return new Map(sent.map(([name, request]) => [name, find(name, request)] as const));
        });
        return { exchanges, count: replayed.size, requestsSent: 0 };
      };
      return {
        send: (testCase) => replay(testCase),
        sendAlone: replay,
        async sendInBatch(testCase, row) {
          const purpose = formatPurpose(testCase, prefix);
          const attempt = (counts.get(purpose) ?? 0) + 1;
          const found = [...(testCase.rows[row]?.requests ?? [])].flatMap(([name, request]) => {
            const exchange = byUse.get(JSON.stringify([purpose, attempt, row, name]));
            const isSame = exchange !== undefined && createKey(exchange.request) === createKey(adapt(request));
            return isSame ? [[name, exchange] as const] : [];
          });
          if (found.length === 0) return undefined;
          counts.set(purpose, attempt);
          const exchanges = testCase.rows.map((_, n) => new Map(n === row ? found : []));
          return { exchanges, count: found.length, requestsSent: 0 };
        },
      };
    },
    /** Finds an exchange with the id of the evidence. */
    find: (exchange: Exchange) => byExchange.get(exchange),
  };
}
