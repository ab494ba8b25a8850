import type { Suite } from '../cases/suite.js';
import { type RequirementCase, tag } from '../cases/test-case.js';
import { type Channel, type Exchange, getHeaderValues, type HttpRequest, type HttpResponse } from '../http/exchange.js';
import {
  describeAnswer,
  describeTransportError,
  explainTransientFailure,
  headersHint,
  isSuccessful,
} from '../http/response-status.js';
import { explainAmbiguity } from '../judge/explain-ambiguity.js';
import { explainOwnPromotions } from '../judge/own-promotions.js';
import { getKnownIds, type KnownIds } from '../recognition/known-ids.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { findTierMentions, hasMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { determineReading, type TierReading } from '../recognition/tier-reading.js';
import { parseJson } from '../support/json.js';
import { joinLines } from '../support/untrusted-text.js';
import { listNames, thingKinds } from '../world/named-world.js';
import type { Target } from './target.js';

/** The areas that the doctor checks, in this order. */
export const diagnosisAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type DiagnosisArea = (typeof diagnosisAreas)[number];

/** The finding in one area: `unknown` until other problems are solved. */
export interface DiagnosisFinding {
  readonly area: DiagnosisArea;
  readonly state: 'fine' | 'problem' | 'unknown';
  /** What was found and what to do. */
  readonly text: string;
}

/** What the doctor knows about a target before it sends anything. */
export type DiagnosedTarget = Pick<Target, 'tierPatterns' | 'mentionFilter'> & { readonly baseUrl: string };

type AnsweredExchange = Extract<Exchange, { response: unknown }>;

/** What the checks have in common. */
interface Diagnosis {
  readonly target: DiagnosedTarget;
  readonly suite: Suite;
  report(area: DiagnosisArea, state: DiagnosisFinding['state'], text: string): void;
  /** Says what the target answered, without secrets. */
  describe(response: HttpResponse): string;
}

/**
 * Sends at most three requests and reports what works and what does not.
 *
 * @param suite with the ids of the target
 * @returns one finding per area, in the order of the areas
 */
export async function diagnose(suite: Suite, channel: Channel, target: DiagnosedTarget): Promise<DiagnosisFinding[]> {
  const found = new Map<DiagnosisArea, DiagnosisFinding>();
  await checkTarget(channel, {
    target,
    suite,
    report: (area, state, text) => void found.set(area, { area, state, text: channel.redact(text) }),
    describe: (response) => describeAnswer(response, channel.redact),
  });
  const unknown = { state: 'unknown', text: 'Not checked: solve the other problems first.' } as const;
  return diagnosisAreas.map((area) => found.get(area) ?? { area, ...unknown });
}

/** Checks area by area until a problem prevents further checks. */
async function checkTarget(channel: Channel, diagnosis: Diagnosis): Promise<void> {
  const { suite, report } = diagnosis;
  const [firstRequest, secondRequest] = chooseRequests(suite);
  if (firstRequest === undefined) {
    report('Ids', 'problem', `The target file has too few ids for a request. ${explainMissingIds(suite)}`);
    return;
  }
  const first = await channel.send(firstRequest);
  if (!checkConnection(first, diagnosis)) return;
  const { method, path, headers } = firstRequest;
  const withoutBody = await channel.send({ method, path, headers });
  if (!checkOperation(first, withoutBody, diagnosis)) return;
  const second = secondRequest === undefined ? undefined : await channel.send(secondRequest);
  checkBody(first, [second, withoutBody], diagnosis);
  checkResponses([first, second], diagnosis);
}

/** Lists the ids that the `any-data` cases need; they may be ids of any data of the deployment. */
function explainMissingIds({ cases }: Suite): string {
  const needed = cases
    .filter(({ tags }) => tags.includes(tag.anyData))
    .flatMap(({ rows }) => rows.flatMap(({ unavailable }) => unavailable));
  const names = [...new Set(needed)].map(formatKey);
  if (names.length === 0) return '';
  return `Add ids for ${names.join(', ')} to 'ids' in the target file. Any ids of your deployment work for the cases with the tag '${tag.anyData}'.`;
}

/** Formats `customer ann` as `customers.ann`, its key in the target file. */
function formatKey(thing: string): string {
  const kind = thingKinds.find((each) => thing.startsWith(`${each} `));
  return kind === undefined ? thing : `${listNames[kind]}.${thing.slice(kind.length + 1)}`;
}

