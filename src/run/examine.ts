import escapeStringRegexp from 'escape-string-regexp';
import { type AnsweredExchange, listSuccesses } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import { renderFilterParameter } from '../contract/operation.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../http/exchange.js';
import { encodeQueryText } from '../http/request-content.js';
import {
  describeAnswer,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  getMediaType,
  isDataIndependentRefusal,
  isSuccessful,
  isTransient,
} from '../http/response-status.js';
import { readTiers, type TargetContext } from '../judge/judge-case.js';
import { explainOwnPromotions } from '../judge/own-promotions.js';
import type { SuspectedLoad } from '../judge/suspected-load.js';
import { createRecognizer, type Recognizer } from '../recognition/recognizer.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { hasMentions } from '../recognition/tier-mentions.js';
import { omitUndefined } from '../support/collections.js';
import { parseJson } from '../support/json.js';
import { createReason, mapReasonTexts, type Reason, renderReason } from '../support/reason.js';
import { joinLines } from '../support/untrusted-text.js';
import type { SentRequest } from './case-sender.js';
import { examineLoad, explainRefusedIds } from './examine-load.js';
import { findFilterRequest, needsLiteralFilters } from './filter-spelling.js';
import { sanitizeText } from './sanitize-result.js';

const examinedAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids', 'Load'] as const;
export type ExaminedArea = (typeof examinedAreas)[number];

const stateLabels = { fine: 'fine', problem: 'PROBLEM', unknown: '?' };

/** What was found in each area. One that is missing is not known until other problems are solved. */
type Findings = { readonly [area in ExaminedArea]?: Finding | undefined };

type Finding = readonly [state: keyof typeof stateLabels, reason: Reason];

const fine = (code: string, data?: Reason['data']): Finding => ['fine', createReason(code, data)];
const problem = (code: string, data?: Reason['data']): Finding => ['problem', createReason(code, data)];
const unknown = (code: string, data?: Reason['data']): Finding => ['unknown', createReason(code, data)];

export interface ExaminedTarget {
  /** Patterns under which responses name the returned tiers, if the suite cannot detect them. */
  readonly tierPatterns?: readonly string[];
  /** Whether the world is certainly loaded; otherwise a response must show it. */
  readonly isWorldLoaded?: boolean;
  readonly recognizer?: Recognizer;
}

export type Examination = Awaited<ReturnType<typeof examine>>;

/** How many calibration requests are sent before it is known that the deployment answers. */
const firstRequests = 2;

/** How many requests must have one answer, though they differ, before it counts as constant. */
const minAlike = 5;

