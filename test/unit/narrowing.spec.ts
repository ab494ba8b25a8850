import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import type { DeploymentFacts, Handlers } from '../../reference/deployment/handlers.js';
import type { ParsedRequest } from '../../reference/deployment/parsed-request.js';
import { certify } from '../../src/api.js';
import { createOracle } from '../../src/contract/oracle.js';
import type { Tier } from '../../src/contract/world.js';
import { diagnoseRun } from '../../src/explanation/diagnose-run.js';
import { loopMistakes } from '../../src/explanation/loop-mistakes.js';
import { describeRequestComponent, takeRequestApart } from '../../src/explanation/request-components.js';
import { findLeastTextDifference, quoteAroundDifference } from '../../src/explanation/text-difference.js';
import { openClient } from '../../src/http/client.js';
import { parseRequest } from '../../src/http/decoded-request.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import type { ProvedMistakes } from '../../src/run/case-report.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { getMember, isJsonObject, parseJson } from '../../src/support/json.js';
import { quoteText } from '../../src/support/quote-text.js';
import { createTimedChannel, indexExchanges } from '../../tools/proof/judge-deployment.js';
import { createRandom } from '../support/chaos.js';
import { makeTestFolder } from '../support/cli.js';
import { type Answer, certifyOver, channelTo, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { listenStatefully } from '../support/listen-on-loopback.js';
import { judgeAgain, runWithEvidence } from '../support/run-with-evidence.js';

/** A fault that no structural mistake explains: filters are lost with expand. */
const broken = createReference({ faults: ['requests-expand/filters-lost'] });

const plain = suite.calibration[0] as HttpRequest;

test('Every request of a requirement that has a documented body is put together as it was', () => {
  const requests = suite.cases.filter(({ kind }) => kind === 'requirement').flatMap(listRequestsOfCase);
  const apart = requests.flatMap((request) => {
    const parts = takeRequestApart(request, plain);
    return parts === undefined ? [] : [{ request, again: parts.compose(parts.components) }];
  });
  expect(apart.length).toBeGreaterThan(requests.length / 2);
  for (const { request, again } of apart) {
    const [before, after] = [parseRequest(request), parseRequest(again)];
    expect(after.query).toEqual(before.query);
    expect(after.body).toMatchObject(before.body as Record<string, unknown>);
  }
});

test('A part is left out, and nothing else', () => {
  const request: HttpRequest = {
    ...plain,
    body: '{"customer":{"id":"c"},"order":{"items":[{"sku_id":"s","quantity":2}],"metadata":{}},"options":{},"metadata":{"a":"b"}}',
  };
  const { components, compose } = takeRequestApart(request, plain) as NonNullable<ReturnType<typeof takeRequestApart>>;
  expect(components.map((component) => describeRequestComponent(component, (id) => `<${id}>`))).toEqual([
    'metadata "a" = "b"',
    'the item SKU <s> × 2',
  ]);
  const { body } = parseRequest(compose(components.slice(1)));
  expect(body).toEqual({
    customer: { id: 'c' },
    order: { items: [{ sku_id: 's', quantity: 2 }], metadata: {} },
    options: {},
    metadata: {},
  });
});

test('A body that is no documented object is not taken apart', () => {
  for (const body of ['', '[]', '{"order":{"items":{}}}', '{"metadata":[]}', '{"order":[]}'])
    expect(takeRequestApart({ ...plain, body }, plain), body).toBeUndefined();
});

test('What the same responses proved before is not looked for again; with other responses, everything is', async () => {
  const recognizer = createRecognizer(suite.world);
  const { results, evidence } = await certifyOver(channelTo(createReference({ faults: ['window-of-100'] })), suite);
  const index = indexExchanges(evidence, recognizer);
  const diagnose = (proved?: ProvedMistakes) =>
    diagnoseRun({
      suite,
      results,
      index,
      statedPatterns: undefined,
      known: undefined,
      explanation: { ...(proved && { proved }), contrasts: [] },
    });
  const { causes, proved } = diagnose();
  const { compared } = proved as ProvedMistakes;
  expect(causes[0]?.id).toBe('window-size/100');
  expect(diagnose(proved).causes).toEqual(causes);
  expect(diagnose({ ids: [], compared }).causes[0]?.id).not.toBe('window-size/100');
  expect(diagnose({ ids: [], compared: compared - 1 }).causes).toEqual(causes);
});

test('Letters that one does not see are escaped', () => {
  expect(quoteText('a\u00adb e\u0301 \u2003')).toBe('"a\\u{ad}b e\\u{301} \\u{2003}"');
});

test('The letters are found in which two texts differ', () => {
  const [tier] = suite.world.tiers.filter(({ metadata }) => metadata.level === 'golden');
  if (tier === undefined) throw new Error('The world has no such tier.');
  const ask = (query: string): HttpRequest => ({ ...plain, path: `${plain.path}?${query}` });
  const filter = (value: string) => `[filters][metadata.level][conditions][$is]=${value}`;
  const find = (...queries: string[]) => {
    const found = findLeastTextDifference(queries.map(ask), tier);
    return found && [quoteAroundDifference(found, found.inAsked), quoteAroundDifference(found, found.inStored)];
  };
  expect(find(filter('gilden'))).toEqual(['"g[i]lden"', '"g[o]lden"']);
  expect(find(filter('gold'))).toEqual(['"gold[]"', '"gold[en]"']);
  expect(find(filter('goldens'))).toEqual(['"golden[s]"', '"golden[]"']);
  // The pair that differs least says most.
  expect(find(filter('silver'), filter('goldem'))).toEqual(['"golde[m]"', '"golde[n]"']);
  expect(find(filter('golden'))).toBeUndefined();
  expect(find(filter('a text that differs in many letters'))).toBeUndefined();
});

test('A failing run sends further requests, and shows one that is wrong and one that is right', async () => {
  const { certificate, evidence } = await runWithEvidence(channelTo(broken));
  const [cause] = certificate.causes ?? [];
  expect(cause).toMatchObject({ id: 'contrast/1', wrong: [{ repeat_with: expect.stringContaining('"expand"') }] });
  expect(cause?.right?.repeat_with).toContain('"options":{}');
  const narrowing = evidence.uses.filter((use) => use.case === 'narrowing');
  expect(narrowing.length).toBeGreaterThan(0);
  expect(narrowing.length).toBeLessThanOrEqual(60);
  expect(certificate.requests_sent).toBeLessThanOrEqual(300);
});

test('A conforming run, and one with --quick, send none', async () => {
  const conforming = await runWithEvidence(channelTo(createReference()));
  const quick = await runWithEvidence(channelTo(broken), { options: { quick: true } });
  expect(quick.certificate.verdict).toBe('does-not-conform');
  for (const { evidence } of [conforming, quick])
    expect(evidence.uses.filter((use) => use.case === 'narrowing')).toEqual([]);
});

test('narrowing: false in the target file turns it off', async () => {
  const target = path.join(makeTestFolder(), 'target.yaml');
  for (const [setting, isOn] of [
    ['narrowing: false\n', false],
    ['', true],
  ] as const) {
    writeFileSync(target, `name: shop\nbase_url: http://localhost\nallow_http: true\n${setting}`);
    const credentials = { applicationId: 'application', token: 'token-to-try' };
    const deployment = createReference({ faults: ['requests-expand/filters-lost'], credentials });
    const { causes = [] } = await certify(async (request) => deployment(request), { target, credentials });
    expect(causes.some(({ wrong }) => wrong !== undefined)).toBe(isOn);
  }
});

const conforming = createIndependentDeployment(suite.world);

/** Changes the metadata of a request before the deployment reads it. */
const readingMetadata =
  (read: (text: string) => string): Answer =>
  (request) => {
    const body = parseJson(request.body ?? '');
    const metadata = getMember(body, 'metadata');
    if (!isJsonObject(body) || !isJsonObject(metadata)) return conforming(request);
    const changed = Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, read(String(value))]));
    return conforming({ ...request, body: JSON.stringify({ ...body, metadata: changed }) });
  };

