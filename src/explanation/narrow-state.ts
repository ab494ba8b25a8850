/**
 * Finds out which earlier request changes the answer to a later one. In: an exchange that was wrong once, and is right when it
 * is sent again alone. Out: the two requests that have to follow each other, and the smallest difference between them that
 * was found. Pure (see `inquiry.ts`).
 */

import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { Inquiry, RequestGenerator } from './inquiry.js';
import {
  describeRightResult,
  describeSymptom,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import { type DecomposedRequest, type RequestComponent, takeRequestApart } from './request-components.js';

/** How many earlier requests with the same answer are tried. */
const maxEarlier = 2;

export function* narrowState(
  start: Exchange,
  inquiry: Inquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const later = takeRequestApart(start.request, around.plain);
  if (later === undefined) return undefined;
  for (const earlier of listSuspects(start, around.sent)) {
    const before = takeRequestApart(earlier.request, around.plain);
    if (before === undefined) continue;
    const found = yield* tryPair(inquiry, before, later);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Lists earlier requests whose answer came back, the last one first. */
function listSuspects(start: Exchange, sent: readonly Exchange[]): Exchange[] {
  const place = sent.indexOf(start);
  const before = sent.slice(0, place === -1 ? sent.length : place).toReversed();
  const body = getBody(start);
  const alike = before.filter((exchange) => getBody(exchange) === body && exchange.request.body !== start.request.body);
  const [last] = before;
  return [...alike, ...(last === undefined ? [] : [last])].slice(0, maxEarlier);
}

function getBody(exchange: Exchange): string | undefined {
  return 'response' in exchange ? exchange.response.body : undefined;
}

/** A request that no cache has seen: both get one more entry of metadata that no rule asks for. */
function mark({ components, compose }: DecomposedRequest, turn: string): HttpRequest {
  return compose([...components, { kind: 'metadata', key: 'narrowing', value: turn }]);
}

function* tryPair(
  inquiry: Inquiry,
  before: DecomposedRequest,
  after: DecomposedRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  // Without the earlier request it has to be right, or another request decides.
  if ((yield* inquiry.ask(mark(after, 'alone'))) !== 'right') return undefined;
  let turn = 0;
  const askAfter = function* (first: DecomposedRequest) {
    turn += 1;
    const [one, two] = [mark(first, String(turn)), mark(after, String(turn))];
    const answered = yield* inquiry.send(one);
    if (answered === undefined) return undefined;
    return (yield* inquiry.ask(two)) === 'wrong' ? ([one, two] as const) : undefined;
  };
  const whole = yield* askAfter(before);
  if (whole === undefined) return undefined;
  let shown = whole;
  let difference = describeDifference(before.components, after.components);
  for (const [what, first] of listNearer(before, after)) {
    const nearer = yield* askAfter(first);
    if (nearer === undefined) continue;
    shown = nearer;
    difference = what;
    break;
  }
  const [first, second] = shown;
  const sentence = `After the first of these two requests, the second one is wrong: ${describeSymptom(inquiry, second)}. Alone, ${describeRightResult(inquiry)}. They differ in ${difference}.`;
  const wrong = [first, second].flatMap((request) => inquiry.getExchange(request) ?? []);
  return { shape: 'state', sentence, wrong, right: inquiry.getExchange(mark(after, 'alone')) };
}

const partNames: Readonly<Record<RequestComponent['kind'], string>> = {
  parameter: 'the query',
  item: 'the items',
  metadata: 'the metadata',
  'order-metadata': 'order.metadata',
  option: 'the options',
};

function describeDifference(left: readonly RequestComponent[], right: readonly RequestComponent[]): string {
  const kinds = (Object.keys(partNames) as RequestComponent['kind'][]).filter(
    (kind) => serializeKind(left, kind) !== serializeKind(right, kind),
  );
  return kinds.length === 0 ? 'the customer' : kinds.map((kind) => partNames[kind]).join(', ');
}

function serializeKind(components: readonly RequestComponent[], kind: RequestComponent['kind']): string {
  return JSON.stringify(components.filter((component) => component.kind === kind));
}

/** Lists requests that differ from the later one in one part alone, which they have from the earlier one. */
function* listNearer(
  before: DecomposedRequest,
  after: DecomposedRequest,
): Generator<readonly [what: string, request: DecomposedRequest]> {
  if (before.compose([]).body !== after.compose([]).body)
    yield ['the customer', { ...before, components: after.components }];
  for (const kind of Object.keys(partNames) as RequestComponent['kind'][]) {
    if (serializeKind(before.components, kind) === serializeKind(after.components, kind)) continue;
    const kept = after.components.filter((component) => component.kind !== kind);
    const ofEarlier = before.components.filter((component) => component.kind === kind);
    yield [partNames[kind], { ...after, components: [...kept, ...ofEarlier] }];
  }
}
