import type { Suite } from '../cases/suite.js';
import { type RequirementCase, tag } from '../cases/test-case.js';
import { type Channel, type Exchange, getHeaderValues, type HttpRequest, type HttpResponse } from '../http/exchange.js';
import { explainTransientFailure, isSuccessful } from '../http/response-status.js';
import { createKnownIds, type KnownIds } from '../recognition/known-ids.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { findTierMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { determineReading, type TierReading } from '../recognition/tier-reading.js';
import { parseJson } from '../support/json.js';
import { joinLines } from '../support/untrusted-text.js';
import { listNames, thingKinds } from '../world/named-world.js';
import type { Target } from './target.js';

/** What the doctor looks at, in this order. */
export const diagnosisAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type DiagnosisArea = (typeof diagnosisAreas)[number];

/** What was found out about one of them: `unknown` where another problem has to be solved first. */
export interface DiagnosisFinding {
  readonly area: DiagnosisArea;
  readonly state: 'fine' | 'problem' | 'unknown';
  /** In plain words, with what to do. */
  readonly text: string;
}

/** What the doctor knows of a target before it sends anything. */
export type DiagnosedTarget = Pick<Target, 'tierPatterns'> & { readonly baseUrl: string };

type Answered = Extract<Exchange, { response: unknown }>;

/**
 * Sends at most three requests, and says what is fine and what is not.
 *
 * @param suite as it is for the target: with its ids
 * @returns one finding for each area, in their order
 */
export async function diagnose(suite: Suite, channel: Channel, target: DiagnosedTarget): Promise<DiagnosisFinding[]> {
  const found = new Map<DiagnosisArea, DiagnosisFinding>();
  const say: Say = (area, state, text) => found.set(area, { area, state, text: channel.redact(text) });
  await lookAt(suite, channel, target, say);
  return diagnosisAreas.map(
    (area) => found.get(area) ?? { area, state: 'unknown', text: 'Not known yet; solve the other problems first.' },
  );
}

type Say = (area: DiagnosisArea, state: DiagnosisFinding['state'], text: string) => void;

/** Goes on until a problem leaves nothing else to see. */
async function lookAt(suite: Suite, channel: Channel, target: DiagnosedTarget, say: Say): Promise<void> {
  const [first, second] = requestsFor(suite);
  if (first === undefined) {
    say('Ids', 'problem', `No request can be made of the ids that the target file gives. ${anyWillDo(suite)}`);
    return;
  }
  const one = await channel.send(first);
  if (!isReached(one, target, say)) return;
  const bare = await channel.send({ method: first.method, path: first.path, headers: first.headers });
  if (!isAnswered(one, bare, say)) return;
  const two = second === undefined ? undefined : await channel.send(second);
  lookAtBody(one, [two, bare], suite, say);
  lookAtResponses([one, two], suite, target, say);
}

/**
 * Which names still need an id for the cases that need to know of no promotion, in words; empty where none does. What
 * the deployment holds under them does not matter.
 */
function anyWillDo({ cases }: Suite): string {
  const needed = cases
    .filter(({ tags }) => tags.includes(tag.anyData))
    .flatMap(({ rows }) => rows.flatMap(({ unavailable }) => unavailable));
  const names = [...new Set(needed)].map(keyInFile);
  if (names.length === 0) return '';
  return `Give ${names.join(', ')} an id in the target file, under ids: any of yours will do, for the cases that need to know of no promotion.`;
}

/** As in `customers.ann` of a target file, for what is called `customer ann`. */
function keyInFile(thing: string): string {
  const kind = thingKinds.find((each) => thing.startsWith(`${each} `));
  return kind === undefined ? thing : `${listNames[kind]}.${thing.slice(kind.length + 1)}`;
}

/**
 * The requests of one case for the doctor, of those for which the target has all that they need: the one with the most
 * requests, whose results differ.
 */