/** Answers without a look at a request whose filter has some value. */
const refusingFilters =
  (status: number, isRefused: (value: string) => boolean): Answer =>
  (request) => {
    const isMet = parseRequest(request).query.some(([name, value]) => name.includes('metadata.') && isRefused(value));
    return isMet ? { status, headers: [], body: '' } : conforming(request);
  };

/** Keeps responses under a key that lacks the customer. */
function cachingWithoutCustomer(): Answer {
  const kept = new Map<string, ReturnType<Answer>>();
  return (request) => {
    const body = parseJson(request.body ?? '');
    if (!isJsonObject(body)) return conforming(request);
    const key = JSON.stringify([request.path, { ...body, customer: '' }]);
    const response = kept.get(key) ?? conforming(request);
    kept.set(key, response);
    return response;
  };
}

/** Changes a body that is a JSON object before the deployment reads it. */
const readingBody =
  (change: (body: Readonly<Record<string, unknown>>) => unknown): Answer =>
  (request) => {
    const body = parseJson(request.body ?? '');
    return conforming(isJsonObject(body) ? { ...request, body: JSON.stringify(change(body)) } : request);
  };

/** Keeps the customer of the first request for all later ones. */
function keepingFirstCustomer(): Answer {
  let kept: unknown;
  return readingBody((body) => {
    kept ??= body.customer;
    return { ...body, customer: kept };
  });
}

