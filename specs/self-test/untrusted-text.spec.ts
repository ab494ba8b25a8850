/** Untrusted text never begins a line and breaks no format, in runs and commands. hostile-texts.spec.ts tests all outputs. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createUnsentResult } from '../../src/engine/case-result.js';
import type { HttpResponse } from '../../src/http/exchange.js';
import { findMismatches, inferShape } from '../../src/judge/body-shape.js';
import { getIdFinders } from '../../src/recognition/known-ids.js';
import { createCertificate } from '../../src/report/certificate.js';
import { createResponseRenderer } from '../../src/report/exchange-text.js';
import { parseRecord, renderRecord, type TargetRecord } from '../../src/report/target-record.js';
import { writeResults } from '../../src/report/write-results.js';
import { formatProblem } from '../../src/support/problem.js';
import { quoteLines, shortenPair, toOneLine } from '../../src/support/untrusted-text.js';
import { credentialVariables, makeTestFolder, runConformance, runConformanceInProcess } from './support/cli.js';
import { suite } from './support/in-process.js';
import { createIndependentDeployment, listen } from './support/independent-deployment.js';
import { runFacts } from './support/stubs.js';
import { documentedRequest } from './support/wire.js';

const cwd = makeTestFolder();

const env = {
  ...credentialVariables,
  GITHUB_ACTIONS: 'true',
  GITHUB_STEP_SUMMARY: path.join(cwd, 'job-summary.md'),
};

/** Everything that some program reads as the end of a line. */
const breaks = ['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];
/** Commands that a CI system obeys, and a verdict that a person believes. */
const commands = [
  '::error::forged',
  '##vso[task.setvariable variable=forged]1',
  "##teamcity[buildStatus text='forged']",
  '##[error]forged',
  'CONFORMS  forged at https://forged.test',
];
/** Marks the beginning of each untrusted line. */
const mark = '☠';
const lines = commands.map((command) => mark + command);
/** Characters that UTF-8 cannot carry, or that a terminal obeys. */
const unshowable = '\ufffe\uffff\udfff\ud800\u0000\u001b[2J\u009b1m\u202e\u{1fffe}\ufeff';
const hostile = breaks.map((each, n) => each + lines[n % lines.length]).join('') + unshowable;

const json = [['content-type', 'application/json']] as const;
const honest = createIndependentDeployment(suite.world);

type Answer = typeof honest;

/** The hostile text without surrogates, for a body that is not JSON. */
const carried = hostile.replaceAll(/\p{Cs}/gu, '');

/** Renames every member, except those of a promotion, to a hostile name, and adds two members. */
const renameMembers =
  (answer: Answer): Answer =>
  (request) => {
    const response = answer(request);
    const body = JSON.stringify(JSON.parse(response.body), (_, value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value) || 'id' in value) return value;
      const members = Object.entries(value).map(([key, part]) => [`${hostile}${key}`, part]);
      return Object.fromEntries([...members, [carried, 0], [lines[0], 0]]);
    });
    return { ...response, headers: json, body };
  };

/** Refuses everything, with hostile text wherever HTTP can carry it. */
const refusing: Answer = (): HttpResponse => ({
  status: 400,
  headers: [
    ['content-type', `${lines[0]?.slice(1)}\u0085${lines[1]?.slice(1)}; x`],
    ['deprecation', `${commands.join('\u0085')}`],
    ['x-ratelimit-limit', commands.join('\u0085')],
  ],
  body: JSON.stringify({ [hostile]: hostile }),
});

/** Refuses with a body that is not JSON. */
const answeringText: Answer = () => ({ status: 400, headers: [['content-type', 'text/plain']], body: carried });

const redirecting: Answer = () => ({
  status: 307,
  headers: [['location', `https://a.test/${commands.join('\u0085')}`]],
  body: carried,
});

/** Reads all files for people and programs. */
function readOutputs(folder: string): (readonly [name: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|html|md|yaml)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')] as const);
}

/** Lists untrusted text that begins a line, is obeyed, or cannot be carried. */
function listMisdeeds([name, text]: readonly [string, string]): string[] {
  const begun = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).filter((line) => line.trimStart().startsWith(mark));
  const obeyed = text.match(/##\w*\[/g) ?? [];
  const uncarried = text.match(/(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u202e\ufffd]/gu) ?? [];
  return [...begun, ...obeyed, ...uncarried.map((each) => JSON.stringify(each))].map((each) => `${name}: ${each}`);
}

