import type { Suite } from '../cases/suite.js';
import { type RequirementCase, tag } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../http/exchange.js';
import {
  describeAnswer,
  describeTransportError,
  explainRedirect,
  explainTransientFailure,
  headersHint,
  isSuccessful,
  isTransient,
} from '../http/response-status.js';
import { explainAmbiguity } from '../judge/explain-ambiguity.js';
import { explainOwnPromotions } from '../judge/own-promotions.js';
import { getIdFinders, type KnownIds } from '../recognition/known-ids.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { findTierMentions, hasMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { determineReading, type TierReading } from '../recognition/tier-reading.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { parseJson } from '../support/json.js';
import { joinLines } from '../support/untrusted-text.js';
import type { EngineOptions } from './run.js';

/** The areas that the doctor checks, in this order. */
export const diagnosisAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type DoctorArea = (typeof diagnosisAreas)[number];

/** The finding in one area: `unknown` until other problems are solved. */
export interface DiagnosisFinding {
  readonly area: DoctorArea;
  readonly state: 'fine' | 'problem' | 'unknown';
  /** What was found and what to do. */
  readonly text: string;
}

/** What the doctor knows about a target before it sends anything. */
export interface DiagnosedTarget extends Pick<EngineOptions, 'tierPatterns' | 'mentionFilter'> {
  readonly baseUrl: string;
}

type AnsweredExchange = Extract<Exchange, { response: unknown }>;

/** What the checks have in common. */
interface Diagnosis {
  readonly target: DiagnosedTarget;
  readonly suite: Suite;
  readonly ids: KnownIds;
  /** Whether the target has promotions of the test data. */
  readonly hasTiers: boolean;
  report(area: DoctorArea, state: DiagnosisFinding['state'], text: string): void;
}

/**
 * Sends at most three requests and reports what works and what does not.
 *
 * @param suite with the ids of the target
 * @returns one finding per area, in the order of the areas
 */
export async function diagnose(suite: Suite, channel: Channel, target: DiagnosedTarget): Promise<DiagnosisFinding[]> {
  const found = new Map<DoctorArea, DiagnosisFinding>();
  const { world } = suite;
  await checkTarget(channel, {
    target,
    suite,
    ids: getIdFinders(world),
    hasTiers: world.tiers.some(({ id }) => !world.unavailable.has(id)),
    report: (area, state, text) => void found.set(area, { area, state, text: escapeControlCharacters(text) }),
  });
  const unknown = { state: 'unknown', text: 'Not checked: solve the other problems first.' } as const;
  return diagnosisAreas.map((area) => found.get(area) ?? { area, ...unknown });
}

const fewIdsHint = `The cases with the tag '${tag.anyData}' need a customer, a product and a campaign in the file that 'bindings' of the target file names: any of yours.`;

/** Checks area by area until a problem prevents further checks. */
async function checkTarget(channel: Channel, diagnosis: Diagnosis): Promise<void> {
  const { suite, report } = diagnosis;
  const [firstRequest, secondRequest] = chooseRequests(suite);
  if (firstRequest === undefined) {
    report('Ids', 'problem', `The target file has too few ids for a request. ${fewIdsHint}`);
    return;
  }
  const first = await channel.send(firstRequest);
  if (!checkConnection(first, diagnosis)) return;
  const { method, path, headers } = firstRequest;
  const withoutBody = await channel.send({ method, path, headers });
  if (!checkOperation(first.response, withoutBody, diagnosis)) return;
  const others = secondRequest === undefined ? [] : [await channel.send(secondRequest)];
  checkBody(first.response, [...others, withoutBody], diagnosis);
  checkResponses(first.response, [first, ...others], diagnosis);
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
  const transient = explainTransientFailure(exchange);
  const failure =
    transient === undefined
      ? explainRedirect(exchange.response)
      : `${transient} Try again later, or set 'pacing' in the target file.`;
  if (failure !== undefined) report('URL', 'problem', failure);
  return failure === undefined;
}

function checkOperation(response: HttpResponse, withoutBody: Exchange, { ids, hasTiers, report }: Diagnosis): boolean {
  const { status } = response;
  const answered = `Answered ${describeAnswer(response)}.`;
  if (status >= 400 && 'response' in withoutBody && isSuccessful(withoutBody.response)) {
    report('URL', 'fine', 'The operation answers.');
    report('Credentials', 'fine', 'They are accepted.');
    const without = `Without a body it answered ${describeAnswer(withoutBody.response)}.`;
    const hint = 'The deployment or a proxy rejects the body. Connect to the deployment without a proxy.';
    report('Body on GET', 'problem', `${answered} ${without} ${hint}`);
    return false;
  }
  if (status === 401 || status === 403) {
    report('URL', 'fine', 'A server answers.');
    const hint = 'Check CLIENT_APPLICATION_ID and CLIENT_TOKEN: they must be a pair of this deployment.';
    report('Credentials', 'problem', `${answered} ${hint} ${headersHint}`);
    return false;
  }
  if (status === 404 || status === 405 || status === 501) {
    const hint =
      'Check the base URL (base_url): it may need a path prefix. If the method or path differs, set it in the target file: operation: { method: …, path: … }.';
    report('URL', 'problem', `${answered} ${hint} ${headersHint}`);
    return false;
  }
  report('URL', 'fine', 'The operation answers.');
  if (hasTiers && isSuccessful(response) && !hasMentions(findTierMentions(response.body, ids))) {
    const text = 'The answer names no promotion of the test data, so nothing shows whether they are read.';
    report('Credentials', 'unknown', text);
  } else report('Credentials', 'fine', 'They are accepted.');
  return true;
}