/** Keeps the query of the first request that has one. */
function keepingFirstQuery(): Answer {
  let kept: string | undefined;
  return (request) => {
    const [path = '', query] = request.path.split('?');
    kept ??= query;
    return conforming({ ...request, path: kept === undefined ? path : `${path}?${kept}` });
  };
}

/** Changes the list of ids in a result. */
const listing =
  (change: (ids: readonly string[], request: HttpRequest) => readonly string[]): Answer =>
  (request) => {
    const response = conforming(request);
    const body = parseJson(response.body);
    if (!isJsonObject(body) || !Array.isArray(body.data)) return response;
    const ids = change(
      body.data.map((record: unknown) => String(getMember(record, 'id'))),
      request,
    );
    return { ...response, body: JSON.stringify({ data: ids.map((id) => ({ id })) }) };
  };

/** Removes what a filter leaves out for good. */
function removingFilteredOut(): Answer {
  const removed = new Set<string>();
  return listing((ids, request) => {
    const left = ids.filter((id) => !removed.has(id));
    const { filteredOn, matching } = createOracle(request, suite.world);
    if (filteredOn !== undefined)
      for (const tier of suite.world.tiers) if (matching(tier) === 'forbidden') removed.add(tier.id);
    return left;
  });
}

/** Finds nothing from some request on. */
function emptyAfter(count: number): Answer {
  let requests = 0;
  return listing((ids) => {
    requests += 1;
    return requests > count ? [] : ids;
  });
}

/** Looks at the items of one kind alone, that of the first item. */
const readingFirstKind = readingBody((body) => {
  const items = getMember(body.order, 'items');
  if (!isJsonObject(body.order) || !Array.isArray(items)) return body;
  const isProduct = (item: unknown) => getMember(item, 'product_id') !== undefined;
  return { ...body, order: { ...body.order, items: items.filter((item) => isProduct(item) === isProduct(items[0])) } };
});

/** Reads a body in blocks of bytes, each as a text. */
const readingInBlocks =
  (size: number): Answer =>
  (request) => {
    const bytes = Buffer.from(request.body ?? '');
    const blocks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size).toString(),
    );
    return conforming({ ...request, body: blocks.join('') });
  };

/** Sends as many bytes as the response has letters. */
const countingLetters: Answer = (request) => {
  const response = conforming(request);
  return { ...response, body: Buffer.from(response.body).subarray(0, response.body.length).toString() };
};

/** Answers 500 where it would have to name the categories of a campaign that has none. */
const failingWithoutCategory: Answer = (request) => {
  const { campaigns, tiers } = suite.world;
  const bare = new Set(campaigns.flatMap(({ id, category_ids }) => (category_ids.length === 0 ? id : [])));
  const response = conforming(request);
  const isExpanded = getMember(getMember(parseJson(request.body ?? ''), 'options'), 'expand') !== undefined;
  const fails = isExpanded && tiers.some((tier) => bare.has(tier.campaign_id) && response.body.includes(tier.id));
  return fails ? { status: 500, headers: [], body: '{}' } : response;
};

