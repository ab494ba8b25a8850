import type { TestCase } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import type { CaseExchanges } from './case-exchanges.js';
import type { CaseSender } from './case-sender.js';
import { calibrationPurpose, type EvidenceKeeper, formatPurpose, type RunEvidence } from './evidence-keeper.js';
import { createReplayedConditions } from './replay-conditions.js';

/** Answers with the exchanges of an earlier run instead of a target. Nothing is sent. */
export interface Replay {
  /** Creates a channel for exchanges that belong to no case. */
  createChannel(purpose: string): Channel;
  /** @param prefix why cases are sent again; undefined for their own verdict */
  createSender(prefix?: string): CaseSender;
  /** Knows the exchanges by the ids of the evidence, and keeps nothing. */
  readonly keeper: EvidenceKeeper;
  /** Lists the ids of the exchanges that answered nothing so far. */
  listUnused(): string[];
}

/** Whatever the order of the members is. */
function createKey({ method, path, headers, body, sent, again }: HttpRequest): string {
  return JSON.stringify([method, path, headers, body, sent, again]);
}

const notRecorded = 'The evidence has no exchange for this request: the cases did not send it when it was recorded.';

/**
 * Creates a replay from the evidence of a run. An exchange answers a request only if it was recorded for the same purpose,
 * and for the same request. When a case is judged for the first time, the exchange of an equal request does, too.
 *
 * @param adapt returns a request as it was sent to the target: with its headers, at its path
 */
export function createReplay(
  { exchanges, uses }: RunEvidence,
  adapt: (request: HttpRequest) => HttpRequest = (request) => request,
): Replay {
  const all = [...exchanges];
  const byId = new Map(all.map(({ id, exchange }) => [id, exchange]));
  const byExchange = new Map(all.map((kept) => [kept.exchange, kept]));
  const unused = new Map(all.map(({ id, exchange }) => [exchange, id]));
  const firstByKey = new Map(all.toReversed().map(({ exchange }) => [createKey(exchange.request), exchange]));
  const recorded = new Map<string, Set<Exchange>>();
  for (const { id, case: purpose, attempt } of uses) {
    const exchange = byId.get(id);
    if (exchange === undefined) continue;
    const name = JSON.stringify([purpose, attempt, createKey(exchange.request)]);
    recorded.set(name, (recorded.get(name) ?? new Set()).add(exchange));
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
    // Each shard has a calibration of its own.
    for (const used of purpose === calibrationPurpose ? own : [found]) unused.delete(used);
    return found;
  };
  const replayCase = (testCase: TestCase, attempt: number, prefix?: string, onlyRow?: number): CaseExchanges => {
    const purpose = formatPurpose(testCase, prefix);
    const replayed = new Map<string, Exchange>();
    const find = (name: string, request: HttpRequest): Exchange => {
      const key = JSON.stringify([name, request]);
      const exchange = replayed.get(key) ?? next(purpose, attempt, request, attempt === 1 && prefix === undefined);
      replayed.set(key, exchange);
      return exchange;
    };
    const found = testCase.rows.map(({ requests, unavailable }, row) => {
      const sent = unavailable.length > 0 || (onlyRow ?? row) !== row ? [] : [...requests];
      return new Map(sent.map(([name, request]) => [name, find(name, request)] as const));
    });
    return { exchanges: found, count: replayed.size, requestsSent: 0 };
  };
  return {
    createChannel: (purpose) => ({
      send: async (request) => next(purpose, 1, request, purpose === calibrationPurpose),
      // The evidence contains no secrets.
      redact: escapeControlCharacters,
      reconnect: () => undefined,
      maxCaseBodyLength: Number.POSITIVE_INFINITY,
      maxConcurrency: 1,
    }),
    createSender(prefix) {
      const attempts = new Map<string, number>();
      const replayRow = (testCase: TestCase, row?: number) => {
        const attempt = (attempts.get(testCase.id) ?? 0) + 1;
        attempts.set(testCase.id, attempt);
        return { attempt, ...replayCase(testCase, attempt, prefix, row) };
      };
      const send = async (testCase: TestCase): Promise<CaseExchanges> => replayRow(testCase);
      const conditions = createReplayedConditions({
        uses,
        useExchange: (id) => {
          const exchange = byId.get(id);
          if (exchange !== undefined) unused.delete(exchange);
          return exchange;
        },
        getPurpose: (testCase) => formatPurpose(testCase, prefix),
        replayRow,
      });
      return { send, sendSerially: send, conditions };
    },
    keeper: {
      keepCase: () => undefined,
      wrapChannel: (channel) => channel,
      find: (exchange) => byExchange.get(exchange),
      take: () => ({ exchanges: [], uses: [] }),
    },
    listUnused: () => [...unused.values()],
  };
}
