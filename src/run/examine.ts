import escapeStringRegexp from 'escape-string-regexp';
import { listSuccesses } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import { tag } from '../cases/test-case.js';
import { renderFilterParameter } from '../contract/operation.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../http/exchange.js';
import { encodeQueryText } from '../http/request-content.js';
import {
  describeAnswer,
  describeTransportError,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  getMediaType,
  headersHint,
  isDataIndependentRefusal,
  isSuccessful,
  isTransient,
} from '../http/response-status.js';
import { explainAmbiguity } from '../judge/explain-ambiguity.js';
import { explainOwnPromotions } from '../judge/own-promotions.js';
import { createRecognizer, type Recognizer } from '../recognition/recognizer.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { hasMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { determineReading } from '../recognition/tier-reading.js';
import { omitUndefined } from '../support/collections.js';
import { parseJson } from '../support/json.js';
import { joinLines } from '../support/untrusted-text.js';
import type { SentRequest } from './case-sender.js';
import { findFilterRequest, needsLiteralFilters } from './filter-spelling.js';
import { sanitizeText } from './sanitize-result.js';

const examinedAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type ExaminedArea = (typeof examinedAreas)[number];

const stateLabels = { fine: 'fine', problem: 'PROBLEM', unknown: '?' };

/** What was found in each area. One that is missing is not known until other problems are solved. */
type Findings = { readonly [area in ExaminedArea]?: Finding | undefined };

type Finding = readonly [state: keyof typeof stateLabels, text: string];

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

/** Sends the calibration requests of a suite, and others if these do not show whether the cases can be judged. */
export async function examine(
  suite: Suite,
  channel: Pick<Channel, 'send'>,
  { recognizer = createRecognizer(suite.world), tierPatterns, isWorldLoaded }: ExaminedTarget,
) {
  const { calibration, world } = suite;
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const summarize = createSummary(recognizer);
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
  const namings = listSuccesses(exchanges).map(({ response }) => recognizer.findMentions(response.body));
  const isSeen = namings.some((mentions) => hasMentions(mentions, tierPatterns));
  const isMissing = namings.length > 0 && hasTiers && !isSeen;
  let readsLiteralFiltersOnly = false;
  const end = (found: Findings, unreachable?: string) => ({
    exchanges,
    sent,
    /** Whether a response names the world, or nothing has to: the cases that remain without ids of tiers need none. */
    isWorldSeen: isWorldLoaded === true || !hasTiers || isSeen,
    readsLiteralFiltersOnly,
    findings: examinedAreas.map((area) => {
      const [state, text] = found[area] ?? ['unknown', 'Not checked: solve the other problems first.'];
      return { area, state, text: sanitizeText(text) };
    }),
    ...omitUndefined({
      /** Why no case can be judged, if so: more requests could lock an account. */
      unreachable: unreachable && sanitizeText(unreachable),
      note: isMissing && unreachable === undefined ? worldNote : undefined,
      constantAnswer: findConstantAnswer(sent, summarize, isSeen),
    }),
  });
  const [request] = calibration;
  const [first] = exchanges;
  if (request === undefined || first === undefined)
    return end({ Ids: ['problem', `The target file has too few ids for a request. ${fewIdsHint}`] });

  const { body: _, ...bare } = request;
  const withoutBody = needsNoBody(exchanges, summarize) ? [await send(bare)] : [];
  const failures = exchanges.map(explainFailure);
  const [failure] = failures;
  const [accepted] = listSuccesses(withoutBody);
  const answered: Findings = {
    URL: ['fine', 'The operation answers.'],
    ...('response' in first && { TLS: ['fine', 'Not used, or the certificate of the deployment is trusted.'] }),
    Credentials: isMissing
      ? ['unknown', 'No answer names a promotion of the test data, so nothing shows whether they are read.']
      : ['fine', 'They are accepted.'],
  };
  if (accepted !== undefined && 'response' in first && first.response.status >= 400) {
    const answers = `Answered ${describeAnswer(first.response)}. Without a body it answered ${describeAnswer(accepted.response)}.`;
    const refusal = `${refusedBody} ${answers}`;
    // Without a body the credentials are accepted: it is the body that makes the answer 401 or 403.
    return end({ ...answered, 'Body on GET': ['problem', refusal] }, failure && refusal);
  }
  if (failure !== undefined && failures.every((reason) => reason !== undefined)) {
    const { URL, TLS } = answered;
    const reached = failure.area === 'Credentials' ? { URL, TLS } : { TLS };
    return end({ ...reached, [failure.area]: ['problem', failure.text] }, failure.text);
  }

  const isDescribed = isWorldLoaded === true || tierPatterns !== undefined;
  const wrong = isSeen ? undefined : await findWrongAddress(request, exchanges, send, isDescribed);
  if (isSeen && filtered !== undefined)
    readsLiteralFiltersOnly = await needsLiteralFilters(world, filtered, send, summarize, (body) => {
      const mentions = recognizer.findMentions(body);
      const { returned, unclear } = readReturnedTiers(mentions, determineReading([...namings, mentions], tierPatterns));
      return unclear.size > 0 ? undefined : returned;
    });
  return end(
    {
      ...answered,
      ...(wrong !== undefined && { URL: ['problem', wrong] }),
      ...examineBody([...exchanges, ...withoutBody], summarize, hasTiers && isSeen),
      ...examineResponses(exchanges, namings, { world, recognizer }, hasTiers, tierPatterns),
    },
    wrong,
  );
}

