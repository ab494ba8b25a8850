import { expect, test } from '@playwright/test';
import { equivalentRequestForms } from '../../src/cases/equivalent-request-forms.js';
import { renderFilterParameter } from '../../src/contract/operation.js';
import { windowSize } from '../../src/contract/world.js';
import { narrow } from '../../src/explanation/narrow.js';
import type { NarrowedFailure, NarrowingContext } from '../../src/explanation/narrowed-failure.js';
import { listSymptoms } from '../../src/explanation/symptom.js';
import { SymptomInquiry } from '../../src/explanation/symptom-inquiry.js';
import { encodeQueryText, parseRequest } from '../../src/http/decoded-request.js';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { TargetContext } from '../../src/judge/collect-row-evidence.js';
import { getMember, isJsonObject, parseJson } from '../../src/support/json.js';
import { channelTo, recognizer, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { runWithEvidence } from '../support/run-with-evidence.js';

type Json = Readonly<Record<string, unknown>>;
type Answer = (request: HttpRequest) => HttpResponse;

const { world } = suite;
const conforming = createIndependentDeployment(world) as Answer;
const plain = suite.calibration[0] as HttpRequest;
const idOf = (name: string) => world.tiers.find((tier) => tier.name === name)?.id ?? '';

/** Narrows the first symptom that a request has. */
function narrowRequest(answer: Answer, request: HttpRequest, tierName?: string): NarrowedFailure {
  const send = (sent: HttpRequest) => ({ request: sent, response: answer(sent) }) as Exchange;
  const target: TargetContext = {
    world,
    recognizer,
    calibration: suite.calibration.map(send) as TargetContext['calibration'],
    isWorldSeen: true,
  };
  const start = send(request);
  const symptoms = listSymptoms(start, target);
  const symptom = symptoms.find(
    (found) => tierName === undefined || (found.kind !== 'refused' && found.tier.name === tierName),
  );
  if (symptom === undefined) throw new Error(`The request has no such symptom: ${JSON.stringify(request)}`);
  const around: NarrowingContext = {
    plain,
    maxReturned: Number.POSITIVE_INFINITY,
    counts: [],
    isUnstable: false,
    isWrongAmongOthersOnly: false,
    isDoubtful: false,
    isSometimesRight: () => true,
    sent: [],
  };
  const comparison = { with: request, mayLackRules: false };
  const steps = narrow(start, new SymptomInquiry(symptom, target, { left: 40 }, comparison), around);
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.map(send));
  return step.value;
}

function refuse(status: number): HttpResponse {
  return { status, headers: [], body: '{}' };
}

function readBody({ body = '' }: HttpRequest): Json {
  return parseJson(body) as Json;
}

function withBody(change: (body: Json) => Json): HttpRequest {
  return { ...plain, body: JSON.stringify(change(readBody(plain))) };
}

function withFilter(key: string, value: string, request = plain): HttpRequest {
  const name = renderFilterParameter({ on: 'metadata', key });
  return { ...request, path: `${request.path}?${encodeQueryText(name)}=${encodeQueryText(value)}` };
}

function readFilter(request: HttpRequest): readonly [key: string, value: string] | undefined {
  const [[name = '', value = ''] = []] = parseRequest(request).query;
  const [, key] = /metadata\.(.+)\]\[cond/s.exec(name) ?? [];
  return key === undefined ? undefined : [key, value];
}

/** Reads the items of an order that fulfil a condition alone. */
const readingItems =
  (isRead: (item: Json) => boolean): Answer =>
  (request) => {
    const body = readBody(request);
    const order = body.order as Json;
    const items = (order.items as Json[]).filter(isRead);
    return conforming({ ...request, body: JSON.stringify({ ...body, order: { ...order, items } }) });
  };

/** Changes the ids of a result. */
const listing =
  (change: (ids: readonly string[], request: HttpRequest) => readonly string[]): Answer =>
  (request) => {
    const response = conforming(request);
    const { data } = parseJson(response.body) as { data: readonly Json[] };
    const ids = change(
      data.map(({ id }) => String(id)),
      request,
    );
    return { ...response, body: JSON.stringify({ data: ids.map((id) => ({ id })) }) };
  };

const reversed = equivalentRequestForms['members-reversed'](plain);

test('Which member stands before which is said, of an item and of the body', () => {
  const byPosition = readingItems((item) => Object.keys(item)[0] !== 'quantity');
  expect(narrowRequest(byPosition, reversed).sentence).toMatch(
    /^With quantity before product_id in the item, .* is not returned.* With product_id before quantity, .* is returned/,
  );
  const optionsFirst: Answer = (request) =>
    Object.keys(readBody(request)).indexOf('metadata') < 2 ? refuse(400) : conforming(request);
  expect(narrowRequest(optionsFirst, reversed).sentence).toMatch(
    /^With metadata before order in the body, the answer is 400\. With order before metadata, the request is accepted/,
  );
});

