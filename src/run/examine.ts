import { listSuccesses } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import { tag } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../http/exchange.js';
import {
  describeAnswer,
  describeTransportError,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  headersHint,
  isSuccessful,
  isTransient,
} from '../http/response-status.js';
import { explainAmbiguity } from '../judge/explain-ambiguity.js';
import { explainOwnPromotions } from '../judge/own-promotions.js';
import { createRecognizer, type Recognizer } from '../recognition/recognizer.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { hasMentions } from '../recognition/tier-mentions.js';
import { determineReading } from '../recognition/tier-reading.js';
import { parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { joinLines } from '../support/untrusted-text.js';
import { findFilterRequest, needsLiteralFilters } from './filter-spelling.js';
import { findWrongAddress, isWebPage, maskChanging } from './find-wrong-address.js';
import { countAttempts, type SentRequest } from './request-cache.js';
import { sanitizeText } from './sanitize-result.js';

/** What is examined before the cases, in this order. */
export const examinedAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type ExaminedArea = (typeof examinedAreas)[number];

/** What was found in one area: `unknown` until other problems are solved. */
export interface ExaminationFinding {
  readonly area: ExaminedArea;
  readonly state: 'fine' | 'problem' | 'unknown';
  /** What was found and what to do. */
  readonly text: string;
}

/** What the user states about a target. */
export interface ExaminedTarget {
  /** Patterns under which responses name the returned tiers, if the suite cannot detect them. */
  readonly tierPatterns?: readonly string[];
  /** Whether the world is certainly loaded; otherwise a response must show it. */
  readonly isWorldLoaded?: boolean;
  /** A recognizer to share with other runs. */
  readonly recognizer?: Recognizer;
}

/** What the first requests of a run showed. */
export interface Examination {
  /** The exchanges of the calibration requests. */
  readonly exchanges: readonly Exchange[];
  /** Whether a response names the world, or nothing has to: the target has no ids of tiers, or is known to have the world. */
  readonly isWorldSeen: boolean;
  /**
   * Cases may share it. What was sent alone, since what overlaps may have a fault that shows only together; everything if
   * the requests are drawn from a data file, since they are many.
   */
  readonly shared: readonly SentRequest[];
  /** One per area. */
  readonly findings: readonly ExaminationFinding[];
  /** Why no case can be judged, if so: more requests could lock an account. */
  readonly unreachable?: string;
  /** A note for the user. */
  readonly note?: string;
  /** Whether filters are read only with literal brackets. */
  readonly readsLiteralFiltersOnly: boolean;
  /** Retries included. */
  readonly requestsSent: number;
}

/**
 * Sends the calibration requests of a suite, and as many others as it takes to know whether the cases can be judged: none
 * if the responses name the test data and depend on the body.
 */
export async function examine(
  suite: Suite,
  channel: Pick<Channel, 'send'>,
  { recognizer = createRecognizer(suite.world), tierPatterns, isWorldLoaded }: ExaminedTarget,
): Promise<Examination> {
  const { calibration, world } = suite;
  const found = new Map<ExaminedArea, ExaminationFinding>();
  const report = (area: ExaminedArea, state: ExaminationFinding['state'], text: string) =>
    void found.set(area, { area, state, text: sanitizeText(text) });
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
  const isSeen = namings.some(hasMentions);
  let readsLiteralFiltersOnly = false;
  const end = (unreachable?: string): Examination => {
    const isMissing = unreachable === undefined && namings.length > 0 && hasTiers && !isSeen;
    return {
      exchanges,
      shared: suite.data === undefined ? sent.filter(([, exchange]) => !exchanges.includes(exchange)) : sent,
      // The cases that remain without ids of tiers need none.
      isWorldSeen: isWorldLoaded === true || !hasTiers || isSeen,
      requestsSent: countAttempts(sent.map(([, exchange]) => exchange)),
      readsLiteralFiltersOnly,
      findings: examinedAreas.map(
        (area) => found.get(area) ?? { area, state: 'unknown', text: 'Not checked: solve the other problems first.' },
      ),
      ...omitUndefined({
        unreachable: unreachable && sanitizeText(unreachable),
        note: isMissing ? worldNote : undefined,
      }),
    };
  };
  const [request] = calibration;
  const [first] = exchanges;
  if (request === undefined || first === undefined) {
    report('Ids', 'problem', `The target file has too few ids for a request. ${fewIdsHint}`);
    return end();
  }

  const failures = exchanges.map(explainFailure);
  const [failure] = failures;
  const withoutBody = await sendWithoutBody(request, exchanges, { send }, (response) =>
    summarize(response, recognizer),
  );
  if ('response' in first) report('TLS', 'fine', 'Not used, or the certificate of the deployment is trusted.');
  const refused = withoutBody && explainRefusedBody(first, withoutBody);
  if (refused !== undefined) {
    report('URL', 'fine', 'The operation answers.');
    report('Credentials', 'fine', 'They are accepted.');
    report('Body on GET', 'problem', refused);
    // Without a body they are accepted: it is the body that makes the answer 401 or 403.
    return end(failure && refused);
  }
  if (failure !== undefined && failures.every((reason) => reason !== undefined)) {
    if (failure.area === 'Credentials') report('URL', 'fine', 'A server answers.');
    report(failure.area, 'problem', failure.text);
    return end(failure.text);
  }

  const isDescribed = isWorldLoaded === true || tierPatterns !== undefined;
  const wrong = isSeen ? undefined : await findWrongAddress(calibration, exchanges, { send }, isDescribed);
  if (wrong === undefined) report('URL', 'fine', 'The operation answers.');
  else report('URL', 'problem', wrong);
  if (hasTiers && namings.length > 0 && !isSeen)
    report(
      'Credentials',
      'unknown',
      'No answer names a promotion of the test data, so nothing shows whether they are read.',
    );
  else report('Credentials', 'fine', 'They are accepted.');
  if (isSeen && filtered !== undefined)
    readsLiteralFiltersOnly = await needsLiteralFilters(world, filtered, send, (body) => {
      const mentions = recognizer.findMentions(body);
      const { returned, unclear } = readReturnedTiers(mentions, determineReading([...namings, mentions], tierPatterns));
      return unclear.size > 0 ? undefined : returned;
    });
  examineBody([...exchanges, ...(withoutBody === undefined ? [] : [withoutBody])]);
  examineResponses();
  return end(wrong);

  /** Another body, or none, must change the result. */
  function examineBody(compared: readonly Exchange[]): void {
    const responses = compared.flatMap((exchange) =>
      'response' in exchange && !isTransient(exchange.response) ? [exchange.response] : [],
    );
    const [response, ...others] = responses;
    if (response === undefined || others.length === 0) return;
    if (!isSuccessful(response)) {
      if ([400, 411, 422].includes(response.status) && others.at(-1)?.status === response.status)
        report('Body on GET', 'unknown', `It answered ${response.status} with a body and without one. ${lostBody}`);
      return;
    }
    const isSame = 'The response is the same with another body, or without one.';
    const result = summarize(response, recognizer);
    if (others.some((changed) => summarize(changed, recognizer) !== result))
      report('Body on GET', 'fine', 'Another body, or none, changes the response.');
    else if (hasTiers && isSeen) report('Body on GET', 'problem', `${isSame} ${lostBody}`);
    else {
      const proof = 'They name no promotion that must depend on the body, so this proves nothing.';
      report('Body on GET', 'unknown', `${isSame} ${proof} If they should differ: ${lostBody}`);
    }
  }

  /** Whether successful responses can be read and name the test data. */
  function examineResponses(): void {
    const successes = listSuccesses(exchanges);
    if (successes.length === 0) {
      const answer = 'response' in (first ?? {}) ? describeAnswer((first as { response: HttpResponse }).response) : '';
      const hint = 'Perhaps the deployment does not have the customer or the products: see npx conformance world.';
      report('Responses', 'problem', `The deployment rejects a documented request: ${answer}. ${hint}`);
      return;
    }
    const determined = determineReading(namings, tierPatterns);
    const explain = () => explainAmbiguity(determined.patterns, exchanges, { world, recognizer });
    const reading = determined.kind === 'ambiguous' ? { ...determined, explain } : determined;
    const unreadable = successes.find(({ response }) => parseJson(response.body) === undefined);
    const [mentions] = namings;
    if (unreadable !== undefined) {
      const what = `A successful body is not JSON, so its promotions cannot be read: ${describeAnswer(unreadable.response)}.`;
      report('Responses', 'problem', `${what} Check the base URL. ${headersHint}`);
    } else if ((reading.kind === 'ambiguous' || reading.kind === 'misstated') && mentions !== undefined)
      report('Responses', 'problem', readReturnedTiers(mentions, reading).reason);
    else if (reading.patterns.length === 0)
      report('Responses', 'unknown', 'They are JSON, but name no promotion of the test data.');
    else {
      const source = reading.kind === 'stated' ? ', as the target file states' : '';
      report('Responses', 'fine', `Promotions are named at ${reading.patterns.join(' and ')}${source}.`);
    }
    const named = new Set(namings.flatMap(({ idsByPattern }) => [...idsByPattern.values()].flat())).size;
    const foreign = explainOwnPromotions(exchanges, { world, recognizer, reading, calibration: [] });
    if (foreign !== undefined) report('Ids', 'problem', foreign);
    else if (!hasTiers)
      report('Ids', 'unknown', `No promotion has an id, so only cases that need none are judged. ${fewIdsHint}`);
    else if (named === 0) {
      const hint = 'If the deployment generates its own ids, name a file with them in the target file (bindings).';
      const text = 'The responses name no promotion of the test data. Load it (npx conformance world).';
      report('Ids', 'problem', `${text} ${hint}`);
    } else report('Ids', 'fine', `The responses name ${named} promotions of the test data.`);
  }
}

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

/** Sends a request without its body if nothing shows yet what the body does: it is refused, or changes nothing. */
async function sendWithoutBody(
  { method, path, headers }: HttpRequest,
  exchanges: readonly Exchange[],
  { send }: Pick<Channel, 'send'>,
  summarizeResponse: (response: HttpResponse) => string,
): Promise<Exchange | undefined> {
  const [first] = exchanges;
  if (first === undefined || !('response' in first) || isTransient(first.response)) return undefined;
  const successes = listSuccesses(exchanges);
  const isShown = new Set(successes.map(({ response }) => summarizeResponse(response))).size > 1;
  if (successes.some(({ response }) => isWebPage(response))) return undefined;
  return isShown || first.response.status < 200 || (first.response.status >= 300 && first.response.status < 400)
    ? undefined
    : await send({ method, path, headers });
}

function explainRefusedBody(first: Exchange, withoutBody: Exchange): string | undefined {
  if (!('response' in first) || first.response.status < 400) return undefined;
  if (!('response' in withoutBody) || !isSuccessful(withoutBody.response)) return undefined;
  return `${refusedBody} Answered ${describeAnswer(first.response)}. Without a body it answered ${describeAnswer(withoutBody.response)}.`;
}

/** Summarizes a response without values that differ each time. */
function summarize({ status, body }: HttpResponse, recognizer: Recognizer): string {
  const { idsByPattern, unlocatedIds } = recognizer.findMentions(body);
  const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
  return `${status} ${named.length > 0 ? named.join() : maskChanging(body)}`;
}

/** What refuses requests with a body, and what to do. */
export const refusedBody =
  'The deployment, or a proxy or gateway before it, refuses a body on GET. Connect to the deployment without the proxy, or configure it to forward the body.';
const fewIdsHint = `The cases with the tag '${tag.anyData}' need a customer, a product and a campaign in the file that 'bindings' of the target file names: any of yours.`;
const lostBody =
  'The body seems to be lost: some proxies, gateways and CDNs drop the body of a GET request. Connect to the deployment without them, or configure them to forward it.';
const worldNote =
  'The first responses name no promotion of the test data. Load it (npx conformance world) under the ids in the target file. npx conformance doctor checks the target.';

const stateLabels: Readonly<Record<ExaminationFinding['state'], string>> = {
  fine: 'fine',
  problem: 'PROBLEM',
  unknown: '?',
};

/** Renders findings for people, one per line. */
export function renderFindings(findings: readonly ExaminationFinding[]): string {
  const width = Math.max(...examinedAreas.map((area) => area.length));
  return joinLines(
    findings.map(({ area, state, text }) => `${area.padEnd(width)}  ${stateLabels[state].padEnd(7)}  ${text}`),
  );
}
