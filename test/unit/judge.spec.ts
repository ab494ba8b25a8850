import { expect, test } from '@playwright/test';
import {
  type Assertion,
  type AssertionReadContext,
  combineResultsWithAnd,
  combineResultsWithOr,
  createUnclearResult,
  createViolation,
  holdingResult,
} from '../../src/assertions/assertion.js';
import { findResponseAssertionDefinition, judgeAssertion } from '../../src/assertions/registry.js';
import type { JudgeMode, RowEvidence } from '../../src/assertions/row-evidence.js';
import type { CaseRow, OutcomeRule, RequirementRow, TestCase } from '../../src/cases/test-case.js';
import { documentedOperation, renderFilterParameter } from '../../src/contract/operation.js';
import type { World } from '../../src/contract/world.js';
import { encodeQueryText } from '../../src/http/decoded-request.js';
import type { Exchange, HttpRequest, TransportErrorKind } from '../../src/http/exchange.js';
import { isSuccessful } from '../../src/http/response-status.js';
import { collectRowEvidence, type ExchangesByRow, type TargetContext } from '../../src/judge/collect-row-evidence.js';
import { judgeCase } from '../../src/judge/judge-case.js';
import type { Judgement } from '../../src/judge/judgement.js';
import type { Verdict } from '../../src/judge/verdict.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { determineTierReading } from '../../src/recognition/returned-tier-paths.js';
import { createReason, renderReason } from '../../src/support/reason.js';
import { checkEachRow } from '../support/check-each-row.js';
import { reasonOf } from '../support/reasons.js';
import { createNamelessWorld } from '../support/stubs.js';

const [first, second, third] = ['promo_aaaaaaaaaaaa', 'promo_bbbbbbbbbbbb', 'promo_cccccccccccc'] as const;

/** Three tiers, the newest first. */
const world: World = {
  customers: [],
  products: [],
  skus: [],
  categories: [],
  campaigns: [],
  tiers: Object.entries({ first, second, third }).map(([name, id], n) => ({
    id,
    name,
    campaign_id: 'camp_111111111111',
    created_at: `2024-01-0${3 - n}T00:00:00.000Z`,
    metadata: {},
    rules: [],
  })),
};
const namedWorld = createNamelessWorld(world);

const recognizer = createRecognizer(world);

const request: HttpRequest = { method: 'GET', path: '/', headers: [] };
const at = { file: 'cases.yaml', line: 1, column: 1 };

function answered(status: number, body: unknown = '', headers: Record<string, string> = {}): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { request, response: { status, headers: Object.entries(headers), body: text } };
}
const broken = (transportError: TransportErrorKind): Exchange => ({
  request,
  transportError,
  message: `It is ${transportError}.`,
});
const returning = (...ids: readonly string[]) => answered(200, { data: ids.map((id) => ({ id })) });

function evidenceOf(exchanges: Readonly<Record<string, Exchange>>): RowEvidence {
  const responses = Object.values(exchanges).flatMap((exchange) => ('response' in exchange ? [exchange.response] : []));
  return {
    exchanges: new Map(Object.entries(exchanges)),
    ofCase: Object.values(exchanges),
    reading: determineTierReading(responses.filter(isSuccessful).map(({ body }) => recognizer.findMentions(body))),
    recognizer,
    world: namedWorld,
    calibration: [],
  };
}

/** Reads tiers by name; the documentation leaves open whether the third is returned. */
const context: AssertionReadContext = {
  resolveRequest: (name) => name,
  selectTiers: (names) => world.tiers.filter(({ name }) => names.includes(name)).map(({ id }) => id),
  selectReturnedTiers: (names) => world.tiers.filter(({ name }) => names.includes(name)).map(({ id }) => id),
  selectOtherTiers: (names) => world.tiers.filter(({ name }) => !names.includes(name)).map(({ id }) => id),
  fillReferences: (text) => text,
};