/** Looks for a customer by bisection in a list that nobody has sorted. */
const bisectingCustomers = listing((ids, { body = '' }) => {
  const customer = String(getMember(getMember(parseJson(body), 'customer'), 'id'));
  const isFound = (listed: readonly string[]): boolean => {
    const middle = Math.floor((listed.length - 1) / 2);
    const met = listed[middle];
    if (met === undefined || met === customer) return met === customer;
    return isFound(met < customer ? listed.slice(middle + 1) : listed.slice(0, middle));
  };
  return ids.filter((id) =>
    suite.world.tiers
      .filter((tier) => tier.id === id)
      .every(({ rules }) => rules.every((rule) => rule.kind !== 'customer' || isFound(rule.any_of))),
  );
});

/** Has a cache whose key lacks the metadata of the request. */
function cachingWithoutMetadata(): Answer {
  const kept = new Map<string, ReturnType<Answer>>();
  return (request) => {
    const { metadata: _, ...rest } = Object(parseJson(request.body ?? ''));
    const key = JSON.stringify([request.path, rest]);
    const response = kept.get(key) ?? conforming(request);
    kept.set(key, response);
    return response;
  };
}

/** Reads the first five items alone. */
const readingFiveItems = readingBody((body) => {
  const items = getMember(body.order, 'items');
  return isJsonObject(body.order) && Array.isArray(items)
    ? { ...body, order: { ...body.order, items: items.slice(0, 5) } }
    : body;
});

/** Goes on with a filter where the request before stopped, and so finds nothing each second time. */
function resumingFilters(): Answer {
  const halfway = new Set<string>();
  return listing((ids, { path }) => {
    const [, query = ''] = path.split('?');
    if (!query.includes('metadata.')) return ids;
    const isHalfway = halfway.delete(query);
    if (!isHalfway) halfway.add(query);
    return isHalfway ? [] : ids;
  });
}

/** Reads the rules of the newest promotions until it has 500 rows: one for each rule, customer and entry of metadata. */
function readingFirstRows(): Answer {
  let rows = 0;
  const tiers = suite.world.tiers.map((tier) => {
    const rules = tier.rules.filter((rule) => {
      const customers = rule.kind === 'customer' ? rule.any_of.length : 1;
      rows += customers * Math.max(1, Object.keys(tier.metadata).length);
      return rows <= 500;
    });
    return { ...tier, rules };
  });
  return createIndependentDeployment({ ...suite.world, tiers });
}

/** Compares values of metadata without the blanks at their end. */
function ignoringBlanksAtEnd(): Answer {
  const tiers = suite.world.tiers.map((tier) => {
    const entries = Object.entries(tier.metadata);
    const metadata = entries.map(([key, value]) => [key, typeof value === 'string' ? value.replace(/ +$/, '') : value]);
    return { ...tier, metadata: Object.fromEntries(metadata) };
  });
  const trimmed = createIndependentDeployment({ ...suite.world, tiers });
  return (request) => trimmed({ ...request, path: request.path.replace(/(%20|\+)+$/, '') });
}

/** Takes each item for a rule that holds: two equal items of a product are enough for two rules. */
const countingItemsAsRules = listing((ids, { body = '' }) => {
  const items = getMember(getMember(parseJson(body), 'order'), 'items');
  const products = (Array.isArray(items) ? items : []).flatMap((item) => getMember(item, 'product_id') ?? []);
  const isRepeated = (id: string) => products.filter((product) => product === id).length > 1;
  const { tiers } = suite.world;
  const held = tiers
    .slice(0, 150)
    .filter(({ rules }) => rules.length === 2 && rules.some((rule) => rule.kind === 'product' && isRepeated(rule.id)));
  return [...new Set([...ids, ...held.map(({ id }) => id)])];
});

