import type { Case, QuestionCase, Row } from '../cases/case.js';
import { documentedRequest } from '../cases/request.js';
import type { Suite } from '../cases/suite.js';
import type { Channel, Exchange, Headers, HttpRequest } from '../http/exchange.js';
import { credentialsRefused, knownIds, succeeded } from '../judge/check.js';
import { type Drift, driftOf, type Expected, nothingExpected } from '../judge/drift.js';
import { type Shape, shapeOfBodies } from '../judge/shape.js';
import { type Background, type CaseJudgement, judgeCase, type Verdict } from '../judge/verdict.js';
import { type Naming, namingOf } from '../recognition/recognise.js';
import type { Location } from '../support/problem.js';

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
  /** Of all successful bodies, where it is wanted for a record. */
  readonly shape?: Shape;
  readonly drift: readonly Drift[];
  readonly requestsSent: number;
}

/** The id of what exploring finds, among the cases of a certificate. */
export const explored = 'explore';

/** What is known of a target, and what it is held against beside the documentation. */
export interface Setting extends Background {
  readonly expected: Expected;
  /** Whether the shape of successful bodies is inferred, which costs more than judging them. */
  readonly infersShape: boolean;
}

/** What was learnt of the target before all cases. */
export interface Calibration {
  readonly namings: readonly Naming[];
  /** Why nothing can be learnt of the target at all, if so. */
  readonly unaskable?: string;
  /** What the user should know before reading on. */
  readonly note?: string;
  readonly requestsSent: number;
}

/**
 * Sends the calibration requests of a suite.
 *
 * @returns what the successful responses name; `unaskable` where not one request got any response, or all were refused
 *   for their credentials: the rest would fare no better, and may lock somebody out
 */
export async function calibrate(suite: Suite, { send, redact }: Channel): Promise<Calibration> {
  const exchanges = await Promise.all(suite.calibration.map((request) => send(request)));
  const ids = knownIds(suite.world.world);
  const successes = exchanges.flatMap((exchange) =>
    'response' in exchange && succeeded(exchange.response) ? [exchange.response] : [],
  );
  const namings = successes.map(({ body }) => namingOf(body, ids));
  const refusals = exchanges.map((exchange) =>
    'response' in exchange ? credentialsRefused(exchange.response) : exchange.message,
  );
  const [refusal] = refusals;
  const isUnaskable = refusal !== undefined && refusals.every((each) => each !== undefined);
  const isHeld = suite.world.world.tiers.some(({ id }) => !suite.world.unavailable.has(id));
  const namesNothing = namings.every(({ places, unplaced, hinted }) => places.size + unplaced.size + hinted.size === 0);
  return {
    namings,
    requestsSent: attemptsOf(exchanges),
    ...(isUnaskable ? { unaskable: shown(refusal, redact) } : {}),
    ...(namings.length > 0 && isHeld && namesNothing ? { note: noWorld } : {}),
  };
}

const noWorld =
  'The first responses name no promotion of the world. Is it loaded (npx conformance world), under the ids that the target file states? npx conformance doctor looks closer.';

