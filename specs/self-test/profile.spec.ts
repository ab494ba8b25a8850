/** Few requests: the rows that catch most of the known faults, and what is said of a run that sends no others. */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { faults, findFault } from '../../reference/faults/index.js';
import { selectFromSuite } from '../../src/cases/case-selection.js';
import {
  computeRowsDigest,
  discriminatingRowsFile,
  readDiscriminatingRows,
} from '../../src/cases/discriminating-rows.js';
import { determineExitStatus, exitStatus } from '../../src/cli/exit-status.js';
import type { RunScope } from '../../src/engine/case-exclusion.js';
import { countPlannedRequests, createPlan, createRequestTally } from '../../src/engine/plan.js';
import { createProfile, type Profile, quickRequestLimit, type RequestLimit } from '../../src/engine/profile.js';
import { runSuite } from '../../src/engine/run.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { type Certificate, collectRunFacts, createCertificate } from '../../src/report/certificate.js';
import { renderProfileNotice } from '../../src/report/notices.js';
import { renderSummary } from '../../src/report/terminal/summary.js';
import { listUnpassedCases } from '../../src/report/unpassed-cases.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import type { RunOptions } from '../../src/targets/run-options.js';
import { readSelection } from '../../src/targets/settings.js';
import { inProcessCredentials } from '../proof/judge-deployment.js';
import { createTemporaryFolder, loadCertificate, runConformance, runConformanceInProcess } from './support/cli.js';
import { channelTo, recognizer, suite } from './support/in-process.js';
import { renderOutput } from './support/render-output.js';

const scope: RunScope = { target: {}, excludesIntrusive: false };
const telling = readDiscriminatingRows(suite);
const all = countPlannedRequests(createPlan(suite, scope));

/** The profile that some spending comes to, which leaves out something. */
function profileFor(spending: RequestLimit, own = suite): Profile {
  const profile = createProfile(own, spending, telling, scope);
  if (profile === undefined) throw new Error(`With ${spending}, nothing is left out.`);
  return profile;
}

/** Certifies the reference deployment in this process, and counts what it was sent. */
async function certified(profile: Profile, fault?: string) {
  const broken = fault === undefined ? {} : { faults: [findFault(fault)] };
  const respond = createDeployment({ world: suite.world, credentials: inProcessCredentials, ...broken });
  let sent = 0;
  const channel = channelTo((request: HttpRequest) => {
    sent += 1;
    return respond(request);
  });
  const { results, calibration } = await runSuite(selectFromSuite(suite, { profile }), channel, { recognizer });
  const certificate = createCertificate(suite, results, {
    target: { name: 'in-process', base_url: 'http://in-process.test' },
    ...collectRunFacts(results, calibration, { notes: [], profile }),
    isCutShort: false,
    startedAt: new Date(0),
    durationMs: 0,
  });
  return { certificate, results, sent };
}

test('the telling rows are chosen from the cases and faults as they are', () => {
  const ids = faults.map(({ id }) => id);
  expect(telling.faultsKnown).toBe(faults.length);
  expect(telling.chosenFrom, 'Run npm run proof, which chooses them anew.').toBe(computeRowsDigest(suite, ids));
  const tally = createRequestTally();
  let requests = suite.calibration.length;
  for (const { testCase, row, requests: stated } of telling.rows) {
    const alone = { ...testCase, rows: [row] };
    requests += tally.listNewRequests(alone).length;
    tally.addCase(alone);
    expect(stated, `${testCase.id} ${row.title}`).toBe(requests);
  }
});

test('a run sends no more than it may, the more it sends, the more it catches, and --quick catches all with 60 requests', async () => {
  expect(quickRequestLimit).toBe(60);
  let before = 0;
  for (const spending of [4, 10, 20, 30, 'quick', telling.rows.at(-1)?.requests ?? 0, all - 1] as const) {
    const profile = profileFor(spending);
    const { figures } = profile;
    const { sent, certificate } = await certified(profile);
    expect(sent, String(spending)).toBe(figures.requests);
    expect(sent).toBeLessThanOrEqual(spending === 'quick' ? 60 : spending);
    expect(certificate.requests_sent).toBe(sent);
    expect(certificate.selected?.verdict).toBe('conforms');
    expect(figures.faults_caught).toBeGreaterThanOrEqual(before);
    before = figures.faults_caught;
    if (spending === 'quick') expect(before).toBe(faults.length);
  }
  expect(before).toBe(faults.length);
});