/** Looks for the customer in the list of a rule as a part of a text. */
const findingPartsOfCustomers = createIndependentDeployment(suite.world, {
  mistakenRules: {
    customer: ({ any_of: listed }, body) => {
      const id = getMember(body.customer, 'id');
      return typeof id === 'string' && listed.join().includes(id);
    },
  },
});

/** Takes a product for another one with whose id its own begins, too. */
const comparingBeginningsOfProducts = readingBody((body) => {
  const items = getMember(body.order, 'items');
  if (!isJsonObject(body.order) || !Array.isArray(items)) return body;
  const taken = items.flatMap((item: Record<string, unknown>) => {
    const sent = String(item.product_id);
    const others = suite.world.products.filter(({ id }) => sent !== id && sent.startsWith(id));
    return [item, ...others.map(({ id }) => ({ ...item, product_id: id }))];
  });
  return { ...body, order: { ...body.order, items: taken } };
});

/** Finds the campaigns whose ids begin with the filter. */
const findingCampaignsByPrefix: Answer = (request) => {
  const asked = parseRequest(request).query.find(([name]) => name.includes('promotion_id'))?.[1];
  const listed = suite.world.campaigns.filter(({ id }) => asked !== undefined && id.startsWith(asked));
  if (listed.length < 2) return conforming(request);
  const ids = listed.flatMap(({ id }) => {
    const { body } = conforming({ ...request, path: request.path.replaceAll(asked ?? '', id) });
    const data = getMember(parseJson(body), 'data');
    return Array.isArray(data) ? data : [];
  });
  return { ...conforming(request), body: JSON.stringify({ data: ids }) };
};

