/** Runs with a limit on requests: which rows they send, and how their outputs name the limit. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type RunScope, selectFromSuite } from '../../src/cases/case-selection.js';
import { readDiscriminatingRows } from '../../src/cases/discriminating-rows.js';
import { determineExitStatus, exitStatus } from '../../src/cli/exit-status.js';
import { createUnsentResult } from '../../src/engine/case-result.js';
import { countPlannedRequests, createPlan } from '../../src/engine/plan.js';
import { createProfile, type Profile, quickRequestLimit, type RequestLimit } from '../../src/engine/profile.js';
import { runSuite } from '../../src/engine/run.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { type Certificate, collectRunFacts, createCertificate } from '../../src/report/certificate.js';
import { renderProfileNotice } from '../../src/report/notices.js';
import { renderRunReport } from '../../src/report/terminal/run-report.js';
import { listUnpassedCases } from '../../src/report/unpassed-cases.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import type { RunOptions } from '../../src/targets/run-options.js';
import { readSelection } from '../../src/targets/settings.js';
import { loadCertificate, makeTestFolder, runConformance, runConformanceInProcess } from './support/cli.js';
import { channelTo, createReference, recognizer, suite } from './support/in-process.js';
import { renderOutput } from './support/render-output.js';
import { runFacts } from './support/stubs.js';

const scope: RunScope = { target: {}, excludesIntrusive: false };
const rows = readDiscriminatingRows();
const all = countPlannedRequests(createPlan(suite, scope));

/** The profile of a limit that not all requests fit. */
function profileFor(limit: RequestLimit, own = suite): Profile {
  const profile = createProfile(own, limit, rows, scope);
  if (profile === undefined) throw new Error(`All requests are within ${limit}.`);
  return profile;
}

/** Certifies the reference deployment in this process, and counts the requests. */
async function certified(profile: Profile, fault?: string) {
  const respond = createReference({ faults: fault === undefined ? [] : [fault] });
  let sent = 0;
  const channel = channelTo((request: HttpRequest) => {
    sent += 1;
    return respond(request);
  });
  const { results, calibration } = await runSuite(selectFromSuite(suite, { profile }), channel, { recognizer });
  const certificate = createCertificate(suite, results, {
    ...runFacts,
    ...collectRunFacts(results, calibration, { notes: [], profile }),
  });
  return { certificate, results, sent };
}

test('A run stays within its limit, and a higher limit catches more', async () => {
  let before = 0;
  for (const limit of [4, 20, 'quick', rows.rows.at(-1)?.requests ?? 0, all - 1] as const) {
    const profile = profileFor(limit);
    const { figures } = profile;
    const { sent, certificate } = await certified(profile);
    expect(sent, String(limit)).toBe(figures.requests);
    expect(sent).toBeLessThanOrEqual(limit === 'quick' ? quickRequestLimit : limit);
    expect(certificate.requests_sent).toBe(sent);
    expect(certificate.selected?.verdict).toBe('conforms');
    expect(figures.faults_caught).toBeGreaterThanOrEqual(before);
    before = figures.faults_caught;
  }
  expect(before).toBe(rows.caught);
});

test('Other rows and questions are sent if all discriminating rows fit', () => {
  const { requests = 0 } = rows.rows.at(-1) ?? {};
  expect(profileFor(requests - 1).figures.questions).toBe(0);
  expect(profileFor(requests).figures.rows).toBeGreaterThanOrEqual(rows.rows.length);
  const { figures } = profileFor(all - 1);
  expect(figures.rows).toBe(figures.rows_of);
  expect(figures.questions).toBe(figures.questions_of);
  expect(createProfile(suite, all, rows, scope)).toBeUndefined();
});

test('Of selected cases, only the discriminating rows are sent and counted', () => {
  const ids = suite.cases.filter(({ tags }) => tags.includes('limit.newest-150')).map(({ id }) => id);
  const { rows: selected, figures } = profileFor('quick', selectFromSuite(suite, { only: ids }));
  for (const id of selected.keys()) expect(ids).toContain(id);
  expect(figures.faults_caught).toBeGreaterThan(0);
  expect(figures.faults_caught).toBeLessThan(profileFor('quick').figures.faults_caught);
  const withWindow = readSelection({ budget: 'quick', only: ['limit.newest-150'] }, suite, scope);
  expect(withWindow).toEqual({ only: ids, profile: { rows: selected, figures } });
});

