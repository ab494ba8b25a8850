/** The documents of a run for client developers, and the comparison of certificates. */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { renderShape } from '../../src/outputs/client-guide/render-shape.js';
import { questionsOfClients } from '../../src/outputs/client-guide/view-client-guide.js';
import { getIdFinders } from '../../src/recognition/id-finders.js';
import { inferShape } from '../../src/record/body-shape.js';
import { parseJson } from '../../src/support/json.js';
import { packageRoot } from '../../src/support/package-root.js';
import { compileSchema } from '../../src/support/schema-validation.js';
import { makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { type Answer, addMembers, certifyInProcess, createReference, suite } from '../support/in-process.js';
import { renderOutput } from '../support/render-output.js';

/** Adds a duration, a time and an id to all responses, which differ each time. */
function volatile(answer: Answer, from: number): Answer {
  let count = from;
  return addMembers(answer, () => {
    count += 7;
    const at = new Date(count * 86_400_000).toISOString();
    return { took: count, at, request_id: `req_${count}_abcdefghijkl`, seconds: 1_700_000_000 + count };
  });
}

type Run = Awaited<ReturnType<typeof certifyInProcess>>;

const documentsOf = (run: Run) => ({
  observed: renderOutput('observed.md', run, suite),
  openapi: renderOutput('openapi.yaml', run, suite),
});

interface Content {
  readonly schema: object;
}

test.describe('of a run', () => {
  const chosen = { 'empty-result': 'not-found', 'quantity-numeric-string': 'as-number' };
  let run: Run;
  let documents: ReturnType<typeof documentsOf>;
  const questions = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'question') };
  const certify = (from: number) =>
    certifyInProcess(volatile(createReference({ behaviours: chosen }), from), { suite: questions });
  test.beforeAll(async () => {
    run = await certify(100);
    documents = documentsOf(run);
  });

  test('They are equal if the target behaves the same, although every response differs', async () => {
    expect(documentsOf(await certify(5_000))).toEqual(documents);
  });

  test('observed.md shows a result, then each answer as a sentence before its command', () => {
    const { observed } = documents;
    const headings = [...observed.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    const questions = suite.contract.groups.map(({ asks }) => asks);
    expect(headings).toEqual(['What a client needs', 'All answers', 'What does a result look like?', ...questions]);
    const rows = observed.match(/^\| \[\S+\]\(#\S+\) \| .* \|$/gm);
    expect(rows).toHaveLength(suite.contract.questions.length);
    const [, json = ''] = /```json\n([\s\S]*?)\n```/.exec(observed) ?? [];
    const { promotions, took, at, request_id, seconds } = JSON.parse(json);
    expect(promotions).toHaveLength(1);
    expect(promotions[0].name).toBe('greeting');
    const changing = '<changing number>';
    expect([took, at, request_id, seconds]).toEqual([changing, '<changing>', '<changing>', changing]);
    const sentence = '**The quantity "3" meets a threshold of 3 and no higher one.** (`as-number`)';
    const [, section = ''] = /### quantity-numeric-string\n([\s\S]*?)\n### /.exec(observed) ?? [];
    expect(section.split(sentence)[1]).toContain('curl');
    expect(observed).toContain('**The status code of a response with promotions: `200`.**');
  });

  test('observed.md begins with one screen for the author of a client', () => {
    const [screen = ''] = documents.observed.split('## All answers');
    expect(screen.split('\n').length).toBeLessThan(90);
    const [success, empty] = [...screen.matchAll(/```text\n([\s\S]*?)\n```/g)].map(([, block = '']) => block);
    expect(screen).toContain('The status code of a response with promotions: `200`.');
    expect(screen).toContain('`/promotions/*/id`');
    expect(success).toMatch(/^ {2}"promotions": \{$[\s\S]*^ {4}"id": string$[\s\S]*^ {2}\}\[\]$/m);
    expect(empty?.split('\n')[0]).toBe('404 application/json');
    // Each status of an error once, with an example; all that is refused is named.
    const rows = screen.match(/^\| `\d+ .*\|$/gm) ?? [];
    expect(rows.map((row) => row.slice(3, 6))).toEqual(['400', '401', '404', '405']);
    for (const row of rows) expect(row).toMatch(/\| `\{"code":\d+,.*\}` \|/);
    for (const id of ['quantity-negative', 'method-put', 'credentials-wrong-token'])
      expect(screen).toContain(`(#${id})`);
    expect(screen).toMatch(/A query that was sent: `%5Bfilters%5D/);
    // What returns nothing refuses nothing, though it has the same status here.
    expect(screen).not.toContain('(#filter-unknown-campaign)');
  });

  test('openapi.yaml has the statuses that were seen, each with a schema', () => {
    const { responses } = parse(documents.openapi).paths['/v1/promotions/validation'].get;
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '404']);
    for (const { content } of Object.values<{ content: Record<string, Content> }>(responses)) {
      expect(Object.keys(content)).toEqual(['application/json']);
      const { schema } = content['application/json'] as Content;
      expect(schema).toHaveProperty('type', 'object');
      expect(() => compileSchema(schema)).not.toThrow();
      // What was not seen may yet come.
      expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
    }
    expect(responses['200'].content['application/json'].schema.properties.promotions.type).toBe('array');
  });
});

test('The questions that clients need are those of the contract', () => {
  const ids = suite.contract.questions.map(({ id }) => id);
  for (const id of Object.values(questionsOfClients).flat()) expect(ids).toContain(id);
});

test('The limit of the documentation is on the screen for clients, unless the target breaks it', async () => {
  const limit = suite.contract.requirements.find(({ about }) => about === 'rank')?.statement ?? '';
  const read = async (...faults: string[]) => {
    const run = await certifyInProcess(createReference({ faults }));
    const [screen = ''] = renderOutput('observed.md', run, suite).split('## All answers');
    return screen.split(limit).map((part) => part.lastIndexOf('**What the documentation states') >= 0);
  };
  expect(await read()).toEqual([false, false]);
  expect(await read('window-of-151')).toEqual([true, false]);
});

test('Without any response there is no screen for clients, and an unanswered question says nothing there', async () => {
  const down = await certifyInProcess(() => ({ status: 503, headers: [], body: '' }));
  expect(renderOutput('observed.md', down, suite)).not.toContain('What a client needs');
  const wrong = await certifyInProcess(createReference({ faults: ['window-of-the-oldest', 'quantity-ignored'] }));
  const unanswered = wrong.certificate.questions.filter(({ outcome }) => outcome === null);
  expect(unanswered.length).toBeGreaterThan(10);
  const [screen = ''] = renderOutput('observed.md', wrong, suite).split('## All answers');
  expect(screen).toContain('What a client needs');
  expect(screen).toContain('this target breaks');
  expect(screen).not.toContain('No answer.');
});

for (const [title, bodies, outline] of [
  ['a list', ['[{"id":"a"},{"id":"b","n":1}]'], '{ "id": string, "n"?: number }[]'],
  ['several types', ['{"a":null,"b":[]}', '{"a":"x","b":["y",1]}'], '{ "a": null | string, "b": (number | string)[] }'],
  ['what is nested too deep', [`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`], /^(?:\{ "a": ){6}object(?: \}){6}$/],
  [
    'many members',
    [JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`name ${n}`, n])))],
    /^\{\n( {2}"name \d+": number\n){14} {2}… 6 more\n\}$/,
  ],
  ['a hostile name', ['{"\\n::error::":1}'], '{ "\\n::error::": number }'],
] as const)
  test(`The outline of ${title}`, () => {
    const shape = inferShape(bodies, getIdFinders(suite.world)) ?? {};
    if (typeof outline === 'string') expect(renderShape(shape)).toBe(outline);
    else expect(renderShape(shape)).toMatch(outline);
  });

test('An outline of anything fits on a screen', () => {
  const wide = (depth: number): unknown =>
    depth === 0
      ? 'x'
      : Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`a name of some length ${n}`, wide(depth - 1)]));
  const shape = inferShape([JSON.stringify(wide(3))], getIdFinders(suite.world)) ?? {};
  const lines = renderShape(shape).split('\n');
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.length).toBeLessThanOrEqual(40);
});

const redocly = (args: readonly string[]) =>
  execFileSync(
    process.execPath,
    [path.join(packageRoot, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js'), ...args],
    {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );

test('Redocly accepts and renders openapi.yaml of a hostile run', { tag: '@long' }, async () => {
  const folder = makeTestFolder();
  const hostile = '</script><script>forged()</script> **bold** [link](javascript:forged()) ::error::\n::error::';
  const echoing: Answer = (request) => {
    const response = createReference()(request);
    const value = parseJson(response.body);
    if (typeof value !== 'object') return response;
    return { ...response, body: JSON.stringify({ ...value, [hostile]: hostile, $ref: '/etc/hostname' }) };
  };
  const run = await certifyInProcess(echoing);
  const [file, page] = ['openapi.yaml', 'page.html'].map((name) => path.join(folder, name)) as [string, string];
  const target = { ...run.certificate.target, name: hostile };
  writeFileSync(file, renderOutput('openapi.yaml', { ...run, certificate: { ...run.certificate, target } }, suite));
  // Nobody knows the licence of a deployment's description.
  const linted = redocly(['lint', file, ...'--extends recommended --skip-rule info-license --format json'.split(' ')]);
  const { totals, problems } = JSON.parse(linted.slice(linted.indexOf('{')));
  expect([totals.errors, totals.warnings, problems]).toEqual([0, 0, []]);
  redocly(['build-docs', file, '-o', page]);
  const rendered = readFileSync(page, 'utf8');
  expect(rendered).toContain('The documentation says');
  expect(rendered).not.toContain('<script>forged()');
});

test.describe('a comparison of certificates', () => {
  const cwd = makeTestFolder();
  const ids = /^(window-with-|quantity-n|empty-result)/;
  const few = { ...suite, cases: suite.cases.filter(({ id }) => ids.test(id)) };
  test.beforeAll(async () => {
    const certify = async (name: string, answer: Answer) => {
      const { certificate } = await certifyInProcess(answer, { suite: few });
      const named = { ...certificate, target: { ...certificate.target, name } };
      writeFileSync(path.join(cwd, `${name}.json`), JSON.stringify(named));
    };
    await certify('one', createReference());
    await certify('other', createReference({ behaviours: { 'quantity-numeric-string': 'rejected' } }));
    await certify('third', createReference({ faults: ['window-of-151'] }));
  });

  const compare = (...args: string[]) => runConformanceInProcess(['compare', ...args], { cwd });

  test('Each difference has a line for each certificate', async () => {
    const { status, output } = await compare('one.json', 'other.json');
    expect(status).toBe(3);
    expect(output.trimEnd().split('\n').slice(-3)).toEqual([
      'quantity-numeric-string',
      '  one    The quantity "3" meets a threshold of 3 and no higher one.',
      '  other  The quantity "3" is rejected with a 4xx status.',
    ]);
    expect((await compare('one.json', 'third.json')).output).toMatch(
      /^limit\.newest-150\n {2}one +pass\n {2}third +fail: .*'beyond-first'/m,
    );
    const same = await compare('one.json', 'one.json');
    expect([same.status, same.output]).toEqual([0, expect.stringContaining('The certificates agree')]);
  });
});