/** Mistakes, and what the first contrast and its evidence say of them. */
const mistakes: readonly (readonly [what: string, create: () => Answer, sentence: RegExp])[] = [
  [
    'a cache lacks the customer',
    cachingWithoutCustomer,
    /differ in the customer|with the customer of an earlier request/,
  ],
  [
    'a customer is found whose id is a part of a listed one',
    () => findingPartsOfCustomers,
    /^The id of customer ann, "cust_\w+", is taken for that of customer cleo, "cust_\w+", which begins with it: 'for-cleo' is returned/,
  ],
  [
    'the beginnings of product ids are compared',
    () => comparingBeginningsOfProducts,
    /^The id of product plate, "prod_\w+", is taken for that of product mug, "prod_\w+", with which it begins: 'mug-\d' is returned/,
  ],
  [
    'a filter finds campaigns whose ids begin with it',
    () => findingCampaignsByPrefix,
    /^The id of campaign spring, "camp_\w+", is taken for that of campaign gala, "camp_\w+", which begins with it: /,
  ],
  [
    'a value of more than 100 letters is refused',
    () => refusingFilters(400, (value) => value.length > 100),
    /\(101 letters\)", the answer is 400.* \(100 letters\)", the request is accepted/,
  ],
  [
    'the body of a request in chunks is lost',
    () => (request) => conforming(request.sent === 'chunked' ? { ...request, body: '{}' } : request),
    /^Sent in chunks .* is not returned.*written and sent plainly.* is returned/,
  ],
  [
    'letters beyond ASCII in a body are lost',
    () => (request) => conforming({ ...request, body: request.body?.replaceAll(/[^\0-\x7f]/g, '?') }),
    /^With letters beyond ASCII in the body as they are, .* is not returned.*as escapes.* is returned/,
  ],
  [
    'a plus sign in metadata is read as a blank',
    () => readingMetadata((text) => text.replaceAll('+', ' ')),
    /"\+mark-7" = "\+gold", 'rule-plus-before' is not returned.*Rules that hold: /,
  ],
  [
    'a percent sign is answered 500',
    () => refusingFilters(500, (value) => value.includes('%')),
    /%.*the answer is 500/,
  ],
  [
    'the customer of the first request is kept',
    keepingFirstCustomer,
    /^Every request is answered as if its customer were \w+, whichever customer it names/,
  ],
  ['the filter of the first request is kept', keepingFirstQuery, /^Every request is answered as if it had the filter/],
  [
    'the first filter by campaign is kept for the others',
    () => createReference({ faults: ['campaign-filter-cached'] }),
    /^Every request with a filter by promotion_id is answered as if it had the filter by promotion_id \w+/,
  ],
  [
    'a filter removes promotions for good',
    removingFilteredOut,
    /are missing in every response after the first request with a filter that they do not match/,
  ],
  [
    'results are empty from some request on',
    () => emptyAfter(40),
    /^From request \d+ of the run on, results are empty/,
  ],
  [
    'the first item decides which kind of items counts',
    () => readingFirstKind,
    /^With the items in this order: .* is not returned.*reverse order, .* is returned/,
  ],
  [
    'keys of metadata become snake case',
    () =>
      readingBody((body) => {
        const entries = Object.entries(isJsonObject(body.metadata) ? body.metadata : {});
        const toSnakeCase = (key: string) => key.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        return { ...body, metadata: Object.fromEntries(entries.map(([key, value]) => [toSnakeCase(key), value])) };
      }),
    /under the key "storeName".* in place of "store_name", 'broadway' is returned/,
  ],
  [
    'a template in metadata is removed',
    () => readingMetadata((text) => text.replaceAll(/\$\{[^}]*\}/g, '')),
    /\$\{t\}" does not count/,
  ],
  [
    'a body is read in blocks of 1024 bytes',
    () => readingInBlocks(1024),
    /With one more blank before the body, .* is returned.*across a multiple of \d+/,
  ],
  ['responses are cut off by their letters', () => countingLetters, /^Responses with letters beyond ASCII are cut off/],
  [
    'a campaign without a category cannot be expanded',
    () => failingWithoutCategory,
    /expand.*the answer is 500.*All that got 500, and none of the others, have to return .*a campaign without a category/,
  ],
  [
    'a customer is looked for in an unsorted list',
    () => bisectingCustomers,
    /For the customer \w+, .*All of them, and none of those .*a rule whose customers are not in ascending order/,
  ],
  [
    'a filter together with expand is refused',
    () => (request) =>
      request.path.includes('?') && request.body?.includes('"category"')
        ? { status: 422, headers: [], body: '{}' }
        : conforming(request),
    /^With options\.expand = \["category"\] together with the filter .*, the answer is 422\. Without options\.expand/,
  ],
  ['blanks at the end do not count', ignoringBlanksAtEnd, /^(A blank|\d blanks) at the end does not count: .*␣/],
  [
    'each item counts as a rule',
    () => countingItemsAsRules,
    /^With the item product \w+ × \d twice, .* is returned.*With it once, .* is not returned/,
  ],
  [
    'rules are cut off after 500 rows',
    readingFirstRows,
    /always returned.*a rank from \d+ to \d+.*have \d+ rows of a join.*500 may be a limit/,
  ],
  [
    'a cache has a key without the metadata',
    cachingWithoutMetadata,
    /^After the first of these two requests, the second one is wrong.*Alone, .* is returned.*differ in the metadata/,
  ],
  ['five items count', () => readingFiveItems, /as item 6 of the order, .* is not returned.*As item 5, .* is returned/],
  [
    'a filter goes on where the request before stopped',
    resumingFilters,
    /The same request, sent 6 times.*Without the query, sent as often, it is right each time/,
  ],
];

for (const [n, [what, create, sentence]] of mistakes.entries())
  test(`The first contrast says what makes the difference if ${what}`, {
    tag: n < 3 || n % 4 === 2 ? [] : '@long',
  }, async () => {
    const { certificate } = await runWithEvidence(channelTo(create()));
    const [cause] = certificate.causes ?? [];
    expect([cause?.sentence, ...(cause?.evidence ?? [])].join(' ')).toMatch(sentence);
  });