/** Sends the calibration requests of a suite, and others if these do not show whether the cases can be judged. */
export async function examine(
  suite: Suite,
  channel: Pick<Channel, 'send'>,
  { recognizer = createRecognizer(suite.world), tierPatterns, isWorldLoaded }: ExaminedTarget,
) {
  const { calibration, world } = suite;
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const target = { world, recognizer, ...omitUndefined({ configuredPatterns: tierPatterns }) };
  const differ = createComparison(recognizer);
  const sent: SentRequest[] = [];
  const send = async (request: HttpRequest): Promise<Exchange> => {
    const exchange = await channel.send(request);
    sent.push([request, exchange]);
    return exchange;
  };
  const filterRequest = findFilterRequest(suite);
  // Before all others: what a deployment fills at its first request must not depend on the filter of that request.
  if (filterRequest !== undefined) await send(filterRequest);
  const [filtered] = sent;
  // Wrong credentials are sent twice at most.
  const firsts = await Promise.all(calibration.slice(0, firstRequests).map(send));
  const areRefused = firsts.every((exchange) => explainFailure(exchange) !== undefined);
  const others = await Promise.all((areRefused ? [] : calibration.slice(firstRequests)).map(send));
  const exchanges = [...firsts, ...others];
  const [request] = calibration;
  const [first] = exchanges;
  const successes = listSuccesses(exchanges);
  const isSeen = successes.some(({ response: { body } }) => hasMentions(recognizer.findMentions(body), tierPatterns));
  // An unknown customer may be answered 404.
  const areNotFound = exchanges.every((exchange) => 'response' in exchange && exchange.response.status === 404);
  const isMissing = (successes.length > 0 || areNotFound) && hasTiers && !isSeen;
  let readsLiteralFiltersOnly = false;
  const findConstantAnswer = (): string | undefined => {
    if (first === undefined || !('response' in first) || sent.length < minAlike) return undefined;
    if (differ(sent.map(([, exchange]) => exchange))) return undefined;
    return isSeen || isDataIndependentRefusal(first.response.status) ? describeAnswer(first.response) : undefined;
  };
  const isData = world.isDataFile === true;
  const end = (found: Findings, unreachable?: Reason, load?: SuspectedLoad) => ({
    exchanges,
    sent,
    /** Whether a response names the world, or nothing has to: the cases that remain without ids of tiers need none. */
    isWorldSeen: isWorldLoaded === true || !hasTiers || isSeen,
    readsLiteralFiltersOnly,
    findings: examinedAreas.map((area) => {
      const [state, reason] = found[area] ?? unknown('not-checked');
      return { area, state, reason: mapReasonTexts(reason, sanitizeText) };
    }),
    ...omitUndefined({
      /** Why no case can be judged, if so: more requests could lock an account. */
      unreachable: unreachable && mapReasonTexts(unreachable, sanitizeText),
      /** What is wrong with the test data, as it seems. */
      load: describeLoad(load ?? (isMissing && unreachable === undefined ? missingWorld : undefined)),
      /** The answer that all requests got, if it cannot be right for all of them. */
      constantAnswer: findConstantAnswer(),
    }),
  });
  if (request === undefined || first === undefined) return end({ Ids: problem('few-ids') });

  const { body: _, ...bare } = request;
  const withoutBody = isAnswered(first) && !differ(successes) ? [await send(bare)] : [];
  const failures = exchanges.map(explainFailure);
  const [failure] = failures;
  const [accepted] = listSuccesses(withoutBody);
  const answered: Findings = {
    URL: fine('answers'),
    ...('response' in first && { TLS: fine('trusted') }),
    Credentials:
      isSeen || !hasTiers || (successes.length === 0 && accepted !== undefined)
        ? fine('credentials-accepted')
        : unknown('credentials-unread'),
  };
  if (accepted !== undefined && 'response' in first && first.response.status >= 400) {
    const answers = { answer: describeAnswer(first.response), bare: describeAnswer(accepted.response) };
    const refusal = createReason('body-refused', answers);
    const unknownIds = await explainRefusedIds(request, first, send);
    if (unknownIds !== undefined) {
      const found: Findings = { ...answered, 'Body on GET': fine('body-read'), Ids: ['problem', unknownIds] };
      return end(found, failure && unknownIds, { reason: unknownIds, isProven: false, worlds: [] });
    }
    // Without a body the credentials are accepted: it is the body that makes the answer 401 or 403.
    return end({ ...answered, 'Body on GET': ['problem', refusal] }, failure && refusal);
  }
  if (failure !== undefined && failures.every((reason) => reason !== undefined)) {
    const { URL, TLS } = answered;
    const reached = failure.area === 'Credentials' ? { URL, TLS } : { TLS };
    return end({ ...reached, [failure.area]: ['problem', failure.reason] }, failure.reason);
  }

  const isDescribed = isWorldLoaded === true || tierPatterns !== undefined;
  const wrong = isSeen ? undefined : await findWrongAddress(request, exchanges, send, isDescribed, differ);
  if (isSeen && filtered !== undefined)
    readsLiteralFiltersOnly = await needsLiteralFilters(world, filtered, send, (success) => {
      const reading = readTiers([...exchanges, success], target);
      return readReturned(success.response.body, { reading, recognizer }).returned;
    });
  const isStated = isData || isWorldLoaded === true;
  const rightLoad = fine(isStated ? 'load-stated' : 'load-unsuspected');
  const evidence = { ...target, calibration: exchanges, reading: readTiers(exchanges, target) };
  const load = isSeen && !isStated ? await examineLoad(suite, filtered?.[1], send, evidence) : undefined;
  return end(
    {
      ...answered,
      ...(isSeen && { Load: load === undefined ? rightLoad : (['problem', load.reason] as const) }),
      ...(wrong !== undefined && { URL: ['problem', wrong] as const }),
      'Body on GET': examineBody([...exchanges, ...withoutBody].filter(isAnswered), differ, hasTiers && isSeen),
      ...examineResponses(exchanges, target, hasTiers),
      ...(areNotFound && hasTiers && { Ids: problem('ids-unnamed') }),
    },
    wrong,
    load,
  );
}

