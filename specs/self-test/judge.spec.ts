import { expect, test } from '@playwright/test';
import type { Case, Check, Claim, QuestionAnswer, Row } from '../../src/cases/case.js';
import type { Exchange, HttpRequest, TransportErrorKind } from '../../src/http/exchange.js';
import { type Evidence, evaluate, knownIds, type Mode, succeeded } from '../../src/judge/check.js';
import { takenValue } from '../../src/judge/value.js';
import { type Background, judgeCase, type Verdict, worst } from '../../src/judge/verdict.js';
import { namingOf, readingOf } from '../../src/recognition/recognise.js';
import type { World } from '../../src/world/world.js';

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

const request: HttpRequest = { method: 'GET', path: '/', headers: [] };
const at = { file: 'cases.yaml', line: 1, column: 1 };

function answered(status: number, body: unknown = '', headers: Record<string, string> = {}): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { request, response: { status, headers: Object.entries(headers), body: text } };
}
const troubled = (transportError: TransportErrorKind): Exchange => ({
  request,
  transportError,
  message: `It is ${transportError}.`,
});
const returning = (...ids: readonly string[]) => answered(200, { data: ids.map((id) => ({ id })) });

function evidenceOf(exchanges: Readonly<Record<string, Exchange>>): Evidence {
  const ids = knownIds(world);
  const responses = Object.values(exchanges).flatMap((each) => ('response' in each ? [each.response] : []));
  return {
    exchanges: new Map(Object.entries(exchanges)),
    reading: readingOf(responses.filter(succeeded).map(({ body }) => namingOf(body, ids))),
    world,
    naming: ({ body }) => namingOf(body, ids),
  };
}

const checkOf = (claim: Claim, of = 'asked', place = at): Check => ({ ...claim, of, at: place });

/** Whether a claim holds of the exchange `asked`. */
function truth(claim: Claim, exchanges: Readonly<Record<string, Exchange>>, mode: Mode = 'requirement'): string {
  return evaluate(checkOf(claim), evidenceOf(exchanges), mode).is;
}

const claims = {
  '2xx': { claim: 'status', patterns: ['2xx'] },
  '404 or 5xx': { claim: 'status', patterns: ['404', '5xx'] },
  'same status': { claim: 'same-status', other: 'other' },
  'other status': { claim: 'other-status', other: 'other' },
  'header present': { claim: 'header', name: 'X-Limit', present: true },
  'header absent': { claim: 'header', name: 'X-Limit', present: false },
  'header of a form': { claim: 'header', name: 'X-Limit', matches: '^\\d+$', present: true },
  schema: { claim: 'body-schema', schema: { type: 'object', required: ['data'] } },
  'same body': { claim: 'same-body', other: 'other' },
  'other body': { claim: 'other-body', other: 'other' },
  'empty body': { claim: 'body-empty' },
  mentions: { claim: 'mentions', texts: ['camp_x', 'camp_y'] },
  'mentions not': { claim: 'mentions-not', texts: ['camp_x', 'camp_y'] },
  include: { claim: 'include', tiers: [first, second] },
  exclude: { claim: 'exclude', tiers: [second, third] },
  exactly: { claim: 'exactly', must: new Set([first]), may: new Set([second]) },
  'exactly nothing': { claim: 'exactly', must: new Set<string>(), may: new Set<string>() },
  'same as': { claim: 'same-as', other: 'other' },
  within: { claim: 'within', other: 'other' },
  'differs from': { claim: 'differs-from', other: 'other' },
  something: { claim: 'something' },
  nothing: { claim: 'nothing' },
  'at most 1': { claim: 'at-most', count: 1 },
  accepted: { claim: 'accepted', unless: { is: 'empty' } },
  'accepted as is': { claim: 'accepted', unless: { is: 'as-is', other: 'other' } },
  'accepted unless as empty': { claim: 'accepted', unless: { is: 'as-empty', other: 'other' } },
  'found at most 1': { claim: 'found-at-most', count: 1 },
  'found within': { claim: 'found-within', other: 'other', may: [third] },
  'newest first': { claim: 'ordered', order: 'newest-first' },
  'oldest first': { claim: 'ordered', order: 'oldest-first' },
} as const satisfies Record<string, Claim>;
type ClaimName = keyof typeof claims;
const claimNames = Object.keys(claims) as ClaimName[];

