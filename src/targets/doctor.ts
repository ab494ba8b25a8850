import type { RequirementCase } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { type Channel, type Exchange, type HttpRequest, type HttpResponse, headerValues } from '../http/exchange.js';
import { knownIds, succeeded, troubleOf } from '../judge/check.js';
import { type KnownIds, type Naming, namingOf, type Reading, readingOf, resultOf } from '../recognition/recognise.js';
import { parseJson } from '../support/json.js';
import type { Target } from './target.js';

/** What is examined, in this order. */
export const areas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type Area = (typeof areas)[number];

/** What was found out about one of them: `unknown` where something else has to be mended first. */
export interface Finding {
  readonly area: Area;
  readonly state: 'fine' | 'trouble' | 'unknown';
  /** In plain words, with what to do. */
  readonly text: string;
}

type Answered = Extract<Exchange, { response: unknown }>;

/** The case whose two requests differ in their bodies alone, and promise different results. */
const twoBodies = 'body-of-get-decides';
/** Its request needs nothing but a customer and a product. */
const anyBody = 'any-data-get-with-body';

/**
 * Sends at most three requests, and says what is fine and what is not.
 *
 * @param suite as it is for the target: with its ids
 */
export async function examine(suite: Suite, target: Target, channel: Channel): Promise<Finding[]> {
  const said = new Map<Area, Finding>();
  const say = (area: Area, state: Finding['state'], text: string) =>
    said.set(area, { area, state, text: channel.redact(text) });
  const [first, second] = requestsFor(suite);
  if (first === undefined) {
    say('Ids', 'trouble', 'Not even a customer and a product have an id. Give customers.ann and products.mug one.');
    return complete(said);
  }
  const one = await channel.send(first);
  if (!isOverTheWay(one, target, say)) return complete(said);
  const bare = await channel.send({ method: first.method, path: first.path, headers: first.headers });
  if (!isAnswered(one, bare, say)) return complete(said);
  const two = second === undefined ? undefined : await channel.send(second);
  examineBody(one, [two, bare], suite, say);
  examineResponses([one, two], suite, target, say);
  return complete(said);
}

type Say = (area: Area, state: Finding['state'], text: string) => void;

function complete(said: ReadonlyMap<Area, Finding>): Finding[] {
  return areas.map(
    (area) => said.get(area) ?? { area, state: 'unknown', text: 'Not known; hint what is in trouble first.' },
  );
}

/** Two requests whose results must differ, where the target holds what they need; otherwise one. */
function requestsFor({ cases }: Suite): HttpRequest[] {
  const rows = [twoBodies, anyBody].map((id) => {
    const testCase = cases.find((each): each is RequirementCase => each.kind === 'requirement' && each.id === id);
    return testCase?.rows[0];
  });
  const applicable = rows.find((row) => row !== undefined && row.missing.length === 0);
  return [...(applicable?.requests.values() ?? [])];
}

/** Whether a response came from where the operation might be. */
function isOverTheWay(exchange: Exchange, { place }: Target, say: Say): exchange is Answered {
  if (!('response' in exchange)) {
    say(exchange.transportError === 'tls' ? 'TLS' : 'URL', 'trouble', exchange.message);
    return false;
  }
  const isTls = place.kind === 'deployment' && place.baseUrl.startsWith('https:');
  say('TLS', 'fine', isTls ? 'The certificate of the deployment is trusted.' : 'Not used: the base URL is http.');
  const { status, headers } = exchange.response;
  const trouble = troubleOf(exchange);
  const [to] = headerValues(headers, 'location');
  if (trouble !== undefined) say('URL', 'trouble', `${trouble} Try again later, or set pacing in the target file.`);
  else if (status >= 300 && status < 400)
    say('URL', 'trouble', `Redirected (${status})${to === undefined ? '' : ` to ${to}`}. Name that as the base URL.`);
  else return true;
  return false;
}

/** Whether the operation answers. @param bare what came without a body */
function isAnswered({ response: { status } }: Answered, bare: Exchange, say: Say): boolean {
  if (status >= 400 && 'response' in bare && succeeded(bare.response)) {
    say('URL', 'fine', 'The operation answers.');
    say('Credentials', 'fine', 'They are not refused.');
    const hint = 'Something on the way refuses it, or the deployment does. Ask the deployment without proxies.';
    say('Body on GET', 'trouble', `With a body the answer is ${status}, without one ${bare.response.status}. ${hint}`);
    return false;
  }
  if (status === 401 || status === 403) {
    say('URL', 'fine', 'Something answers there.');
    const hint = 'Check CLIENT_APPLICATION_ID and CLIENT_TOKEN: are they of this deployment, and of one pair?';
    say('Credentials', 'trouble', `Answered ${status}. ${hint}`);
    return false;
  }
  if (status === 404 || status === 405 || status === 501) {
    const hint =
      'Is the base URL right, with a path if the deployment has one? If the operation is offered elsewhere, ';
    say('URL', 'trouble', `Answered ${status}. ${hint}say so in the target file: operation: { method: …, path: … }.`);
    return false;
  }
  say('URL', 'fine', 'The operation answers.');
  say('Credentials', 'fine', 'They are not refused.');
  return true;
}

