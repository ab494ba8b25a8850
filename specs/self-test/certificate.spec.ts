import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { documentedRequestDraft } from '../../src/cases/request-draft.js';
import type { Suite } from '../../src/cases/suite.js';
import type { TestCase } from '../../src/cases/test-case.js';
import type { Question, Requirement } from '../../src/contract/contract.js';
import { notReachedReason, type ShownResult } from '../../src/engine/case-result.js';
import { renderCurlCommand } from '../../src/http/curl-command.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { type Verdict, verdicts } from '../../src/judge/verdict.js';
import {
  type Certificate,
  createCertificate,
  determineRunVerdict,
  type RunFacts,
} from '../../src/report/certificate.js';
import { renderSummary } from '../../src/report/terminal/summary.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { renderOutput } from './support/render-output.js';
import { createNamelessWorld } from './support/stubs.js';

const at = { file: 'cases/a.yaml', line: 3, column: 5 };
const part = 'Limits';
const requirement = (id: string): Requirement => ({ id, part, statement: `${id} holds.`, findings: [], at });
const question = (id: string, ...warn: readonly string[]): Question => ({
  id,
  group: 'G',
  about: 'body',
  part,
  open: 'Text.',
  at,
  answer: {
    kind: 'outcomes',
    outcomes: new Map([
      ['good', 'A.'],
      ['bad', 'B.'],
    ]),
    warn: new Set(warn),
  },
});
const verifying = (id: string, verifies: string): TestCase => ({
  kind: 'requirement',
  id,
  verifies,
  title: id,
  at,
  tags: [],
  rows: [],
});

/** Two requirements, the first with two cases, and two questions. */
const suite: Suite = {
  name: 'conformance',
  version: '1.2.3',
  digest: `sha256:${'0'.repeat(64)}`,
  contract: {
    requirements: [requirement('a.one'), requirement('a.two')],
    groups: [{ name: 'G', asks: 'What?' }],
    questions: [question('first', 'bad'), question('second')],
    exclusions: [],
  },
  world: createNamelessWorld({ customers: [], products: [], skus: [], categories: [], campaigns: [], tiers: [] }),
  cases: [verifying('one-a', 'a.one'), verifying('one-b', 'a.one'), verifying('two', 'a.two')],
  calibration: [],
  defaultRequest: documentedRequestDraft,
};

const facts: RunFacts = {
  target: { name: 'staging', base_url: 'https://a.test/api' },
  requestsSent: 12,
  notes: [],
  isCutShort: false,
  startedAt: new Date('2024-01-20T12:00:00.000Z'),
  durationMs: 1234.5,
};

function resultOf(id: string, verdict: Verdict, more: Partial<ShownResult> = {}): ShownResult {
  const reason = verdict === 'pass' ? '' : `It is ${verdict}.`;
  return {
    id,
    subject: id,
    verdict,
    reason,
    at,
    rows: [],
    drift: [],
    exchangesJudged: 1,
    requestsSent: 1,
    durationMs: 1,
    ...more,
  };
}

/** A certificate of cases with these verdicts; cases that are not named were not selected. */
function certificateWith(all: Readonly<Record<string, Verdict>>): Certificate {
  return createCertificate(
    suite,
    Object.entries(all).map(([id, verdict]) => resultOf(id, verdict)),
    facts,
  );
}

const request: HttpRequest = {
  method: 'GET',
  path: '/v1/promotions/validation?[filters][promotion_id][conditions][$is]=camp_1',
  headers: [
    ['X-Client-Token', '$CLIENT_TOKEN'],
    ['Content-Type', 'application/json'],
  ],
  body: '{"customer":{"id":"cust_1"}}',
};