function describeLoad(load: SuspectedLoad | undefined): SuspectedLoad | undefined {
  return load && { ...load, reason: mapReasonTexts(load.reason, sanitizeText) };
}

const missingWorld: SuspectedLoad = { reason: createReason('world-missing'), isProven: false, worlds: [] };

function isAnswered(exchange: Exchange): exchange is AnsweredExchange {
  return 'response' in exchange && !isTransient(exchange.response);
}

/** Whether answers differ in the promotions that they name, or else in more than what changes with each request. */
type Comparison = (exchanges: readonly Exchange[]) => boolean;

function createComparison(recognizer: Recognizer): Comparison {
  const summarize = (exchange: Exchange): string => {
    if (!('response' in exchange)) return exchange.message;
    const { request, response } = exchange;
    const { idsByPattern, unlocatedIds } = recognizer.findMentions(response.body);
    const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
    if (named.length > 0) return `${response.status} ${named.join()}`;
    const place = escapeStringRegexp(request.path.split('?')[0] ?? '');
    const body = response.body.slice(0, 100_000).replaceAll(new RegExp(`${place}[^\\s"'<>]*`, 'g'), '…');
    const constant = body.replaceAll(/[\w.:+-]+/g, (word) => (/\d/.test(word) ? '…' : word));
    return `${response.status} ${getMediaType(response)} ${constant}`;
  };
  return (exchanges) => new Set(exchanges.map(summarize)).size > 1;
}

/** Another body, or none, must change the result. @param isProof whether a response names what depends on the body */
function examineBody(answered: readonly AnsweredExchange[], differ: Comparison, isProof: boolean): Finding | undefined {
  const [first] = answered;
  if (first === undefined || answered.length < 2) return undefined;
  const { response } = first;
  if (differ(answered)) return isSuccessful(response) ? fine('body-read') : undefined;
  const { status } = response;
  return isProof ? problem('body-lost', { status }) : unknown('body-perhaps-lost', { status });
}

type Target = Pick<TargetContext, 'world' | 'recognizer' | 'configuredPatterns'>;

function examineResponses(exchanges: readonly Exchange[], target: Target, hasTiers: boolean): Findings {
  const successes = listSuccesses(exchanges);
  const [success] = successes;
  if (success === undefined) {
    const [{ response }] = exchanges.filter(isAnswered) as [AnsweredExchange];
    const data = { answer: describeAnswer(response), status: response.status };
    const isAlways = isDataIndependentRefusal(response.status);
    return { Responses: problem(isAlways ? 'rejected-always' : 'rejected', data) };
  }
  const reading = readTiers(exchanges, target);
  const unreadable = successes.find(({ response }) => parseJson(response.body) === undefined);
  const describe = (): Finding => {
    if (unreadable !== undefined) return problem('unreadable', { answer: describeAnswer(unreadable.response) });
    const { patterns: paths } = reading;
    const { reason } = readReturned(success.response.body, { ...target, reading });
    if ((reading.kind === 'ambiguous' || reading.kind === 'misstated') && reason) return ['problem', reason];
    if (paths.length === 0) return unknown('names-nothing');
    return fine(reading.kind === 'stated' ? 'paths-stated' : 'paths-found', { paths });
  };
  const mentions = successes.map(({ response }) => target.recognizer.findMentions(response.body));
  const named = new Set(mentions.flatMap(({ idsByPattern }) => [...idsByPattern.values()].flat())).size;
  const foreign = explainOwnPromotions(exchanges, { ...target, reading, calibration: [] });
  const describeIds = (): Finding => {
    if (foreign !== undefined) return ['problem', foreign];
    if (!hasTiers) return unknown('no-tier-ids');
    return named > 0 ? fine('ids-named', { count: named }) : problem('ids-unnamed');
  };
  return { Responses: describe(), Ids: describeIds() };
}

