import { listSuccesses } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import { tag } from '../cases/test-case.js';
import { renderFilterParameter, spellFiltersLiterally } from '../contract/operation.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../http/exchange.js';
import { encodeQueryText, parseRequest } from '../http/request-content.js';
import {
  describeAnswer,
  describeTransportError,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  headersHint,
  isDataIndependentRefusal,
  isSuccessful,
  isTransient,
} from '../http/response-status.js';
import { explainAmbiguity } from '../judge/explain-ambiguity.js';
import { explainOwnPromotions } from '../judge/own-promotions.js';
import { createRecognizer, type Recognizer } from '../recognition/recognizer.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { hasMentions } from '../recognition/tier-mentions.js';
import { determineReading } from '../recognition/tier-reading.js';
import { omitUndefined } from '../support/collections.js';
import { parseJson } from '../support/json.js';
import { joinLines } from '../support/untrusted-text.js';
import { listRequests, type SentRequest } from './case-sender.js';
import { findWrongAddress, isWebPage, maskChanging } from './find-wrong-address.js';
import { sanitizeText } from './sanitize-result.js';

export const examinedAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type ExaminedArea = (typeof examinedAreas)[number];

/** What was found in one area: `unknown` until other problems are solved. */
type Finding = readonly [state: keyof typeof stateLabels, text: string];

export interface ExaminedTarget {
  /** Patterns under which responses name the returned tiers, if the suite cannot detect them. */
  readonly tierPatterns?: readonly string[];
  /** Whether the world is certainly loaded; otherwise a response must show it. */
  readonly isWorldLoaded?: boolean;
  readonly recognizer?: Recognizer;
}

export type Examination = Awaited<ReturnType<typeof examine>>;