test.describe('sums', () => {
  const pass = 'pass';
  const table: readonly (readonly [cases: Record<string, Verdict>, requirements: readonly Verdict[], run: string])[] = [
    [{ 'one-a': pass, 'one-b': pass, two: pass }, ['pass', 'pass'], 'conforms'],
    [{ 'one-a': pass, 'one-b': 'fail', two: pass }, ['fail', 'pass'], 'does-not-conform'],
    [{ 'one-a': 'fail', 'one-b': 'error', two: 'inconclusive' }, ['fail', 'inconclusive'], 'does-not-conform'],
    [{ 'one-a': 'error', 'one-b': 'inconclusive', two: pass }, ['error', 'pass'], 'incomplete'],
    [{ 'one-a': pass, 'one-b': 'inconclusive', two: pass }, ['inconclusive', 'pass'], 'incomplete'],
    [{ 'one-a': 'not-applicable', 'one-b': pass, two: pass }, ['pass', 'pass'], 'conforms'],
    [{ 'one-a': 'not-applicable', 'one-b': 'not-applicable', two: pass }, ['not-applicable', 'pass'], 'incomplete'],
    [{ 'one-a': pass, 'one-b': pass }, ['pass', 'not-applicable'], 'incomplete'],
    [{ two: 'fail' }, ['not-applicable', 'fail'], 'does-not-conform'],
    [{}, ['not-applicable', 'not-applicable'], 'incomplete'],
  ];
  for (const [cases, requirements, run] of table) {
    test(`${JSON.stringify(cases)} → ${run}`, () => {
      const certificate = certificateWith(cases);
      expect(certificate.requirements.map(({ verdict }) => verdict)).toEqual(requirements);
      expect(certificate.verdict).toBe(run);
      expect(Object.values(certificate.summary).reduce((sum, count) => sum + count, 0)).toBe(2);
      for (const verdict of verdicts) {
        const count = requirements.filter((each) => each === verdict).length;
        expect(certificate.summary[verdict]).toBe(count === 0 ? undefined : count);
      }
    });
  }

  test('a requirement that no case speaks of leaves the run incomplete', () => {
    const certificate = createCertificate({ ...suite, cases: [] }, [], facts);
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because).toEqual([
      '2 of 2 cases were not selected in this run.',
      'a.one: It has no case.',
      'a.two: It has no case.',
    ]);
  });

  test('a run that was cut short never conforms, and says so whatever its verdict', () => {
    const judged = (verdict: Verdict) =>
      createCertificate(
        suite,
        ['one-a', 'one-b', 'two'].map((id) => resultOf(id, verdict)),
        { ...facts, isCutShort: true },
      );
    const said = 'The run was interrupted.';
    const because = [said, '2 of 5 cases were not selected in this run.'];
    expect(judged('pass')).toMatchObject({ verdict: 'incomplete', incomplete_because: because, notes: [] });
    expect([judged('fail').verdict, judged('fail').notes]).toEqual(['does-not-conform', [said]]);
  });

  test('questions never change the verdict', () => {
    const results = ['one-a', 'one-b', 'two'].map((id) => resultOf(id, 'pass'));
    for (const verdict of verdicts) {
      expect(
        createCertificate(suite, [...results, resultOf('first', verdict, { outcome: 'bad' })], facts).verdict,
      ).toBe('conforms');
    }
  });

  test('the worst requirement decides: any failure, then anything that is not a pass', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...verdicts), { maxLength: 6 }), (all) => {
        const expected = all.includes('fail')
          ? 'does-not-conform'
          : all.every((verdict) => verdict === 'pass')
            ? 'conforms'
            : 'incomplete';
        expect(determineRunVerdict(all.map((verdict) => ({ verdict })))).toBe(expected);
      }),
      { seed: 20_261_121 },
    );
  });
});

