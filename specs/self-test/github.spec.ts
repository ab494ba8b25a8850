/** GitHub Actions: annotations, job summary, badge, action and workflows. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { ResultWithExchanges } from '../../src/engine/case-result.js';
import { reportToGitHub } from '../../src/playwright/github-actions.js';
import { type Certificate, createCertificate } from '../../src/report/certificate.js';
import { createResponseRenderer } from '../../src/report/exchange-text.js';
import { renderBrokenCase } from '../../src/report/failure-text.js';
import { renderAnnotations } from '../../src/report/terminal/github-annotations.js';
import { renderJobSummary } from '../../src/report/terminal/job-summary.js';
import { packageRoot } from '../../src/support/package-root.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { makeTestFolder } from './support/cli.js';
import { certifyInProcess, requirementSuite, suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';
import { lintAction } from './support/lint-action.js';
import { renderOutput } from './support/render-output.js';

const judged = certifyInProcess(createIndependentDeployment(suite.world, { violation: 'window-oldest' }), {
  suite: requirementSuite,
});

/** What the runner of GitHub Actions makes of a line, by its rules: a command, its properties and its text. */
function commandIn(line: string): { name: string; properties: Record<string, string>; text: string } | undefined {
  const [, name = '', stated = '', text = ''] = /^::([a-z]+) (.*?)::(.*)$/s.exec(line.trimStart()) ?? [];
  if (name === '') return undefined;
  const unescaped = (value: string) =>
    value.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':').replaceAll('%2C', ',');
  const plain = (value: string) => unescaped(value).replaceAll('%25', '%');
  const pairs = stated.split(',').map((pair) => [pair.replace(/=.*$/s, ''), pair.replace(/^[^=]*=/, '')] as const);
  return { name, properties: Object.fromEntries(pairs.map(([key, value]) => [key, plain(value)])), text: plain(text) };
}

test('Failures are annotations on their lines of the case files', async () => {
  const { results, certificate } = await judged;
  const broken = results.filter(({ verdict }) => verdict === 'fail');
  expect(broken.length).toBeGreaterThan(1);
  const place = { suite, certificate, workspace: path.dirname(packageRoot) };
  const text = renderAnnotations(results, place);
  const commands = text.trimEnd().split('\n').map(commandIn);
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
  expect(commandIn(text.trimEnd())).toMatchObject({
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
  expect(badgeOf(certificate)).toEqual({
    schemaVersion: 1,
    label: 'promotion validation',
    message: `does not conform: ${counts.join(', ')}`,
    color: 'red',
  });
  const conforming = { ...certificate, verdict: 'conforms', summary: { pass: 17 } } as const;
  expect(badgeOf(conforming)).toMatchObject({ message: 'conforms: 17 pass', color: 'brightgreen' });
  const drift = [{ case: 'a', text: 'b' }];
  expect(badgeOf({ ...conforming, drift })).toMatchObject({ message: 'conforms: 17 pass, 1 drift', color: 'orange' });
  const ofSelected = createCertificate(suite, [], {
    target: { name: 'a', base_url: 'b', is_reference: true },
    requestsSent: 0,
    notes: [],
    isSelection: true,
    isCutShort: true,
    startedAt: new Date(0),
    durationMs: 0,
  });
  expect(badgeOf({ ...ofSelected, selected: { verdict: 'incomplete', cases: { pass: 2 } } })).toMatchObject({
    label: 'reference deployment',
    message: 'incomplete: 2 pass of the selected cases',
    color: 'yellow',
  });
});

const workflows = path.join(packageRoot, 'templates', 'workflows');
const files = [
  path.join(packageRoot, 'action.yml'),
  ...readdirSync(workflows).map((name) => path.join(workflows, name)),
];

for (const file of files) {
  const name = path.basename(file);
  const text = readFileSync(file, 'utf8');

  test(`${name} passes GitHub's linter`, async () => {
    expect(await lintAction(name, text)).toEqual([]);
  });
}