/** How deployments answer if the body is missing. Other errors may be the same for any body. */
const missingBodyStatuses = [400, 411, 422];

const lostBody =
  'The body seems to be lost: some proxies, gateways and CDNs drop the body of a GET request. Connect to the deployment without them, or configure them to forward it.';

/** Checks whether the body of a GET request arrives: another body, or none, must change the result. */
function checkBody(first: HttpResponse, others: readonly Exchange[], { ids, hasTiers, report }: Diagnosis): void {
  const responses = others.flatMap((other) =>
    'response' in other && !isTransient(other.response) ? [other.response] : [],
  );
  if (responses.length === 0) return;
  const { status } = first;
  if (!isSuccessful(first)) {
    if (missingBodyStatuses.includes(status) && responses.at(-1)?.status === status)
      report('Body on GET', 'unknown', `It answered ${status} with a body and without one. ${lostBody}`);
    return;
  }
  const result = summarizeResult(first, ids);
  const isSame = 'The response is the same with another body and without a body.';
  if (responses.some((response) => summarizeResult(response, ids) !== result))
    report('Body on GET', 'fine', 'Another body, or none, changes the response.');
  else if (hasTiers && hasMentions(findTierMentions(first.body, ids)))
    report('Body on GET', 'problem', `${isSame} ${lostBody}`);
  else {
    const proof = 'They name no promotion that must depend on the body, so this proves nothing.';
    report('Body on GET', 'unknown', `${isSame} ${proof} If they should differ: ${lostBody}`);
  }
}

/** Summarizes a response without values that differ each time. */
function summarizeResult({ status, body }: HttpResponse, ids: KnownIds): string {
  const { idsByPattern, unlocatedIds } = findTierMentions(body, ids);
  const named = [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])].sort();
  return `${status} ${named.length > 0 ? named.join() : body.replaceAll(/[\w.:+-]+/g, (word) => (/\d/.test(word) ? '…' : word))}`;
}

/** Checks whether successful responses can be read and name the test data. */
function checkResponses(first: HttpResponse, exchanges: readonly Exchange[], diagnosis: Diagnosis): void {
  const { suite, target, hasTiers, report } = diagnosis;
  const { world } = suite;
  const results = exchanges.flatMap((each) =>
    'response' in each && isSuccessful(each.response) ? [each.response] : [],
  );
  if (results.length === 0) {
    const hint = 'Perhaps the deployment does not have the customer or the products: see npx conformance world.';
    report('Responses', 'problem', `The deployment rejects a documented request: ${describeAnswer(first)}. ${hint}`);
    return;
  }
  const recognizer = createRecognizer(world, target.mentionFilter);
  const mentions = results.map(({ body }) => recognizer.findMentions(body));
  const determined = determineReading(mentions, target.tierPatterns);
  const { patterns } = determined;
  const reading =
    determined.kind === 'ambiguous'
      ? { ...determined, explain: () => explainAmbiguity(patterns, exchanges, { world, recognizer }) }
      : determined;
  const unreadable = results.find(({ body }) => parseJson(body) === undefined);
  if (unreadable !== undefined) {
    const what = `A successful body is not JSON, so its promotions cannot be read: ${describeAnswer(unreadable)}.`;
    report('Responses', 'problem', `${what} Check the base URL. ${headersHint}`);
  } else reportReading(reading, mentions, report);
  const named = new Set(mentions.flatMap(({ idsByPattern }) => [...idsByPattern.values()].flat())).size;
  const own = explainOwnPromotions(exchanges, { world, recognizer, reading, calibration: [] });
  if (own !== undefined) report('Ids', 'problem', own);
  else if (!hasTiers) {
    report('Ids', 'unknown', `No promotion has an id, so only cases that need none are judged. ${fewIdsHint}`);
  } else if (named === 0) {
    const hint = 'If the deployment generates its own ids, name a file with them in the target file (bindings).';
    const text = 'The responses name no promotion of the test data. Load it (npx conformance world).';
    report('Ids', 'problem', `${text} ${hint}`);
  } else report('Ids', 'fine', `The responses name ${named} promotions of the test data.`);
}

function reportReading(reading: TierReading, [first]: readonly TierMentions[], report: Diagnosis['report']): void {
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated') {
    if (first !== undefined) report('Responses', 'problem', readReturnedTiers(first, reading).reason);
  } else if (reading.patterns.length === 0) {
    report('Responses', 'unknown', 'They are JSON, but name no promotion of the test data.');
  } else {
    const source = reading.kind === 'stated' ? ', as the target file states' : '';
    report('Responses', 'fine', `Promotions are named at ${reading.patterns.join(' and ')}${source}.`);
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
