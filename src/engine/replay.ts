import type { Row, TestCase } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import type { CaseExchanges } from './case-exchanges.js';
import type { CaseSender } from './case-sender.js';
import { computeRequestKey, formatPurpose, type RunEvidence } from './evidence-keeper.js';
import { createReplayedConditions } from './replay-conditions.js';
import { countAttempts } from './request-cache.js';

/** What answers in the place of a target: the exchanges of an earlier run. Nothing is sent. */
export interface Replay {
  /** A channel for what is of no case. @param by what it is for */
  createChannel(by: string): Channel;
  /** @param by what cases are sent for, where that is not their own verdict */
  createSender(by?: string): CaseSender;
}

const nothingRecorded = 'The evidence has no exchange for this request, which the cases had not when it was recorded.';

/**
 * Answers from what a run kept. What was sent for something else, or not so often, gets the exchange of an equal request;
 * where there is none, nothing was sent.
 */
export function createReplay({ exchanges, uses }: RunEvidence): Replay {
  const all = [...exchanges];
  const byId = new Map(all.map((each) => [each.id, each]));
  const anywhere = new Map(all.toReversed().map(({ key, exchange }) => [key, exchange]));
  const recorded = new Map<string, Exchange[]>();
  // Who used an exchange first had it sent.
  const isShared = new Set<string>();
  const sharers = new Set<string>();
  for (const { id, case: by, row, request, attempt } of uses) {
    const kept = byId.get(id);
    if (kept === undefined) continue;
    const name = nameOf(by, attempt, kept.key);
    const before = recorded.get(name) ?? [];
    if (!before.includes(kept.exchange)) recorded.set(name, [...before, kept.exchange]);
    if (isShared.has(id)) sharers.add(placeOf(by, attempt, row, request));
    isShared.add(id);
  }
  const turns = new Map<string, number>();
  const next = (by: string, attempt: number, request: HttpRequest): Exchange => {
    const key = computeRequestKey(request);
    const name = nameOf(by, attempt, key);
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const own = recorded.get(name);
    const found = own?.[turn] ?? own?.at(-1) ?? anywhere.get(key);
    return found ?? { request, transportError: 'not-sent', message: nothingRecorded, attempts: 0 };
  };
  return {
    createChannel: (by) => ({
      send: async (request) => next(by, 1, request),
      // Of secrets the evidence has none.
      redact: escapeControlCharacters,
      reconnect: () => undefined,
      maxCaseBodyLength: Number.POSITIVE_INFINITY,
      maxConcurrency: 1,
    }),
    createSender(by) {
      const attempts = new Map<string, number>();
      const replayRow = (testCase: TestCase, row?: number) => {
        const attempt = (attempts.get(testCase.id) ?? 0) + 1;
        attempts.set(testCase.id, attempt);
        return { attempt, ...replayed(testCase, formatPurpose(testCase, by), attempt, next, sharers, row) };
      };
      const sendNext = async (testCase: TestCase): Promise<CaseExchanges> => replayRow(testCase);
      const conditions = createReplayedConditions({
        uses,
        findExchange: (id) => byId.get(id)?.exchange,
        getPurpose: (testCase) => formatPurpose(testCase, by),
        replayRow,
      });
      return { send: sendNext, sendSerially: sendNext, conditions };
    },
  };
}

function replayed(
  { rows }: TestCase,
  by: string,
  attempt: number,
  next: (by: string, attempt: number, request: HttpRequest) => Exchange,
  sharers: ReadonlySet<string>,
  onlyRow: number | undefined,
): CaseExchanges {
  const came = new Map<string, Exchange>();
  let requestsSent = 0;
  const take = (row: number, name: string, request: HttpRequest): Exchange => {
    const once = JSON.stringify([name, request]);
    const known = came.get(once);
    if (known !== undefined) return known;
    const exchange = next(by, attempt, request);
    came.set(once, exchange);
    if (!sharers.has(placeOf(by, attempt, row, name))) requestsSent += countAttempts([exchange]);
    return exchange;
  };
  const exchangesOf = ({ requests, unavailable }: Row, row: number) =>
    new Map(
      unavailable.length > 0 || (onlyRow ?? row) !== row
        ? []
        : [...requests].map(([name, request]) => [name, take(row, name, request)] as const),
    );
  return { exchanges: rows.map(exchangesOf), count: came.size, requestsSent };
}

function nameOf(by: string, attempt: number, key: string): string {
  return JSON.stringify([by, attempt, key]);
}

function placeOf(by: string, attempt: number, row: number, request: string): string {
  return JSON.stringify([by, attempt, row, request]);
}