test('An order of members in which the suite writes no plain request may be right, and others be wrong', () => {
  const byPosition = readingItems((item) => Object.keys(item)[0] === 'quantity');
  expect(narrowRequest(byPosition, plain).sentence).toMatch(
    /^With product_id before quantity in the item, .* is not returned.* With quantity before product_id, .* is returned/,
  );
});

test('The order of members is not named if items do not count in any order', () => {
  const { sentence } = narrowRequest(
    readingItems(() => false),
    reversed,
  );
  expect(sentence).not.toContain('before');
});

test('The order of entries of metadata is said if it decides', () => {
  const first = withBody((body) => ({ ...body, metadata: { other: 'x', store_name: 'Broadway' } }));
  const readingFirst: Answer = (request) => {
    const body = readBody(request);
    const metadata = Object.fromEntries(Object.entries(body.metadata as Json).slice(0, 1));
    return conforming({ ...request, body: JSON.stringify({ ...body, metadata }) });
  };
  expect(narrowRequest(readingFirst, first, 'broadway').sentence).toMatch(
    /^With metadata "other" = "x" before metadata "store_name" = "Broadway", .*With metadata "store_name" .* before/,
  );
});

test('Which header decides is said, and what of it', () => {
  const refusing =
    (isRefused: (headers: HttpRequest['headers'], sent: HttpRequest['sent']) => boolean): Answer =>
    (request) =>
      isRefused(request.headers, request.sent) ? refuse(401) : conforming(request);
  const lower = equivalentRequestForms['header-names-in-lower-case'](plain);
  const hasName = (wanted: string) => refusing((headers) => headers.some(([name]) => name === wanted));
  expect(narrowRequest(hasName('x-client-token'), lower).sentence).toBe(
    'With the name of the header X-Client-Token in lower case (x-client-token), the answer is 401. With X-Client-Token, the request is accepted. Right: the name x-client-application-id, the name content-type.',
  );
  const [application, token, type] = plain.headers as [HttpRequest['headers'][number], ...HttpRequest['headers']];
  const change = (...headers: HttpRequest['headers']): HttpRequest => ({ ...plain, headers });
  const others: readonly (readonly [HttpRequest, Answer, RegExp])[] = [
    [
      change(token as never, application, type as never),
      refusing(([first]) => first?.[0] === 'X-Client-Token'),
      /^With the headers in this order: X-Client-Token, X-Client-Application-Id, Content-Type, the answer is 401/,
    ],
    [
      change(...plain.headers, ['X-Request-Id', '7']),
      refusing((headers) => headers.length > 3),
      /^With the header X-Request-Id: 7, the answer is 401\. Without it, the request is accepted/,
    ],
    [
      equivalentRequestForms['with-accept-headers'](plain),
      refusing((headers, sent) => sent !== undefined || headers.some(([name]) => name === 'Accept-Language')),
      /^With the header Accept-Language: de.*, the answer is 401\. Without it, .*Right: Accept, Accept-Encoding/,
    ],
  ];
  for (const [request, answer, sentence] of others) expect(narrowRequest(answer, request).sentence).toMatch(sentence);
});

/** Returns an old promotion whatever its rank, if its rules hold. */
const returningOld = (name: string, isShown: (request: HttpRequest) => boolean): Answer => {
  const old = world.tiers.filter((tier) => tier.name === name);
  const newest = createIndependentDeployment({ ...world, tiers: old }) as Answer;
  return listing((ids, request) => {
    const isValid = newest(request).body.includes(idOf(name));
    return isValid && isShown(request) ? [...ids, idOf(name)] : ids;
  });
};

test('A promotion that is too old is compared with requests for which its other rules hold', () => {
  const withMug = withFilter('stock', 'many');
  const withFilters = returningOld('beyond-mug', (request) => request.path.includes('?'));
  expect(world.tiers.findIndex(({ name }) => name === 'beyond-mug')).toBeGreaterThan(windowSize);
  expect(narrowRequest(withFilters, withMug, 'beyond-mug').sentence).toMatch(
    /^With the filter "stock" = "many", 'beyond-mug' is returned, although it is older.* Without it, 'beyond-mug' is not returned/,
  );
  // If nothing decides but its rank, a request that its rule does not hold for says nothing.
  const always = returningOld('beyond-mug', () => true);
  const { sentence, right } = narrowRequest(always, withMug, 'beyond-mug');
  expect(sentence).toMatch(/^For the request/);
  expect(right).toBeUndefined();
});

test('Which rules are enough is said if another rule of a promotion does not count', () => {
  const name = 'mug-and-plate';
  const orderOf = (items: readonly Json[]) => withBody((body) => ({ ...body, order: { items, metadata: {} } }));
  const [mug, lamp] = ['mug', 'lamp'].map((product) => ({ product_id: world.ids.product.get(product), quantity: 1 }));
  const eitherRule = listing((ids, request) => {
    const isOrdered = request.body?.includes(String(mug?.product_id)) === true;
    return isOrdered && !ids.includes(idOf(name)) ? [...ids, idOf(name)] : ids;
  });
  const { sentence, right } = narrowRequest(eitherRule, orderOf([mug as Json, lamp as Json]), name);
  expect(sentence).toMatch(
    /the item product mug × 1.*'mug-and-plate' is returned, although it asks for 1 of product plate/,
  );
  expect(right).toBeDefined();
});

