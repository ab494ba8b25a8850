/** A run holds to its last request: a deployment that stops working never conforms, wherever in the run that begins. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { certify as certifyThrough } from '../../src/api.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import type { RunVerdict } from '../../src/certificate/run-verdict.js';
import { parseRunToRejudge, rejudgeRun } from '../../src/certify/recorded-run.js';
import { ReportedRun } from '../../src/certify/reported-run.js';
import { runPlannedCases } from '../../src/certify/target-run.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import type { RunOptions } from '../../src/config/run-options.js';
import { hasDocumentedCredentials } from '../../src/contract/operation.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { NoResponse } from '../../src/http/transport.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { repetitionCaseId } from '../../src/run/case-result.js';
import { selectCases } from '../../src/suite/case-selection.js';
import type { Suite } from '../../src/suite/suite.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { makeTestFolder } from '../support/cli.js';
import { type Answer, channelTo, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { listenStatefully } from '../support/listen-on-loopback.js';
import { createData, writeData } from '../support/own-data.js';
import { timeoutMs } from '../support/wire.js';

const honest = createReference();
const ownData = createData('small');
const ofOwnData = createIndependentDeployment(ownData);

/** Answers in another manner from the request of a number on, and counts all. */
function stopsAt(from: number, otherwise: Answer, answer: Answer = honest) {
  const counted = { requests: 0 };
  const stopping: Answer = (request) => {
    counted.requests += 1;
    return counted.requests >= from ? otherwise(request) : answer(request);
  };
  return { stopping, counted };
}

const dead =
  (status: number, body = '{"error":"at 12:30:59"}'): Answer =>
  () => ({ status, headers: [], body });

/** Runs cases, and judges the evidence again. @param parts runs several processes, one after the other */
async function run(answer: Answer, options: RunOptions = {}, parts = 1) {
  const loaded = loadRunInputs({ reference: true, ...options }, {});
  const inputs: { suite: Suite; settings: typeof loaded.settings } = {
    suite: loaded.suite,
    settings: { ...loaded.settings, target: { ...loaded.settings.target, baseUrl: 'http://in-process.test' } },
  };
  const all = [...selectCases(inputs.suite, inputs.settings).map(({ id }) => id), repetitionCaseId];
  const reported = new ReportedRun(new Set(all), inputs);
  const size = Math.ceil(all.length / parts);
  for (let part = 0; part < parts; part += 1) {
    const plannedCases = all.slice(part * size, (part + 1) * size);
    let turn = part * 10_000;
    const channel = channelTo(answer);
    const send = async (request: HttpRequest) => {
      turn += 1;
      const timing = { startedAt: turn, durationMs: 0 };
      return { ...(await channel.send(request)), timing };
    };
    const suffix = part === 0 ? '' : `@${part}.0`;
    reported.addAll(await runPlannedCases(inputs, { ...channel, send }, { plannedCases, suffix }));
  }
  const { certificate, archive } = await reported.certify();
  const again = await rejudgeRun(parseRunToRejudge(archive.content, 'evidence.har', options.data), inputs.suite);
  expect(omitTimes((await again.certify()).certificate)).toEqual(omitTimes(certificate));
  expect(loadValidator('certificate')(certificate)).toBe(true);
  return certificate;
}

const omitTimes = ({ started_at, duration_ms, ...rest }: Certificate) => rest;
const getVerdict = ({ selected, verdict }: Certificate): RunVerdict => selected?.verdict ?? verdict;

/** Whole runs take time: some are sent each time, the others with the long tests. */
const often = (isOften: boolean) => ({ tag: isOften ? [] : '@long' });

/** Among the requirements, among the questions, and in the repetition at the end. */
const places = [30, 165, 226];