/** Tiers named where it cannot be told whether they were returned. */
const ambiguous = answered(200, { promotions: [first], skipped: [second] });
const noJson = answered(200, `<p>${first} ${second}</p>`);

test.describe('a claim holds, is violated or stays unclear:', () => {
  type Truths = Partial<
    Record<'holds' | 'violated' | 'unclear', readonly (readonly [asked: Exchange, other?: Exchange])[]>
  >;
  const limit = (value: string) => answered(200, '', { 'x-LIMIT': value });
  const table: Readonly<Record<ClaimName, Truths>> = {
    '2xx': { holds: [[answered(200)], [answered(299)]], violated: [[answered(404)], [answered(500)]] },
    '404 or 5xx': { holds: [[answered(404)], [answered(500)]], violated: [[answered(200)], [answered(400)]] },
    'same status': {
      holds: [[answered(200), answered(200)]],
      violated: [[answered(200), answered(201)]],
      unclear: [
        [answered(200), troubled('timed-out')],
        [answered(200), answered(429)],
      ],
    },
    'other status': {
      holds: [[answered(200), answered(400)]],
      violated: [[answered(200), answered(200)]],
      unclear: [[answered(200), answered(503)]],
    },
    'header present': { holds: [[limit('')], [limit('9')]], violated: [[answered(200)]] },
    'header absent': { holds: [[answered(200)]], violated: [[limit('9')]] },
    'header of a form': { holds: [[limit('9')]], violated: [[limit('9 of 10')], [answered(200)]] },
    schema: {
      holds: [[returning()]],
      violated: [[answered(200, '[]')], [answered(200, '{}')], [answered(200, '{')], [answered(200)]],
    },
    'same body': {
      holds: [[answered(200, 'a'), answered(400, 'a')]],
      violated: [[answered(200, 'a'), answered(200, 'b')]],
      unclear: [[answered(200, 'a'), troubled('too-large')]],
    },
    'other body': {
      holds: [[answered(200, 'a'), answered(200, 'b')]],
      violated: [[answered(200, 'a'), answered(200, 'a')]],
      unclear: [[answered(200, 'a'), answered(504)]],
    },
    'empty body': { holds: [[answered(204)], [answered(200)]], violated: [[answered(200, ' ')]] },
    mentions: { holds: [[answered(200, 'camp_y')]], violated: [[answered(200, 'camp_z')]] },
    'mentions not': { holds: [[answered(200, 'camp_z')]], violated: [[answered(200, 'camp_x camp_y')]] },
    include: {
      holds: [[returning(third, second, first)]],
      violated: [[returning(first)], [returning()], [answered(200)], [answered(204)]],
      unclear: [[ambiguous], [noJson], [answered(404)], [answered(400)], [answered(500)]],
    },
    exclude: {
      holds: [[returning(first)], [returning()], [answered(204)]],
      violated: [[returning(first, third)]],
      unclear: [[ambiguous], [noJson], [answered(404, [second])]],
    },
    exactly: {
      holds: [[returning(first)], [returning(second, first)]],
      violated: [[returning()], [returning(second)], [returning(first, third)]],
      unclear: [[ambiguous], [noJson], [answered(404)]],
    },
    'exactly nothing': {
      holds: [[returning()], [answered(204)], [answered(200, 'null')]],
      violated: [[returning(third)]],
      unclear: [[ambiguous], [noJson]],
    },
    'same as': {
      holds: [
        [returning(first, second), returning(second, first)],
        [returning(), answered(204)],
      ],
      violated: [
        [returning(first), returning()],
        [returning(), returning(first)],
      ],
      unclear: [
        [returning(first), noJson],
        [noJson, returning(first)],
        [returning(first), answered(404)],
        [returning(first), troubled('unreachable')],
      ],
    },
    within: {
      holds: [
        [returning(first), returning(first, second)],
        [returning(), returning(first)],
      ],
      violated: [[returning(first, second), returning(first)]],
      unclear: [
        [returning(first), answered(400)],
        [noJson, returning(first)],
      ],
    },
    'differs from': {
      holds: [
        [returning(first), returning()],
        [returning(), returning(first)],
      ],
      violated: [[returning(first), returning(first)]],
      unclear: [
        [returning(first), noJson],
        [returning(first), answered(500)],
      ],
    },
    something: {
      holds: [[returning(third)]],
      violated: [[returning()], [answered(204)]],
      unclear: [[noJson], [ambiguous], [answered(404)]],
    },
    nothing: {
      holds: [[returning()], [answered(204)]],
      violated: [[returning(third)]],
      unclear: [[noJson], [ambiguous], [answered(404, first)]],
    },
    'at most 1': {
      holds: [[returning(first)], [returning()]],
      violated: [[returning(first, second)]],
      unclear: [[noJson], [ambiguous], [answered(404)]],
    },
    accepted: {
      holds: [[answered(204)], [returning(first)]],
      unclear: [[answered(400)], [answered(404)], [answered(500)]],
    },
    'accepted unless as empty': {
      holds: [
        [answered(200), answered(404)],
        [returning(), returning()],
      ],
      violated: [
        [answered(400), answered(404)],
        [answered(404), returning()],
        [answered(500), answered(204)],
      ],
      unclear: [
        [answered(404), answered(404)],
        [answered(400), answered(503)],
        [answered(429), answered(404)],
      ],
    },
    'accepted as is': {
      holds: [
        [answered(200), answered(404)],
        [returning(), returning()],
      ],
      violated: [
        [answered(400), answered(204)],
        [answered(500), returning(first)],
      ],
      unclear: [
        [answered(404), returning(first)],
        [answered(404), answered(404)],
        [answered(400), answered(503)],
        [answered(400), answered(401)],
      ],
    },
    'found at most 1': {
      holds: [[returning(first)]],
      unclear: [
        [returning(first, 'unknown')],
        [returning('unknown')],
        [returning()],
        [noJson],
        [ambiguous],
        [answered(404)],
      ],
    },
    'found within': {
      holds: [
        [returning(first, third), returning(first, second)],
        [returning('unknown'), returning(first, 'unknown')],
      ],
      unclear: [
        [returning(first, second), returning(first)],
        [returning(first, 'unknown'), returning(first)],
        [returning(first), answered(404)],
        [returning(first), answered(429)],
        [noJson, returning(first)],
      ],
    },
    'newest first': {
      holds: [[returning(first, third)], [returning(first, second, third)]],
      violated: [[returning(third, first)]],
      unclear: [[returning(first)], [returning()], [noJson], [ambiguous]],
    },
    'oldest first': {
      holds: [[returning(third, second, first)]],
      violated: [[returning(first, third)]],
      unclear: [[returning(first)], [noJson]],
    },
  };
  for (const name of claimNames) {
    test(name, () => {
      for (const [wanted, rows] of Object.entries(table[name])) {
        for (const [asked, other = returning()] of rows) {
          expect(truth(claims[name], { asked, other }), JSON.stringify([asked, other])).toBe(wanted);
        }
      }
    });
  }

  test('what is found counts against a limit only where the target file says that it is promotions', () => {
    const found = (...ids: readonly string[]) => {
      const evidence: Evidence = {
        ...evidenceOf({ asked: returning(...ids) }),
        reading: { kind: 'stated', patterns: ['/data/*/id'] },
      };
      return evaluate(checkOf(claims['found at most 1']), evidence, 'requirement').is;
    };
    expect(found('unknown')).toBe('holds');
    expect(found(first, 'unknown')).toBe('violated');
  });

  test('any-of: one alternative holds as a whole; a doubt outweighs a violation', () => {
    const anyOf = (exchange: Exchange) =>
      evaluate(
        {
          claim: 'any-of',
          at,
          alternatives: [[checkOf(claims['empty body']), checkOf(claims['header present'])], [checkOf(claims.include)]],
        },
        evidenceOf({ asked: exchange }),
        'requirement',
      ).is;
    expect(anyOf(returning(first, second))).toBe('holds');
    expect(anyOf(answered(200, '', { 'X-Limit': '' }))).toBe('holds');
    expect(anyOf(returning(first))).toBe('violated');
    expect(anyOf(noJson)).toBe('unclear');
  });

  test('an exchange that nobody sent is a mistake of the suite', () => {
    expect(() => truth(claims['2xx'], {})).toThrow("There is no exchange 'asked'.");
  });
});

