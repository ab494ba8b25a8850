import type { Case, QuestionCase, Row } from './contract/case.js';
import type { Location } from './contract/problem.js';
import { documentedRequest } from './contract/request.js';
import type { Suite } from './contract/suite.js';
import type { Channel, Exchange, HttpRequest } from './exchange/exchange.js';
import { knownIds, succeeded } from './judge/check.js';
import { type Drift, driftOf, type Expected, nothingExpected } from './judge/drift.js';
import { type Naming, namingOf } from './judge/recognise.js';
import { type Shape, shapeOfBodies } from './judge/shape.js';
import { type Background, type CaseJudgement, judgeCase, type Verdict } from './judge/verdict.js';

/** What came of one case: all that the certificate needs to know of it, as plain JSON. */
export interface CaseResult {
  readonly id: string;
  /** The requirement or the question that the case speaks of. */
  readonly subject: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly at: Location;
  readonly rows: readonly { readonly title: string; readonly verdict: Verdict; readonly reason: string }[];
  /** For a question that was answered. */
  readonly outcome?: string;
  /** The exchange that shows it. */
  readonly evidence?: Exchange;
  /** Of all successful bodies. */
  readonly shape?: Shape;
  readonly drift: readonly Drift[];
  readonly requestsSent: number;
}

/** What is known of a target, and what it is held against beside the documentation. */
export interface Setting extends Background {
  readonly expected: Expected;
}

/** What was learnt of the target before all cases. */
export interface Calibration {
  readonly namings: readonly Naming[];
  /** Why the target cannot be reached at all, if so. */
  readonly unreachable?: string;
  readonly requestsSent: number;
}

/**
 * Sends the calibration requests of a suite.
 *
 * @returns what the successful responses name; `unreachable` where not one request got any response
 */
export async function calibrate(suite: Suite, { send }: Channel): Promise<Calibration> {
  const exchanges = await Promise.all(suite.calibration.map((request) => send(request)));
  const ids = knownIds(suite.world.world);
  const responses = exchanges.flatMap((exchange) => ('response' in exchange ? [exchange.response] : []));
  const namings = responses.filter(succeeded).map(({ body }) => namingOf(body, ids));
  const [first] = exchanges;
  const unreachable =
    responses.length === 0 && first !== undefined && 'message' in first ? { unreachable: first.message } : {};
  return { namings, requestsSent: exchanges.length, ...unreachable };
}

/** The requests that a case sends: each once, rows for which the target lacks ids aside. */
export function requestsOf(case_: Case): HttpRequest[] {
  const applicable = rowsOf(case_).filter(({ missing }) => missing.length === 0);
  const named = applicable.flatMap(({ requests }) => [...requests]);
  return [...new Map(named.map(([name, request]) => [keyOf(name, request), request])).values()];
}

/** Requests of the same name that are equal are one. */
function keyOf(name: string, request: HttpRequest): string {
  return JSON.stringify([name, request]);
}

/** What was sent for a case and what came back, by row and then by name. */
export interface Asked {
  readonly exchanges: readonly ReadonlyMap<string, Exchange>[];
  readonly requestsSent: number;
}

/**
 * Sends the requests of a case: a row's one after another, rows side by side. A request that several rows have in
 * common is sent once. Rows for which the target lacks ids are not sent.
 */
export async function askCase(case_: Case, { send }: Channel): Promise<Asked> {
  const sent = new Map<string, Promise<Exchange>>();
  const sendOnce = (name: string, request: HttpRequest): Promise<Exchange> => {
    const key = keyOf(name, request);
    const exchange = sent.get(key) ?? send(request);
    sent.set(key, exchange);
    return exchange;
  };
  const exchanges = await Promise.all(
    rowsOf(case_).map(async ({ requests, missing }) => {
      const came = new Map<string, Exchange>();
      if (missing.length > 0) return came;
      for (const [name, request] of requests) came.set(name, await sendOnce(name, request));
      return came;
    }),
  );
  return { exchanges, requestsSent: sent.size };
}