test.describe('A deployment that refuses every documented request from some request on', () => {
  /** Each verdict at each place is tested each time: with the first status for the first place, and so on. */
  const statuses: Readonly<Record<'does-not-conform' | 'incomplete', readonly number[]>> = {
    'does-not-conform': [400, 404, 500],
    incomplete: [503, 429, 401, 402, 302],
  };
  const rows = Object.entries(statuses).flatMap(([verdict, all]) =>
    all.flatMap((status, n) => places.map((from, m) => ({ verdict, status, from, isOften: n === m }))),
  );
  for (const { verdict, status, from, isOften } of rows)
    test(`answers ${status} from request ${from} on: ${verdict}`, often(isOften), async () => {
      const { stopping, counted } = stopsAt(from, dead(status));
      const certificate = await run(stopping);
      expect(certificate.verdict).toBe(verdict);
      expect(certificate.stopped).toMatchObject({
        since: from,
        verdict: verdict === 'incomplete' ? 'inconclusive' : 'fail',
        code: 'stopped',
      });
      expect(certificate.requests_sent).toBe(counted.requests);
      // The reason comes first, and nothing else is blamed.
      expect(certificate.causes?.map(({ id }) => id)).toEqual(['stopped']);
      expect(certificate.stopped?.reason).toContain(`request ${from} on`);
      expect(renderRunReport(certificate).split('\n')[2]).toBe(`1. ${certificate.stopped?.reason}`);
      if (verdict === 'incomplete') expect(certificate.incomplete_because?.[0]).toContain(`request ${from} on`);
      const { fail = 0 } = certificate.summary;
      expect(fail).toBe(verdict === 'incomplete' ? 0 : 1);
    });

  test('answers no question after that', async () => {
    const { stopping } = stopsAt(165, dead(500));
    const { questions } = await run(stopping);
    const usual = await run(honest);
    const known = new Map(usual.questions.map(({ id, outcome }) => [id, outcome]));
    const wrong = questions.filter(({ id, outcome }) => outcome !== null && outcome !== known.get(id));
    expect(wrong).toEqual([]);
    expect(questions.filter(({ outcome }) => outcome === null).length).toBeGreaterThan(10);
  });

  /** `before`: how many requests before the end of a run. */
  const selections: Readonly<Record<string, readonly [options: RunOptions, before: number, answer?: Answer]>> = {
    'of few rows': [{ quick: true }, 2],
    'of selected cases': [{ only: ['customer'] }, 4],
    'of questions': [{ only: ['Quantity'] }, 6],
    'of questions, after the last one': [{ only: ['Quantity'] }, 0],
    'on own data': [{ data: writeData(ownData, 'small') }, 100, ofOwnData],
    'on own data, in the repetition at the end': [{ data: writeData(ownData, 'small') }, 5, ofOwnData],
  };
  for (const [what, [options, before, answer = honest]] of Object.entries(selections))
    for (const [status, verdict] of [
      [500, 'does-not-conform'],
      [503, 'incomplete'],
    ] as const)
      test(`in a run ${what}, ${status}: ${verdict}`, { tag: status === 500 ? [] : '@long' }, async () => {
        const from = (await run(answer, options)).requests_sent - before;
        const { stopping } = stopsAt(from, dead(status), answer);
        const certificate = await run(stopping, options);
        expect(getVerdict(certificate)).toBe(verdict);
        expect(certificate.stopped?.since).toBe(from);
      });

  for (const from of [40, 110, 200])
    test(`in a run of two processes, from request ${from} on`, often(from === 110), async () => {
      const { stopping } = stopsAt(from, dead(500));
      const certificate = await run(stopping, {}, 2);
      expect(certificate.verdict).not.toBe('conforms');
      expect(certificate.stopped?.since).toBe(from);
    });
});

test('Where all is refused after wrong credentials, that is said, and how to run without them', async () => {
  let isLocked = false;
  const answer: Answer = (request) => {
    isLocked ||= !hasDocumentedCredentials(request);
    return isLocked ? { status: 401, headers: [], body: '{"error":"unauthorized"}' } : honest(request);
  };
  const { verdict, causes = [] } = await run(answer);
  expect(verdict).toBe('incomplete');
  expect(causes[0]?.evidence[0]).toMatch(/^Request \d+ just before had missing or wrong credentials.*--no-intrusive/);
  const { causes: ofQuota = [] } = await run(stopsAt(165, dead(401)).stopping);
  expect(ofQuota[0]?.evidence[0]).toMatch(/^It may be a quota/);
});

