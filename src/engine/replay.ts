import type { TestCase } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import type { CaseExchanges } from './case-exchanges.js';
import type { CaseSender } from './case-sender.js';
import { computeRequestKey, formatPurpose, type RunEvidence } from './evidence-keeper.js';
import { createReplayedConditions } from './replay-conditions.js';
import { countAttempts } from './request-cache.js';

/** Answers with the exchanges of an earlier run instead of a target. Nothing is sent. */
export interface Replay {
  /** Creates a channel for exchanges that belong to no case. */
  createChannel(purpose: string): Channel;
  /** @param prefix why cases are sent again; undefined for their own verdict */
  createSender(prefix?: string): CaseSender;
}

const notRecorded = 'The evidence has no exchange for this request: the cases did not send it when it was recorded.';

/**
 * Creates a replay from the evidence of a run. A request that was not recorded for the same purpose gets the exchange of
 * an equal request; without one it counts as not sent.
 */
export function createReplay({ exchanges, uses }: RunEvidence): Replay {
  const all = [...exchanges];
  const byId = new Map(all.map((each) => [each.id, each]));
  const firstByKey = new Map(all.toReversed().map(({ key, exchange }) => [key, exchange]));
  const recorded = new Map<string, Exchange[]>();
  // The first use of an exchange counts its requests; later uses share it.
  const usedIds = new Set<string>();
  const sharedUses = new Set<string>();
  for (const { id, case: purpose, row, request, attempt } of uses) {
    const kept = byId.get(id);
    if (kept === undefined) continue;
    const name = JSON.stringify([purpose, attempt, kept.key]);
    const before = recorded.get(name) ?? [];
    if (!before.includes(kept.exchange)) recorded.set(name, [...before, kept.exchange]);
    if (usedIds.has(id)) sharedUses.add(JSON.stringify([purpose, attempt, row, request]));
    usedIds.add(id);
  }
  const turns = new Map<string, number>();
  const next = (purpose: string, attempt: number, request: HttpRequest): Exchange => {
    const key = computeRequestKey(request);
    const name = JSON.stringify([purpose, attempt, key]);
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const own = recorded.get(name);
    const found = own?.[turn] ?? own?.at(-1) ?? firstByKey.get(key);
    return found ?? { request, transportError: 'not-sent', message: notRecorded, attempts: 0 };
  };
  const replayCase = ({ rows }: TestCase, purpose: string, attempt: number, onlyRow?: number): CaseExchanges => {
    const replayed = new Map<string, Exchange>();
    let requestsSent = 0;
    const find = (row: number, name: string, request: HttpRequest): Exchange => {
      const key = JSON.stringify([name, request]);
      const known = replayed.get(key);
      if (known !== undefined) return known;
      const exchange = next(purpose, attempt, request);
      replayed.set(key, exchange);
      if (!sharedUses.has(JSON.stringify([purpose, attempt, row, name]))) requestsSent += countAttempts([exchange]);
      return exchange;
    };
    const exchanges = rows.map(({ requests, unavailable }, row) => {
      const sent = unavailable.length > 0 || (onlyRow ?? row) !== row ? [] : [...requests];
      return new Map(sent.map(([name, request]) => [name, find(row, name, request)] as const));
    });
    return { exchanges, count: replayed.size, requestsSent };
  };
  return {
    createChannel: (purpose) => ({
      send: async (request) => next(purpose, 1, request),
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
        return { attempt, ...replayCase(testCase, formatPurpose(testCase, prefix), attempt, row) };
      };
      const send = async (testCase: TestCase): Promise<CaseExchanges> => replayRow(testCase);
      const conditions = createReplayedConditions({
        uses,
        findExchange: (id) => byId.get(id)?.exchange,
        getPurpose: (testCase) => formatPurpose(testCase, prefix),
        replayRow,
      });
      return { send, sendSerially: send, conditions };
    },
  };
}