/** The second and the third are older: whether a filter returns them follows from where the window is taken. */
const olderWorld = createNamelessWorld({
  ...world,
  customers: [{ id: 'cust_1' }],
  products: [{ id: 'prod_1' }],
  campaigns: [{ id: 'camp_111111111111', name: 'one', category_ids: [] }],
  tiers: world.tiers.flatMap((tier, n) => [
    ...Array.from({ length: n === 1 ? 149 : 0 }, (_, m) => ({ ...tier, id: `promo_${m}`, campaign_id: 'camp_2' })),
    tier,
  ]),
});
const filtered: HttpRequest = {
  ...documentedOperation,
  headers: Object.entries(documentedOperation.headers),
  path: `${documentedOperation.path}?${encodeQueryText(renderFilterParameter({ on: 'campaign' }))}=camp_111111111111`,
  body: JSON.stringify({
    customer: { id: 'cust_1' },
    order: { items: [{ product_id: 'prod_1', quantity: 1 }], metadata: {} },
    options: {},
    metadata: {},
  }),
};

/** An assertion about the exchange `probe`, by its key and what a case file says under it. */
function asserting([kind, value]: Written, of = 'probe', place = at): Assertion {
  const assertion = { kind, of, at: place, data: undefined };
  return { ...assertion, data: findResponseAssertionDefinition(assertion).read(value, context) };
}
type Written = readonly [kind: string, value: unknown];

function truth(
  written: Written,
  exchanges: Readonly<Record<string, Exchange>>,
  mode: JudgeMode = 'requirement',
): string {
  const evidence = evidenceOf(exchanges);
  const withFilter = [...evidence.exchanges].map(
    ([name, exchange]) => [name, { ...exchange, request: filtered }] as const,
  );
  const older = { ...evidence, exchanges: new Map(withFilter), world: olderWorld };
  return judgeAssertion(asserting(written), written[0] === 'returned.window-as' ? older : evidence, mode).is;
}

const written = {
  '2xx': ['status', '2xx'],
  '404 or 5xx': ['status', [404, '5xx']],
  'same status': ['status', { 'same-as': 'other' }],
  'same body': ['body.same-as', 'other'],
  'alike body': ['body.alike', 'other'],
  'empty body': ['body.empty', true],
  mentions: ['body.mentions', ['camp_x', 'camp_y']],
  'mentions not': ['body.mentions-not', ['camp_x', 'camp_y']],
  include: ['returned.include', ['first', 'second']],
  exclude: ['returned.exclude', ['second', 'third']],
  only: ['returned.only', ['first', 'second']],
  'same as': ['returned.same-as', 'other'],
  'differs from': ['returned.differs-from', 'other'],
  nothing: ['returned.nothing', true],
  'window as': ['returned.window-as', 'other'],
  'accepted, or empty': ['accepted', 'or-empty'],
  'accepted wherever another is': ['accepted', { wherever: 'other' }],
  'accepted, or empty like another': ['accepted', { 'or-empty-like': 'other' }],
  'newest first': ['returned.order', 'newest-first'],
  'oldest first': ['returned.order', 'oldest-first'],
} as const satisfies Record<string, Written>;
type Name = keyof typeof written;
const names = Object.keys(written) as Name[];

/** What may say that the result is empty. */
const empties = [
  ...[200, 204, 400, 404, 422, 500].map((status) => answered(status)),
  answered(200, '[]'),
  answered(404, 'no promotions'),
];
/** Tiers named where it cannot be determined whether they were returned. */
const ambiguous = answered(200, { promotions: [first], skipped: [second] });
const noJson = answered(200, `<p>${first} ${second}</p>`);
const noJsonOfAll = answered(200, `<p>${first} ${second} ${third}</p>`);