function examineResponses(
  exchanges: readonly Exchange[],
  namings: readonly TierMentions[],
  terms: Parameters<typeof explainAmbiguity>[2],
  hasTiers: boolean,
  tierPatterns?: readonly string[],
): Findings {
  const [mentions] = namings;
  if (mentions === undefined) {
    const [answer] = exchanges.flatMap((exchange) => ('response' in exchange ? describeAnswer(exchange.response) : []));
    const hint = 'Perhaps the deployment does not have the customer or the products: see npx conformance world.';
    return { Responses: ['problem', `The deployment rejects a documented request: ${answer}. ${hint}`] };
  }
  const determined = determineReading(namings, tierPatterns);
  const explain = () => explainAmbiguity(determined.patterns, exchanges, terms);
  const reading = determined.kind === 'ambiguous' ? { ...determined, explain } : determined;
  const unreadable = listSuccesses(exchanges).find(({ response }) => parseJson(response.body) === undefined);
  const describe = (): Finding => {
    if (unreadable !== undefined) {
      const what = `A successful body is not JSON, so its promotions cannot be read: ${describeAnswer(unreadable.response)}.`;
      return ['problem', `${what} Check the base URL. ${headersHint}`];
    }
    if (reading.kind === 'ambiguous' || reading.kind === 'misstated')
      return ['problem', readReturnedTiers(mentions, reading).reason];
    if (reading.patterns.length === 0) return ['unknown', 'They are JSON, but name no promotion of the test data.'];
    const source = reading.kind === 'stated' ? ', as the target file states' : '';
    return ['fine', `Promotions are named at ${reading.patterns.join(' and ')}${source}.`];
  };
  const named = new Set(namings.flatMap(({ idsByPattern }) => [...idsByPattern.values()].flat())).size;
  const foreign = explainOwnPromotions(exchanges, { ...terms, reading, calibration: [] });
  const describeIds = (): Finding => {
    if (foreign !== undefined) return ['problem', foreign];
    if (!hasTiers) return ['unknown', `No promotion has an id, so only cases that need none are judged. ${fewIdsHint}`];
    if (named > 0) return ['fine', `The responses name ${named} promotions of the test data.`];
    const hint = 'If the deployment generates its own ids, name a file with them in the target file (bindings).';
    const text = 'The responses name no promotion of the test data. Load it (npx conformance world).';
    return ['problem', `${text} ${hint}`];
  };
  return { Responses: describe(), Ids: describeIds() };
}

