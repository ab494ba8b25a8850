/** How many requests a run sends; with --quick, which rows, and how its outputs say so. */

import { expect, test } from '@playwright/test';
import { type Certificate, createCertificate } from '../../src/certificate/certificate.js';
import { quickNotice } from '../../src/certificate/notices.js';
import { determineExitStatusOfCertificate, exitStatus } from '../../src/cli/exit-status.js';
import { readDiscriminatingRows, readSelection, selectQuickRows } from '../../src/config/selection.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { createUnsentResult } from '../../src/run/case-result.js';
import { countPlannedRequests, createRunPlan } from '../../src/run/plan.js';
import { type CaseExclusionSettings, selectFromSuite } from '../../src/suite/case-selection.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { maxQuickRequests } from '../../tools/proof/choose-rows.js';
import { runSuite } from '../../tools/proof/judge-deployment.js';
import { channelTo, createReference, recognizer, suite } from '../support/in-process.js';
import { renderOutput } from '../support/render-output.js';
import { runFacts } from '../support/stubs.js';

const scope: CaseExclusionSettings = { excludesIntrusive: false };
const discriminating = readDiscriminatingRows();
const quick = selectQuickRows(suite, scope);

/** Certifies the reference deployment in this process, and counts the requests. */
async function certified({ rows }: ReturnType<typeof selectQuickRows>, fault?: string) {
  const respond = createReference({ faults: fault === undefined ? [] : [fault] });
  let sent = 0;
  const channel = channelTo((request: HttpRequest) => {
    sent += 1;
    return respond(request);
  });
  const { results } = await runSuite(selectFromSuite(suite, { quick: { rows } }), channel, { recognizer });
  const certificate = createCertificate(suite, results, {
    ...runFacts,
    quick: true,
    requestsSent: sent,
  });
  return { certificate, sent };
}

test('The rows catch all known faults within the limit', async () => {
  const { sent, certificate } = await certified(quick);
  expect(sent).toBeLessThanOrEqual(maxQuickRequests);
  expect(certificate.requests_sent).toBe(sent);
  expect(certificate.selected?.verdict).toBe('conforms');
  expect(discriminating.caught).toBe(discriminating.faults);
});

test('Of selected cases, only the discriminating rows are sent and counted', () => {
  const ids = suite.cases.filter(({ tags }) => tags.includes('limit.newest-150')).map(({ id }) => id);
  const { rows } = selectQuickRows(selectFromSuite(suite, { only: ids }), scope);
  for (const id of Object.keys(rows)) expect(ids).toContain(id);
  const options = { quick: true, only: ['limit.newest-150'] };
  expect(readSelection(options, suite, scope)).toEqual({ only: ids, quick: { rows } });
  const none = { quick: true, only: ['response-status'] };
  expect(() => readSelection(none, suite, scope)).toThrow('--quick: sends no row of the selected cases');
});

test.describe('A quick certificate cannot be mistaken for a full one', () => {
  let certificate: Certificate;
  test.beforeAll(async () => {
    ({ certificate } = await certified(quick));
  });

  test('its verdict is incomplete, and the exit status is that of the rows that were sent', () => {
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.selected?.verdict).toBe('conforms');
    expect(certificate.quick).toBe(true);
    expect(determineExitStatusOfCertificate(certificate)).toBe(exitStatus.conforms);
    expect(loadValidator('certificate')(certificate)).toBe(true);
    // Even where all cases were sent.
    const results = suite.cases.map((testCase) => createUnsentResult(testCase, 'pass', ''));
    expect(createCertificate(suite, results, { ...runFacts, quick: true }).verdict).toBe('incomplete');
  });

  test('headline, notes and page say so', () => {
    const written = { certificate: 'certificate.json' };
    const lines = renderRunReport(certificate, written).trimEnd().split('\n');
    expect(lines.find((line) => line.startsWith('CONFORMS'))).toContain('as far as selected, quick');
    expect(lines.filter((line) => line === quickNotice)).toHaveLength(1);
    expect(
      renderOutput('certificate.html', { certificate, results: [], showExchange: () => undefined }, suite),
    ).toContain(quickNotice);
  });
});

/** Deployments limit requests. This is the only limit of the suite on its own requests. */
const maxRequests = 230;

test('A default run sends at most 230 requests', () => {
  const plan = createRunPlan(suite, { excludesIntrusive: false });
  const costly = plan.cases.toSorted((a, b) => b.requests.length - a.requests.length).slice(0, 10);
  const message = `${costly.map(({ id, requests }) => `${requests.length} ${id}`).join('\n')}
Let cases share requests: send those of cases/requests.yaml as they are. All requests by case: npx conformance certify --dry-run.`;
  expect(countPlannedRequests(plan), message).toBeLessThanOrEqual(maxRequests);
});