test.describe('what shows nothing is never held against a deployment:', () => {
  const troubles: readonly TransportErrorKind[] = [
    'unreachable',
    'timed-out',
    'broken-connection',
    'too-large',
    'unreadable',
    'not-sent',
  ];
  const onTheWay = [...troubles.map(troubled), ...[408, 429, 502, 503, 504].map((status) => answered(status, [first]))];
  const withHint = [300, 301, 302, 303, 304, 307, 308, 401, 403].map((status) =>
    answered(status, [first], { Location: 'http://b.test/' }),
  );

  for (const [stances, exchanges] of [
    [['requirement', 'question'], onTheWay],
    [['requirement'], withHint],
  ] as const) {
    for (const asked of exchanges) {
      test(`${'response' in asked ? asked.response.status : asked.transportError}, as ${stances.join(' and ')}`, () => {
        for (const mode of stances) {
          for (const name of claimNames)
            expect(truth(claims[name], { asked, other: returning() }, mode), name).toBe('unclear');
        }
      });
    }
  }

  const reasons: readonly (readonly [exchange: Exchange, reason: string])[] = [
    [troubled('timed-out'), 'It is timed-out.'],
    [answered(429), 'Answered 429: the deployment limits the rate of requests; send fewer per second.'],
    [
      answered(308, '', { LOCATION: 'https://b.test/' }),
      'Redirected (308) to https://b.test/; redirects are not followed. Is the base URL right?',
    ],
    [answered(304), 'Redirected (304); redirects are not followed. Is the base URL right?'],
    [answered(401), 'Answered 401: the credentials are probably wrong. Check CLIENT_APPLICATION_ID and CLIENT_TOKEN.'],
    [answered(500), 'Answered 500, so there is no result to judge.'],
  ];
  for (const [asked, reason] of reasons) {
    test(`the reason: ${reason}`, () => {
      expect(evaluate(checkOf(claims.include), evidenceOf({ asked }), 'requirement')).toEqual({
        is: 'unclear',
        because: reason,
        of: 'asked',
      });
    });
  }

  test('to a question such answers are what is asked for', () => {
    for (const status of [301, 401, 403]) {
      const pattern: Claim = { claim: 'status', patterns: [String(status)] };
      expect(truth(pattern, { asked: answered(status) }, 'question')).toBe('holds');
      expect(truth(claims.include, { asked: answered(status) }, 'question')).toBe('violated');
    }
  });
});