test.describe('An assertion holds, is violated or is unclear', () => {
  /** Responses to the request and to the other request. */
  const pair = (probe: Exchange, compared: Exchange) => [probe, compared] as const;
  type Probes = Partial<Record<'holds' | 'violated' | 'unclear', readonly (Exchange | ReturnType<typeof pair>)[]>>;
  const ok = answered(200);
  const table: Readonly<Record<Name, Probes>> = {
    '2xx': { holds: [ok, answered(299)], violated: [answered(404), answered(500)] },
    '404 or 5xx': { holds: [answered(404), answered(500)], violated: [ok, answered(400)] },
    'same status': {
      holds: [pair(ok, ok)],
      violated: [pair(ok, answered(201))],
      unclear: [pair(ok, broken('timed-out')), pair(ok, answered(429))],
    },
    'same body': {
      holds: [pair(answered(200, 'a'), answered(400, 'a'))],
      violated: [pair(answered(200, 'a'), answered(200, 'b'))],
      unclear: [pair(answered(200, 'a'), broken('too-large'))],
    },
    'alike body': {
      holds: [pair(answered(200, '{"a":1}'), answered(200, '{ "a": 1 }'))],
      violated: [pair(answered(200, '{"a":1}'), answered(200, '{"a":2}'))],
      unclear: [pair(answered(200, 'a'), answered(504))],
    },
    'empty body': { holds: [answered(204), ok], violated: [answered(200, ' ')] },
    mentions: { holds: [answered(200, 'camp_y')], violated: [answered(200, 'camp_z')] },
    'mentions not': { holds: [answered(200, 'camp_z')], violated: [answered(200, 'camp_x camp_y')] },
    include: {
      holds: [returning(third, second, first)],
      violated: [returning(first), returning(), ok, answered(204)],
      unclear: [ambiguous, noJson, answered(404), answered(400), answered(500)],
    },
    exclude: {
      holds: [returning(first), returning(), ...empties],
      violated: [returning(first, third)],
      unclear: [ambiguous, noJson, answered(404, [second])],
    },
    only: {
      holds: [returning(first), returning(second, first), returning(), ...empties, answered(200, 'null')],
      violated: [returning(third), returning(first, third)],
      unclear: [answered(200, { promotions: [first], skipped: [third] }), noJsonOfAll, answered(404, [third])],
    },
    'same as': {
      holds: [pair(returning(first, second), returning(second, first)), pair(returning(), answered(204))],
      violated: [pair(returning(first), returning()), pair(returning(), returning(first))],
      unclear: [
        pair(returning(first), noJson),
        pair(noJson, returning(first)),
        pair(returning(first), answered(404)),
        pair(returning(first), broken('unreachable')),
      ],
    },
    'differs from': {
      holds: [pair(returning(first), returning()), pair(returning(), returning(first))],
      violated: [pair(returning(first), returning(first))],
      unclear: [pair(returning(first), noJson), pair(returning(first), answered(500))],
    },
    nothing: {
      holds: [returning(), ...empties],
      violated: [returning(third)],
      unclear: [noJson, ambiguous, answered(404, first)],
    },
    'window as': {
      holds: [
        pair(returning(first), returning(first)),
        pair(returning(second, third), returning(first, second, third)),
        pair(answered(404), returning(first)),
      ],
      violated: [
        pair(returning(first, second), returning(first)),
        pair(returning(first), returning(third)),
        pair(returning(first), returning(first, second, third)),
        pair(answered(204), returning(second, third)),
      ],
      unclear: [
        pair(ambiguous, returning(first)),
        pair(returning(first), broken('timed-out')),
        pair(answered(404), returning(second, third)),
      ],
    },
    'accepted, or empty': {
      holds: [answered(204), returning(first)],
      unclear: [answered(400), answered(404), answered(500)],
    },
    'accepted, or empty like another': {
      holds: [pair(ok, answered(404)), pair(returning(), returning())],
      violated: [
        pair(answered(400), answered(404)),
        pair(answered(404), returning()),
        pair(answered(500), answered(204)),
      ],
      unclear: [
        pair(answered(404), answered(404)),
        pair(answered(400), answered(503)),
        pair(answered(429), answered(404)),
      ],
    },
    'accepted wherever another is': {
      holds: [pair(ok, answered(404)), pair(returning(), returning())],
      violated: [pair(answered(400), answered(204)), pair(answered(500), returning(first))],
      unclear: [
        pair(answered(404), returning(first)),
        pair(answered(404), answered(404)),
        pair(answered(400), answered(503)),
        pair(answered(400), answered(401)),
      ],
    },
    'newest first': {
      holds: [returning(first, third), returning(first, second, third)],
      violated: [returning(third, first)],
      unclear: [returning(first), returning(), noJson, ambiguous],
    },
    'oldest first': {
      holds: [returning(third, second, first)],
      violated: [returning(first, third)],
      unclear: [returning(first), noJson],
    },
  };
  const byName = names.map((name) => [name, written[name], table[name]] as const);
  test('for each response', () =>
    checkEachRow(byName, (_, assertion, truths) => {
      for (const [wanted, rows] of Object.entries(truths)) {
        for (const row of rows) {
          const [probe, compared] = 'request' in row ? pair(row, returning()) : row;
          // Another path, because responses to the same request show volatile values.
          const elsewhere = { ...compared, request: { ...compared.request, path: '/other' } };
          expect(truth(assertion, { probe, other: elsewhere }), JSON.stringify([probe, compared])).toBe(wanted);
        }
      }
    }));
});