test('A mistake that few responses show is proved by further requests, or not said', async () => {
  const lastOfEachKind = createReference({ faults: ['last-rule-of-each-kind'] });
  const { causes = [] } = (await runWithEvidence(channelTo(lastOfEachKind))).certificate;
  expect(causes.map(({ id }) => id)).toEqual(['last-rule-of-each-kind']);
  expect(causes[0]?.sentence).toMatch(/show it, and so do \d+ further requests that were sent to check it/);
  // The same wrong responses, but the mistake is about items alone.
  const right = createReference();
  const ofItems: Answer = (request) => {
    const metadata = getMember(parseJson(request.body ?? ''), 'metadata');
    const hasMetadata = isJsonObject(metadata) && Object.keys(metadata).length > 0;
    return hasMetadata ? right(request) : lastOfEachKind(request);
  };
  const others = (await runWithEvidence(channelTo(ofItems))).certificate.causes ?? [];
  expect(others.length).toBeGreaterThan(0);
  expect(others.map(({ id }) => id)).not.toContain('last-rule-of-each-kind');
});

test('A loop that removes from the list that it walks leaves each promotion after a removed one unchecked', () => {
  const tiers = suite.world.tiers.slice(0, 6);
  const isValid = (tier: Tier) => ![1, 2, 5].includes(tiers.indexOf(tier));
  const handlers = { candidates: () => tiers, isValid } as unknown as Handlers;
  const facts = {} as DeploymentFacts;
  const selected = loopMistakes.map(({ change }) =>
    change(handlers, facts)
      .select?.({} as ParsedRequest)
      .map((tier) => tiers.indexOf(tier)),
  );
  // Newest first, 2 comes after the removed 1. Oldest first, 4 comes after the removed 5, and 1 after the removed 2.
  expect(selected).toEqual([
    [0, 2, 3, 4],
    [4, 3, 1, 0],
  ]);
});

test('A cache whose key lacks parts of a request is named by them', async () => {
  const run = await runWithEvidence(createTimedChannel(createReference({ faults: ['cached-under-the-customer'] })));
  const [cause] = run.certificate.causes ?? [];
  expect(cause?.id).toBe('kept-results/item-metadata-order-metadata');
  expect((await judgeAgain(run)).causes).toEqual(run.certificate.causes);
});

test('What a connection keeps of an earlier request shows on one connection alone', async () => {
  const deployment = createReference();
  const { url, close } = await listenStatefully(async (request, connection) => {
    const body = parseJson(request.body ?? '');
    const { metadata } = isJsonObject(body) ? body : {};
    if (!isJsonObject(body) || !isJsonObject(metadata) || request.path.includes('?')) return deployment(request);
    // Metadata that a request lacks are those of the one before on its connection, if that had a single entry.
    const count = Object.keys(metadata).length;
    const isEmpty = count === 0;
    if (!isEmpty) connection.metadata = count === 1 ? metadata : {};
    return deployment({
      ...request,
      body: JSON.stringify({ ...body, ...(isEmpty && { metadata: connection.metadata ?? {} }) }),
    });
  });
  // One connection: what comes before a request is the same in each run.
  const client = openClient({ baseUrl: url, pacing: { concurrency: 1 } });
  try {
    const run = await runWithEvidence(client);
    const { causes = [] } = run.certificate;
    expect(causes[0]?.sentence).toMatch(
      /the second one, sent on the same connection, is wrong.*differ in the metadata/,
    );
    // One command sends both.
    expect(causes[0]?.wrong?.at(-1)?.repeat_with).toContain('--next');
    expect((await judgeAgain(run)).causes).toEqual(causes);
  } finally {
    await client.close();
    await close();
  }
});