test.describe('an empty result may look like anything, where nothing is expected', () => {
  // 500 too: that it stands for an empty result is an outcome of the question empty-result.
  const empties = [
    answered(200),
    answered(200, '[]'),
    answered(204),
    answered(400),
    answered(404),
    answered(404, 'no promotions'),
    answered(422),
    answered(500),
  ];
  const expectNothing = ['nothing', 'exclude', 'exactly nothing'] as const satisfies ClaimName[];
  for (const name of claimNames) {
    if ((expectNothing as readonly ClaimName[]).includes(name)) {
      test(`${name}: holds`, () => {
        for (const asked of empties) expect(truth(claims[name], { asked }), JSON.stringify(asked)).toBe('holds');
        expect(truth(claims[name], { asked: answered(404, [second]) })).toBe('unclear');
      });
    }
  }

  test('and only there', () => {
    for (const name of ['include', 'exactly', 'something'] as const) {
      for (const asked of empties) expect(truth(claims[name], { asked }), JSON.stringify(asked)).not.toBe('holds');
    }
    for (const asked of empties)
      expect(truth(claims.nothing, { asked }, 'question')).toBe(
        'response' in asked && succeeded(asked.response) ? 'holds' : 'violated',
      );
  });
});

const background: Background = { world, calibration: [] };
const rowOf = (parts: Partial<Row>): Row => ({
  title: '',
  requests: new Map(),
  given: [],
  expect: [],
  missing: [],
  ...parts,
});
const requirementOf = (...rows: readonly Partial<Row>[]): Case => ({
  kind: 'requirement',
  id: 'one',
  verifies: 'a.b',
  title: 'One',
  at,
  tags: [],
  rows: rows.map(rowOf),
});
const judged = (testCase: Case, ...rows: readonly Readonly<Record<string, Exchange>>[]) =>
  judgeCase(
    testCase,
    rows.map((exchanges) => new Map(Object.entries(exchanges))),
    background,
  );