/** Chooses the requests of the doctor's case with the most requests that the target has the data for. */
function chooseRequests({ cases }: Suite): HttpRequest[] {
  const [row] = cases
    .filter((each): each is RequirementCase => each.kind === 'requirement' && each.tags.includes(tag.doctor))
    .flatMap(({ rows }) => rows.slice(0, 1))
    .filter(({ unavailable }) => unavailable.length === 0)
    .sort((one, other) => other.requests.size - one.requests.size);
  return [...(row?.requests.values() ?? [])];
}

/** Checks whether there is a response that is no redirect and no transient failure. */
function checkConnection(exchange: Exchange, { target, report }: Diagnosis): exchange is AnsweredExchange {
  if (!('response' in exchange)) {
    report(exchange.transportError === 'tls' ? 'TLS' : 'URL', 'problem', describeTransportError(exchange));
    return false;
  }
  const isTls = target.baseUrl.startsWith('https:');
  report('TLS', 'fine', isTls ? 'The certificate of the deployment is trusted.' : 'Not used: the base URL is http.');
  const { status, headers } = exchange.response;
  const failure = explainTransientFailure(exchange);
  const [location] = getHeaderValues(headers, 'location');
  if (failure !== undefined)
    report('URL', 'problem', `${failure} Try again later, or set 'pacing' in the target file.`);
  else if (status >= 300 && status < 400)
    report(
      'URL',
      'problem',
      `Redirected (${status})${location === undefined ? '' : ` to ${location}`}. Use that address as the base URL.`,
    );
  else return true;
  return false;
}

function checkOperation(
  { response }: AnsweredExchange,
  withoutBody: Exchange,
  { suite: { world }, report, describe }: Diagnosis,
): boolean {
  const { status } = response;
  const answered = `Answered ${describe(response)}.`;
  const isRefusedBody = status >= 400 && 'response' in withoutBody && isSuccessful(withoutBody.response);
  if (!isRefusedBody && (status === 401 || status === 403)) {
    report('URL', 'fine', 'A server answers.');
    const hint = 'Check CLIENT_APPLICATION_ID and CLIENT_TOKEN: they must be a pair of this deployment.';
    report('Credentials', 'problem', `${answered} ${hint} ${headersHint}`);
    return false;
  }
  if (!isRefusedBody && (status === 404 || status === 405 || status === 501)) {
    const hint =
      'Check the base URL (base_url): it may need a path prefix. If the method or path differs, set it in the target file: operation: { method: …, path: … }.';
    report('URL', 'problem', `${answered} ${hint} ${headersHint}`);
    return false;
  }
  report('URL', 'fine', 'The operation answers.');
  if (hasTiers(world) && isSuccessful(response) && !hasMentions(findTierMentions(response.body, getKnownIds(world))))
    report(
      'Credentials',
      'unknown',
      'The answer names no promotion of the test data, so nothing shows whether they are read.',
    );
  else report('Credentials', 'fine', 'They are accepted.');
  if (!isRefusedBody) return true;
  const without = `Without a body it answered ${describe(withoutBody.response)}.`;
  const hint = 'The deployment or a proxy rejects the body. Connect to the deployment without a proxy.';
  report('Body on GET', 'problem', `${answered} ${without} ${hint}`);
  return false;
}

/** How deployments answer if the body is missing. */
const missingBodyStatuses = [400, 411, 422];

const lostBody =
  'The body seems to be lost: some proxies, gateways and CDNs drop the body of a GET request. Connect to the deployment without them, or configure them to forward it.';

/** Checks whether the body of a GET request arrives: another body, or none, must change the result. */
function checkBody(
  first: AnsweredExchange,
  others: readonly (Exchange | undefined)[],
  { suite: { world }, report }: Diagnosis,
): void {
  const ids = getKnownIds(world);
  const responses = others.flatMap((other) =>
    other !== undefined && 'response' in other && explainTransientFailure(other) === undefined ? [other.response] : [],
  );
  if (responses.length === 0) return;
  const { status } = first.response;
  if (!isSuccessful(first.response)) {
    // Other errors may be the same for any body.
    if (missingBodyStatuses.includes(status) && responses.at(-1)?.status === status)
      report('Body on GET', 'unknown', `It answered ${status} with a body and without one. ${lostBody}`);
    return;
  }
  const result = summarizeResult(first.response, ids);
  const isSame = 'The response is the same with another body and without a body.';
  if (responses.some((response) => summarizeResult(response, ids) !== result))
    report('Body on GET', 'fine', 'Another body, or none, changes the response.');
  else if (hasTiers(world) && !hasMentions(findTierMentions(first.response.body, ids)))
    report('Body on GET', 'unknown', `${isSame} They name no promotion of the test data, so this proves nothing.`);
  else if (hasTiers(world)) report('Body on GET', 'problem', `${isSame} ${lostBody}`);
  // The promotions of the deployment may not depend on these ids.
  else report('Body on GET', 'unknown', `${isSame} If the responses should differ: ${lostBody}`);
}