test.describe('says why', () => {
  test('incomplete: the first reason of every requirement that is not a pass', () => {
    expect(certificateWith({ 'one-a': 'pass', 'one-b': 'inconclusive' }).incomplete_because).toEqual([
      '3 of 5 cases were not selected in this run.',
      'a.one: It is inconclusive.',
    ]);
    expect(certificateWith({ 'one-a': 'fail', 'one-b': 'inconclusive' })).not.toHaveProperty('incomplete_because');
    expect(certificateWith({ 'one-a': 'pass', 'one-b': 'pass', two: 'pass' })).not.toHaveProperty('incomplete_because');
  });

  test('what several cases have in common: once, with their number', () => {
    const reason = 'It is down.';
    const results = ['one-a', 'one-b', 'two', 'first', 'second'].map((id) => resultOf(id, 'inconclusive', { reason }));
    const certificate = createCertificate(suite, results, facts);
    expect(certificate.incomplete_because).toEqual(['5 of 5 cases were not judged: It is down.']);
    const written = { certificate: 'c', files: [] };
    const outputs = [
      renderSummary(certificate, written),
      renderOutput('certificate.html', certificate, suite, results),
    ];
    for (const text of outputs) expect(text.split(reason)).toHaveLength(2);
    const [some, other] = [results.slice(0, 3), results.slice(3).map((each) => ({ ...each, reason: 'Else.' }))];
    expect(createCertificate(suite, [...some, ...other], facts).incomplete_because).toEqual([
      'a.one: It is down.',
      'a.two: It is down.',
    ]);
  });

  test('that a deployment was given up: one cause, whatever it kept from being judged in a case', () => {
    const why = 'Nothing more was sent: 10 requests in a row failed.';
    const reasons = [why, `a row: A precondition is not met. ${why} (and 2 more of 3 rows)`, `x: ${why}`, why];
    const results = ['one-a', 'one-b', 'two', 'first'].map((id, n) =>
      resultOf(id, 'inconclusive', { reason: reasons[n] ?? '' }),
    );
    const because = createCertificate(suite, [...results, resultOf('second', 'pass', { outcome: 'good' })], facts);
    expect(because.incomplete_because).toEqual([`4 of 5 cases were not judged: ${why}`]);
  });

  test('what the end of the run came upon: how many cases were not reached', () => {
    const results = ['one-b', 'two', 'first', 'second'].map((id) =>
      resultOf(id, 'not-applicable', { reason: notReachedReason }),
    );
    const certificate = createCertificate(suite, [resultOf('one-a', 'pass'), ...results], {
      ...facts,
      isCutShort: true,
    });
    expect(certificate.incomplete_because).toEqual(['The run was interrupted.', '4 of 5 cases were not reached.']);
    expect(certificate.requirements.map(({ verdict }) => verdict)).toEqual(['pass', 'not-applicable']);
    expect(certificate.verdict).toBe('incomplete');
  });

  test('a case: where, which rows, and how to repeat it; a pass has nothing to explain', () => {
    const rows = [
      { title: 'x', verdict: 'pass', reason: '' },
      { title: 'y', verdict: 'fail', reason: 'No.' },
    ] as const;
    const evidence = { request, response: { status: 200, headers: [], body: '' } };
    const { requirements } = createCertificate(
      suite,
      [
        resultOf('one-a', 'pass', { rows: [{ title: '', verdict: 'pass', reason: '' }], exchange: evidence }),
        resultOf('one-b', 'fail', { rows, exchange: evidence }),
        resultOf('two', 'inconclusive', { rows: [{ title: '', verdict: 'inconclusive', reason: 'Hm.' }] }),
      ],
      facts,
    );
    expect(requirements.flatMap(({ cases }) => cases)).toEqual([
      { id: 'one-a', verdict: 'pass', reason: '' },
      {
        id: 'one-b',
        verdict: 'fail',
        reason: 'It is fail.',
        at: 'cases/a.yaml:3:5',
        rows: [{ title: 'y', verdict: 'fail', reason: 'No.' }],
        failure: expect.stringMatching(/^1 of 2 rows fail:\n {2}y: No\.\n\nReceived:\n200\n/),
        repeat_with: renderCurlCommand(request, 'https://a.test/api'),
      },
      { id: 'two', verdict: 'inconclusive', reason: 'It is inconclusive.', at: 'cases/a.yaml:3:5' },
    ]);
  });

  test('a question: its outcome, whether it deserves a warning, or why there is none', () => {
    const { questions } = createCertificate(suite, [resultOf('first', 'pass', { outcome: 'bad' })], facts);
    expect(questions).toEqual([
      { id: 'first', part: 'Limits', outcome: 'bad', warning: true, drift: false },
      {
        id: 'second',
        part: 'Limits',
        outcome: null,
        reason: 'Not selected in this run.',
        warning: false,
        drift: false,
      },
    ]);
    const unanswered = createCertificate(suite, [resultOf('first', 'inconclusive')], facts).questions[0];
    expect(unanswered).toEqual({
      id: 'first',
      part: 'Limits',
      outcome: null,
      reason: 'It is inconclusive.',
      warning: false,
      drift: false,
    });
  });

  test('a question that drifted', () => {
    const drift = [
      { kind: 'outcome', question: 'first', outcome: 'bad', expected: { outcome: 'good', statedBy: 'the record' } },
    ] as const;
    const certificate = createCertificate(suite, [resultOf('first', 'pass', { outcome: 'bad', drift })], facts);
    expect(certificate.questions.map((entry) => entry.drift)).toEqual([true, false]);
    expect(certificate.drift).toEqual([{ case: 'first', text: "first is 'bad'; the record says 'good'." }]);
  });
});