test.describe('A deployment that changes in another way never conforms', () => {
  const first = honest(suite.calibration[0] as HttpRequest);
  const changes: Readonly<Record<string, Answer>> = {
    'an empty result': dead(200, '{"promotions":[]}'),
    'no content': dead(204, ''),
    'one answer': () => first,
    'a web page': () => ({ status: 200, headers: [['Content-Type', 'text/html']], body: '<!doctype html><p>Log in' }),
    'a login page': () => ({ status: 302, headers: [['Location', '/login']], body: '' }),
  };
  const runs: readonly (readonly [options: RunOptions, from: number])[] = [
    ...places.map((place) => [{}, place] as const),
    [{ only: ['customer'] }, 20],
    [{ only: ['customer'] }, 35],
    [{ quick: true }, 40],
  ];
  for (const [n, [what, otherwise]] of Object.entries(changes).entries())
    for (const [m, [options, from]] of runs.entries())
      test(`${what} from request ${from} on, ${JSON.stringify(options)}`, often(n === m % 5), async () => {
        const certificate = await run(stopsAt(from, otherwise).stopping, options);
        expect(getVerdict(certificate)).not.toBe('conforms');
      });

  test('no content from request 200 on, on own data', async () => {
    const { stopping } = stopsAt(200, dead(204, ''), ofOwnData);
    expect((await run(stopping, { data: writeData(ownData, 'small') })).verdict).not.toBe('conforms');
  });

  test('only requests with a filter are refused', async () => {
    const refusing: Answer = (request) => (request.path.includes('filters') ? dead(500)(request) : honest(request));
    const certificate = await run(stopsAt(225, refusing).stopping);
    expect(certificate.verdict).toBe('does-not-conform');
    expect(certificate.causes?.[0]?.sentence).toMatch(/, a documented request is answered 500, while others/);
  });
});

test.describe('A passing outage does not fail a conforming deployment', () => {
  const last = 228;
  const outages = [
    [last - 3, 1],
    [last - 3, 4],
    [last - 2, 6],
    [100, 12],
  ] as const;
  for (const [n, status] of [503, 401, 500, 404, 302].entries())
    for (const [m, [from, count]] of outages.entries())
      test(`${count} requests from ${from} on are answered ${status}`, often(n === m), async () => {
        let requests = 0;
        const answer: Answer = (request) => {
          requests += 1;
          return requests >= from && requests < from + count ? dead(status)(request) : honest(request);
        };
        const certificate = await run(answer);
        expect(certificate.verdict).not.toBe('does-not-conform');
        // What may be a quota is asked again once.
        const isAskedAgain = status === 500 || status === 404 || count <= 4;
        if (from !== 100 && isAskedAgain) expect(certificate.verdict).toBe('conforms');
      });
});

test('A conforming run looks no longer than before', async () => {
  const { stopping, counted } = stopsAt(Number.POSITIVE_INFINITY, honest);
  const certificate = await run(stopping);
  expect(certificate).toMatchObject({ verdict: 'conforms', requests_sent: counted.requests });
  expect(certificate.stopped).toBeUndefined();
  expect(counted.requests).toBeLessThanOrEqual(230);
});

const credentials = { applicationId: 'an-application-0815', token: 'a-token-of-tests-4711' };

test('A deployment that hangs, behind a transport: the run ends soon and says since when', async () => {
  let received = 0;
  const { url, close } = await listenStatefully(async (request) => {
    received += 1;
    if (received >= 50) await delay(600_000, undefined, { ref: false });
    return honest({ ...request, headers: (suite.calibration[0] as HttpRequest).headers });
  });
  const target = path.join(makeTestFolder(), 'target.yaml');
  writeFileSync(target, `name: hanging\nlimits: { timeout_ms: ${timeoutMs} }\nretry: { delays_seconds: [0.1, 0.1] }\n`);
  const options = { target, baseUrl: url, credentials };
  const certificate = await certifyThrough((request, { send }) => send(request), options);
  await close();
  expect(certificate.verdict).toBe('incomplete');
  expect(certificate.stopped).toMatchObject({ since: 50, verdict: 'inconclusive' });
  expect(received).toBeLessThan(50 + 10 + 2 * 8 + 3);
});

test('A function that stops working is certified as a deployment is', async () => {
  const answer: Answer = (request) => honest({ ...request, headers: (suite.calibration[0] as HttpRequest).headers });
  const { stopping } = stopsAt(
    120,
    () => {
      throw new NoResponse('It is gone.');
    },
    answer,
  );
  const certificate = await certifyThrough((request) => stopping(request), { credentials });
  expect(certificate.verdict).toBe('incomplete');
  expect(certificate.stopped).toMatchObject({ since: 120, verdict: 'inconclusive' });
  expect(certificate.requests_sent).toBeLessThan(150);
});