const lost =
  'It seems to be lost on the way: some proxies, gateways and content networks drop the body of a GET. Ask the deployment without them, or have them let it pass.';

/** Whether the body of a GET arrives: then another body, or none, gets another result. */
function examineBody(one: Answered, others: readonly (Exchange | undefined)[], { world }: Suite, say: Say): void {
  // An error may well be the same for any body.
  if (!succeeded(one.response)) return;
  const ids = knownIds(world.world);
  const answered = others.flatMap((other) =>
    other !== undefined && 'response' in other && troubleOf(other) === undefined ? [other.response] : [],
  );
  const first = resultText(one.response, ids);
  if (answered.some((response) => resultText(response, ids) !== first))
    say('Body on GET', 'fine', 'Another body, or none, gets another answer.');
  else if (answered.length > 0)
    say('Body on GET', 'trouble', `The answer is the same with another body, and with none. ${lost}`);
}

/** What a response returns, without what differs from answer to answer. */
function resultText({ status, body }: HttpResponse, ids: KnownIds): string {
  const { places, unplaced } = namingOf(body, ids);
  const named = [...new Set([...[...places.values()].flat(), ...unplaced])].sort();
  return `${status} ${named.length > 0 ? named.join() : body.replaceAll(/[\w.:+-]*\d[\w.:+-]*/g, '…')}`;
}

function examineResponses(
  exchanges: readonly (Exchange | undefined)[],
  suite: Suite,
  { tierPatterns }: Target,
  say: Say,
): void {
  const responses = exchanges.flatMap((each) => (each !== undefined && 'response' in each ? [each.response] : []));
  const results = responses.filter(succeeded);
  const { world, unavailable } = suite.world;
  const [status] = responses.map((response) => response.status);
  if (results.length === 0) {
    say('Responses', 'trouble', `Answered ${status}: the request is documented, and was not accepted.`);
    if (status !== undefined && status < 500)
      say(
        'Ids',
        'unknown',
        'Perhaps the deployment does not know the customer or the products; see conformance world.',
      );
    return;
  }
  const isJson = results.every(({ body }) => parseJson(body) !== undefined);
  const namings = results.map(({ body }) => namingOf(body, knownIds(world)));
  const reading = readingOf(namings, tierPatterns);
  const heldTiers = world.tiers.filter(({ id }) => !unavailable.has(id)).length;
  if (!isJson) say('Responses', 'trouble', 'A successful body is no JSON, so what it returns cannot be read.');
  else sayReading(reading, namings, heldTiers, say);
  const named = new Set(namings.flatMap(({ places }) => [...places.values()].flat())).size;
  if (heldTiers === 0) say('Ids', 'unknown', 'No promotion has an id, so only cases that need none are judged.');
  else if (named === 0)
    say(
      'Ids',
      'trouble',
      'No promotion of the world is named in what is returned. Is the world loaded (conformance world), and if the deployment gives its own ids, are they in the target file (ids, or bindings)?',
    );
  else {
    const lacking =
      unavailable.size === 0 ? '' : ` ${unavailable.size} names have no id; certify says which are needed.`;
    say('Ids', 'fine', `${named} promotions of the world are named in what is returned.${lacking}`);
  }
}

function sayReading(reading: Reading, namings: readonly Naming[], heldTiers: number, say: Say): void {
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated') {
    const [naming] = namings;
    if (naming !== undefined) say('Responses', 'trouble', resultOf(naming, reading).because);
  } else if (reading.kind === 'stated') {
    say('Responses', 'fine', `Promotions are read under ${reading.patterns.join(' and ')}, as the target file states.`);
  } else if (reading.patterns.length > 0) {
    say('Responses', 'fine', `Promotions are named under ${reading.patterns.join(' and ')}.`);
  } else if (heldTiers === 0) {
    const hint = 'Say it in the target file: response: { tier: /promotions/*/id }.';
    say('Responses', 'unknown', `They are JSON; where they name promotions cannot be found out without ids. ${hint}`);
  } else {
    say('Responses', 'unknown', 'They are JSON, and name no promotion that is known.');
  }
}

const marks: Readonly<Record<Finding['state'], string>> = { fine: 'fine', trouble: 'TROUBLE', unknown: '?' };

/** The findings for people, a line each. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...areas.map((area) => area.length));
  return findings
    .map(({ area, state, text }) => `${area.padEnd(width)}  ${marks[state].padEnd(7)}  ${text}\n`)
    .join('');
}
