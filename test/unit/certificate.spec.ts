import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { TestCase } from '../../src/cases/test-case.js';
import { createCertificate } from '../../src/certificate/certificate.js';
import type { Question, Requirement } from '../../src/contract/contract.js';
import { renderCurlCommand } from '../../src/http/curl-command.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { type Verdict, verdicts } from '../../src/judge/verdict.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { type CaseResult, repetitionCaseId } from '../../src/run/case-result.js';
import type { Suite } from '../../src/suite/suite.js';
import { createReason } from '../../src/support/reason.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { toOneLine } from '../../src/support/untrusted-text.js';
import { checkEachRow } from '../support/check-each-row.js';
import { renderOutput } from '../support/render-output.js';
import { skipOnWindows } from '../support/skip-on-windows.js';
import { createNamelessWorld, runFacts } from '../support/stubs.js';

const at = { file: 'cases/a.yaml', line: 3, column: 5 };
const part = 'Limits';
const requirement = (id: string): Requirement => ({ id, part, statement: `${id} holds.`, at });
const question = (id: string, ...warn: readonly string[]): Question => ({
  id,
  group: 'G',
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
  basis: { kind: 'world', digest: `sha256:${'1'.repeat(64)}` },
  contract: {
    requirements: [requirement('a.one'), requirement('a.two')],
    groups: [{ name: 'G', asks: 'What?' }],
    questions: [question('first', 'bad'), question('second')],
    exclusions: [],
  },
  world: createNamelessWorld({ customers: [], products: [], skus: [], categories: [], campaigns: [], tiers: [] }),
  cases: [verifying('one-a', 'a.one'), verifying('one-b', 'a.one'), verifying('two', 'a.two')],
  calibration: [],
  namedRequests: new Map(),
};

const createMessage = (message: string) => createReason('message', { message });

function resultOf(id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult {
  return {
    id,
    subject: id,
    verdict,
    ...(verdict !== 'pass' && { reason: createMessage(`It is ${verdict}.`) }),
    at,
    rows: [],
    drift: [],
    ...more,
  };
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

test.describe('verdicts', () => {
  const pass = 'pass';
  const table: readonly (readonly [cases: Record<string, Verdict>, requirements: readonly Verdict[], run: string])[] = [
    [{ 'one-a': pass, 'one-b': pass, two: pass }, ['pass', 'pass'], 'conforms'],
    [{ 'one-a': 'fail', 'one-b': 'error', two: 'inconclusive' }, ['fail', 'inconclusive'], 'does-not-conform'],
    [{ 'one-a': 'error', 'one-b': 'inconclusive', two: pass }, ['error', 'pass'], 'incomplete'],
    [{ 'one-a': 'not-applicable', 'one-b': pass, two: pass }, ['pass', 'pass'], 'conforms'],
    [{ 'one-a': 'not-applicable', 'one-b': 'not-applicable', two: pass }, ['not-applicable', 'pass'], 'incomplete'],
    [{ 'one-a': pass, 'one-b': pass }, ['pass', 'not-run'], 'incomplete'],
    [{ 'one-a': pass, two: pass }, ['not-run', 'pass'], 'incomplete'],
    [{ two: 'fail' }, ['not-run', 'fail'], 'does-not-conform'],
  ];
  for (const [cases, requirements, run] of table)
    test(`${JSON.stringify(cases)} → ${run}`, () => {
      const results = Object.entries(cases).map(([id, verdict]) => resultOf(id, verdict));
      const { verdict, summary, requirements: summed } = createCertificate(suite, results, runFacts);
      expect(summed.map((requirement) => requirement.verdict)).toEqual(requirements);
      expect(verdict).toBe(run);
      for (const is of verdicts)
        expect(summary[is] ?? 0).toBe(requirements.filter((requirement) => requirement === is).length);
    });

  test('A requirement without a case leaves the run incomplete', () => {
    const certificate = createCertificate({ ...suite, cases: [] }, [], runFacts);
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because).toContain('a.one: It has no case.');
  });

  test('An interrupted run never conforms, and says that it was interrupted', () => {
    const certify = (verdict: Verdict) =>
      createCertificate(
        suite,
        ['one-a', 'one-b', 'two'].map((id) => resultOf(id, verdict)),
        { ...runFacts, isCutShort: true },
      );
    const interrupted = 'The run was interrupted.';
    const incomplete = { verdict: 'incomplete', incomplete_because: [interrupted], notes: [interrupted] };
    expect(certify('pass')).toMatchObject(incomplete);
    expect(certify('fail')).toMatchObject({ verdict: 'does-not-conform', notes: [interrupted] });
  });

  test('A run whose repetition at the end crashed never conforms', () => {
    const results = ['one-a', 'one-b', 'two'].map((id) => resultOf(id, 'pass'));
    const repetition = resultOf(repetitionCaseId, 'error', { reason: createMessage('A bug.') });
    const { verdict, incomplete_because } = createCertificate(suite, [...results, repetition], runFacts);
    expect([verdict, incomplete_because]).toEqual([
      'incomplete',
      expect.arrayContaining([expect.stringContaining('A bug.')]),
    ]);
  });

  test('Questions never change the verdict', () => {
    const results = ['one-a', 'one-b', 'two'].map((id) => resultOf(id, 'pass'));
    for (const verdict of verdicts)
      expect(
        createCertificate(suite, [...results, resultOf('first', verdict, { outcome: 'bad' })], runFacts).verdict,
      ).toBe('conforms');
  });
});

test.describe('reasons', () => {
  test('A reason that several cases share is given once, with their number', () => {
    const message = 'It is down.';
    const reason = createMessage(message);
    const results = ['one-a', 'one-b', 'two', 'first', 'second'].map((id) => resultOf(id, 'inconclusive', { reason }));
    const certificate = createCertificate(suite, results, runFacts);
    expect(certificate.incomplete_because).toEqual(['All 2 requirements are inconclusive: It is down.']);
    const written = { certificate: 'c' };
    const outputs = [
      renderRunReport(certificate, written),
      renderOutput('certificate.html', { certificate, results, showExchange: () => undefined }, suite),
    ];
    for (const text of outputs) expect(text.split(message)).toHaveLength(2);
    const otherwise = { reason: createMessage('Else.') };
    const [first, last] = [results.slice(0, 3), results.slice(3).map((result) => ({ ...result, ...otherwise }))];
    expect(createCertificate(suite, [...first, ...last], runFacts).incomplete_because).toEqual([
      'a.one: It is down.',
      'a.two: It is down.',
    ]);
  });

  test('Questions that were not asked are no reason of an incomplete run, and come after its reasons', () => {
    const reason = createMessage('It has no SKU.');
    const results = ['one-a', 'one-b'].map((id) => resultOf(id, 'pass'));
    const certificate = createCertificate(suite, [...results, resultOf('two', 'not-applicable', { reason })], runFacts);
    expect(certificate.incomplete_because).toEqual(['a.two: It has no SKU.']);
    const report = renderRunReport(certificate, { certificate: 'c' });
    const unasked = '2 of 5 cases were not selected in this run.';
    expect(report.indexOf(unasked)).toBeGreaterThan(report.indexOf('It has no SKU.'));
    const page = renderOutput('certificate.html', { certificate, results, showExchange: () => undefined }, suite);
    const [lead = '', unjudged = ''] = ['lead', 'unjudged'].map(
      (id) => new RegExp(`<section id="${id}">.*?</section>`, 's').exec(page)?.[0] ?? '',
    );
    expect([lead.includes('It has no SKU.'), lead.includes(unasked), unjudged.includes(unasked)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(page).toContain('<a href="#unjudged">Why?</a>');
    expect(page).not.toContain('<a href="#lead">Why?</a>');
  });

  test('A case has its location, its rows and a command; a pass has none of them', () => {
    const rows = [
      { title: 'x', verdict: 'pass' },
      { title: 'y', verdict: 'fail', reason: createMessage('No.') },
    ] as const;
    const evidence = { request, response: { status: 200, headers: [], body: '' } };
    const { requirements } = createCertificate(
      suite,
      [
        resultOf('one-a', 'pass', { rows: [{ title: '', verdict: 'pass' }], exchangeId: 'shown' }),
        resultOf('one-b', 'fail', { rows, exchangeId: 'shown' }),
        resultOf('two', 'inconclusive', {
          rows: [{ title: '', verdict: 'inconclusive', reason: createMessage('Hm.') }],
        }),
      ],
      { ...runFacts, showExchange: (id) => (id === 'shown' ? evidence : undefined) },
    );
    expect(requirements.flatMap(({ cases }) => cases)).toEqual([
      { id: 'one-a', verdict: 'pass', reason: '' },
      {
        id: 'one-b',
        verdict: 'fail',
        code: 'message',
        reason: 'It is fail.',
        at: 'cases/a.yaml:3:5',
        rows: [{ title: 'y', verdict: 'fail', reason: 'No.' }],
        received: '200\n| (no body)',
        repeat_with: renderCurlCommand(request, 'https://a.test'),
      },
      { id: 'two', verdict: 'inconclusive', code: 'message', reason: 'Hm.', at: 'cases/a.yaml:3:5' },
    ]);
  });

  test('A question has its outcome, warning and drift, or the reason for no outcome', () => {
    const drift = [{ kind: 'outcome', outcome: 'bad', expected: { outcome: 'good', statedBy: 'the record' } }] as const;
    const certificate = createCertificate(suite, [resultOf('first', 'pass', { outcome: 'bad', drift })], runFacts);
    expect(certificate.questions).toEqual([
      { id: 'first', part, outcome: 'bad', warning: true, sentence: 'B.', drift: true },
      {
        id: 'second',
        part,
        outcome: null,
        code: 'not-selected',
        reason: 'Not selected in this run.',
        not_run: true,
        warning: false,
        drift: false,
      },
    ]);
    const [change] = certificate.drift;
    expect(change).toMatchObject({ case: 'first', kind: 'answer', was: expect.any(String), is: expect.any(String) });
    expect(change?.text).toBe(`first: was “${change?.was}”, is “${change?.is}”`);
  });
});

test('A certificate fits its schema, whatever the verdicts, and survives JSON', () => {
  const validate = loadValidator('certificate');
  const late = { request, transportError: 'timed-out', message: 'Late.' } as const;
  const showExchange = (id: string | undefined) => (id === 'late' ? late : undefined);
  const ids = ['one-a', 'one-b', 'two', 'first', 'second'];
  /** Cases that were not selected have no result. */
  const drawn = fc.tuple(...ids.map(() => fc.option(fc.tuple(fc.constantFrom(...verdicts), fc.boolean()))));
  const property = fc.property(drawn, (results) => {
    const selected = ids.flatMap((id, n) => {
      const [verdict, isShown] = results[n] ?? [];
      if (verdict === undefined) return [];
      const rows = [{ title: 'row', verdict, reason: createMessage('Why.') }];
      return [resultOf(id, verdict, { rows, ...(isShown ? { exchangeId: 'late', outcome: 'bad' } : {}) })];
    });
    const certificate = createCertificate(suite, selected, { ...runFacts, showExchange });
    expect(validate(certificate), JSON.stringify(validate.errors)).toBe(true);
    expect(JSON.parse(JSON.stringify(certificate))).toEqual(certificate);
  });
  fc.assert(property, { seed: 20_261_121, numRuns: 200 });
});

test.describe('the command that repeats a request', () => {
  const application = 'an application\'s "id"';
  const get: HttpRequest = { method: 'GET', path: '/', headers: [] };
  /** Lets one shell run all commands, with a program in place of curl that prints its arguments and a body it reads. */
  function argumentsOf(...commands: readonly string[]): string[] {
    skipOnWindows('the shell of these commands');
    const curl = String.raw`curl() { printf '%s\0' "$@"; for last; do :; done; case $last in @-) cat; printf '\0'; esac; }`;
    const env = {
      PATH: process.env.PATH,
      CLIENT_APPLICATION_ID: application,
      CLIENT_TOKEN: '$(token) `x` "\\',
      BASE_URL: 'https://a.test',
      HOME: 'forged',
    };
    const options = { env, encoding: 'utf8' } as const;
    return execFileSync('sh', ['-c', [curl, ...commands].join('\n')], options)
      .split('\0')
      .slice(0, -1);
  }

  const withHeaders = (...headers: HttpRequest['headers']): HttpRequest => ({ ...get, headers });
  const rows: readonly (readonly [what: string, request: HttpRequest, args: readonly string[]])[] = [
    [
      'credentials are inserted and not expanded again',
      withHeaders(['X-Client-Application-Id', '$CLIENT_APPLICATION_ID'], ['X-Client-Token', '$CLIENT_TOKEN']),
      ['-H', `X-Client-Application-Id: ${application}`, '-H', 'X-Client-Token: $(token) `x` "\\'],
    ],
    [
      'no other variable, and no name, is expanded',
      withHeaders(['X-Key', '$HOME'], ['X-$(touch forged)', '$CLIENT_TOKEN']),
      ['-H', 'X-Key: $HOME', '-H', 'X-$(touch forged): $CLIENT_TOKEN'],
    ],
    ['curl adds no Content-Type', { ...get, body: '{}' }, ['-H', 'Content-Type:', '--data-raw', '{}']],
    ['a header may have no value', withHeaders(['X-Client-Token', '']), ['-H', 'X-Client-Token;']],
  ];
  test('The shell inserts credentials and addresses only', () =>
    checkEachRow(rows, (_, sent, args) =>
      expect(argumentsOf(renderCurlCommand(sent, '$BASE_URL'))).toEqual([
        ...['-gi', '-X', 'GET', 'https://a.test/'],
        ...args,
      ]),
    ));

  test('The shell passes on any method, path, header, body and address as it is', () => {
    const inject = fc.constantFrom(
      ...['; touch forged', '$(touch forged)', '`touch forged`', "'; touch forged; '", '"$(touch forged)"', '$HOME'],
      ...['\\', "'", '"', '!x', '~', '*', '-o/tmp/forged', '@/etc/passwd', "\\'", '#', '%s', '\\0041'],
    );
    const ascii = fc.string({ maxLength: 20 });
    const part = fc.oneof(inject, fc.stringMatching(/^['"\\$`!*? {}()<>|;&#~-]{0,20}$/), ascii);
    const text = fc.array(part, { maxLength: 4 }).map((parts) => parts.join('').replaceAll('##', ''));
    const value = text.filter((part) => part !== '' && !/^\$[A-Z_]+$/.test(part));
    // Only a body may have control characters and line breaks.
    const control = fc.constantFrom('\n', '\r\n', '\t', '\u001b[2J', '\u2028', '\n::error::forged', '##vso[x]', 'é');
    const body = fc
      .array(fc.oneof(part, control, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 6 })
      .map((parts) => Buffer.from(parts.join('').replaceAll('\0', '')).toString());
    const method = fc.oneof(value, fc.constant('HEAD'));
    const request = fc.record({ method, path: text, name: value, value, body, base: fc.constantFrom('', '-x') });
    fc.assert(
      fc.property(fc.array(request, { minLength: 15, maxLength: 15 }), (all) => {
        const commands = all.map(({ method, path, name, value, body, base }) => {
          const headers = [['Content-Type', 'text/plain'] as const, [name, value] as const];
          return renderCurlCommand({ method, path: `/${path}`, headers, body }, base || 'https://a.test');
        });
        for (const line of commands.join('\n').split('\n')) expect(line.trimStart()).not.toMatch(/^::/);
        expect(argumentsOf(...commands)).toEqual(
          all.flatMap(({ method, path, name, value, body, base }) => [
            ...(method === 'HEAD' ? ['-gi', '-X', 'HEAD', '--max-time', '10'] : ['-gi', '-X', method]),
            ...(base === '' ? [`https://a.test/${path}`] : ['--url', `${base}/${path}`]),
            ...['-H', 'Content-Type: text/plain', '-H', `${name}: ${value}`],
            ...(toOneLine(body) === body ? ['--data-raw', body] : ['--data-binary', '@-', body]),
          ]),
        );
      }),
      { seed: 20_261_122, numRuns: 2 },
    );
  });
});