/** Another body, or none, must change the result. @param isProof whether a response names what depends on the body */
function examineBody(exchanges: readonly Exchange[], summarize: Summary, isProof: boolean): Findings {
  const answered = exchanges.filter((exchange) => 'response' in exchange && !isTransient(exchange.response));
  const [first, ...others] = answered;
  if (first === undefined || !('response' in first) || others.length === 0) return {};
  if (others.some((exchange) => summarize(exchange) !== summarize(first)))
    return isSuccessful(first.response)
      ? { 'Body on GET': ['fine', 'Another body, or none, changes the result.'] }
      : {};
  const isSame = `It answered ${first.response.status} with a body and without one`;
  if (isProof) return { 'Body on GET': ['problem', `${isSame}, with the same promotions. ${lostBody}`] };
  const noProof = 'The answers name no promotion, so this proves nothing.';
  return { 'Body on GET': ['unknown', `${isSame}. ${noProof} If they should differ: ${lostBody}`] };
}

/** How many other requests must have the answer of the first one before it counts as constant. */
const minAlike = 4;

/** Finds the answer that all requests got, though they differ, if it cannot be right for all of them. */
function findConstantAnswer(sent: readonly SentRequest[], summarize: Summary, isSeen: boolean): string | undefined {
  const [first] = sent.map(([, exchange]) => exchange);
  const isConstant = new Set(sent.map(([, exchange]) => summarize(exchange))).size === 1;
  if (first === undefined || !('response' in first) || !isConstant || sent.length <= minAlike) return undefined;
  const { response } = first;
  return isSeen || isDataIndependentRefusal(response.status) ? describeAnswer(response) : undefined;
}

/** Explains why other requests would fail like this one; undefined if they may succeed. */
function explainFailure(exchange: Exchange): { readonly area: ExaminedArea; readonly text: string } | undefined {
  if (!('response' in exchange))
    return { area: exchange.transportError === 'tls' ? 'TLS' : 'URL', text: describeTransportError(exchange) };
  const { response } = exchange;
  const transient = explainTransientFailure(exchange);
  if (transient !== undefined) return { area: 'URL', text: `${transient} Try again later.` };
  const refusal = explainRefusedCredentials(response);
  if (refusal !== undefined)
    return { area: 'Credentials', text: `${refusal} ${headersHint} The target said: ${describeAnswer(response)}.` };
  const redirect = explainRedirect(response);
  return redirect === undefined ? undefined : { area: 'URL', text: redirect };
}

/** Whether nothing shows yet what the body does: it is refused, or changes nothing. */
function needsNoBody([first, ...others]: readonly Exchange[], summarize: Summary): boolean {
  if (first === undefined || !('response' in first) || isTransient(first.response)) return false;
  const successes = listSuccesses([first, ...others]);
  const isShown = new Set(successes.map(summarize)).size > 1;
  const { status } = first.response;
  const isElsewhere = successes.some(({ response }) => isWebPage(response)) || (status >= 300 && status < 400);
  return !isShown && !isElsewhere;
}

/** Summarizes what an exchange says of promotions, or else its response without what changes each time. */
type Summary = (exchange: Exchange) => string;

function createSummary(recognizer: Recognizer): Summary {
  return (exchange) => {
    if (!('response' in exchange)) return '';
    const { status, body } = exchange.response;
    const { idsByPattern, unlocatedIds } = recognizer.findMentions(body);
    const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
    return `${status} ${named.length > 0 ? named.join() : maskChanging(body)}`;
  };
}

const refusedBody =
  'The deployment, or a proxy or gateway before it, refuses a body on GET. Connect to the deployment without the proxy, or configure it to forward the body.';
const fewIdsHint = `The cases with the tag '${tag.anyData}' need a customer, a product and a campaign in the file that 'bindings' of the target file names: any of yours.`;
const lostBody =
  'The body seems to be lost: some proxies, gateways and CDNs drop the body of a GET request. Connect to the deployment without them, or configure them to forward it.';
const worldNote =
  'The first responses name no promotion of the test data. Load it (npx conformance world) under the ids in the target file. npx conformance doctor checks the target.';