test.describe('Transport errors, redirects and refused credentials prove nothing', () => {
  const unanswered = [
    ...(['unreachable', 'timed-out', 'broken-connection', 'too-large', 'unreadable', 'not-sent'] as const).map(broken),
    ...[408, 421, 425, 429, 499, 502, 503, 504, 520, 522, 527, 530].map((status) => answered(status, [first])),
  ];
  const withHint = [300, 301, 302, 303, 304, 307, 308, 401, 403].map((status) =>
    answered(status, [first], { Location: 'http://b.test/' }),
  );

  test('except a 401 if the request was accepted with its header names in another letter case', () => {
    const withHeader = (exchange: Exchange, name: string): Exchange => {
      return { ...exchange, request: { ...request, headers: [[name, 'secret']] } };
    };
    const accepted = withHeader(returning(), 'X-Client-Token');
    const truthOf = (probe: Exchange) => truth(written['2xx'], { probe, other: accepted });
    expect(truthOf(withHeader(answered(401), 'x-client-token'))).toBe('violated');
    expect(truthOf(withHeader(answered(403), 'x-client-token'))).toBe('unclear');
    expect(truthOf(withHeader(answered(401), 'X-Client-Token'))).toBe('unclear');
    expect(truth(written['2xx'], { probe: answered(401), other: answered(401) })).toBe('unclear');
  });

  for (const [modes, exchanges] of [
    [['requirement', 'question'], unanswered],
    [['requirement'], withHint],
  ] as const) {
    const rows = exchanges.map(
      (probe) => [`${'response' in probe ? probe.response.status : probe.transportError}`, probe] as const,
    );
    test(`for a ${modes.join(' and a ')}`, () =>
      checkEachRow(rows, (_, probe) => {
        for (const mode of modes) {
          const compared = 'response' in probe && probe.response.status === 401 ? probe : returning();
          const truths = names.map((name) => [name, truth(written[name], { probe, other: compared }, mode)]);
          expect(truths).toEqual(names.map((name) => [name, 'unclear']));
        }
      }));
  }

  test('but they can answer a question, as other errors can', () => {
    for (const probe of empties)
      expect(truth(written.nothing, { probe }, 'question')).toBe(
        'response' in probe && isSuccessful(probe.response) ? 'holds' : 'violated',
      );
    for (const status of [301, 401, 403]) {
      const probe = answered(status);
      expect(truth(['status', status], { probe }, 'question')).toBe('holds');
      expect(truth(written.include, { probe }, 'question')).toBe('violated');
    }
  });
});

const background: TargetContext = { world: namedWorld, recognizer, calibration: [], isWorldSeen: true };
const rowOf = (stated: Partial<RequirementRow>): RequirementRow => ({
  title: '',
  requests: new Map(),
  given: [],
  expect: [],
  unavailable: [],
  ...stated,
});
const requirementOf = (...rows: readonly Partial<RequirementRow>[]): TestCase => ({
  kind: 'requirement',
  id: 'one',
  verifies: 'a.b',
  title: 'One',
  at,
  tags: [],
  rows: rows.map(rowOf),
});
const judgeSent = (testCase: TestCase, target: TargetContext, sent: ExchangesByRow, ...again: ExchangesByRow[]) => {
  const evidence = collectRowEvidence(sent, target);
  const once = judgeCase(testCase, evidence);
  const repetitions = again.map((rows) => collectRowEvidence(rows, target));
  const { rows, ...judgement } = judgeCase(testCase, evidence, repetitions, once);
  return { ...checkReason(judgement), rows: rows.map(checkReason) };
};
/** Checks that a judgement has all data that the sentence of its reason shows. */
const checkReason = <Stated extends Judgement>(judgement: Stated) => {
  expect(renderReason(judgement.reason), 'a reason lacks data').not.toContain('{{');
  return { ...judgement, reason: judgement.reason };
};
type RankedName = readonly [name: string, rank: number];
const tiersOf = (...named: readonly RankedName[]) =>
  reasonOf('tiers', { named: named.map(([name, rank]) => reasonOf('tier', { name, rank })), more: 0 });
const notReturned = (...named: readonly RankedName[]) => reasonOf('not-returned', { tiers: tiersOf(...named) });
const returnedWrongly = (...named: readonly RankedName[]) => reasonOf('returned-wrongly', { tiers: tiersOf(...named) });
const late = reasonOf('no-response', { message: 'It is timed-out.' });
const judged = (testCase: TestCase, ...rows: readonly Readonly<Record<string, Exchange>>[]) =>
  judgeSent(
    testCase,
    background,
    rows.map((exchanges) => new Map(Object.entries(exchanges))),
  );