/** The requests that a case sends: each once, rows for which the target lacks ids aside. */
export function requestsOf(testCase: Case): HttpRequest[] {
  const applicable = rowsOf(testCase).filter(({ missing }) => missing.length === 0);
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
 * common is sent once. Rows for which the target lacks ids are not sent, nor is anything once the bodies
 * have more characters than the channel allows.
 */
export async function askCase(testCase: Case, { send, maxOfCase }: Channel): Promise<Asked> {
  const sent = new Map<string, Promise<Exchange>>();
  let characters = 0;
  const ask = async (request: HttpRequest): Promise<Exchange> => {
    if (characters > maxOfCase) {
      const message = `The bodies of this case have more than ${maxOfCase} characters together, so the rest was not asked. A larger limits.body_bytes of the target file allows more.`;
      return { request, transportError: 'not-sent', message, attempts: 0 };
    }
    const exchange = await send(request);
    if ('response' in exchange) characters += exchange.response.body.length;
    return exchange;
  };
  const sendOnce = (name: string, request: HttpRequest): Promise<Exchange> => {
    const key = keyOf(name, request);
    const exchange = sent.get(key) ?? ask(request);
    sent.set(key, exchange);
    return exchange;
  };
  const exchanges = await Promise.all(
    rowsOf(testCase).map(async ({ requests, missing }) => {
      const came = new Map<string, Exchange>();
      if (missing.length > 0) return came;
      for (const [name, request] of requests) came.set(name, await sendOnce(name, request));
      return came;
    }),
  );
  return { exchanges, requestsSent: attemptsOf(await Promise.all(sent.values())) };
}

/** How many requests went out for some exchanges, repeats included. */
function attemptsOf(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}

/** Runs one case: sends its requests and judges what came back. */
export async function runCase(testCase: Case, channel: Channel, setting: Setting): Promise<CaseResult> {
  const asked = await askCase(testCase, channel);
  const redact = (text: string) => channel.redact(text);
  const found = presentable(resultOf(testCase, judgeCase(testCase, asked.exchanges, setting), asked), redact);
  const isOpenValue = testCase.kind === 'question' && testCase.answer.kind === 'value' && found.outcome !== undefined;
  const judged = isOpenValue ? { ...found, outcome: shown(found.outcome, redact) } : found;
  const { infersShape, expected, world } = setting;
  const wantsBodies = infersShape || expected.schemas.length > 0;
  // Redacted, as what is recorded of them is: otherwise an unchanged target would differ from its record.
  const bodies = wantsBodies ? [...new Set(resultBodies(testCase, asked))].map(redact) : [];
  const shape = infersShape ? shapeOfBodies(bodies, knownIds(world)) : undefined;
  return {
    ...judged,
    drift: driftOf(judged, bodies, expected).map((drift) => presentableDrift(drift, redact)),
    ...(shape === undefined ? {} : { shape }),
  };
}

function resultOf(testCase: Case, judgement: CaseJudgement, { exchanges, requestsSent }: Asked): CaseResult {
  const { verdict, reason, at, exchange, rows, outcome } = judgement;
  const telling = rows.findIndex((row) => row.verdict === verdict && row.at === at && row.exchange === exchange);
  const evidence = exchange === undefined ? undefined : exchanges[Math.max(telling, 0)]?.get(exchange);
  return {
    id: testCase.id,
    subject: testCase.kind === 'question' ? testCase.answers : testCase.verifies,
    verdict,
    reason,
    at,
    rows: rows.map(({ title, verdict, reason }) => ({ title, verdict, reason })),
    drift: [],
    requestsSent,
    ...(outcome === undefined ? {} : { outcome }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** Successful bodies of the operation; what another method or path is answered with has a shape of its own. */
function resultBodies(testCase: Case, { exchanges }: Asked): string[] {
  const { method, path } = documentedRequest;
  return rowsOf(testCase).flatMap(({ requests }, n) =>
    [...requests].flatMap(([name, request]) => {
      const exchange = exchanges[n]?.get(name);
      const isOperation = request.method === method && request.path.split('?')[0] === path;
      if (!isOperation || exchange === undefined || !('response' in exchange)) return [];
      return succeeded(exchange.response) ? [exchange.response.body] : [];
    }),
  );
}

/** What is asked together: the rows of a requirement case, or the question. */
export function rowsOf(testCase: Case): readonly (Row | QuestionCase)[] {
  return testCase.kind === 'question' ? [testCase] : testCase.rows;
}

/** Of texts that are shown as a whole, in characters. */
const maxOfText = 4_000;
/** Of the body that shows something, in characters: every result is kept until the end of the run. */
const maxOfBody = 256 * 1024;

/**
 * A judged case as it may be shown and stored: what a deployment wrote may be meant for other eyes, or to harm. The
 * suite's own words stay: a token such as "pass" takes away no verdict.
 */
export function presentable(result: CaseResult, redact: Channel['redact']): CaseResult {
  const { reason, rows, evidence } = result;
  return {
    ...result,
    reason: shown(reason, redact),
    rows: rows.map((row) => ({ ...row, reason: shown(row.reason, redact) })),
    ...(evidence === undefined ? {} : { evidence: presentableExchange(evidence, redact) }),
  };
}

function presentableDrift(drift: Drift, redact: Channel['redact']): Drift {
  return drift.kind === 'shape' ? { ...drift, message: shown(drift.message, redact) } : drift;
}

function presentableExchange(exchange: Exchange, redact: Channel['redact']): Exchange {
  const { path, body: sent } = exchange.request;
  const request = {
    ...exchange.request,
    path: redact(path),
    headers: presentableHeaders(exchange.request.headers, redact),
    ...(sent === undefined ? {} : { body: redact(sent) }),
  };
  if (!('response' in exchange)) return { ...exchange, request, message: shown(exchange.message, redact) };
  const { status, headers, body } = exchange.response;
  // Redacted before it is cut: half a token is no longer recognised.
  const clean = redact(body);
  const response = {
    status,
    headers: presentableHeaders(headers, redact),
    body: copyOf(clean.slice(0, maxOfBody)),
    ...(clean.length > maxOfBody ? { bodyLength: clean.length } : {}),
  };
  return { ...exchange, request, response };
}

function presentableHeaders(headers: Headers, redact: Channel['redact']): Headers {
  return headers.map(([name, value]) => [shown(name, redact), shown(value, redact)]);
}

/** The same text in memory of its own: the engine makes a slice by keeping the whole. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString();
}

/** A text as it may be shown, and of bounded length. */
function shown(text: string, redact: Channel['redact']): string {
  const clean = redact(text);
  return clean.length <= maxOfText ? clean : `${clean.slice(0, maxOfText)}… (${clean.length} characters in all)`;
}

/** The result of a case that was not sent at all. */
export function unsent(testCase: Case, verdict: Verdict, reason: string): CaseResult {
  const subject = testCase.kind === 'question' ? testCase.answers : testCase.verifies;
  return { id: testCase.id, subject, verdict, reason, at: testCase.at, rows: [], drift: [], requestsSent: 0 };
}

/**
 * Runs a whole suite in this process: calibration, then every case in turn.
 *
 * @param stated what the user states of the target, as a target file would
 */
export async function runSuite(
  suite: Suite,
  channel: Channel,
  stated: {
    readonly tierPatterns?: readonly string[];
    readonly expected?: Expected;
    readonly infersShape?: boolean;
  } = {},
): Promise<{ results: CaseResult[]; calibration: Calibration }> {
  const calibration = await calibrate(suite, channel);
  const setting: Setting = {
    world: suite.world.world,
    calibration: calibration.namings,
    expected: stated.expected ?? nothingExpected,
    infersShape: stated.infersShape ?? false,
    ...(stated.tierPatterns === undefined ? {} : { statedPatterns: stated.tierPatterns }),
  };
  const { unaskable } = calibration;
  const results: CaseResult[] = [];
  for (const testCase of suite.cases) {
    results.push(
      unaskable === undefined ? await runCase(testCase, channel, setting) : unsent(testCase, 'inconclusive', unaskable),
    );
  }
  return { results, calibration };
}