test('conforms to its schema, whatever the verdicts, and JSON keeps all of it', () => {
  const validate = loadValidator('certificate');
  const verdict = fc.constantFrom(...verdicts);
  const ids = ['one-a', 'one-b', 'two', 'first', 'second'];
  fc.assert(
    fc.property(
      fc.array(verdict, { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      fc.subarray(ids),
      (all, shown, selected) => {
        const results = ids.map((id, n) =>
          resultOf(id, all[n] as Verdict, {
            rows: [{ title: 'row', verdict: all[n] as Verdict, reason: 'Why.' }],
            ...(shown ? { exchange: { request, transportError: 'timed-out', message: 'Late.' }, outcome: 'bad' } : {}),
          }),
        );
        const certificate = createCertificate(
          suite,
          results.filter(({ id }) => selected.includes(id)),
          facts,
        );
        expect(validate(certificate), JSON.stringify(validate.errors)).toBe(true);
        expect(JSON.parse(JSON.stringify(certificate))).toEqual(certificate);
      },
    ),
    { seed: 20_261_121, numRuns: 200 },
  );
});

test('tells the facts of the run', () => {
  expect(certificateWith({})).toMatchObject({
    target: { name: 'staging', base_url: 'https://a.test/api' },
    suite: { name: 'conformance', version: '1.2.3', digest: suite.digest },
    requests_sent: 12,
    started_at: '2024-01-20T12:00:00.000Z',
    duration_ms: 1235,
  });
});

test.describe('the summary', () => {
  const written = {
    certificate: 'out/certificate.json',
    files: ['out/certificate.json', 'out/certificate.html', 'out/observed.md'],
  };
  const lines = (all: Readonly<Record<string, Verdict>>) => renderSummary(certificateWith(all), written).split('\n');

  test('names target, verdict, sums and files', () => {
    const text = renderSummary(
      createCertificate(
        suite,
        [
          ...['one-a', 'one-b', 'two'].map((id) => resultOf(id, 'pass')),
          ...['first', 'second'].map((id) => resultOf(id, 'pass', { outcome: 'bad' })),
        ],
        { ...facts, notes: ['A note.'] },
      ),
      { ...written, record: { file: 'staging.yaml' } },
    );
    expect(text.split('\n')).toEqual([
      '',
      'CONFORMS  staging at https://a.test/api',
      '',
      'Requirements  2 pass',
      'Questions     2 answered, 1 with a warning',
      'Requests      12, for 5 exchanges judged',
      'Certificate   out/certificate.json, out/certificate.html',
      'Observed      out/observed.md',
      'Record        staging.yaml',
      '',
      'A note.',
      '',
    ]);
  });

  test('gives the reason of every requirement that is not a pass, with the case that decided it', () => {
    expect(lines({ 'one-a': 'inconclusive', 'one-b': 'fail', two: 'pass' }).slice(8)).toEqual([
      '',
      '2 of 5 cases were not selected in this run.',
      '',
      'fail  a.one  a.one holds.',
      '  one-b (cases/a.yaml:3:5): It is fail.',
      '',
    ]);
    expect(lines({ two: 'pass' })).toEqual(
      expect.arrayContaining([
        'INCOMPLETE  staging at https://a.test/api',
        '4 of 5 cases were not selected in this run.',
      ]),
    );
    expect(lines({ two: 'fail' })[1]).toBe('DOES-NOT-CONFORM  staging at https://a.test/api');
  });
});

test.describe('the command that repeats a request', () => {
  const application = 'an application\'s "id"';
  /** The arguments that curl gets, by the shell's own reading of the command. */
  /** What a shell makes of commands, all of which it runs at once: to start it takes its time. */
  function argumentsOf(...commands: readonly string[]): string[] {
    const printing = commands.map((command) => command.replace(/^curl/, String.raw`printf '%s\0'`)).join('\n');
    const env = { PATH: process.env.PATH, CLIENT_APPLICATION_ID: application, CLIENT_TOKEN: '$(token) `x` "\\' };
    return execFileSync('sh', ['-c', printing], { env, encoding: 'utf8' }).split('\0').slice(0, -1);
  }

  test('is written over several lines, with variables for credentials', () => {
    expect(renderCurlCommand(request, 'https://a.test/api')).toBe(
      [
        'curl -gi \\',
        '  -X GET \\',
        "  'https://a.test/api/v1/promotions/validation?[filters][promotion_id][conditions][$is]=camp_1' \\",
        '  -H "X-Client-Token: $CLIENT_TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        `  --data-raw '{"customer":{"id":"cust_1"}}'`,
      ].join('\n'),
    );
  });

  const commands: readonly (readonly [what: string, change: Partial<HttpRequest>, args: readonly string[]])[] = [
    [
      'credentials, put in by the shell and not read again',
      {
        path: '/',
        headers: [
          ['X-Client-Application-Id', '$CLIENT_APPLICATION_ID'],
          ['X-Client-Token', '$CLIENT_TOKEN'],
          ['Content-Type', 'a/b'],
        ],
        body: '',
      },
      [
        '-gi',
        '-X',
        'GET',
        'https://a.test/',
        '-H',
        `X-Client-Application-Id: ${application}`,
        '-H',
        'X-Client-Token: $(token) `x` "\\',
        '-H',
        'Content-Type: a/b',
        '--data-raw',
        '',
      ],
    ],
    [
      'no Content-Type: curl adds none',
      { path: '/', headers: [], body: '{}' },
      ['-gi', '-X', 'GET', 'https://a.test/', '-H', 'Content-Type:', '--data-raw', '{}'],
    ],
    [
      'a header without a value',
      {
        path: '/',
        headers: [
          ['X-Client-Token', ''],
          ['content-type', 'a/b'],
        ],
      },
      [
        '-gi',
        '-X',
        'GET',
        'https://a.test/',
        '-H',
        'X-Client-Token;',
        '-H',
        'content-type: a/b',
        '--data-raw',
        request.body ?? '',
      ],
    ],
    [
      'HEAD with a body, for which curl’s own takes none',
      { method: 'HEAD', path: '/', headers: [['Content-Type', 'a/b']] },
      [
        '-gi',
        '-X',
        'HEAD',
        '--max-time',
        '10',
        'https://a.test/',
        '-H',
        'Content-Type: a/b',
        '--data-raw',
        request.body ?? '',
      ],
    ],
  ];
  for (const [what, change, args] of commands) {
    test(what, () => expect(argumentsOf(renderCurlCommand({ ...request, ...change }, 'https://a.test'))).toEqual(args));
  }

  test('HEAD, and another method, without a body', () => {
    expect(argumentsOf(renderCurlCommand({ method: 'HEAD', path: '/', headers: [] }, 'https://a.test'))).toEqual([
      '-gi',
      '--head',
      'https://a.test/',
    ]);
    expect(argumentsOf(renderCurlCommand({ method: 'PUT', path: '/', headers: [] }, 'https://a.test'))).toEqual([
      '-gi',
      '-X',
      'PUT',
      'https://a.test/',
    ]);
  });

  test('whatever a path, a header or a body holds, the shell hands it on as it is', () => {
    const text = fc
      .oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.stringMatching(/^['"\\$`!*?\n {}()<>|;&#~-]{0,20}$/))
      .map((each) => Buffer.from(each.replaceAll('\0', '')).toString());
    const value = text.filter((each) => each !== '' && !/^\$[A-Z_]+$/.test(each));
    const requests = fc.array(fc.record({ path: text, value, body: text }), { minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(requests, (all) => {
        const commands = all.map(({ path, value, body }) =>
          renderCurlCommand(
            { method: 'GET', path: `/${path}`, headers: [['Content-Type', value]], body },
            'https://a.test',
          ),
        );
        expect(argumentsOf(...commands)).toEqual(
          all.flatMap(({ path, value, body }) => [
            ...['-gi', '-X', 'GET', `https://a.test/${path}`],
            ...['-H', `Content-Type: ${value}`, '--data-raw', body],
          ]),
        );
      }),
      { seed: 20_261_121, numRuns: 4 },
    );
  });
});