test('the README says what so many requests catch', () => {
  const readme = readFileSync(path.join(packageRoot, 'README.md'), 'utf8');
  const line = (what: string, spending: RequestLimit) => {
    const { faults_caught: caught, faults_known: known } = profileFor(spending).figures;
    return `| ${what} | ${caught} of ${known} (${Math.floor((100 * caught) / known)} %) |`;
  };
  for (const budget of [10, 20, 30, 40]) expect(readme).toContain(line(String(budget), budget));
  expect(readme).toContain(line(`${quickRequestLimit} (\`--quick\`)`, 'quick'));
});

test('questions and rows that are not telling are sent once all that are telling fit', () => {
  const { requests = 0 } = telling.rows.at(-1) ?? {};
  expect(profileFor(requests - 1).figures.questions).toBe(0);
  expect(profileFor(requests).figures.rows).toBeGreaterThanOrEqual(telling.rows.length);
  const { figures } = profileFor(all - 1);
  expect(figures.rows).toBe(figures.rows_of);
  expect(figures.questions).toBe(figures.questions_of);
  expect(createProfile(suite, all, telling, scope)).toBeUndefined();
});

test('of selected cases the telling rows are sent, and only what they catch is counted', () => {
  const ids = suite.cases.filter(({ tags }) => tags.includes('limit.newest-150')).map(({ id }) => id);
  const { rows, figures } = profileFor('quick', selectFromSuite(suite, { only: ids }));
  for (const id of rows.keys()) expect(ids).toContain(id);
  expect(figures.faults_caught).toBeGreaterThan(0);
  expect(figures.faults_caught).toBeLessThan(profileFor('quick').figures.faults_caught);
  const withWindow = readSelection({ budget: 'quick', only: ['limit.newest-150'] }, suite, scope);
  expect(withWindow).toEqual({ only: ids, profile: { rows, figures } });
});

test('what a target does not have, and what is left out, takes nothing of a budget', () => {
  const [first] = telling.rows;
  const cases = suite.cases.map((testCase) =>
    testCase.kind === 'requirement' && testCase.id === first?.testCase.id
      ? { ...testCase, rows: testCase.rows.map((row) => ({ ...row, unavailable: ['customer ann'] })) }
      : testCase,
  );
  const { rows, figures } = profileFor('quick', { ...suite, cases });
  expect(rows.has(first?.testCase.id ?? '')).toBe(false);
  expect(figures.requests).toBeLessThanOrEqual(60);
  expect(figures.faults_caught).toBeLessThan(profileFor('quick').figures.faults_caught);
});

test.describe('a quick certificate is never taken for a full one', () => {
  let certificate: Certificate;
  let junit: string;
  const { figures } = profileFor('quick');
  const notice = renderProfileNotice(figures);
  test.beforeAll(async () => {
    const run = await certified(profileFor('quick'));
    ({ certificate } = run);
    junit = renderOutput('junit.xml', certificate, suite, run.results);
  });

  test('its whole verdict is incomplete, and the exit status speaks of what was sent', () => {
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.selected?.verdict).toBe('conforms');
    expect(certificate.profile).toEqual(figures);
    expect(determineExitStatus(certificate)).toBe(exitStatus.conforms);
    expect(loadValidator('certificate')(certificate)).toBe(true);
    // Even where some of each case were sent.
    const ofEach = new Map(suite.cases.map(({ id, rows: [row] }) => [id, new Set([row?.title ?? ''])]));
    const results = selectFromSuite(suite, { profile: { rows: ofEach } }).cases.map((testCase) => ({
      id: testCase.id,
      subject: testCase.kind === 'requirement' ? testCase.verifies : testCase.answers,
      verdict: 'pass' as const,
      reason: '',
      at: testCase.at,
      rows: [],
      drift: [],
      exchangesJudged: 1,
      requestsSent: 1,
      durationMs: 1,
    }));
    const facts = { isCutShort: false, startedAt: new Date(0), durationMs: 0, target: certificate.target };
    const own = collectRunFacts(results, undefined, { notes: [], profile: { figures } });
    expect(createCertificate(suite, results, { ...facts, ...own }).verdict).toBe('incomplete');
  });

  test('headline, last line, page and JUnit say the profile and its share of the known faults', () => {
    expect(notice).toMatch(/^With --quick: \d+ of \d+ rows .* of the \d+ known faults \(\d+ %\)/);
    const written = { certificate: 'certificate.json', files: [] };
    const lines = renderSummary(certificate, written).trimEnd().split('\n');
    expect(lines[1]).toContain('CONFORMS as far as selected, quick');
    expect(lines.at(-1)).toBe(notice);
    expect(lines.filter((line) => line === notice)).toHaveLength(1);
    expect(renderOutput('certificate.html', certificate, suite, [])).toContain(notice);
    expect(junit).toContain('<property name="profile" value="quick"/>');
    expect(junit).toContain(
      `<property name="known faults caught" value="${figures.faults_caught} of ${figures.faults_known}"/>`,
    );
  });

  test('that a case passes with some of its rows does not make up for those that failed', () => {
    const entry = (verdict: 'fail' | 'pass') => ({ id: 'one', verdict, reason: '' });
    const { profile, ...whole } = certificate;
    const withVerdict = (each: 'fail' | 'pass'): Certificate => ({
      ...whole,
      requirements: [{ id: 'r', part: '', statement: '', verdict: each, cases: [entry(each)] }],
      questions: [],
    });
    if (profile === undefined) throw new Error('The certificate has no profile.');
    expect(listUnpassedCases([withVerdict('fail'), { ...withVerdict('pass'), profile }])).toEqual(['one']);
    expect(listUnpassedCases([withVerdict('fail'), withVerdict('pass')])).toEqual([]);
  });
});