test('Rows that the target cannot answer take nothing of the limit', () => {
  const [first] = rows.rows;
  const cases = suite.cases.map((testCase) =>
    testCase.kind === 'requirement' && testCase.id === first?.case
      ? { ...testCase, rows: testCase.rows.map((row) => ({ ...row, unavailable: ['customer ann'] })) }
      : testCase,
  );
  const profile = profileFor('quick', { ...suite, cases });
  expect(profile.rows.has(first?.case ?? '')).toBe(false);
  expect(profile.figures.requests).toBeLessThanOrEqual(quickRequestLimit);
});

test.describe('A quick certificate cannot be mistaken for a full one', () => {
  let certificate: Certificate;
  const { figures } = profileFor('quick');
  const notice = renderProfileNotice(figures);
  test.beforeAll(async () => {
    ({ certificate } = await certified(profileFor('quick')));
  });

  test('its verdict is incomplete, and the exit status is that of the rows that were sent', () => {
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.selected?.verdict).toBe('conforms');
    expect(certificate.profile).toEqual(figures);
    expect(determineExitStatus(certificate)).toBe(exitStatus.conforms);
    expect(loadValidator('certificate')(certificate)).toBe(true);
    // Even where some of each case were sent.
    const ofEach = new Map(suite.cases.map(({ id, rows: [row] }) => [id, new Set([row?.title ?? ''])]));
    const { cases } = selectFromSuite(suite, { profile: { rows: ofEach } });
    const results = cases.map((testCase) => ({ ...createUnsentResult(testCase, 'pass', ''), exchangesJudged: 1 }));
    const own = collectRunFacts(results, undefined, { notes: [], profile: { figures } });
    expect(createCertificate(suite, results, { ...runFacts, ...own }).verdict).toBe('incomplete');
  });

  test('headline, last line and page say the profile and its share of the known faults', () => {
    expect(notice).toMatch(/^With --quick: \d+ of \d+ rows .* of the \d+ known faults \(\d+ %\)/);
    const written = { certificate: 'certificate.json', files: [] };
    const lines = renderRunReport(certificate, written).trimEnd().split('\n');
    expect(lines.find((line) => line.startsWith('CONFORMS'))).toContain('as far as selected, quick');
    expect(lines.at(-1)).toBe(notice);
    expect(lines.filter((line) => line === notice)).toHaveLength(1);
    expect(renderOutput('certificate.html', certificate, suite, [])).toContain(notice);
  });

  test('A case that passes with some of its rows does not replace its failure with all rows', () => {
    const listUnpassed = (verdict: 'fail' | 'pass', profile: Partial<Certificate>, before?: ReadonlySet<string>) => {
      const entry = { id: 'one', verdict, reason: '' };
      const requirements = [{ id: 'r', part: '', statement: '', verdict, cases: [entry] }];
      const { profile: _, ...whole } = certificate;
      return listUnpassedCases({ ...whole, requirements, questions: [], ...profile }, before);
    };
    const failed = listUnpassed('fail', {});
    expect([...listUnpassed('pass', { profile: figures }, failed)]).toEqual(['one']);
    expect([...listUnpassed('pass', {}, failed)]).toEqual([]);
  });
});

test('A row of a profile can fail the run', async () => {
  const { certificate } = await certified(profileFor(20), 'window-of-151');
  expect(certificate.verdict).toBe('does-not-conform');
  expect(determineExitStatus(certificate)).toBe(exitStatus['does-not-conform']);
});

test('A limit below the first row is refused', () => {
  const read = (options: RunOptions) => () => readSelection(options, suite, scope);
  expect(read({ budget: 3 })).toThrow('sends 3 requests before all cases');
  expect(read({ budget: 4 })).not.toThrow();
});

test('The command line takes --quick and --budget, writes to a folder of its own, and says so', async () => {
  const cwd = makeTestFolder();
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
});
