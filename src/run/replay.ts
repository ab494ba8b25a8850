/**
 * Answers in the place of a deployment with the exchanges of an earlier run. In: evidence. Out: a channel and senders that send
 * nothing. It runs in the process of the command that was called, such as `certify --replay` and `verify`.
 */

import type { TestCase } from '../cases/test-case.js';
import { addHeaders, type Exchange, getHeaderValues, type HttpRequest, type RequestChannel } from '../http/exchange.js';
import type { ExchangeUse, StoredEvidence } from './case-report.js';
import type { BatchKind, CaseExchanges } from './case-result.js';
import type { CaseSender, RepeatedBatch, SuspectRequest } from './case-sender.js';
import { calibrationPurpose, formatBatchPurpose, formatExchangePurpose } from './evidence-keeper.js';
import { summarizeEvidenceExchanges } from './sent-log.js';

export type Replay = ReturnType<typeof createReplay>;

type Use = Omit<ExchangeUse, 'id'>;

const createUseKey = ({ case: purpose, row, request, attempt }: Use) =>
  JSON.stringify([purpose, row, request, attempt]);

function createRequestKey({ method, path, headers, body, sent, again }: HttpRequest): string {
  return JSON.stringify([method, path, headers, body, sent, again]);
}

const notRecorded = 'The evidence has no exchange for this request: the cases did not send it when it was recorded.';

/**
 * Answers with the exchanges of an earlier run: each the request for which it was used, if that has not changed, and
 * equal requests when a case is judged for the first time. @param calibration shows which headers the target file added
 */
export function createReplay({ exchanges, uses }: StoredEvidence, calibration: readonly HttpRequest[] = []) {
  const byId = new Map(exchanges.map((kept) => [kept.id, kept]));
  const ids = new Map(exchanges.map(({ id, exchange }) => [exchange, id]));
  const firstByRequest = new Map(
    exchanges.toReversed().map(({ exchange }) => [createRequestKey(exchange.request), exchange]),
  );
  const byUse = new Map(uses.map((use) => [createUseKey(use), byId.get(use.id)?.exchange]));
  const repeated = new Set(uses.flatMap(({ case: purpose, attempt }) => (attempt > 1 ? purpose : [])));
  const ofCalibration = uses.find((use) => use.case === calibrationPurpose);
  const sent = byId.get(ofCalibration?.id ?? '')?.exchange.request.headers ?? [];
  const stated = calibration[0]?.headers ?? [];
  const added = sent.filter(([name]) => getHeaderValues(stated, name).length === 0);
  const createSentKey = (request: HttpRequest) => createRequestKey(addHeaders(request, added));
  const find = (use: Use, request: HttpRequest): Exchange | undefined => {
    const exchange = byUse.get(createUseKey(use));
    return exchange && createRequestKey(exchange.request) === createSentKey(request) ? exchange : undefined;
  };
  const findOrAdmit = (use: Use, request: HttpRequest, mayBeShared: boolean): Exchange => {
    const shared = mayBeShared ? firstByRequest.get(createSentKey(request)) : undefined;
    return find(use, request) ?? shared ?? { request, transportError: 'not-sent', message: notRecorded, attempts: 0 };
  };
  const listBatch = (use: Omit<Use, 'request'>): Exchange[] => {
    const batch: Exchange[] = [];
    const findNext = () => byUse.get(createUseKey({ ...use, request: String(batch.length + 1) }));
    for (let next = findNext(); next !== undefined; next = findNext()) batch.push(next);
    return batch;
  };
  return {
    createChannel(): RequestChannel {
      let count = 0;
      return {
        async send(request) {
          count += 1;
          return findOrAdmit({ case: calibrationPurpose, row: 0, request: String(count), attempt: 1 }, request, true);
        },
        reconnect: () => undefined,
        maxConcurrency: 1,
      };
    },
    createSender(prefix?: string): CaseSender {
      const attempts = new Map<string, number>();
      /** Replays the next attempt of a case. @param answer returns undefined for a request that was not sent */
      const replay = (testCase: TestCase, answer: typeof find): CaseExchanges => {
        const purpose = formatExchangePurpose(testCase, prefix);
        const attempt = (attempts.get(purpose) ?? 0) + 1;
        const found = testCase.rows.map(({ requests, unavailable }, row) => {
          const answers = [...(unavailable.length > 0 ? [] : requests)].flatMap(([name, request]) => {
            const exchange = answer({ case: purpose, row, request: name, attempt }, request);
            return exchange === undefined ? [] : [[name, exchange] as const];
          });
          return new Map(answers);
        });
        if (found.some(({ size }) => size > 0)) attempts.set(purpose, attempt);
        return { exchanges: found };
      };
      /** Replays the next attempt of a case, if it is a batch of this kind that was sent for this row. */
      const replayBatch = (kind: BatchKind, { testCase, row, name }: SuspectRequest): RepeatedBatch | undefined => {
        const purpose = formatExchangePurpose(testCase, prefix);
        const attempt = (attempts.get(purpose) ?? 0) + 1;
        const batch = listBatch({ case: formatBatchPurpose(purpose, kind), row, attempt });
        if (batch.length === 0) return undefined;
        attempts.set(purpose, attempt);
        const exchange = byUse.get(createUseKey({ case: purpose, row, request: name, attempt }));
        const exchanges = testCase.rows.map((_, n) => new Map(n === row && exchange ? [[name, exchange]] : []));
        return { sent: { exchanges, batch: { kind, row, exchanges: batch } }, isNew: false };
      };
      return {
        send: async (testCase) =>
          replay(testCase, (use, request) => findOrAdmit(use, request, use.attempt === 1 && prefix === undefined)),
        sendAlone: async (testCase, rows) =>
          replay(testCase, (use, request) => (rows.includes(use.row) ? findOrAdmit(use, request, false) : undefined)),
        sendInSeries: async (suspect) => replayBatch('series', suspect)?.sent,
        sendInBatch: async (suspect) => replayBatch('same-row', suspect)?.sent,
        sendInOrder: async (suspect) => replayBatch('in-order', suspect)?.sent,
        repeatBatch: async (suspect) => replayBatch('together', suspect),
        repeatBatchAlone: async (suspect) => replayBatch('alone', suspect),
      };
    },
    evidence: { exchanges, uses },
    /** Finds the exchange of a request that was sent for a purpose; one without an answer if it was not sent. */
    find: (use: Use, request: HttpRequest) => findOrAdmit(use, request, false),
    listTraces: () => summarizeEvidenceExchanges({ exchanges, uses }),
    hasRepetition: (testCase: TestCase, purpose?: string) => repeated.has(formatExchangePurpose(testCase, purpose)),
    findId: (exchange: Exchange) => ids.get(exchange),
  };
}