test('what a row of a profile refutes fails the run', async () => {
  const { certificate } = await certified(profileFor(4), 'window-of-151');
  expect(certificate.verdict).toBe('does-not-conform');
  expect(determineExitStatus(certificate)).toBe(exitStatus['does-not-conform']);
});

test('what the rows have in common that fail is read from the rows that were sent', async () => {
  const { certificate } = await certified(profileFor('quick'), 'expand-loses-the-result');
  expect(certificate.notes).toContainEqual(expect.stringContaining('all 3 rows that fail have a request with expand;'));
});

test('A file that names an unknown case or row is refused with its line', () => {
  const written = readFileSync(discriminatingRowsFile, 'utf8');
  const read = (text: string) => () => readDiscriminatingRows(suite, parseYaml(text, 'rows.yaml'));
  const line = written.split('\n').findIndex((text) => text.startsWith('  - {')) + 1;
  const { testCase, row } = telling.rows[0] ?? {};
  expect(read(written.replace(`case: ${testCase?.id}`, `case: ${testCase?.id}x`))).toThrow(
    `rows.yaml:${line}:5: unknown case '${testCase?.id}x'`,
  );
  expect(read(written.replace(row?.title ?? '', `${row?.title}x`))).toThrow(`unknown row '${row?.title}x'`);
});

test('a budget that is none, or takes not even one row, is refused; so is one beside random requests', () => {
  const problem = (options: RunOptions): string => {
    try {
      readSelection(options, suite, scope);
      return '';
    } catch (error) {
      if (error instanceof UnusableInput) return error.message;
      throw error;
    }
  };
  expect(problem({ budget: 3 })).toContain('3 requests are sent before all cases');
  expect(problem({ budget: 30, explore: 9 })).toContain('--explore');
  expect(problem({ budget: 4 })).toBe('');
});

test('the command line takes --quick and --budget, leaves its results beside those of a whole run, and says so', async () => {
  const { folder: cwd, remove } = createTemporaryFolder();
  const both = await runConformanceInProcess(['certify', '--quick', '--budget', '9'], { cwd });
  expect(both.status).toBe(exitStatus.unusableInput);
  const plan = await runConformanceInProcess(['certify', '--quick', '--dry-run', '--reference'], { cwd });
  expect(plan.output).toContain(renderProfileNotice(profileFor('quick').figures));
  expect(plan.output).toContain(`${profileFor('quick').figures.requests} requests`);
  const { status, output } = await runConformance(['certify', '--budget', '5', '--reference', '--out', 'results'], {
    cwd,
  });
  expect(status, output).toBe(exitStatus.conforms);
  expect(output).toContain('CONFORMS as far as selected, budget');
  const certificate = loadCertificate(cwd, path.join('results', 'partial'));
  expect(certificate.profile).toEqual(profileFor(5).figures);
  expect(certificate.requests_sent).toBeLessThanOrEqual(5);
  expect(existsSync(path.join(cwd, 'results', 'certificate.json'))).toBe(false);
  remove();
});
