/** What a run says in the terminal: causes and reasons, on one screen. */

import { expect, test } from '@playwright/test';
import { getRequirementOrQuestionId, type TestCase } from '../../src/cases/test-case.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { parseRequest } from '../../src/http/decoded-request.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { createTimedChannel } from '../../tools/proof/judge-deployment.js';
import { createRandom } from '../support/chaos.js';
import { type Answer, channelTo, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { renderOutput } from '../support/render-output.js';
import { runWithEvidence } from '../support/run-with-evidence.js';

const conforming = createIndependentDeployment(suite.world);
const everything = JSON.stringify({ data: suite.world.tiers.map(({ id }) => ({ id })) });

/** Returns every promotion, valid or not, for some requests. */
const careless =
  (isMet: (body: { order?: { items?: { quantity?: number }[] }; metadata?: object }) => boolean): Answer =>
  (request) => {
    const response = conforming(request);
    const { body } = parseRequest(request);
    return typeof body === 'object' && isMet(body ?? {}) ? { ...response, body: everything } : response;
  };

test('A reason states what a promotion requires and what the request has', { tag: '@long' }, async () => {
  const runs = [careless(() => true), answering(200, 'application/json', '{"data":[]}')].map((answer) =>
    runRequirements(answer),
  );
  const requirements = (await Promise.all(runs)).flatMap(({ certificate }) => certificate.requirements);
  const reasons = requirements.flatMap(({ cases }) => cases.flatMap(({ rows = [] }) => rows));
  const text = reasons.map(({ reason }) => reason).join('\n');
  for (const why of [
    /'beyond-first' \(rank 151: is older than the newest 150\)/,
    /: asks for \d+ of product [a-z-]+, and the order has none\)/,
    /: asks for \d+ of product [a-z-]+, and the order has \d+( \+ \d+)*\)/,
    /: asks for \d+ of sku [a-z0-9-]+, and the order has (none|\d+)/,
    /: is for customer [a-z-]+( or [a-z-]+)*, and the customer is [a-z-]+/,
    /: asks for the metadata \S+ = "[^"]*", and the request has /,
    /: is of campaign [a-z-]+, and the filter asks for [a-z-]+\)/,
    /: has the metadata \S+ = \S+, and the filter asks for /,
  ])
    expect(text).toMatch(why);
});

function runRequirements(answer: Answer, selects = ({ kind }: TestCase) => kind === 'requirement') {
  return runWithEvidence(channelTo(answer), { selects });
}

const renderLines = (certificate: Certificate) =>
  renderRunReport(certificate, { certificate: 'certificate.json' }).trimEnd().split('\n');

const withFault = (...faults: readonly string[]): Answer => createReference({ faults });

const answering = (status: number, type: string, body: string): Answer => {
  return () => ({ status, headers: [['Content-Type', type]], body });
};

/** One of several servers has not got the newest promotions. @param share of the requests that it answers */
const replicated = (share: number): Answer => {
  const outdated = createIndependentDeployment({ ...suite.world, tiers: suite.world.tiers.slice(3) });
  const random = createRandom(1);
  return (request) => (random() < share ? outdated(request) : conforming(request));
};

const changing = /[Ee]qual requests have different results/;