test.describe('Requests at the same time', () => {
  const credentials = { applicationId: 'application', token: 'token-to-try' };
  const deployment = createReference({ credentials });
  type Slow = (request: HttpRequest) => Promise<ReturnType<Answer>>;

  /** Certifies a function that answers requests while others come. */
  async function certifySlow(answer: Slow) {
    const target = path.join(makeTestFolder(), 'target.yaml');
    writeFileSync(target, 'name: shop\nbase_url: http://localhost\nallow_http: true\n');
    const certificate = await certify(answer, { target, credentials });
    const sentences = (certificate.causes ?? []).map(({ sentence }) => sentence);
    return { ...certificate, sentences };
  }

  const waitForOthers = async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  };

  const keepAnswers = (answer: Slow): Slow => {
    const kept = new Map<string, ReturnType<Answer>>();
    return async (request) => {
      const key = JSON.stringify([request.path, request.headers, request.body]);
      const response = kept.get(key) ?? (await answer(request));
      kept.set(key, response);
      return response;
    };
  };

  test('mix: the contrast says so', async () => {
    let shared = '';
    const { sentences } = await certifySlow(async (request) => {
      shared = request.body ?? '';
      await waitForOthers();
      const isWhole = request.body !== undefined && isJsonObject(parseJson(request.body));
      return deployment(isWhole ? { ...request, body: shared } : request);
    });
    expect(sentences[0]).toMatch(/at the same time|of an earlier request|of earlier requests|while other requests/);
  });

  test('take the filter of each other: the result would be right with the query of another one', async () => {
    let shared = '';
    const { sentences, requests_sent } = await certifySlow(async (request) => {
      [, shared = ''] = request.path.split('?');
      // So long that the times of the requests overlap.
      await delay(10);
      const [place] = request.path.split('?');
      const isFiltered = request.path.includes('filters');
      return deployment(isFiltered ? { ...request, path: `${place}?${shared}` } : request);
    });
    expect(sentences[0]).toMatch(
      /with the filter by [ a-z_]+ of a request at the same time|had the filter by [ a-z_]+ of an earlier request/,
    );
    // A race that shows seldom takes more than other failures.
    expect(requests_sent).toBeLessThanOrEqual(380);
  });

  test('have wrong results that a cache keeps: no part of a request is said to decide', async () => {
    let count = 0;
    let busy = 0;
    const answer: Slow = async (request) => {
      busy += 1;
      await waitForOthers();
      const isWrong = busy > 1 && request.body !== undefined && ++count % 7 === 0;
      busy -= 1;
      const response = deployment(request);
      return isWrong ? { ...response, body: response.body.replaceAll(/promo_[0-9a-f]+/g, 'none') } : response;
    };
    const { verdict, sentences, requests_sent } = await certifySlow(keepAnswers(answer));
    expect(verdict).toBe('does-not-conform');
    expect(sentences[0]).toMatch(/at the same time|while other(s| requests)|is wrong each time/);
    for (const sentence of sentences) expect(sentence).not.toMatch(/^With |^For the /);
    expect(requests_sent).toBeLessThanOrEqual(300);
  });

  test('and a cache of the whole request do not hide which part decides', async () => {
    const failing = createReference({ credentials, faults: ['requests-expand/filters-lost'] });
    const { sentences } = await certifySlow(keepAnswers(async (request) => failing(request)));
    expect(sentences[0]).toMatch(/^With .*expand/);
    for (const sentence of sentences) expect(sentence).not.toMatch(/at the same time|while other|each time/);
  });
});

test('A result that is wrong by chance has no contrast', async () => {
  const random = createRandom(11);
  const answer: Answer = (request) => {
    const response = conforming(request);
    return random() < 0.3 ? { ...response, body: response.body.replaceAll(/promo_[0-9a-f]+/g, 'none') } : response;
  };
  const { certificate } = await runWithEvidence(channelTo(answer));
  for (const { sentence } of certificate.causes ?? []) expect(sentence).not.toMatch(/^With .*\. With/);
});

test('A smaller window hides no second mistake, whose tiers it leaves out of every response', async () => {
  const both = createReference({ faults: ['window-of-149', 'quantity-above-threshold'] });
  const { causes = [] } = (await runWithEvidence(channelTo(both))).certificate;
  expect(causes.map(({ id }) => id)).toEqual(['window-size/149', 'quantity-above-threshold']);
  expect(causes[0]?.sentence).toMatch(/^No promotion tier from rank 150 on is returned/);
});

test('Two mistakes are both shown', async () => {
  const both = createReference({ faults: ['requests-expand/filters-lost', 'quantity-above-threshold'] });
  const { causes = [] } = (await runWithEvidence(channelTo(both))).certificate;
  expect(causes.map(({ id }) => id)).toContain('quantity-above-threshold');
  expect(causes.some(({ id, sentence }) => id.startsWith('contrast') && sentence.includes('expand'))).toBe(true);
});