test.describe('the verdict of a requirement case:', () => {
  const include = checkOf(claims.include);
  const exclude = checkOf(claims.exclude);
  const cases: readonly (readonly [
    what: string,
    row: Partial<Row>,
    asked: Exchange,
    verdict: Verdict,
    reason: string,
  ])[] = [
    ['all hold', { expect: [include, checkOf(claims['2xx'])] }, returning(first, second), 'pass', ''],
    ['one is violated', { expect: [include] }, returning(first), 'fail', "Not returned: 'second' (rank 2)."],
    [
      'violations outweigh doubts',
      { expect: [checkOf(claims['newest first']), include] },
      returning(first),
      'fail',
      "Not returned: 'second' (rank 2).",
    ],
    [
      'one is unclear',
      { expect: [checkOf(claims['2xx']), checkOf(claims['newest first'])] },
      returning(first),
      'inconclusive',
      'Fewer than two promotions were returned, so they show no order.',
    ],
    [
      'too much and too little',
      { expect: [checkOf({ claim: 'exactly', must: new Set([first]), may: new Set() })] },
      returning(third),
      'fail',
      "Not returned: 'first' (rank 1). Returned, but should not be: 'third' (rank 3).",
    ],
    [
      'another answer than success, expected',
      { expect: [checkOf(claims['2xx'])] },
      answered(404),
      'fail',
      'Answered 404, expected 2xx.',
    ],
    [
      'another answer than success, not what the case is about',
      { expect: [include] },
      answered(404),
      'inconclusive',
      'Answered 404, so there is no result to judge.',
    ],
    ['500 where nothing is expected, and its control elsewhere', { expect: [exclude] }, answered(500), 'pass', ''],
    ['404 where nothing is expected', { expect: [exclude] }, answered(404), 'pass', ''],
    [
      'a precondition that is violated',
      { given: [include], expect: [exclude] },
      returning(third),
      'inconclusive',
      "A precondition is not met. Not returned: 'first' (rank 1), 'second' (rank 2).",
    ],
    [
      'a precondition that is unclear',
      { given: [include], expect: [checkOf(claims['2xx'])] },
      answered(404),
      'inconclusive',
      'A precondition is not met. Answered 404, so there is no result to judge.',
    ],
    ['nothing asserted', { given: [include] }, returning(first, second), 'error', 'The case asserts nothing.'],
    [
      'ids missing',
      { missing: ['customer ann', 'tier greeting'], expect: [include] },
      returning(),
      'not-applicable',
      'The target does not hold customer ann, tier greeting.',
    ],
    [
      'the credentials refused',
      { expect: [checkOf(claims['2xx'])] },
      answered(401),
      'inconclusive',
      'Answered 401: the credentials are probably wrong. Check CLIENT_APPLICATION_ID and CLIENT_TOKEN.',
    ],
    [
      'a cut connection',
      { expect: [checkOf(claims['2xx'])] },
      troubled('broken-connection'),
      'inconclusive',
      'It is broken-connection.',
    ],
  ];
  for (const [what, row, asked, verdict, reason] of cases) {
    test(`${what} → ${verdict}`, () => {
      expect(judged(requirementOf(row), { asked })).toMatchObject({ verdict, reason });
    });
  }

  test('it stands where the case file says what it rests on, with the exchange that shows it', () => {
    const place = { file: 'cases.yaml', line: 7, column: 9 };
    const testCase = requirementOf({ expect: [checkOf(claims['2xx']), checkOf(claims.include, 'other', place)] });
    expect(judged(testCase, { asked: returning(), other: returning() })).toMatchObject({
      verdict: 'fail',
      at: place,
      exchange: 'other',
    });
  });

  test('rows: the worst decides, and says for how many', () => {
    const expectation = { expect: [checkOf(claims.include)] };
    const testCase = requirementOf(
      { title: 'a', ...expectation },
      { title: 'b', ...expectation },
      { title: 'c', ...expectation },
      { title: 'd', missing: ['customer ann'] },
    );
    const rows = (...asked: readonly Exchange[]) =>
      judged(testCase, ...asked.map((exchange) => ({ asked: exchange })), {});
    const good = returning(first, second);
    const verdictOf = (...asked: readonly Exchange[]) => {
      const { verdict, reason } = rows(...asked);
      return [verdict, reason];
    };
    expect(verdictOf(good, good, good)).toEqual(['pass', '']);
    expect(verdictOf(good, answered(404), good)).toEqual([
      'inconclusive',
      'b: Answered 404, so there is no result to judge. (1 of 4 rows)',
    ]);
    expect(verdictOf(answered(404), returning(first), returning())).toEqual([
      'fail',
      "b: Not returned: 'second' (rank 2). (and 1 more of 4 rows)",
    ]);
    expect(rows(good, returning(), good).rows.map(({ title, verdict }) => `${title} ${verdict}`)).toEqual([
      'a pass',
      'b fail',
      'c pass',
      'd not-applicable',
    ]);
  });

  test('all rows are read alike: what one response shows about the shape holds for all', () => {
    const testCase = requirementOf(
      { title: 'a', expect: [checkOf(claims.include)] },
      { title: 'b', expect: [checkOf(claims.include)] },
    );
    const inX = answered(200, { x: [first, second] });
    const inXAndY = answered(200, { x: [first, second], y: [third] });
    expect(judged(testCase, { asked: inX }, { asked: inX }).verdict).toBe('pass');
    expect(judged(testCase, { asked: inX }, { asked: inXAndY }).rows.map(({ verdict }) => verdict)).toEqual([
      'inconclusive',
      'inconclusive',
    ]);
  });

  test('what the calibration showed counts, and a stated pattern settles it', () => {
    const testCase = requirementOf({ expect: [checkOf(claims.exclude)] });
    const asked = [new Map([['asked', answered(200, { skipped: [second] })]])];
    const calibration = [namingOf(JSON.stringify({ promotions: [first], skipped: [] }), knownIds(world))];
    expect(judgeCase(testCase, asked, background).verdict).toBe('fail');
    expect(judgeCase(testCase, asked, { world, calibration }).verdict).toBe('inconclusive');
    expect(judgeCase(testCase, asked, { world, calibration, statedPatterns: ['/promotions/*'] }).verdict).toBe('pass');
    expect(judgeCase(testCase, asked, { world, calibration, statedPatterns: ['/elsewhere'] }).verdict).toBe(
      'inconclusive',
    );
    const both = [new Map([['asked', answered(200, { promotions: [first], skipped: [second] })]])];
    expect(judgeCase(testCase, both, { world, calibration, statedPatterns: ['/promotions/*'] }).verdict).toBe('pass');
  });

  test('of several verdicts the worst counts', () => {
    const order: readonly Verdict[] = ['fail', 'error', 'inconclusive', 'pass', 'not-applicable'];
    for (const [n, verdict] of order.entries()) {
      expect(worst(order.slice(n))).toBe(verdict);
      expect(worst(order.slice(n).reverse())).toBe(verdict);
    }
    expect(worst([])).toBe('not-applicable');
  });
});