/** A bug, and the fact that tells it. */
const bugs: readonly (readonly [string, Answer, RegExp])[] = [
  ['a window of 100', withFault('window-of-100'), /newest 100\b.*150/],
  ['> in place of >=', withFault('quantity-above-threshold'), /greater.*(>=|&#62;=)/],
  ['rules joined by "or"', withFault('one-rule-suffices'), /rules.*("|&#34;)or("|&#34;)/],
  ['expand refused', withFault('expand-refused'), /400.*expand/],
  ['one server of two with other data', replicated(0.5), changing],
  ['one server of five with other data', replicated(0.2), changing],
  [
    'everything for some requests',
    careless(({ metadata }) => Object.keys(metadata ?? {}).length > 0),
    /With metadata .* is returned/,
  ],
  [
    'nothing returned',
    (request) => answering(200, 'application/json', `{"data":[],"size":${request.body?.length ?? 0}}`)(request),
    /No promotion is ever returned/,
  ],
  ['405 to everything', answering(405, 'application/json', '{}'), /answers 405 to every request\.(?! Its)/],
  [
    'POST alone, so 405 to everything',
    (request) => ({ ...answering(405, 'application/json', '{}')(request), headers: [['Allow', 'OPTIONS, POST']] }),
    /answers 405 to every request\. Its Allow header has POST, and not GET\. .* transport \(docs\/transports\.md\)/,
  ],
  [
    'GET refused, so 405 to everything',
    (request) => ({ ...answering(405, 'application/json', '{}')(request), headers: [['Allow', 'GET, POST']] }),
    /answers 405 to every request\.(?! Its)/,
  ],
  ['500 to everything', answering(500, 'application/json', '{"error":"boom"}'), /answers 500 to every request/],
];

const quickBugs = ['> in place of >='];

for (const [what, answer, fact] of bugs) {
  const tag = quickBugs.includes(what) || what.endsWith(' to everything') ? [] : '@long';
  test(`The cause of ${what} is within the first ten lines of a run, and in the first card of its page`, {
    tag,
  }, async () => {
    const run = await (what.endsWith(' to everything') ? runWithEvidence(channelTo(answer)) : runRequirements(answer));
    const { certificate } = run;
    const { causes = [] } = certificate;
    expect(causes.map(({ sentence }) => sentence)).toEqual([expect.stringMatching(fact)]);
    const lines = renderLines(certificate);
    expect(lines.length).toBeLessThanOrEqual(50);
    if (certificate.verdict === 'does-not-conform') {
      expect(lines.some((line) => /^ {3}fail .* \S+\.yaml:\d+:\d+$/.test(line))).toBe(true);
      expect(lines.some((line) => /^ {3}(?:wrong: )?curl -gi -X GET .*}'$/.test(line))).toBe(true);
    }
    expect(lines.findIndex((line) => fact.test(line))).toBeGreaterThanOrEqual(0);
    expect(lines.findIndex((line) => fact.test(line))).toBeLessThan(10);
    // Failing requirements are the first ones.
    const verdicts = lines.flatMap((line) => /^ {2}(fail|inconclusive|pass) /.exec(line)?.[1] ?? []);
    expect(verdicts).toEqual(verdicts.toSorted());
    const page = renderOutput('certificate.html', run, suite);
    // What is wrong with the test data comes before it.
    const cards = page.slice(page.indexOf('id="attention"')).split('<div class="card').slice(1);
    expect(cards.find((card) => !card.includes('<h3>Test data</h3>'))).toMatch(fact);
  });
}

/** A deployment that has only some of the promotions. */
const withTiers = (...range: readonly [start: number, end?: number]): Answer =>
  createIndependentDeployment({ ...suite.world, tiers: suite.world.tiers.slice(...range) });

/** Answers 500 if a request or a response is of some kind. */
const failingFor =
  (isMet: (request: HttpRequest, response: HttpResponse) => boolean): Answer =>
  (request) => {
    const response = conforming(request);
    return isMet(request, response) ? { status: 500, headers: [], body: 'error' } : response;
  };

const hasEmoji = (request: HttpRequest) => {
  const { body } = parseRequest(request) as { body?: { metadata?: object } };
  return /\p{Emoji_Presentation}/u.test(JSON.stringify(body?.metadata ?? {}));
};

/** A cache before the deployment whose key is the URL. */
function createUrlCache(): Answer {
  const kept = new Map<string, HttpResponse>();
  return (request) => {
    const response = kept.get(request.path) ?? conforming(request);
    kept.set(request.path, response);
    return response;
  };
}

/** What a deployment does wrong, and the id and the sentence of its first cause. */
const causes: readonly (readonly [string, Answer, id: RegExp, sentence: RegExp])[] = [
  [
    'an emoji is refused',
    failingFor(hasEmoji),
    /^contrast/,
    /With metadata .*🎁.*the answer is 500\. .*the request is accepted/u,
  ],
  [
    'long responses are dropped',
    failingFor((_, { body }) => body.length > 6000),
    /^contrast/,
    /the answer is 500\. .*the request is accepted/,
  ],
  ['accents do not count', withFault('metadata-value/accents-folded-in-both'), /^contrast/, /With metadata .*é/],
  ['a quantity ends at 16 bits', withFault('product-quantity/wraps-at-16-bits'), /^contrast/, /65536 .*65535/],
  [
    'the filter is lost with expand',
    withFault('requests-expand/filters-lost'),
    /^contrast/,
    /With options\.expand .* is returned.*Without it, .* is not returned/,
  ],
  ['a cache ignores the body', createUrlCache(), /^body-of-the-first-request$/, /a cache that ignores the body of GET/],
  [
    'a proxy drops the body',
    (request) => conforming({ ...request, body: '' }),
    /^body-dropped$/,
    /body of the request is not read/,
  ],
  [
    'audienceRulesOnly has no effect, and a filter is ignored',
    createReference({
      faults: ['metadata-filter-ignored'],
      behaviours: { 'audience-rules-only-effect': 'no-effect' },
    }),
    /^metadata-filter-ignored$/,
    /filter by tier metadata is ignored/,
  ],
  [
    'audienceRulesOnly has no effect, and the oldest are checked',
    createReference({ faults: ['window-of-the-oldest'], behaviours: { 'audience-rules-only-effect': 'no-effect' } }),
    /^window-of-the-oldest$/,
    /oldest 150/,
  ],
  ['the newest 95 alone', withTiers(0, 95), /^window-size\/95$/, /not loaded: '.*', .* more\./],
];

for (const [n, [what, answer, id, sentence]] of causes.entries())
  test(`The first cause is right if ${what}`, { tag: n === 0 ? [] : '@long' }, async () => {
    const [cause] = (await runWithEvidence(createTimedChannel(answer))).certificate.causes ?? [];
    expect(cause?.id).toMatch(id);
    expect(cause?.sentence).toMatch(sentence);
  });

type Tier = (typeof suite.world.tiers)[number];

const otherOrders: readonly (readonly [what: string, compare: (left: Tier, right: Tier) => number, facts: RegExp])[] = [
  ['by name', (left, right) => (left.name < right.name ? -1 : 1), /first in ascending order of their name/],
  [
    'by day, and the oldest of a day first',
    (left, right) =>
      right.created_at.slice(0, 10).localeCompare(left.created_at.slice(0, 10)) ||
      left.created_at.localeCompare(right.created_at),
    /on the same day, 2022-12-07: .* all others are in order/,
  ],
];

for (const [what, compare, facts] of otherOrders)
  test(`A deployment that orders promotion tiers ${what} checks others than the newest`, async () => {
    const times = suite.world.tiers.map(({ created_at }) => created_at);
    const tiers = suite.world.tiers.toSorted(compare).map((tier, n) => ({ ...tier, created_at: times[n] ?? '' }));
    const [cause] =
      (await runRequirements(createIndependentDeployment({ ...suite.world, tiers }))).certificate.causes ?? [];
    expect(cause?.id).toBe('other-ranks');
    expect(cause?.evidence.join('\n')).toMatch(facts);
  });

const pages: readonly (readonly [what: string, from: number, to: number, ranks: string])[] = [
  ['the second page of 150', 150, 300, `151 to ${suite.world.tiers.length}`],
  ['150 from the second one on', 1, 151, '2 to 151'],
  ['the second page of 100', 100, 200, '101 to 200'],
];

for (const [what, from, to, ranks] of pages)
  test(`A deployment that checks ${what} is said to check these ranks, in the right order`, async () => {
    const [cause] = (await runRequirements(withTiers(from, to))).certificate.causes ?? [];
    expect(cause?.sentence).toBe(`The deployment checks the promotion tiers of rank ${ranks}, not the newest 150.`);
    expect(cause?.evidence).toEqual([expect.stringMatching(/^It explains \d+ wrong responses/)]);
  });

test('Fewer than six wrong responses prove no cause', async () => {
  const selects = ({ id }: TestCase) => id === 'integer-quantity';
  const { causes: found = [] } = (await runRequirements(withFault('quantity-ignored'), selects)).certificate;
  expect(found.length).toBeGreaterThan(0);
  for (const { id } of found) expect(id).toMatch(/^(contrast|unexplained)/);
});

for (const [n, emptyResult] of ['not-found', 'rejected', 'server-error'].entries())
  test(`Where a mistake leaves nothing to return, the status of an empty result is no cause of its own: ${emptyResult}`, {
    tag: n === 0 ? [] : '@long',
  }, async () => {
    const answer = createReference({ faults: ['window-of-100'], behaviours: { 'empty-result': emptyResult } });
    const { causes = [] } = (await runRequirements(answer)).certificate;
    expect(causes.map(({ id }) => id)).toEqual(['window-size/100']);
  });

test('A request is refused if a mistake leaves something to return, though an empty result has the same status', async () => {
  const wrong = createReference({ faults: ['window-of-100'], behaviours: { 'empty-result': 'not-found' } });
  const { spring } = Object.fromEntries(suite.world.ids.campaign);
  const answer: Answer = (request) =>
    request.path.includes(`${spring}`) ? { status: 404, headers: [], body: '' } : wrong(request);
  const { causes = [] } = (await runRequirements(answer)).certificate;
  expect(causes.map(({ id }) => id)).toEqual(expect.arrayContaining([expect.stringMatching(/^contrast/)]));
  expect(causes.map(({ id }) => id)).toContain('window-size/100');
});

test('Every failing case belongs to a cause', async () => {
  let turn = 0;
  const now = careless(() => {
    turn += 1;
    return turn % 3 > 0;
  });
  const selects = (testCase: TestCase) => getRequirementOrQuestionId(testCase).startsWith('order.');
  const { certificate, results } = await runRequirements(now, selects);
  const failing = results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect(failing).not.toEqual([]);
  expect(certificate.causes?.flatMap(({ cases }) => cases)).toEqual(expect.arrayContaining(failing));
});

test('A deployment that conforms has no causes, even if it is not clear what it returns', async () => {
  const unclear = createIndependentDeployment(suite.world, { shape: 'with-rejected' });
  for (const answer of [conforming, unclear])
    expect((await runRequirements(answer)).certificate.causes ?? []).toEqual([]);
});

test('The report of a conforming run has at most 25 lines', async () => {
  const lines = renderLines((await runWithEvidence(channelTo(conforming))).certificate);
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(lines).toContain(`All ${suite.contract.requirements.length} requirements pass.`);
});

test('What keeps all requirements from being judged is said first, once', async () => {
  const { certificate } = await runRequirements(answering(302, 'text/html', ''));
  const lines = renderLines(certificate).filter((line) => line !== '');
  expect(lines[0]).toMatch(/^All 17 requirements are inconclusive: Redirected \(302\); /);
  expect(lines[1]).toMatch(/^INCOMPLETE /);
});

test('Requirements that one cause explains are one line', async () => {
  const { certificate } = await runRequirements(answering(200, 'application/json', '{"data":[],"of":1}'));
  const unjudged = renderLines(certificate).filter((line) => /^ {2}inconclusive /.test(line));
  expect(unjudged.length).toBeLessThanOrEqual(2);
});

test('Warnings are sentences, three at most, and disturbances are one line', async () => {
  const { certificate } = await runWithEvidence(channelTo(createReference({})), {
    selects: ({ kind }) => kind === 'question',
  });
  const question = (id: string) => ({
    id,
    part: 'Errors',
    outcome: 'x',
    warning: true,
    drift: false,
    sentence: `It does ${id}.`,
  });
  const warned = { ...certificate, questions: ['a', 'b', 'c', 'd', 'e'].map(question) };
  expect(renderLines(warned).filter((line) => /^warning|more warnings/.test(line))).toEqual([
    'warning  a: It does a.',
    'warning  b: It does b.',
    'warning  c: It does c.',
    '… and 2 more warnings: see certificate.html.',
  ]);
  expect(renderLines(certificate).join('\n')).not.toContain('retried');
  const disturbed = { ...certificate, disturbances: { retried: { 503: 12, 'timed-out': 1 }, requests_per_second: 5 } };
  expect(renderLines(disturbed)).toContain('12 × 503, 1 timeout: retried. Slowed to 5 requests per second.');
});