/** Refuses entries of order metadata by their keys. */
const refusingKeys =
  (isRefused: (key: string) => boolean): Answer =>
  (request) => {
    const metadata = getMember(readBody(request).order, 'metadata');
    return isJsonObject(metadata) && Object.keys(metadata).some(isRefused) ? refuse(500) : conforming(request);
  };

test('Keys that the test data has are tried beside keys that it has not', () => {
  const known = new Set(world.tiers.flatMap(({ rules }) => rules.flatMap((rule) => ('key' in rule ? [rule.key] : []))));
  const request = withBody((body) => ({
    ...body,
    order: { ...(body.order as Json), metadata: { gift_options: ['card'] } },
  }));
  expect(
    narrowRequest(
      refusingKeys((key) => !known.has(key) && key !== 'x'),
      request,
    ).sentence,
  ).toMatch(
    /^With order\.metadata "quobble" = \["x"\], the answer is 500\. With order\.metadata "payment_mean" = \["x"\], the request is accepted\. Refused: all tried keys that the test data does not have \(.*\)\. Accepted: all tried keys that it has \("payment_mean"/,
  );
  // A letter decides, and not whether a key is known.
  const { sentence } = narrowRequest(
    refusingKeys((key) => key.includes('_')),
    request,
  );
  expect(sentence).toMatch(/^With order\.metadata "_" = \["x"\], the answer is 500\. With order\.metadata "x"/);
});

test('Which texts a filter finds, and which it does not, is listed', () => {
  const losing = (isLost: (key: string, value: string) => boolean): Answer =>
    listing((ids, request) => {
      const filter = readFilter(request);
      return filter !== undefined && isLost(...filter) ? [] : ids;
    });
  const request = withFilter('has_budget', 'true');
  const { sentence } = narrowRequest(
    losing((_, value) => value === 'true' || value === 'false'),
    request,
    'budget',
  );
  expect(sentence).toMatch(/^With the filter "has_budget" = "true", 'budget' is not returned/);
  const [, lost = '', found = ''] = /Texts that are not found: (.*)\. Found: (.*)\.$/.exec(sentence) ?? [];
  expect(lost).toContain('"on_sale" = "true"');
  expect(lost).toContain('"has_budget" = "false"');
  expect(found).toContain('"has_budget" = "true story"');
  // A key decides: the same value is found under another one.
  const ofKey = narrowRequest(
    losing((key) => key === 'has_budget'),
    request,
    'budget',
  ).sentence;
  expect(ofKey).toMatch(
    /Texts that are not found: ("has_budget" = "[^"]*"(, )?)+( and \d+ more)?\. Found: "is_gift" = "true"/,
  );
});

test('A long text is shrunk to the letter that gets a status, in a filter whose key has it as well', () => {
  const [key, value] = world.tiers
    .flatMap(({ metadata }) => Object.entries(metadata))
    .find(([name, is]) => name.includes('🎁') && name.length > 100 && String(is).includes('🎁')) as [string, string];
  const refusing =
    (isRefused: (key: string, value: string) => boolean): Answer =>
    (request) => {
      const filter = readFilter(request);
      return filter !== undefined && isRefused(...filter) ? refuse(500) : conforming(request);
    };
  const inBoth = refusing((...texts) => texts.join('').includes('🎁'));
  expect(narrowRequest(inBoth, withFilter(key, value)).sentence).toBe(
    'With the filter "level" = "🎁", the answer is 500. With the filter "level" = "x", the request is accepted.',
  );
  // The key alone decides: no plain key takes its place.
  const inKey = refusing((name) => name.includes('🎁'));
  expect(narrowRequest(inKey, withFilter(key, value)).sentence).not.toMatch(/^With the filter "level"/);
});

test('Signs in the values of filters that are refused, not found or taken for others are one cause', {
  tag: '@long',
}, async () => {
  const matching: Answer = (request) => {
    const filter = readFilter(request);
    if (filter === undefined) return conforming(request);
    const [key, value] = filter;
    let pattern: RegExp;
    try {
      pattern = new RegExp(`^(?:${value})$`, 's');
    } catch {
      return refuse(500);
    }
    const [path = ''] = request.path.split('?');
    const found = new Set(
      world.tiers.filter(({ metadata }) => pattern.test(String(metadata[key]))).map(({ id }) => id),
    );
    const response = conforming({ ...request, path });
    const { data } = parseJson(response.body) as { data: readonly Json[] };
    return { ...response, body: JSON.stringify({ data: data.filter(({ id }) => found.has(String(id))) }) };
  };
  const { causes = [] } = (await runWithEvidence(channelTo(matching))).certificate;
  const contrasts = causes.filter(({ id }) => id.startsWith('contrast'));
  expect(contrasts).toHaveLength(1);
  expect(contrasts[0]?.sentence).toMatch(/the answer is 500/);
  expect(contrasts[0]?.evidence.join(' ')).toMatch(/Texts that are not found: /);
});