function requestsFor({ cases }: Suite): HttpRequest[] {
  const [row] = cases
    .filter((each): each is RequirementCase => each.kind === 'requirement' && each.tags.includes(tag.doctor))
    .flatMap(({ rows }) => rows.slice(0, 1))
    .filter(({ unavailable }) => unavailable.length === 0)
    .sort((one, other) => other.requests.size - one.requests.size);
  return [...(row?.requests.values() ?? [])];
}

/** Whether a response came from where the operation might be. */
function isReached(exchange: Exchange, { baseUrl }: DiagnosedTarget, say: Say): exchange is Answered {
  if (!('response' in exchange)) {
    say(exchange.transportError === 'tls' ? 'TLS' : 'URL', 'problem', exchange.message);
    return false;
  }
  const isTls = baseUrl.startsWith('https:');
  say('TLS', 'fine', isTls ? 'The certificate of the deployment is trusted.' : 'Not used: the base URL is http.');
  const { status, headers } = exchange.response;
  const nothingShown = explainTransientFailure(exchange);
  const [to] = getHeaderValues(headers, 'location');
  if (nothingShown !== undefined)
    say('URL', 'problem', `${nothingShown} Try again later, or set pacing in the target file.`);
  else if (status >= 300 && status < 400)
    say('URL', 'problem', `Redirected (${status})${to === undefined ? '' : ` to ${to}`}. Name that as the base URL.`);
  else return true;
  return false;
}

/** Whether the operation answers. @param bare what came back without a body */
function isAnswered({ response: { status } }: Answered, bare: Exchange, say: Say): boolean {
  if (status >= 400 && 'response' in bare && isSuccessful(bare.response)) {
    say('URL', 'fine', 'The operation answers.');
    say('Credentials', 'fine', 'They are not refused.');
    const hint = 'Something in between refuses it, or the deployment does. Connect to the deployment without proxies.';
    say('Body on GET', 'problem', `With a body the answer is ${status}, without one ${bare.response.status}. ${hint}`);
    return false;
  }
  if (status === 401 || status === 403) {
    say('URL', 'fine', 'Something answers there.');
    const hint = 'Check CLIENT_APPLICATION_ID and CLIENT_TOKEN: are they of this deployment, and of one pair?';
    say('Credentials', 'problem', `Answered ${status}. ${hint}`);
    return false;
  }
  if (status === 404 || status === 405 || status === 501) {
    const hint =
      'Is the base URL right, with a path if the deployment has one? If the operation is offered elsewhere, ';
    say('URL', 'problem', `Answered ${status}. ${hint}say so in the target file: operation: { method: …, path: … }.`);
    return false;
  }
  say('URL', 'fine', 'The operation answers.');
  say('Credentials', 'fine', 'They are not refused.');
  return true;
}

const lost =
  'It seems to be lost in between: some proxies, gateways and content networks drop the body of a GET. Connect to the deployment without them, or have them let it pass.';

/** Whether the body of a GET arrives: then another body, or none, gets another result. */
function lookAtBody(one: Answered, others: readonly (Exchange | undefined)[], { world }: Suite, say: Say): void {
  // An error may well be the same for any body.
  if (!isSuccessful(one.response)) return;
  const ids = createKnownIds(world);
  const responses = others.flatMap((other) =>
    other !== undefined && 'response' in other && explainTransientFailure(other) === undefined ? [other.response] : [],
  );
  const first = resultText(one.response, ids);
  if (responses.some((response) => resultText(response, ids) !== first))
    say('Body on GET', 'fine', 'Another body, or none, gets another answer.');
  else if (responses.length > 0 && !world.tiers.some(({ id }) => !world.unavailable.has(id)))
    // Whether any promotion depends on that customer and that product, nobody says.
    say(
      'Body on GET',
      'unknown',
      `The answer is the same with another body, and with none. Where it should not be: ${lost}`,
    );
  else if (responses.length > 0)
    say('Body on GET', 'problem', `The answer is the same with another body, and with none. ${lost}`);
}

