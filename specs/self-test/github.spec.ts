/** GitHub Actions: annotations, job summary, badge, action and workflows. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { ResultWithExchanges } from '../../src/engine/case-result.js';
import { reportToGitHub } from '../../src/playwright/github-actions.js';
import type { Certificate } from '../../src/report/certificate.js';
import { createResponseRenderer } from '../../src/report/exchange-text.js';
import { renderBrokenCase } from '../../src/report/failure-text.js';
import { renderAnnotations } from '../../src/report/terminal/github-annotations.js';
import { renderJobSummary } from '../../src/report/terminal/job-summary.js';
import { packageRoot } from '../../src/support/package-root.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { makeTestFolder } from './support/cli.js';
import { certifyInProcess, createReference, requirementSuite, suite } from './support/in-process.js';
import { lintAction } from './support/lint-action.js';
import { renderOutput } from './support/render-output.js';

const judged = certifyInProcess(createReference({ faults: ['window-of-the-oldest'] }), {
  suite: requirementSuite,
});

/** Reads a line as the runner of GitHub Actions does: a command, its properties and its text. */
function parseCommand(line: string) {
  const [, name = '', stated = '', text = ''] = /^::([a-z]+) (.*?)::(.*)$/s.exec(line.trimStart()) ?? [];
  const decode = (value: string) => value.replaceAll(/%(?:0D|0A|3A|2C|25)/g, decodeURIComponent);
  const pairs = stated.split(',').map((pair) => [pair.replace(/=.*$/s, ''), pair.replace(/^[^=]*=/, '')] as const);
  const properties = Object.fromEntries(pairs.map(([key, value]) => [key, decode(value)]));
  return { name, properties, text: decode(text) };
}

test('Failures are annotations on their lines of the case files', async () => {
  const { results, certificate } = await judged;
  const broken = results.filter(({ verdict }) => verdict === 'fail');
  expect(broken.length).toBeGreaterThan(1);
  const place = { suite, certificate, workspace: path.dirname(packageRoot) };
  const text = renderAnnotations(results, place);
  const commands = text.trimEnd().split('\n').map(parseCommand);
  expect(commands).toHaveLength(broken.length);
  for (const result of broken) {
    const command = commands.find((each) => each?.properties.title?.endsWith(`(${result.id})`));
    const { file = '', ...properties } = command?.properties ?? {};
    expect(path.resolve(place.workspace, file)).toBe(path.join(packageRoot, result.at.file));
    expect(properties).toEqual({
      line: String(result.at.line),
      col: String(result.at.column),
      title: `fail: ${result.subject} (${result.id})`,
    });
    const baseUrl = certificate.target.base_url;
    expect(command?.text).toBe(renderBrokenCase(result, baseUrl, createResponseRenderer(suite.world)).text);
  }
  // Elsewhere than in GitHub Actions nothing is printed.
  expect(reportToGitHub({ GITHUB_ACTIONS: 'false' }, certificate, suite, results)).toBe('');
  expect(reportToGitHub({ GITHUB_ACTIONS: 'true' }, certificate, suite, results).split('\n')).toHaveLength(
    broken.length + 1,
  );
});

test('No text ends an annotation or a property of it', async () => {
  const { results, certificate } = await judged;
  const hostile = '%0A::error::x\r\n::set-output name=a::b,line=9:c%';
  const [first] = results.filter(({ verdict }) => verdict === 'fail') as [ResultWithExchanges];
  const { exchange: _, expected: __, ...plain } = first;
  const result: ResultWithExchanges = {
    ...plain,
    id: hostile,
    reason: hostile,
    at: { ...first.at, file: `cases/${hostile}` },
  };
  const text = renderAnnotations([result], { suite, certificate, workspace: packageRoot });
  expect(text.trimEnd().split(/[\r\n]/)).toHaveLength(1);
  expect(parseCommand(text.trimEnd())).toMatchObject({
    name: 'error',
    properties: { file: `cases/${hostile}`, line: String(first.at.line), title: `fail: ${first.subject} (${hostile})` },
  });
});

test('The job summary is appended, with verdict, counts and failures', async () => {
  const { results, certificate } = await judged;
  const folder = makeTestFolder();
  const file = path.join(folder, 'summary.md');
  expect(reportToGitHub({ GITHUB_STEP_SUMMARY: file }, certificate, suite, results)).toBe('');
  reportToGitHub({ GITHUB_STEP_SUMMARY: file }, certificate, suite, results);
  const text = readFileSync(file, 'utf8');
  expect(text).toBe(renderJobSummary(certificate).repeat(2));
  expect(text).toContain('<h2>DOES-NOT-CONFORM: in-process</h2>');
  expect(text).toContain('<td>');
  for (const { id, statement } of certificate.requirements.filter(({ verdict }) => verdict === 'fail'))
    expect(text).toMatch(new RegExp(`<li>fail: ${id}\\. .{${statement.length},}</li>`));
  const unwritten = reportToGitHub({ GITHUB_STEP_SUMMARY: folder }, certificate, suite, results);
  expect(unwritten).toBe(`The job summary could not be written to ${folder} (EISDIR).\n`);
});

test('The badge has verdict, counts and drift', async () => {
  const badgeOf = (certificate: Certificate) => {
    const badge = JSON.parse(renderOutput('badge.json', certificate, suite, []));
    expect(loadValidator('badge')(badge)).toBe(true);
    return badge;
  };
  const { certificate } = await judged;
  const counts = Object.entries(certificate.summary).map(([verdict, count]) => `${count} ${verdict}`);
  const conforming = { ...certificate, verdict: 'conforms', summary: { pass: 17 } } as const;
  const selected = { verdict: 'incomplete', cases: { pass: 2 } } as const;
  const target = { ...certificate.target, is_reference: true as const };
  const rows: readonly (readonly [Certificate, label: string, message: string, color: string])[] = [
    [certificate, 'promotion validation', `does not conform: ${counts.join(', ')}`, 'red'],
    [conforming, 'promotion validation', 'conforms: 17 pass', 'brightgreen'],
    [
      { ...conforming, drift: [{ case: 'a', text: 'b' }] },
      'promotion validation',
      'conforms: 17 pass, 1 drift',
      'orange',
    ],
    [{ ...conforming, target, selected }, 'reference deployment', 'incomplete: 2 pass of the selected cases', 'yellow'],
  ];
  for (const [each, label, message, color] of rows)
    expect(badgeOf(each)).toEqual({ schemaVersion: 1, label, message, color });
});

const workflows = path.join(packageRoot, 'templates', 'workflows');
const files = [
  path.join(packageRoot, 'action.yml'),
  ...readdirSync(workflows).map((name) => path.join(workflows, name)),
];

for (const file of files)
  test(`${path.basename(file)} passes GitHub's linter`, async () => {
    expect(await lintAction(path.basename(file), readFileSync(file, 'utf8'))).toEqual([]);
  });