export function renderFindings(findings: Examination['findings']): string {
  const width = Math.max(...examinedAreas.map((area) => area.length));
  return joinLines(
    findings.map(({ area, state, text }) => `${area.padEnd(width)}  ${stateLabels[state].padEnd(7)}  ${text}`),
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
): Promise<string | undefined> {
  const responses = exchanges.flatMap((exchange) => ('response' in exchange ? exchange.response : []));
  const [response] = responses;
  if (response === undefined || responses.length < exchanges.length) return undefined;
  const answer = describeAnswer(response);
  if (responses.every((answered) => isSuccessful(answered) && isWebPage(answered)))
    return `The target answers with web pages: ${answer}. ${addressHint} If it is a login page, set the headers that it asks for: 'headers' in the target file.`;
  if (isDescribed && !isWebPage(response)) return undefined;
  // Whatever data a deployment has, a refusal fails the requirement that is refused.
  const isRefusal = isDataIndependentRefusal(response.status) || response.status >= 500;
  if (new Set(exchanges.map(normalizeAnswer)).size > 1 || mayBeEmptyResult(response) || isRefusal) return undefined;
  const [path = '', query = ''] = request.path.split('?', 2);
  const filter = `${encodeQueryText(renderFilterParameter({ on: 'campaign' }))}=no-such-campaign-0`;
  const others: HttpRequest[] = [
    { ...request, path: '/v1/no-such-operation-0' },
    { ...request, body: '{"customer":' },
    { ...request, path: `${path}?${[query, filter].filter(Boolean).join('&')}` },
  ];
  const probes = await Promise.all(others.map(send));
  const known = normalizeAnswer(exchanges[0] as Exchange);
  if (probes.some((probe) => normalizeAnswer(probe) !== known)) return undefined;
  const hint = plainHttp.test(response.body) ? httpsHint : `${addressHint} ${headersHint}`;
  return `Every request is answered alike: ${answer}. ${hint} ${loadedHint}`;
}

const addressHint =
  'Check the base URL (base_url): it may need a path prefix, such as https://host/api. If the operation has another path, use a transport (docs/transports.md).';
const loadedHint =
  'If it is the deployment and has the test data, say so: --world-loaded, or world: loaded in the target file.';

/** What nginx, Apache and Go answer to HTTP on a port for HTTPS. */
const plainHttp = /\bplain HTTP (?:request|to)\b|HTTP request to an HTTPS server/i;
const httpsHint = 'The port is for HTTPS: write https:// in the base URL (base_url).';

/** Summarizes a response without what differs from request to request: identifiers, numbers, and its path with the query. */
function normalizeAnswer(exchange: Exchange): string {
  if (!('response' in exchange)) return exchange.message;
  const { request, response } = exchange;
  const [path = ''] = request.path.split('?', 1);
  const body = response.body
    .slice(0, 100_000)
    .replaceAll(new RegExp(`${escapeStringRegexp(path)}[^\\s"'<>]*`, 'g'), '…');
  return `${response.status} ${getMediaType(response)} ${maskChanging(body)}`;
}

function maskChanging(text: string): string {
  return text.replaceAll(/[\w.:+-]+/g, (word) => (/\d/.test(word) ? '…' : word));
}

/** By its text: PHP declares everything as HTML, JSON too. Go answers HTTP on a port for HTTPS with a plain sentence. */
function isWebPage({ body }: HttpResponse): boolean {
  return plainHttp.test(body) || /^\s*(?:<!--|<!doctype html\b|<html\b)/i.test(body);
}

function mayBeEmptyResult(response: HttpResponse): boolean {
  if (!isSuccessful(response)) return false;
  const value = parseJson(response.body);
  // Broken JSON comes from the deployment.
  if (value === undefined) return response.body.trim() === '' || getMediaType(response).includes('json');
  // What mocks answer to anything.
  if (isNothing(value) && !Array.isArray(value)) return false;
  return listValues(value).some(isNothing);
}

function isNothing(value: unknown): boolean {
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}

function listValues(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return [value, ...Object.values(value).flatMap(listValues)];
}