/** Sends the calibration requests of a suite, and others if these do not show whether the cases can be judged. */
export async function examine(
  suite: Suite,
  channel: Pick<Channel, 'send'>,
  { recognizer = createRecognizer(suite.world), tierPatterns, isWorldLoaded }: ExaminedTarget,
) {
  const { calibration, world } = suite;
  const found: Partial<Record<ExaminedArea, Finding | undefined>> = {};
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
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
  let readsLiteralFiltersOnly = false;
  /** Finds the answer that all requests got, though they differ, if it cannot be right for all of them. */
  const findConstantAnswer = (): string | undefined => {
    const [response, ...others] = sent.flatMap(([, exchange]) => ('response' in exchange ? exchange.response : []));
    const result = response && summarize(response, recognizer);
    const isConstant = others.length >= minAlike && others.every((answer) => summarize(answer, recognizer) === result);
    if (response === undefined || !isConstant || others.length + 1 < sent.length) return undefined;
    return isSeen || isDataIndependentRefusal(response.status) ? describeAnswer(response) : undefined;
  };
  const end = (unreachable?: string) => {
    const isMissing = unreachable === undefined && namings.length > 0 && hasTiers && !isSeen;
    return {
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
        note: isMissing ? worldNote : undefined,
        constantAnswer: findConstantAnswer(),
      }),
    };
  };
  const [request] = calibration;
  const [first] = exchanges;
  if (request === undefined || first === undefined) {
    found.Ids = ['problem', `The target file has too few ids for a request. ${fewIdsHint}`];
    return end();
  }

  const { body: _, ...bare } = request;
  const withoutBody = needsNoBody(exchanges, recognizer) ? [await send(bare)] : [];
  if ('response' in first) found.TLS = ['fine', 'Not used, or the certificate of the deployment is trusted.'];
  const failures = exchanges.map(explainFailure);
  const [failure] = failures;
  const [accepted] = listSuccesses(withoutBody);
  if (accepted !== undefined && 'response' in first && first.response.status >= 400) {
    const answers = `Answered ${describeAnswer(first.response)}. Without a body it answered ${describeAnswer(accepted.response)}.`;
    found.URL = ['fine', 'The operation answers.'];
    found.Credentials = ['fine', 'They are accepted.'];
    found['Body on GET'] = ['problem', `${refusedBody} ${answers}`];
    // Without a body they are accepted: it is the body that makes the answer 401 or 403.
    return end(failure && `${refusedBody} ${answers}`);
  }
  if (failure !== undefined && failures.every((reason) => reason !== undefined)) {
    if (failure.area === 'Credentials') found.URL = ['fine', 'A server answers.'];
    found[failure.area] = ['problem', failure.text];
    return end(failure.text);
  }

  const isDescribed = isWorldLoaded === true || tierPatterns !== undefined;
  const wrong = isSeen ? undefined : await findWrongAddress(request, exchanges, send, isDescribed);
  found.URL = wrong === undefined ? ['fine', 'The operation answers.'] : ['problem', wrong];
  const isUnread = hasTiers && namings.length > 0 && !isSeen;
  const noProof = 'No answer names a promotion of the test data, so nothing shows whether they are read.';
  found.Credentials = isUnread ? ['unknown', noProof] : ['fine', 'They are accepted.'];
  if (isSeen && filtered !== undefined)
    readsLiteralFiltersOnly = await needsLiteralFilters(world, filtered, send, (body) => {
      const mentions = recognizer.findMentions(body);
      const { returned, unclear } = readReturnedTiers(mentions, determineReading([...namings, mentions], tierPatterns));
      return unclear.size > 0 ? undefined : returned;
    });
  found['Body on GET'] = examineBody([...exchanges, ...withoutBody], recognizer, hasTiers && isSeen);
  if (listSuccesses(exchanges).length > 0) examineResponses();
  else {
    const answer = 'response' in first ? describeAnswer(first.response) : '';
    const hint = 'Perhaps the deployment does not have the customer or the products: see npx conformance world.';
    found.Responses = ['problem', `The deployment rejects a documented request: ${answer}. ${hint}`];
  }
  return end(wrong);

  function examineResponses(): void {
    const determined = determineReading(namings, tierPatterns);
    const explain = () => explainAmbiguity(determined.patterns, exchanges, { world, recognizer });
    const reading = determined.kind === 'ambiguous' ? { ...determined, explain } : determined;
    const unreadable = listSuccesses(exchanges).find(({ response }) => parseJson(response.body) === undefined);
    const [mentions] = namings;
    if (unreadable !== undefined) {
      const what = `A successful body is not JSON, so its promotions cannot be read: ${describeAnswer(unreadable.response)}.`;
      found.Responses = ['problem', `${what} Check the base URL. ${headersHint}`];
    } else if ((reading.kind === 'ambiguous' || reading.kind === 'misstated') && mentions !== undefined)
      found.Responses = ['problem', readReturnedTiers(mentions, reading).reason];
    else if (reading.patterns.length === 0)
      found.Responses = ['unknown', 'They are JSON, but name no promotion of the test data.'];
    else {
      const source = reading.kind === 'stated' ? ', as the target file states' : '';
      found.Responses = ['fine', `Promotions are named at ${reading.patterns.join(' and ')}${source}.`];
    }
    const named = new Set(namings.flatMap(({ idsByPattern }) => [...idsByPattern.values()].flat())).size;
    const foreign = explainOwnPromotions(exchanges, { world, recognizer, reading, calibration: [] });
    if (foreign !== undefined) found.Ids = ['problem', foreign];
    else if (!hasTiers)
      found.Ids = ['unknown', `No promotion has an id, so only cases that need none are judged. ${fewIdsHint}`];
    else if (named > 0) found.Ids = ['fine', `The responses name ${named} promotions of the test data.`];
    else {
      const hint = 'If the deployment generates its own ids, name a file with them in the target file (bindings).';
      const text = 'The responses name no promotion of the test data. Load it (npx conformance world).';
      found.Ids = ['problem', `${text} ${hint}`];
    }
  }
}

/** Another body, or none, must change the result. @param isProof whether a response names what depends on the body */
function examineBody(exchanges: readonly Exchange[], recognizer: Recognizer, isProof: boolean): Finding | undefined {
  const responses = exchanges.flatMap((exchange) => ('response' in exchange ? exchange.response : []));
  const [response, ...others] = responses.filter((answered) => !isTransient(answered));
  if (response === undefined || others.length === 0) return undefined;
  const { status } = response;
  if (!isSuccessful(response))
    return [400, 411, 422].includes(status) && others.at(-1)?.status === status
      ? ['unknown', `It answered ${status} with a body and without one. ${lostBody}`]
      : undefined;
  const result = summarize(response, recognizer);
  if (others.some((changed) => summarize(changed, recognizer) !== result))
    return ['fine', 'Another body, or none, changes the response.'];
  const isSame = 'The response is the same with another body, or without one.';
  if (isProof) return ['problem', `${isSame} ${lostBody}`];
  const noProof = 'They name no promotion that must depend on the body, so this proves nothing.';
  return ['unknown', `${isSame} ${noProof} If they should differ: ${lostBody}`];
}

/** How many other requests must have the answer of the first one before it counts as constant. */
const minAlike = 4;