/** Runs a command against a deployment, and checks all its output. */
async function runSafely(args: readonly string[], answer: Answer | undefined, rest: readonly string[] = []) {
  const { url, close } = await listen(answer ?? honest);
  const target = answer === undefined ? [] : ['--base-url', url];
  const command = args[0] === 'doctor' ? runConformanceInProcess : runConformance;
  const { status, output } = await command([...args, ...target, ...rest], { cwd, env });
  await close();
  expect([['the terminal', output] as const, ...readOutputs(cwd)].flatMap(listMisdeeds)).toEqual([]);
  return { status, output };
}

test('The check finds each misdeed', () => {
  expect(new Set(listMisdeeds(['x', hostile])).size).toBeGreaterThan(commands.length + 10);
  expect(listMisdeeds(['x', `x${toOneLine(hostile)}\n${quoteLines(hostile).join('\n')}`])).toEqual([]);
});

const tags = [
  'request.content-type',
  'limit.newest-150',
  'response-shape',
  'response-media-type',
  'error-shape',
  'deprecation-headers',
];
const some = ['--', '--grep', [...tags, 'rate-limit-headers', 'malformed-json'].map((tag) => `@${tag}\\b`).join('|')];
const rejecting = createIndependentDeployment(suite.world, { shape: 'with-rejected' });

type Run = readonly [answer: Answer, verdict: string, shows: string, tag?: '@long'];
const deployments: Readonly<Record<string, Run>> = {
  'refuses everything': [refusing, 'DOES-NOT-CONFORM', 'observed.md', '@long'],
  'answers text': [answeringText, 'DOES-NOT-CONFORM', 'observed.md', '@long'],
  redirects: [redirecting, 'INCOMPLETE', 'certificate.json', '@long'],
  'names promotions at two paths': [renameMembers(rejecting), 'INCOMPLETE', 'certificate.json'],
};
for (const [n, [what, [answer, verdict, shows, tag = []]]] of Object.entries(deployments).entries()) {
  test(`doctor prints untrusted text safely: the deployment ${what}`, async () => {
    const diagnosed = await runSafely(['doctor'], answer);
    expect(diagnosed.output).toMatch(/^Target 127/);
  });

  test(`A run prints untrusted text safely: the deployment ${what}`, { tag }, async () => {
    const texts = `version: ${JSON.stringify(hostile)}\ncontact: ${JSON.stringify(hostile)}\n`;
    writeFileSync(path.join(cwd, 'target.input'), `name: shop\n${texts}`);
    const args = ['certify', '--target', 'target.input', '--world-loaded', '--out', `out${n}`];
    const { output } = await runSafely(args, answer, some);
    expect(output.split('\n').filter((line) => /^\s*[A-Z-]{6,} /.test(line))).toEqual([
      expect.stringMatching(`^${verdict} `),
    ]);
    // A browser runs only the script of the page, and loads nothing.
    const policy =
      /"default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; base-uri 'none'; form-action 'none'"/;
    expect(readFileSync(path.join(cwd, `out${n}`, 'certificate.html'), 'utf8')).toMatch(policy);
    expect(readFileSync(path.join(cwd, `out${n}`, shows), 'utf8')).toContain('forged');
  });
}

const answered = suite.cases.map((testCase) => ({ ...createUnsentResult(testCase, 'pass', ''), outcome: 'rejected' }));

test('Text from an unfit certificate is safe', async () => {
  const certificate = createCertificate(suite, answered, runFacts);
  const questions = certificate.questions.map((question) => ({ ...question, id: lines[0] }));
  writeFileSync(path.join(cwd, 'own.input'), JSON.stringify(certificate));
  writeFileSync(path.join(cwd, 'forged.input'), JSON.stringify({ ...certificate, questions }));
  const compared = await runConformanceInProcess(['compare', 'own.input', 'forged.input'], { cwd });
  expect([compared.status, listMisdeeds(['compare', compared.output])]).toEqual([2, []]);
});

test('A record that would not load again is not written', () => {
  // Ajv refuses this property name.
  const shape = { type: 'object', properties: { '\ud800': { type: 'string' } } };
  const results = answered.map((result) => ({ ...result, shape }));
  const recordTo = path.join(cwd, 'unfit.yaml');
  const options = { out: path.join(cwd, 'unfit'), recordTo };
  const { record } = writeResults(createCertificate(suite, results, runFacts), suite, results, options);
  expect([record?.unwritten, existsSync(recordTo)]).toEqual(['not written: it would not load again', false]);
});