/** Explains why other requests would fail like this one; undefined if they may succeed. */
function explainFailure(exchange: Exchange): { readonly area: ExaminedArea; readonly reason: Reason } | undefined {
  if (!('response' in exchange)) {
    const { transportError, message } = exchange;
    // An HTTPS server breaks a connection without TLS.
    const isOdd = transportError === 'broken-connection' || transportError === 'unreadable';
    const area = transportError === 'tls' ? 'TLS' : 'URL';
    return { area, reason: createReason(isOdd ? 'odd-response' : 'no-response', { message }) };
  }
  const { response } = exchange;
  const transient = explainTransientFailure(exchange);
  if (transient !== undefined) return { area: 'URL', reason: createReason('unavailable-now', { reason: transient }) };
  const refusal = explainRefusedCredentials(response);
  if (refusal !== undefined) {
    const reason = createReason('credentials-examined', { reason: refusal, answer: describeAnswer(response) });
    return { area: 'Credentials', reason };
  }
  const redirect = explainRedirect(response);
  return redirect && { area: 'URL', reason: redirect };
}

export function renderFindings(findings: Examination['findings']): string {
  const width = Math.max(...examinedAreas.map((area) => area.length));
  return joinLines(
    findings.map(
      ({ area, state, reason }) => `${area.padEnd(width)}  ${stateLabels[state].padEnd(7)}  ${renderReason(reason)}`,
    ),
  );
}

/**
 * Finds out whether something else than the operation answers. A conforming deployment without the test data may answer
 * every request alike, so the answers are compared with those to requests that it must or does treat in another way.
 * @param isDescribed the user states that the world is loaded, or where promotions are named: only a web page is wrong
 */
async function findWrongAddress(
  request: HttpRequest,
  exchanges: readonly Exchange[],
  send: Channel['send'],
  isDescribed: boolean,
  differ: Comparison,
): Promise<Reason | undefined> {
  const responses = exchanges.flatMap((exchange) => ('response' in exchange ? exchange.response : []));
  const [response] = responses;
  if (response === undefined || responses.length < exchanges.length) return undefined;
  const answer = describeAnswer(response);
  if (responses.every((answered) => isSuccessful(answered) && isWebPage(answered)))
    return createReason('web-pages', { answer });
  if (isDescribed && !isWebPage(response)) return undefined;
  // Whatever data a deployment has, a refusal fails the requirement that is refused.
  const isRefusal = isDataIndependentRefusal(response.status) || response.status >= 500;
  if (differ(exchanges) || mayBeEmptyResult(response) || isRefusal) return undefined;
  const [path = '', query = ''] = request.path.split('?', 2);
  const filter = `${encodeQueryText(renderFilterParameter({ on: 'campaign' }))}=no-such-campaign-0`;
  const others: HttpRequest[] = [
    { ...request, path: '/v1/no-such-operation-0' },
    { ...request, body: '{"customer":' },
    { ...request, path: `${path}?${[query, filter].filter(Boolean).join('&')}` },
  ];
  const probes = await Promise.all(others.map(send));
  if (differ([...exchanges, ...probes])) return undefined;
  return createReason(plainHttp.test(response.body) ? 'alike-over-https' : 'alike', { answer });
}

/** What nginx, Apache and Go answer to HTTP on a port for HTTPS. */
const plainHttp = /\bplain HTTP (?:request|to)\b|HTTP request to an HTTPS server/i;

/** By its text: PHP declares everything as HTML, JSON too. Go answers HTTP on a port for HTTPS with a plain sentence. */
function isWebPage({ body }: HttpResponse): boolean {
  return plainHttp.test(body) || /^\s*(?:<!--|<!doctype html\b|<html\b)/i.test(body);
}

function mayBeEmptyResult(response: HttpResponse): boolean {
  if (!isSuccessful(response)) return false;
  const body = response.body.trim();
  // Broken JSON comes from the deployment.
  if (parseJson(body) === undefined) return body === '' || getMediaType(response).includes('json');
  // A bare `{}` or `null` is what mocks answer to anything.
  return /\[\s*\]|.\{\s*\}|:\s*(?:0|null|false|"")\s*[,}]/s.test(body);
}