/** Runs one case: sends its requests and judges what came back. */
export async function runCase(case_: Case, channel: Channel, setting: Setting): Promise<CaseResult> {
  const asked = await askCase(case_, channel);
  const bodies = resultBodies(case_, asked);
  const shape = shapeOfBodies(bodies, knownIds(setting.world));
  const judged = resultOf(case_, judgeCase(case_, asked.exchanges, setting), asked);
  const result: CaseResult = {
    ...judged,
    ...(shape === undefined ? {} : { shape }),
    drift: driftOf(judged, bodies, setting.expected),
  };
  return redacted(result, (text) => channel.redact(text));
}

function resultOf(
  case_: Case,
  judgement: CaseJudgement,
  { exchanges, requestsSent }: Asked,
): Omit<CaseResult, 'drift'> {
  const { verdict, reason, at, exchange, rows, outcome } = judgement;
  const telling = rows.findIndex((row) => row.verdict === verdict && row.at === at && row.exchange === exchange);
  const evidence = exchange === undefined ? undefined : exchanges[Math.max(telling, 0)]?.get(exchange);
  return {
    id: case_.id,
    subject: case_.kind === 'question' ? case_.answers : case_.verifies,
    verdict,
    reason,
    at,
    rows: rows.map(({ title, verdict, reason }) => ({ title, verdict, reason })),
    requestsSent,
    ...(outcome === undefined ? {} : { outcome }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** Successful bodies of the operation; what another method or path is answered with has a shape of its own. */
function resultBodies(case_: Case, { exchanges }: Asked): string[] {
  const { method, path } = documentedRequest;
  return rowsOf(case_).flatMap(({ requests }, n) =>
    [...requests].flatMap(([name, request]) => {
      const exchange = exchanges[n]?.get(name);
      const isOperation = request.method === method && request.path.split('?')[0] === path;
      if (!isOperation || exchange === undefined || !('response' in exchange)) return [];
      return succeeded(exchange.response) ? [exchange.response.body] : [];
    }),
  );
}

/** What is asked together: the rows of a requirement case, or the question. */
export function rowsOf(case_: Case): readonly (Row | QuestionCase)[] {
  return case_.kind === 'question' ? [case_] : case_.rows;
}

/** A result without the credentials that its texts may hold. */
export function redacted<T>(value: T, redact: Channel['redact']): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return redact(part);
    if (Array.isArray(part)) return part.map(clean);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, clean(inner)]));
  };
  return clean(value) as T;
}

/** The result of a case that was not sent at all. */
export function unsent(case_: Case, verdict: Verdict, reason: string): CaseResult {
  const subject = case_.kind === 'question' ? case_.answers : case_.verifies;
  return { id: case_.id, subject, verdict, reason, at: case_.at, rows: [], drift: [], requestsSent: 0 };
}

/**
 * Runs a whole suite in this process: calibration, then every case in turn.
 *
 * @param stated what the user states of the target, as a target file would
 */
export async function runSuite(
  suite: Suite,
  channel: Channel,
  stated: { readonly tierPattern?: string; readonly expected?: Expected } = {},
): Promise<{ results: CaseResult[]; calibration: Calibration }> {
  const calibration = await calibrate(suite, channel);
  const setting: Setting = {
    world: suite.world.world,
    calibration: calibration.namings,
    expected: stated.expected ?? nothingExpected,
    ...(stated.tierPattern === undefined ? {} : { statedPattern: stated.tierPattern }),
  };
  const { unreachable } = calibration;
  const results: CaseResult[] = [];
  for (const case_ of suite.cases) {
    results.push(
      unreachable === undefined ? await runCase(case_, channel, setting) : unsent(case_, 'inconclusive', unreachable),
    );
  }
  return { results, calibration };
}