test('Ids with such characters are refused', async () => {
  for (const [n, unfit] of [...breaks, ...'\ufffe\ud800\u0000\u202e'].entries()) {
    const line = `${suite.world.ids.customer.get('ann')}: ${JSON.stringify(`a${unfit}${mark}`)}\n`;
    writeFileSync(path.join(cwd, `shop${n}.ids.yaml`), line);
    writeFileSync(path.join(cwd, `ids${n}.input`), `name: shop\nbindings: shop${n}.ids.yaml\n`);
    const { status, output } = await runConformanceInProcess(['explain', 'order-ids', '--target', `ids${n}.input`], {
      cwd,
    });
    expect([status, listMisdeeds(['explain', output])], JSON.stringify(unfit)).toEqual([2, []]);
    expect(output).toContain('The id: one line of text');
  }
});

test('A record with any text reads back as it was written', () => {
  const unit = fc.oneof(
    fc.constantFrom(...breaks, ...'\ufffe\ufeff\u0000 \t#[]:&*!|>\'"%@`-?,{}~\\', '##vso[', '::error', '__proto__'),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  );
  const text = fc.string({ unit, maxLength: 30 });
  const long = fc.tuple(text, fc.constantFrom(1, 1, 1, 60)).map(([some, times]) => some.repeat(times));
  fc.assert(
    fc.property(fc.array(fc.tuple(long, text)), long, text, (members, target, response) => {
      const body = JSON.stringify(Object.fromEntries(members));
      const shape = inferShape([body], getIdFinders(suite.world));
      const record: TargetRecord = {
        target,
        suite: { name: 'a', version: target, digest: response },
        questions: Object.fromEntries(
          members.map(([key, outcome]) => [`q${key}`, { outcome, request: target, response: `${response}\n| ${key}` }]),
        ),
        ...(shape === undefined ? {} : { response_schema: shape }),
      };
      const written = renderRecord(record);
      expect(parseRecord(written, 'record.yaml')).toEqual(record);
      expect(Buffer.from(written).toString()).toBe(written);
      if (shape !== undefined) expect(findMismatches([body], { schema: shape, statedBy: 'the record' })).toEqual([]);
    }),
    { seed: 20_261_121, numRuns: 20 },
  );
});

test('toOneLine, quoteLines and formatProblem make any text safe', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(...breaks, '##', '[', 'vso'), fc.string({ unit: 'binary', maxLength: 1 })),
  });
  fc.assert(
    fc.property(text, (any) => {
      const line = toOneLine(any);
      expect(listMisdeeds(['', line])).toEqual([]);
      expect(line).not.toContain('\n');
      expect(toOneLine(line)).toBe(line);
      for (const quoted of quoteLines(any)) {
        expect(quoted).toMatch(/^\| /);
        expect(listMisdeeds(['', quoted])).toEqual([]);
      }
      const problem = formatProblem({ at: { setting: 'x' }, message: any, hint: `y${any}` });
      expect(problem.split('\n')).toHaveLength(2);
    }),
    { seed: 20_261_121 },
  );
});

test('Long texts that differ late are both shown from before their first difference', () => {
  const begin = 'x'.repeat(250);
  const [one, other] = shortenPair(`${begin}left${'y'.repeat(100)}`, `${begin}right`);
  expect(one).toMatch(/^…x{20}lefty+…$/);
  expect(other).toBe(`…${'x'.repeat(20)}right`);
  expect(shortenPair('left', 'right')).toEqual(['left', 'right']);
  expect(shortenPair(begin, `${begin}z`).join(' ')).toBe(`…${'x'.repeat(20)} …${'x'.repeat(20)}z`);
});

test('A long response shows its beginning and its end, and masks nothing', () => {
  const render = (body: string) =>
    createResponseRenderer(suite.world)({
      request: documentedRequest,
      response: { status: 500, headers: [['content-type', 'text/plain']], body },
    });
  const body = `Order ord_20260101-4711 failed at 2026-01-01T00:00:00Z: ${'at frame '.repeat(200)}caused by a null item`;
  expect(render(body)).toContain('Order ord_20260101-4711 failed at 2026-01-01T00:00:00Z');
  expect(render(body)).toMatch(/… \(\d+ characters\) ….*caused by a null item$/);
});