test.describe('the answer to a question:', () => {
  const questionOf = (answer: QuestionAnswer, parts: Partial<Row> = {}): Case => {
    const { requests, given, missing } = rowOf(parts);
    return { kind: 'question', id: 'q', answers: 'q', title: 'Q', at, tags: [], requests, given, missing, answer };
  };
  const rules: QuestionAnswer = {
    kind: 'first-of',
    rules: [
      { outcome: 'rejected', checks: [checkOf({ claim: 'status', patterns: ['4xx'] })] },
      { outcome: 'all', checks: [checkOf(claims.include), checkOf({ claim: 'include', tiers: [third] })] },
      { outcome: 'some', checks: [checkOf(claims.something)] },
    ],
  };
  const answers: readonly (readonly [
    what: string,
    asked: Exchange,
    outcome: string | undefined,
    verdict: Verdict,
    reason: string,
  ])[] = [
    ['the first rule', answered(400), 'rejected', 'pass', ''],
    ['401, which is an answer here', answered(401), 'rejected', 'pass', ''],
    ['a rule of which all checks hold', returning(first, second, third), 'all', 'pass', ''],
    ['a later rule', returning(first, third), 'some', 'pass', ''],
    ['none fits', returning(), 'undetermined', 'pass', 'None of the known outcomes fits what was answered.'],
    [
      'none fits: a redirect',
      answered(302),
      'undetermined',
      'pass',
      'None of the known outcomes fits what was answered.',
    ],
    ['none fits: 500', answered(500), 'undetermined', 'pass', 'None of the known outcomes fits what was answered.'],
    [
      'cannot be told',
      noJson,
      'undetermined',
      'pass',
      'Whether it is some cannot be told. The body names promotions outside of any JSON value, or several amid words, so whether they were returned cannot be told.',
    ],
    ['trouble', troubled('timed-out'), undefined, 'inconclusive', 'It is timed-out.'],
    [
      '429, which is a 4xx but says nothing',
      answered(429),
      undefined,
      'inconclusive',
      'Answered 429: the deployment limits the rate of requests; send fewer per second.',
    ],
  ];
  for (const [what, asked, outcome, verdict, reason] of answers) {
    test(`${what} → ${outcome ?? verdict}`, () => {
      const judgement = judged(questionOf(rules), { asked });
      expect(judgement).toMatchObject({ verdict, reason });
      expect(judgement.outcome).toBe(outcome);
    });
  }

  test('trouble with any of its exchanges leaves it open, and names the exchange', () => {
    const judgement = judged(questionOf(rules), { plain: answered(503), asked: returning(first) });
    expect(judgement).toMatchObject({ verdict: 'inconclusive', exchange: 'plain' });
  });

  test('a precondition that is not met, and ids that are missing', () => {
    const given = [checkOf(claims.include)];
    expect(judged(questionOf(rules, { given }), { asked: returning() })).toMatchObject({
      verdict: 'inconclusive',
      reason: "A precondition is not met. Not returned: 'first' (rank 1), 'second' (rank 2).",
    });
    expect(judged(questionOf(rules, { missing: ['tier greeting'] }), {})).toMatchObject({
      verdict: 'not-applicable',
      reason: 'The target does not hold tier greeting.',
    });
  });

  const type = (value: string) => ({ 'Content-Type': value });
  const json = type('application/json');
  const headers = { part: 'headers', values: ['link', 'x-*'], names: ['etag'] } as const;
  type Take = Extract<QuestionAnswer, { kind: 'value' }>['take'];
  const values: readonly (readonly [what: string, take: Take, asked: Exchange, value: string])[] = [
    ['a status', { part: 'status' }, answered(203), '203'],
    [
      'a media type, without parameters, in lower case',
      { part: 'media-type' },
      answered(200, '', type('Application/JSON; charset=utf-8')),
      'application/json',
    ],
    ['no media type', { part: 'media-type' }, answered(200), 'none'],
    ['an empty media type', { part: 'media-type' }, answered(200, '', type('')), 'none'],
    ['a shape', { part: 'shape' }, returning(first), '/data/*/id'],
    ['agreeing shapes', { part: 'shape' }, answered(200, { a: [first], b: first }), '/a/* | /b'],
    [
      'the shape of an error',
      { part: 'error-shape' },
      answered(400, { message: '', code: 1 }, json),
      'application/json: code, message',
    ],
    ['an error without a body', { part: 'error-shape' }, answered(400), 'none: no body'],
    ['an error that is a list', { part: 'error-shape' }, answered(400, [], json), 'application/json: no object'],
    [
      'an error that is a page',
      { part: 'error-shape' },
      answered(400, '<p>', type('text/html')),
      'text/html: no object',
    ],
    ['an error that is none', { part: 'error-shape' }, answered(200, { a: 1 }, json), 'no error'],
    [
      'headers, in order of their names',
      headers,
      answered(200, '', { 'X-B': '2', ETag: '"1"', link: '<a>', 'x-a': '1', Date: 'now' }),
      'etag | link: <a> | x-a: 1 | x-b: 2',
    ],
    [
      'a header more than once',
      headers,
      {
        request,
        response: {
          status: 200,
          headers: [
            ['Link', '<a>'],
            ['link', '<b>'],
          ],
          body: '',
        },
      },
      'link: <a>, <b>',
    ],
    ['no such header', headers, answered(200, '', { Date: 'now' }), 'none'],
  ];
  for (const [what, take, asked, value] of values) {
    test(`an open value: ${what}`, () => {
      expect(judged(questionOf({ kind: 'value', of: 'asked', take, at }), { asked })).toMatchObject({
        verdict: 'pass',
        reason: '',
        outcome: value,
      });
    });
  }

  test('an open value: the shape that the target file states', () => {
    const shape: QuestionAnswer = { kind: 'value', of: 'asked', take: { part: 'shape' }, at };
    const asked = [new Map([['asked', ambiguous]])];
    expect(judgeCase(questionOf(shape), asked, { ...background, statedPatterns: ['/promotions/*'] }).outcome).toBe(
      '/promotions/*',
    );
  });

  test('an open value that cannot be taken', () => {
    const shape: QuestionAnswer = { kind: 'value', of: 'asked', take: { part: 'shape' }, at };
    expect(judged(questionOf(shape), { asked: ambiguous })).toMatchObject({
      verdict: 'inconclusive',
      reason: 'Promotions are named under /promotions/* and /skipped/*.',
    });
    expect(judged(questionOf(shape), { asked: returning() })).toMatchObject({
      verdict: 'inconclusive',
      reason: 'Promotions are named under no path.',
    });
    expect(judged(questionOf(shape), { asked: answered(503) })).toMatchObject({ verdict: 'inconclusive' });
    expect(takenValue({ ...shape, take: { part: 'status' } }, evidenceOf({ asked: troubled('unreachable') }))).toEqual({
      because: 'It is unreachable.',
    });
  });
});