/** How many calibration requests are sent before it is known that the deployment answers. */
const firstRequests = 2;

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
function needsNoBody([first, ...others]: readonly Exchange[], recognizer: Recognizer): boolean {
  if (first === undefined || !('response' in first) || isTransient(first.response)) return false;
  const successes = listSuccesses([first, ...others]);
  const isShown = new Set(successes.map(({ response }) => summarize(response, recognizer))).size > 1;
  const { status } = first.response;
  const isElsewhere = successes.some(({ response }) => isWebPage(response)) || (status >= 300 && status < 400);
  return !isShown && !isElsewhere;
}

function summarize({ status, body }: HttpResponse, recognizer: Recognizer): string {
  const { idsByPattern, unlocatedIds } = recognizer.findMentions(body);
  const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
  return `${status} ${named.length > 0 ? named.join() : maskChanging(body)}`;
}

export const refusedBody =
  'The deployment, or a proxy or gateway before it, refuses a body on GET. Connect to the deployment without the proxy, or configure it to forward the body.';
const fewIdsHint = `The cases with the tag '${tag.anyData}' need a customer, a product and a campaign in the file that 'bindings' of the target file names: any of yours.`;
const lostBody =
  'The body seems to be lost: some proxies, gateways and CDNs drop the body of a GET request. Connect to the deployment without them, or configure them to forward it.';
const worldNote =
  'The first responses name no promotion of the test data. Load it (npx conformance world) under the ids in the target file. npx conformance doctor checks the target.';

const stateLabels = { fine: 'fine', problem: 'PROBLEM', unknown: '?' };

export function renderFindings(findings: Examination['findings']): string {
  const width = Math.max(...examinedAreas.map((area) => area.length));
  return joinLines(
    findings.map(({ area, state, text }) => `${area.padEnd(width)}  ${stateLabels[state].padEnd(7)}  ${text}`),
  );
}

/** Finds a request with one filter that excludes promotions and leaves some. Undefined if no selected case has a filter. */
export function findFilterRequest({ cases, world, calibration }: Suite): HttpRequest | undefined {
  const spelled = cases.filter(({ tags }) => !tags.includes(tag.spelling)).flatMap(listRequests);
  const filtered = spelled.filter((request) => createOracle(request, world).filteredOn !== undefined);
  const name = encodeQueryText(renderFilterParameter({ on: 'campaign' }));
  const campaigns = filtered.length === 0 ? [] : world.campaigns.filter(({ id }) => !world.unavailable.has(id));
  const others = calibration
    .slice(0, 1)
    .flatMap((plain) =>
      campaigns.map(({ id }) => ({ ...plain, path: `${plain.path.split('?')[0]}?${name}=${encodeQueryText(id)}` })),
    );
  return [...filtered, ...others].find((request) => {
    const oracle = createOracle(request, world);
    const has = (obligation: Obligation) => world.tiers.some((tier) => oracle.returned(tier) === obligation);
    return parseRequest(request).query.length === 1 && has('required') && has('forbidden');
  });
}

/** Whether a filter restricts the result only with literal brackets; most clients encode them. */
async function needsLiteralFilters(
  world: World,
  [filtered, encoded]: SentRequest,
  send: (request: HttpRequest) => Promise<Exchange>,
  /** Returns undefined if it is not clear which tiers a response returns. */
  readReturned: (body: string) => readonly string[] | undefined,
): Promise<boolean> {
  const oracle = createOracle(filtered, world);
  const excluded = new Set(world.tiers.flatMap((tier) => (oracle.matching(tier) === 'forbidden' ? tier.id : [])));
  const isRestricted = (exchange: Exchange): boolean | undefined => {
    const [success] = listSuccesses([exchange]);
    const returned = success === undefined ? [] : readReturned(success.response.body);
    return returned && returned.length > 0 && !returned.some((id) => excluded.has(id));
  };
  const isEncodedRead = isRestricted(encoded);
  if (isEncodedRead === true) return false;
  const literal = await send(spellFiltersLiterally(filtered));
  if (isEncodedRead === undefined) {
    // A filter that is not read changes nothing.
    const plain = maskBody(await send({ ...filtered, path: filtered.path.split('?')[0] ?? '' }));
    return maskBody(encoded) === plain && maskBody(literal) !== plain;
  }
  // A single wrong response decides nothing, nor does a filter that a deployment keeps for the next request.
  if (isRestricted(literal) !== true) return false;
  return isRestricted(await send(filtered)) !== true || isRestricted(await send(filtered)) !== true;
}

const maskBody = (exchange: Exchange) => ('response' in exchange ? maskChanging(exchange.response.body) : '');