test.describe('The verdict of a requirement case', () => {
  const [include, exclude] = [asserting(written.include), asserting(written.exclude)];
  const [success, newestFirst] = [asserting(written['2xx']), asserting(written['newest first'])];
  const onlyFirst = [asserting(['returned.include', ['first']]), asserting(['returned.only', ['first']])];
  const missing = notReturned(['second', 2]);
  const missingBoth = notReturned(['first', 1], ['second', 2]);
  const noResult = reasonOf('no-result', { status: 404 });
  const unmet = (reason: unknown) => reasonOf('precondition', { reason });
  type Case = [what: string, row: Partial<RequirementRow>, probe: Exchange, verdict: Verdict, reason: unknown];
  const cases: readonly Case[] = [
    ['all hold', { expect: [include, success] }, returning(first, second), 'pass', undefined],
    ['one is violated', { expect: [include] }, returning(first), 'fail', missing],
    ['a violation and a doubt', { expect: [newestFirst, include] }, returning(first), 'fail', missing],
    ['one is unclear', { expect: [success, newestFirst] }, returning(first), 'inconclusive', reasonOf('no-order')],
    ['too much', { expect: onlyFirst }, returning(first, third), 'fail', returnedWrongly(['third', 3])],
    [
      'an error, 2xx expected',
      { expect: [success] },
      answered(404),
      'fail',
      reasonOf('status-unexpected', { status: 404, expected: ['2xx'] }),
    ],
    ['an error, another expectation', { expect: [include] }, answered(404), 'inconclusive', noResult],
    ['500, nothing expected', { expect: [exclude] }, answered(500), 'pass', undefined],
    [
      'a violated precondition',
      { given: [include], expect: [exclude] },
      returning(third),
      'inconclusive',
      unmet(missingBoth),
    ],
    [
      'an unclear precondition',
      { given: [include], expect: [success] },
      answered(404),
      'inconclusive',
      unmet(noResult),
    ],
    [
      'something unavailable',
      { unavailable: ['customer ann', 'tier greeting'], expect: [include] },
      returning(),
      'not-applicable',
      reasonOf('lacking', { things: ['customer ann', 'tier greeting'] }),
    ],
    ['a transport error', { expect: [success] }, broken('timed-out'), 'inconclusive', late],
  ];
  test('for each response', () =>
    checkEachRow(cases, (_, row, probe, verdict, reason) => {
      expect(judged(requirementOf(row), { probe })).toMatchObject({ verdict, reason });
    }));

  test('names the line of the case file and the exchange', () => {
    const place = { file: 'cases.yaml', line: 7, column: 9 };
    const ofOther = asserting(written.include, 'other', place);
    const testCase = requirementOf({ expect: [success, ofOther, include] });
    const judgement = {
      verdict: 'fail',
      reason: missingBoth,
      at: place,
      exchange: 'other',
      expected: ofOther,
      shownBy: ['other', 'probe'],
    };
    expect(judged(testCase, { probe: returning(first), other: returning() })).toEqual({
      ...judgement,
      title: '',
      rows: [{ ...judgement, title: '' }],
    });
    const whole = returning(first, second);
    expect(judged(testCase, { probe: whole, other: whole })).toMatchObject({ verdict: 'pass', reason: undefined, at });
  });

  test('is not-applicable for a chunked request to a server that requires Content-Length', () => {
    const testCase = requirementOf({ expect: [success] });
    const refused = (status: number, sent?: 'chunked') =>
      judged(testCase, { probe: { ...answered(status), request: { ...request, ...(sent && { sent }) } } });
    expect(refused(411, 'chunked')).toMatchObject({
      verdict: 'not-applicable',
      reason: createReason('way-refused', { way: 'chunked', outcome: 411 }),
      exchange: 'probe',
      at,
    });
    expect([refused(411).verdict, refused(400, 'chunked').verdict]).toEqual(['fail', 'fail']);
  });

  test('is the worst verdict of its rows', () => {
    const expecting = ['a', 'b', 'c'].map((title) => ({ title, expect: [include] }));
    const testCase = requirementOf(...expecting, { title: 'd', unavailable: ['customer ann'] });
    const rows = (...probes: readonly Exchange[]) => judged(testCase, ...probes.map((probe) => ({ probe })), {});
    const good = returning(first, second);
    expect(rows(good, good, good)).toMatchObject({ verdict: 'pass', reason: undefined });
    expect(rows(good, answered(404), good)).toMatchObject({
      verdict: 'inconclusive',
      reason: reasonOf('rows', { title: 'b', reason: noResult, count: 1, total: 4 }),
    });
    expect(rows(answered(404), returning(first), returning())).toMatchObject({
      verdict: 'fail',
      reason: reasonOf('rows', { title: 'b', reason: missing, count: 2, total: 4 }),
    });
    const verdicts = rows(good, returning(), good).rows.map(({ title, verdict }) => `${title} ${verdict}`);
    expect(verdicts).toEqual(['a pass', 'b fail', 'c pass', 'd not-applicable']);
  });

  test('depends on one reading for all rows', () => {
    const testCase = requirementOf({ expect: [include] }, { expect: [include] });
    const inX = answered(200, { x: [first, second] });
    const inXAndY = answered(200, { x: [first, second], y: [third] });
    expect(judged(testCase, { probe: inX }, { probe: inX }).verdict).toBe('pass');
    const { rows } = judged(testCase, { probe: inX }, { probe: inXAndY });
    expect(rows.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive']);
  });

  test('depends on calibration and stated patterns', () => {
    const testCase = requirementOf({ expect: [asserting(written.exclude)] });
    const skipped = [new Map([['probe', answered(200, { skipped: [second] })]])];
    const calibration = [answered(200, { promotions: [first], skipped: [] })];
    const calibrated: TargetContext = { ...background, calibration };
    const verdictWith = (pattern: string) =>
      judgeSent(testCase, { ...calibrated, configuredPatterns: [pattern] }, skipped).verdict;
    expect(judgeSent(testCase, background, skipped).verdict).toBe('fail');
    expect(judgeSent(testCase, calibrated, skipped).verdict).toBe('inconclusive');
    expect(verdictWith('/promotions/*')).toBe('pass');
    expect(verdictWith('/elsewhere')).toBe('inconclusive');
  });
});

test.describe('A repeated case', () => {
  const exclude = asserting(written.exclude);
  const good = returning(first);
  const [tooFew, tooMany] = [answered(200, { data: [] }), returning(first, second)];
  const sent = (...probes: readonly Exchange[]) => probes.map((probe) => new Map([['probe', probe]]));
  const includeOne = asserting(['returned.include', ['first']]);
  const judgedTwice = (testCase: TestCase, probe: Exchange, ...again: readonly Exchange[]) =>
    judgeSent(testCase, background, sent(probe), ...again.map((probe) => sent(probe)));
  const testCase = requirementOf({ expect: [includeOne, exclude] });

  const extra = returnedWrongly(['second', 2]);
  const missing = notReturned(['first', 1]);
  const passed = reasonOf('passed');
  const unstable = (first: unknown, next: unknown) => reasonOf('unstable', { first, next });
  const rows: readonly [what: string, probes: [Exchange, ...Exchange[]], verdict: Verdict, reason: unknown][] = [
    ['passes twice', [good, good], 'pass', undefined],
    ['fails twice', [tooMany, tooMany], 'fail', extra],
    ['fails first', [tooMany, good], 'inconclusive', unstable(extra, passed)],
    ['fails later', [good, tooMany], 'inconclusive', unstable(passed, extra)],
    ['fails differently', [tooMany, tooFew], 'inconclusive', unstable(extra, missing)],
    ['passes last', [tooMany, tooMany, good], 'inconclusive', unstable(extra, passed)],
    ['passes once', [tooMany, good, tooMany], 'inconclusive', unstable(extra, passed)],
  ];
  test('fails only if the same expectation is violated each time', () =>
    checkEachRow(rows, (_, probes, verdict, reason) => {
      const judgement = judgedTwice(testCase, ...probes);
      expect(judgement).toMatchObject({ verdict, reason });
      const isUnstable = judgement.reason?.code === 'unstable';
      expect(judgement.isUnstable).toBe(isUnstable ? true : undefined);
      const isRefuted = isUnstable || verdict === 'fail';
      expect(judgement.expected).toBe(isRefuted ? exclude : undefined);
    }));

  test('does not fail if its precondition is not met once', () => {
    const withPrecondition = requirementOf({ given: [asserting(['status', 200])], expect: [exclude] });
    const unmet = answered(201, { data: [second] });
    expect(judgedTwice(withPrecondition, tooMany, unmet)).toMatchObject({ verdict: 'inconclusive', isUnstable: true });
    expect(judgedTwice(withPrecondition, unmet, tooMany)).toMatchObject({ verdict: 'inconclusive', isUnstable: true });
  });
});

test('If no response names anything of the world, only an error of the server refutes something', () => {
  const testCase = requirementOf({ expect: [asserting(written['2xx']), asserting(written.include)] });
  const nothing = answered(200, { data: [] });
  const unseen = reasonOf('world-unseen', { reason: reasonOf('not-returned'), unseen: 'anything of the test data' });
  const gateway = reasonOf('unavailable', { status: 499 });
  const missing = reasonOf('not-returned');
  type Sent = Readonly<Record<string, Exchange>>;
  /** The exchanges of the case, then those of its repetition. */
  const rows: readonly (readonly [
    what: string,
    sent: readonly [Sent, ...Sent[]],
    verdict: Verdict,
    reason: unknown,
  ])[] = [
    ['nothing', [{ probe: nothing }], 'inconclusive', unseen],
    ['an error of a proxy', [{ probe: answered(499) }], 'inconclusive', gateway],
    ['a transport error', [{ probe: broken('timed-out') }], 'inconclusive', late],
    ['an error of the server', [{ probe: answered(500) }], 'fail', reasonOf('status-unexpected', { status: 500 })],
    ['another response names it', [{ probe: nothing, other: returning(third) }], 'fail', missing],
    ['a later response names it', [{ probe: nothing }, { probe: returning(first) }], 'fail', missing],
  ];
  checkEachRow(rows, (_, sent, verdict, reason) => {
    const [once = [], ...again] = sent.map((exchanges) => [new Map(Object.entries(exchanges))]);
    const judgement = judgeSent(testCase, { ...background, isWorldSeen: false }, once, ...again);
    expect(judgement).toMatchObject({ verdict, reason });
  });
});

test.describe('The answer to a question', () => {
  const questionOf = (answer: OutcomeRule, stated: Partial<CaseRow> = {}): TestCase => ({
    kind: 'question',
    id: 'q',
    answers: 'q',
    title: 'Q',
    at,
    tags: [],
    rows: [rowOf(stated)],
    answer,
  });
  const rules: OutcomeRule = {
    kind: 'first-of',
    evidence: 'probe',
    rules: [
      { outcome: 'rejected', when: [asserting(['status', '4xx'])] },
      { outcome: 'all', when: [asserting(written.include), asserting(['returned.include', ['third']])] },
      { outcome: 'some', when: [asserting(['returned.include', ['first']])] },
    ],
  };
  const noneFits = reasonOf('no-outcome');
  type Answer = [what: string, probe: Exchange, outcome: string | undefined, verdict: Verdict, reason: unknown];
  const answers: readonly Answer[] = [
    ['the first rule', answered(400), 'rejected', 'pass', undefined],
    ['a rule with two assertions', returning(first, second, third), 'all', 'pass', undefined],
    ['a later rule', returning(first, third), 'some', 'pass', undefined],
    ['none fits', returning(), 'undetermined', 'pass', noneFits],
    ['none fits: 500', answered(500), 'undetermined', 'pass', noneFits],
    [
      'cannot be determined',
      noJson,
      'undetermined',
      'pass',
      reasonOf('outcome-unclear', { outcome: 'some', reason: reasonOf('names-unlocated') }),
    ],
    ['a transport error', broken('timed-out'), undefined, 'inconclusive', late],
    ['429', answered(429), undefined, 'inconclusive', reasonOf('unavailable', { status: 429 })],
  ];
  test('is the outcome of the first rule that holds', () =>
    checkEachRow(answers, (_, probe, outcome, verdict, reason) => {
      const judgement = judged(questionOf(rules), { probe });
      expect(judgement).toMatchObject({ verdict, reason, rows: [] });
      expect(judgement.outcome).toBe(outcome);
    }));

  test('names the exchange that the case states as evidence', () => {
    expect(judged(questionOf(rules), { probe: answered(400), last: returning(first) })).toMatchObject({
      outcome: 'rejected',
      exchange: 'probe',
    });
    const undecided = judged(questionOf({ ...rules, evidence: 'last' }), { probe: returning(), last: returning() });
    expect(undecided).toMatchObject({ outcome: 'undetermined', exchange: 'last' });
  });

  test('is missing after a transport error, or if a precondition is not met', () => {
    const unanswered = judged(questionOf(rules), { plain: answered(503), probe: returning(first) });
    expect(unanswered).toMatchObject({ verdict: 'inconclusive', exchange: 'plain' });
    const given = [asserting(written.include)];
    expect(judged(questionOf(rules, { given }), { probe: returning() })).toMatchObject({
      verdict: 'inconclusive',
      reason: reasonOf('precondition', { reason: notReturned(['first', 1], ['second', 2]) }),
    });
  });

  const type = (value: string) => ({ 'Content-Type': value });
  const json = type('application/json');
  const headers = { part: 'headers', values: ['link', 'x-*'], names: ['etag'] } as const;
  const links = ['<a>', '<b>'].map((link, n) => [n === 0 ? 'Link' : 'link', link] as const);
  const repeatedHeader: Exchange = { request, response: { status: 200, headers: links, body: '' } };
  const [media, ofError, shape] = [{ part: 'media-type' }, { part: 'error-shape' }, { part: 'shape' }] as const;
  type Take = Extract<OutcomeRule, { kind: 'value' }>['take'];
  const values: readonly (readonly [what: string, take: Take, probe: Exchange, value: string])[] = [
    ['a status', { part: 'status' }, answered(203), '203'],
    [
      'a media type with parameters',
      media,
      answered(200, '', type('Application/JSON; charset=utf-8')),
      'application/json',
    ],
    ['no media type', media, answered(200), 'none'],
    ['a shape', shape, returning(first), '/data/*/id'],
    [
      'the shape of an error',
      ofError,
      answered(400, { message: '', code: 1 }, json),
      'application/json: code, message',
    ],
    ['no error body', ofError, answered(400), 'none: no body'],
    ['a page', ofError, answered(400, '<p>', type('text/html')), 'text/html: no object'],
    ['no error', ofError, answered(200, { a: 1 }, json), 'no error'],
    [
      'sorted headers',
      headers,
      answered(200, '', { 'X-B': '2', ETag: '"1"', link: '<a>', 'x-a': '1', Date: 'now' }),
      'etag | link: <a> | x-a: 1 | x-b: 2',
    ],
    ['a repeated header', headers, repeatedHeader, 'link: <a>, <b>'],
    ['similar headers', headers, answered(200, '', { lin: '1', x: '1', 'etag-2': '1' }), 'none'],
  ];
  test('can be an open value', () =>
    checkEachRow(values, (_, take, probe, value) => {
      const place = { file: 'cases.yaml', line: 7, column: 9 };
      expect(judged(questionOf({ kind: 'value', of: 'probe', take, at: place }), { probe })).toEqual({
        verdict: 'pass',
        outcome: value,
        at: place,
        exchange: 'probe',
        rows: [],
      });
    }));

  test('is the stated path of promotions, or missing if there is no path or no response', () => {
    const answer: OutcomeRule = { kind: 'value', of: 'probe', take: shape, at };
    const stated = { ...background, configuredPatterns: ['/promotions/*'] };
    expect(judgeSent(questionOf(answer), stated, [new Map([['probe', ambiguous]])]).outcome).toBe('/promotions/*');
    const unknown = {
      verdict: 'inconclusive',
      reason: createReason('paths', { paths: ['/promotions/*', '/skipped/*'] }),
    };
    expect(judged(questionOf(answer), { probe: ambiguous })).toMatchObject(unknown);
    const none = { verdict: 'inconclusive', reason: createReason('paths', { paths: 'no path' }) };
    expect(judged(questionOf(answer), { probe: returning() })).toMatchObject(none);
    expect(judged(questionOf(answer), { probe: answered(503) })).toMatchObject({ verdict: 'inconclusive' });
  });
});

test('Combined assertions: a violation outweighs a doubt in all-of, a doubt outweighs a violation in any-of', () => {
  const [no, maybe] = [createViolation('no-outcome'), createUnclearResult('no-order')];
  for (const [results, all, any] of [
    [[no, holdingResult], no, holdingResult],
    [[holdingResult, maybe], maybe, holdingResult],
    [[maybe, no], no, maybe],
    [[no, maybe], no, maybe],
    [[no, no], no, no],
  ] as const)
    expect([combineResultsWithAnd(results), combineResultsWithOr(results)]).toEqual([all, any]);
});
