/** What passes from the process that sends to the one that certifies. */

import { expect, test } from '@playwright/test';
import type { Certificate } from '../../src/certificate/certificate.js';
import { ReportedRun } from '../../src/certify/reported-run.js';
import { type JudgedCases, runPlannedCases } from '../../src/certify/target-run.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { isSuccessful } from '../../src/http/response-status.js';
import type { SerializedMentions } from '../../src/recognition/tier-mentions.js';
import type { CaseReport, StoredExchange } from '../../src/run/case-report.js';
import { repetitionCaseId } from '../../src/run/case-result.js';
import { maxResultBody } from '../../src/run/sanitize-result.js';
import { type Answer, channelTo, createReference, recognizer } from '../support/in-process.js';

const inputs = loadRunInputs({ reference: true }, {});
const plannedCases = inputs.suite.cases.map(({ id }) => id).filter((id) => id.startsWith('window'));
plannedCases.push(repetitionCaseId);

/** Judges some cases of a deployment whose window is too small. */
async function judgeSome(answer: Answer = createReference({ faults: ['window-of-100'] })): Promise<JudgedCases> {
  return await runPlannedCases(inputs, channelTo(answer), { plannedCases, recognizer });
}

async function certify(judged: JudgedCases): Promise<Certificate> {
  const reported = new ReportedRun(new Set(plannedCases), inputs).addAll(judged);
  return (await reported.certify()).certificate;
}

async function listCauses(judged: JudgedCases): Promise<string[]> {
  return ((await certify(judged)).causes ?? []).map(({ id }) => id);
}

/** Lists what a certificate says of the responses that failing cases received. */
async function listReceived(judged: JudgedCases): Promise<string[]> {
  const { requirements } = await certify(judged);
  return requirements.flatMap(({ cases }) => cases.flatMap(({ received }) => received ?? []));
}

/** Changes what the worker found in each response. */
function withMentions(judged: JudgedCases, change: (found: SerializedMentions) => SerializedMentions): JudgedCases {
  const changeStored = (kept: StoredExchange) =>
    kept.mentions === undefined ? kept : { ...kept, mentions: change(kept.mentions) };
  const reports = judged.reports.map(
    (report): CaseReport => ({ ...report, exchanges: report.exchanges.map(changeStored) }),
  );
  return { ...judged, reports };
}

test('A result and its uses name exchanges that its report or an earlier one has, each once', async () => {
  const { reports } = await judgeSome();
  const known = new Set<string>();
  for (const { result, exchanges, uses } of reports) {
    for (const { id } of exchanges) {
      expect(known.has(id), id).toBe(false);
      known.add(id);
    }
    const { exchangeId, repeatedExchangeId } = result;
    const named = [...uses.map(({ id }) => id), exchangeId, repeatedExchangeId].filter((id) => id !== undefined);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    expect(JSON.stringify(result)).not.toContain('"response"');
  }
  const failing = reports.filter(({ result }) => result.verdict === 'fail');
  expect(failing.length).toBeGreaterThan(0);
  expect(failing.every(({ result }) => result.exchangeId !== undefined)).toBe(true);
});

test('What a response names is stored with its exchange, of successes alone', async () => {
  const { reports } = await judgeSome();
  const stored = reports.flatMap(({ exchanges }) => exchanges);
  const successes = stored.filter(({ exchange }) => 'response' in exchange && isSuccessful(exchange.response));
  expect(successes.length).toBeGreaterThan(0);
  expect(stored.filter(({ mentions }) => mentions !== undefined)).toEqual(successes);
});

test('The reporter explains by what the worker found, and searches no response again', async () => {
  const judged = await judgeSome();
  expect(await listCauses(judged)).toContain('window-size/100');
  const nothing = { named: [], certain: [], unlocated: [], possible: [], located: [], hasIdsInTexts: false };
  expect(await listCauses(withMentions(judged, () => nothing))).not.toContain('window-size/100');
});

test('A certificate counts what the whole of a long response names', async () => {
  const answer = createReference({ faults: ['window-of-100'] });
  const bodies: string[] = [];
  const answerLong = (request: HttpRequest) => {
    const response = answer(request);
    const body = response.body.replaceAll('},{', `},${' '.repeat(2_000)}{`);
    bodies.push(body);
    return { ...response, body };
  };
  const received = await listReceived(await judgeSome(answerLong));
  expect(bodies.some((body) => body.length > maxResultBody)).toBe(true);
  expect(received.length).toBeGreaterThan(0);
  expect(received).toEqual(await listReceived(await judgeSome()));
});