function hasTiers({ tiers, unavailable }: Suite['world']): boolean {
  return tiers.some(({ id }) => !unavailable.has(id));
}

/** Summarizes a response without values that differ each time. */
function summarizeResult({ status, body }: HttpResponse, ids: KnownIds): string {
  const { idsByPattern, unlocatedIds } = findTierMentions(body, ids);
  const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
  return `${status} ${named.length > 0 ? named.join() : body.replaceAll(/[\w.:+-]*\d[\w.:+-]*/g, '…')}`;
}

/** Checks whether successful responses can be read and name the test data. */
function checkResponses(exchanges: readonly (Exchange | undefined)[], diagnosis: Diagnosis): void {
  const { suite, target, report, describe } = diagnosis;
  const { world } = suite;
  const responses = exchanges.flatMap((each) => (each !== undefined && 'response' in each ? [each.response] : []));
  const results = responses.filter(isSuccessful);
  if (results.length === 0) {
    const [refusal] = responses;
    if (refusal === undefined) return;
    report('Responses', 'problem', `The deployment rejects a documented request: ${describe(refusal)}.`);
    const hint = 'Perhaps the deployment does not have the customer or the products: see npx conformance world.';
    if (refusal.status < 500) report('Ids', 'unknown', hint);
    return;
  }
  const recognizer = createRecognizer(world, target.mentionFilter);
  const mentions = results.map(({ body }) => recognizer.findMentions(body));
  const available = world.tiers.filter(({ id }) => !world.unavailable.has(id)).length;
  const unreadable = results.find(({ body }) => parseJson(body) === undefined);
  const answered = exchanges.filter((each) => each !== undefined);
  const determined = determineReading(mentions, target.tierPatterns);
  const { patterns } = determined;
  const reading =
    determined.kind === 'ambiguous'
      ? { ...determined, explain: () => explainAmbiguity(patterns, answered, { world, recognizer }) }
      : determined;
  if (unreadable === undefined) reportReading(reading, mentions, available, report);
  else {
    const hint = `Check the base URL. ${headersHint}`;
    const what = 'is not JSON, so its promotions cannot be read';
    report('Responses', 'problem', `A successful body ${what}: ${describe(unreadable)}. ${hint}`);
  }
  const named = new Set(mentions.flatMap(({ idsByPattern }) => [...idsByPattern.values()].flat())).size;
  const missing = world.unavailable.size;
  const own = explainOwnPromotions(answered, { world, recognizer, reading, calibration: [] });
  if (own !== undefined) report('Ids', 'problem', own);
  else if (available === 0) {
    const text = 'No promotion has an id, so only cases that need none are judged.';
    report('Ids', 'unknown', [text, explainMissingIds(suite)].filter(Boolean).join(' '));
  } else if (named === 0)
    report(
      'Ids',
      'problem',
      'The responses name no promotion of the test data. Load it (npx conformance world). If the deployment generates its own ids, add them to the target file (ids or bindings).',
    );
  else {
    const more = missing === 0 ? '' : ` ${missing} names have no id; certify lists the ones that cases need.`;
    report('Ids', 'fine', `The responses name ${named} promotions of the test data.${more}`);
  }
}

/** @param available the number of promotions that the target has */
function reportReading(
  reading: TierReading,
  mentions: readonly TierMentions[],
  available: number,
  report: Diagnosis['report'],
): void {
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated') {
    const [first] = mentions;
    if (first !== undefined) report('Responses', 'problem', readReturnedTiers(first, reading).reason);
  } else if (reading.patterns.length > 0) {
    const source = reading.kind === 'stated' ? ', as the target file states' : '';
    report('Responses', 'fine', `Promotions are named at ${reading.patterns.join(' and ')}${source}.`);
  } else if (available === 0) {
    const hint = 'Add it to the target file: response: { tier: /promotions/*/id }.';
    report('Responses', 'unknown', `They are JSON. Without ids, the place of promotions cannot be detected. ${hint}`);
  } else {
    report('Responses', 'unknown', 'They are JSON, but name no known promotion.');
  }
}

const stateLabels: Readonly<Record<DiagnosisFinding['state'], string>> = {
  fine: 'fine',
  problem: 'PROBLEM',
  unknown: '?',
};

/** Renders findings for people, one per line. */
export function renderFindings(findings: readonly DiagnosisFinding[]): string {
  const width = Math.max(...diagnosisAreas.map((area) => area.length));
  return joinLines(
    findings.map(({ area, state, text }) => `${area.padEnd(width)}  ${stateLabels[state].padEnd(7)}  ${text}`),
  );
}
