import { expect, test } from '@playwright/test';
import type { Channel, Exchange, HttpRequest } from '../../src/http/exchange.js';
import type { Certificate } from '../../src/report/certificate.js';
import { compareCertificates, renderComparisonTable } from '../../src/report/compare/compare-certificates.js';
import { renderComparisonMarkdown } from '../../src/report/compare/comparison-markdown.js';
import { renderComparisonPage } from '../../src/report/compare/comparison-page.js';
import { classifyRequest } from '../../src/report/compare/request-kind.js';
import type { CaseExchange } from '../../src/report/exchange-index.js';
import { type KindTimes, measureResponseTimes, type ResponseTimes } from '../../src/report/response-times.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { channelTo, createReference, suite } from './support/in-process.js';
import { renderOutput } from './support/render-output.js';
import { judgeAgain, runWithEvidence } from './support/run-with-evidence.js';
import { createCertificateStub } from './support/stubs.js';

/** Gives exchanges the times that a client would have measured. */
function timed(channel: Channel, measure: (request: HttpRequest, exchange: Exchange) => number | undefined): Channel {
  return {
    ...channel,
    send: async (request, whyWithheld) => {
      const exchange = await channel.send(request, whyWithheld);
      const durationMs = measure(request, exchange);
      return durationMs === undefined ? exchange : { ...exchange, timing: { startedAt: 1, durationMs } };
    },
  };
}

const answer = createReference();

function findKind({ response_times: times }: Certificate, kind: string): Partial<KindTimes> | undefined {
  return times?.kinds.find((each) => each.kind === kind);
}

test('The certificate states the times of each kind of request, and the evidence proves them', async () => {
  let count = 0;
  const channel = timed(channelTo(answer), (request) => {
    if (classifyRequest(request, suite.world) === 'order') count += 1;
    // Slow requests that must not count: those that the suite itself sends slowly.
    return request.sent === undefined ? count : 1_000_000;
  });
  const run = await runWithEvidence(channel);
  const { certificate } = run;
  expect(loadValidator('certificate')(certificate)).toBe(true);
  expect(certificate.response_times?.concurrency).toBe(8);
  const {
    requests = 0,
    median_ms = 0,
    p95_ms = 0,
    slowest_ms = 0,
    median_between_ms = [0, 0],
  } = findKind(certificate, 'order') ?? {};
  expect(requests).toBeGreaterThan(20);
  const ascending = [median_between_ms[0], median_ms, median_between_ms[1], p95_ms, slowest_ms];
  for (const [n, ms] of ascending.slice(1).entries()) expect(ascending[n]).toBeLessThan(ms);
  expect(slowest_ms).toBeLessThanOrEqual(count);
  const again = await judgeAgain(run);
  expect(again.response_times).toEqual(certificate.response_times);
  for (const file of ['observed.md', 'certificate.html'])
    expect(renderOutput(file, certificate, suite, run.results)).toContain('requests with a customer and an order');
});

test('Repetitions, shared exchanges and failures do not count', () => {
  const known = suite.cases.find(({ kind }) => kind === 'requirement');
  const [name = '', request] = [...(known?.rows[0]?.requests ?? [])][0] ?? [];
  if (known === undefined || request === undefined) throw new Error('There is no case.');
  const create = (id: string, durationMs: number, more: { attempt?: number; status?: number } = {}): CaseExchange => {
    const response = { status: more.status ?? 200, headers: [], body: '' };
    const exchange = { request, response, timing: { startedAt: 1, durationMs }, attempts: 3 };
    return { id, row: 0, request: name, attempt: more.attempt ?? 1, exchange };
  };
  const broken = {
    request,
    transportError: 'timed-out',
    message: '',
    timing: { startedAt: 1, durationMs: 10_000 },
  } as const;
  const all = [
    ...[30, 10, 20].map((durationMs) => create(String(durationMs), durationMs)),
    create('30', 30),
    create('repeated', 9_999, { attempt: 2 }),
    create('busy', 9_999, { status: 503 }),
    { ...create('broken', 0), exchange: broken },
  ];
  const listByCase = (id: string) => (id === known.id ? all : []);
  expect(measureResponseTimes(suite, { listByCase }, 4)).toEqual({
    concurrency: 4,
    kinds: [{ kind: classifyRequest(request, suite.world), requests: 3, median_ms: 20, p95_ms: 30, slowest_ms: 30 }],
  });
});

test('Without times there is none: the certificate of a function has no such member', async () => {
  const { certificate } = await runWithEvidence(channelTo(answer), { options: { only: ['limit.newest-150'] } });
  expect(certificate.response_times).toBeUndefined();
});

test.describe('compare', () => {
  const createTimes = (low: number, high: number, requests = 40, concurrency = 8): ResponseTimes => {
    const median_ms = Math.round((low + high) / 2);
    const times = { kind: 'order', requests, median_ms, p95_ms: high + 10, slowest_ms: high + 20 } as const;
    return { concurrency, kinds: [{ ...times, median_between_ms: [low, high] }] };
  };
  const createNamed = (name: string, response_times?: ResponseTimes, known: Partial<Certificate> = {}) => ({
    ...createCertificateStub({ target: { name, base_url: `http://${name}.test` }, ...known }),
    ...(response_times === undefined ? {} : { response_times }),
    link: `${name}.html`,
  });
  const before = createTimes(20, 30);
  const rows: readonly (readonly [what: string, other: ResponseTimes, found: string | undefined])[] = [
    ['intervals that overlap', createTimes(30, 40), undefined],
    ['intervals that are as close as the clock is exact', createTimes(31, 40), undefined],
    ['a later interval', createTimes(32, 40), 'slower'],
    ['an earlier interval', createTimes(5, 18), 'faster'],
    ['another number of requests', createTimes(320, 400, 41), undefined],
    ['another concurrency', createTimes(320, 400, 40, 1), undefined],
    [
      'too few requests',
      { concurrency: 8, kinds: createTimes(320, 400, 40).kinds.map(({ median_between_ms: _, ...few }) => few) },
      undefined,
    ],
  ];
  for (const [what, other, found] of rows)
    test(`${what}: ${found ?? 'no change'}`, () => {
      const comparison = compareCertificates([createNamed('one', before), createNamed('other', other)], suite.contract);
      const texts = [
        renderComparisonTable(comparison),
        renderComparisonMarkdown(comparison),
        renderComparisonPage(comparison),
      ];
      for (const text of texts) {
        expect(text).toContain('25 / 40 / 50 (40)');
        expect(/\) (faster|slower)/.exec(text)?.[1]).toBe(found);
      }
      expect(comparison.rows.some(({ differs }) => differs)).toBe(false);
    });

  test('Another suite claims no change, and a single certificate with times shows none', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const other = createNamed('other', createTimes(320, 400), { suite: { name: 'x', version: '1.0.0', digest } });
    const render = (...others: ReturnType<typeof createNamed>[]) =>
      renderComparisonTable(compareCertificates([createNamed('one', before), ...others], suite.contract));
    expect(render(other)).not.toContain('slower');
    expect(render(createNamed('other'))).not.toContain('Response times');
  });

  test('Runs of one deployment are compared with the run before', () => {
    const at = (day: number, times: ResponseTimes) =>
      createNamed('shop', times, { started_at: `2026-01-0${day}T00:00:00.000Z` });
    const all = [at(1, createTimes(10, 15)), at(2, createTimes(40, 45)), at(3, createTimes(41, 46))];
    const table = renderComparisonTable(compareCertificates(all, suite.contract));
    expect(table.match(/slower|faster/g)).toEqual(['slower']);
  });
});