/** What a response returns, without what differs from answer to answer. */
function resultText({ status, body }: HttpResponse, ids: KnownIds): string {
  const { idsByPattern: places, unlocatedIds: unplaced } = findTierMentions(body, ids);
  const named = [...new Set([...[...places.values()].flat(), ...unplaced])].sort();
  return `${status} ${named.length > 0 ? named.join() : body.replaceAll(/[\w.:+-]*\d[\w.:+-]*/g, '…')}`;
}

/** Whether successful responses can be read, and name what the suite knows. */
function lookAtResponses(
  exchanges: readonly (Exchange | undefined)[],
  suite: Suite,
  { tierPatterns }: DiagnosedTarget,
  say: Say,
): void {
  const responses = exchanges.flatMap((each) => (each !== undefined && 'response' in each ? [each.response] : []));
  const results = responses.filter(isSuccessful);
  const { world } = suite;
  const { unavailable } = world;
  const [status] = responses.map((response) => response.status);
  if (results.length === 0) {
    say('Responses', 'problem', `Answered ${status}: the request is documented, and was not accepted.`);
    if (status !== undefined && status < 500) {
      const text = 'Perhaps the deployment does not know the customer or the products; see conformance world.';
      say('Ids', 'unknown', text);
    }
    return;
  }
  const isJson = results.every(({ body }) => parseJson(body) !== undefined);
  const namings = results.map(({ body }) => findTierMentions(body, createKnownIds(world)));
  const reading = determineReading(namings, tierPatterns);
  const available = world.tiers.filter(({ id }) => !unavailable.has(id)).length;
  if (!isJson) say('Responses', 'problem', 'A successful body is no JSON, so what it returns cannot be read.');
  else sayReading(reading, namings, available, say);
  const named = new Set(namings.flatMap(({ idsByPattern: places }) => [...places.values()].flat())).size;
  if (available === 0) {
    const text = 'No promotion has an id, so only cases that need none are judged.';
    say('Ids', 'unknown', [text, anyWillDo(suite)].filter(Boolean).join(' '));
  } else if (named === 0)
    say(
      'Ids',
      'problem',
      'No promotion of the world is named in what is returned. Is the world loaded (conformance world), and if the deployment gives its own ids, are they in the target file (ids, or bindings)?',
    );
  else {
    const more = unavailable.size === 0 ? '' : ` ${unavailable.size} names have no id; certify says which are needed.`;
    say('Ids', 'fine', `${named} promotions of the world are named in what is returned.${more}`);
  }
}

/** @param available how many promotions of the world the target has */
function sayReading(reading: TierReading, namings: readonly TierMentions[], available: number, say: Say): void {
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated') {
    const [naming] = namings;
    if (naming !== undefined) say('Responses', 'problem', readReturnedTiers(naming, reading).reason);
  } else if (reading.kind === 'stated') {
    say('Responses', 'fine', `Promotions are read under ${reading.patterns.join(' and ')}, as the target file states.`);
  } else if (reading.patterns.length > 0) {
    say('Responses', 'fine', `Promotions are named under ${reading.patterns.join(' and ')}.`);
  } else if (available === 0) {
    const hint = 'Say it in the target file: response: { tier: /promotions/*/id }.';
    say('Responses', 'unknown', `They are JSON; where they name promotions cannot be found out without ids. ${hint}`);
  } else {
    say('Responses', 'unknown', 'They are JSON, and name no promotion that is known.');
  }
}

const marks: Readonly<Record<DiagnosisFinding['state'], string>> = { fine: 'fine', problem: 'PROBLEM', unknown: '?' };

/** The findings for people, a line each. */
export function renderFindings(findings: readonly DiagnosisFinding[]): string {
  const width = Math.max(...diagnosisAreas.map((area) => area.length));
  return joinLines(
    findings.map(({ area, state, text }) => `${area.padEnd(width)}  ${marks[state].padEnd(7)}  ${text}`),
  );
}
