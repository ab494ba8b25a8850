import { expect, test } from '@playwright/test';
import type { RunVerdict } from '../../src/certificate/certificate.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { samplesCaseId } from '../../src/run/case-result.js';
import {
  type Answer,
  certifyInProcess,
  createReference,
  listRequirementsWith,
  requirementSuite,
} from '../support/in-process.js';
import { renderOutput } from '../support/render-output.js';

const suite = requirementSuite;
const honest = createReference();
const withFault = (id: string) => createReference({ faults: [id] });

/** Answers the request of a number, from 1, in another manner, and all others as documented. */
function onceOtherwise(number: number, otherwise: (response: HttpResponse) => HttpResponse): Answer {
  let requests = 0;
  return (request) => {
    requests += 1;
    const response = honest(request);
    return requests === number ? otherwise(response) : response;
  };
}

/** A case each for a customer, for metadata, for the window and for a whole result. */
const ofEachSort = [
  'reserved-for-one-customer',
  'metadata-rules',
  'window-with-few-valid',
  'every-valid-tier',
  'every-valid-tier-if-few-are-valid',
];
const few = { ...suite, cases: suite.cases.filter(({ id }) => ofEachSort.includes(id)) };

test.describe('A failing case is repeated', () => {
  const mishaps: readonly (readonly [what: string, otherwise: (response: HttpResponse) => HttpResponse])[] = [
    ['404', () => ({ status: 404, headers: [], body: '' })],
    ['500', () => ({ status: 500, headers: [], body: '{"error":"once"}' })],
    ['an empty 200', () => ({ status: 200, headers: [], body: '' })],
    ['an empty list', () => ({ status: 200, headers: [], body: '{"promotions":[]}' })],
    ['the answer to another request', () => honest(suite.calibration[1] as HttpRequest)],
  ];
  for (const [what, otherwise] of mishaps) {
    test(`${what}, once: does not fail, and is listed with both answers if it was noticed`, async () => {
      let unstable = 0;
      for (let number = 1; number <= 18; number += 1) {
        const { certificate } = await certifyInProcess(onceOtherwise(number, otherwise), { suite: few });
        expect(certificate.verdict).not.toBe('does-not-conform');
        for (const { case: id, text, before, after } of certificate.unstable) {
          unstable += 1;
          expect(text).toMatch(/^(.*: )?Unstable: sent twice, with different results\. First: .* Then: /);
          expect(before).not.toBe(after);
          const entry = certificate.requirements.flatMap(({ cases }) => cases).find((each) => each.id === id);
          expect(entry?.verdict).toBe('inconclusive');
        }
      }
      expect(unstable).toBeGreaterThan(0);
    });
  }

  test('a case that fails twice fails, and costs twice the requests', async () => {
    const { certificate } = await certifyInProcess(withFault('window-of-149'), { suite });
    expect(listRequirementsWith('fail', certificate)).toContain('limit.newest-150');
    expect(certificate.unstable).toEqual([]);
    const { certificate: usual } = await certifyInProcess(honest, { suite });
    expect(certificate.requests_sent).toBeGreaterThan(usual.requests_sent);
  });
});

test.describe('The repetition', () => {
  /** Answers one request of a large case with nothing, so many times. */
  const emptyFor = (times: number): Answer => {
    let requests = 0;
    return (request) => {
      const response = honest(request);
      if (request.path !== narrowed?.path || request.body !== narrowed.body) return response;
      requests += 1;
      return requests <= times ? { ...response, body: '{"promotions":[]}' } : response;
    };
  };
  // Not the request that the examination shares with the cases.
  const campaigns = suite.cases.find(({ id }) => id === 'metadata-filter');
  const narrowed = campaigns?.rows[0]?.requests.get('filtered');
  const cases = suite.cases.filter(({ id }) => id === 'metadata-filter' || id === 'campaign-filter');
  const one = { ...suite, cases };

  test('sends a single failing row a third time', async () => {
    const { certificate, results } = await certifyInProcess(emptyFor(2), { suite: one });
    expect(listRequirementsWith('fail', certificate)).toEqual([]);
    expect(certificate.unstable.map((entry) => entry.case)).toEqual([campaigns?.id]);
    expect(renderOutput('certificate.html', certificate, one, results).split('id="unstable"')[1]).toContain(
      `<a href="#${campaigns?.id}">`,
    );
    const { certificate: refuted } = await certifyInProcess(emptyFor(3), { suite: one });
    expect(listRequirementsWith('fail', refuted)).toHaveLength(1);
  });
});

test('A deployment that changes during the run is noticed, since some early cases are sent again at the end', async () => {
  const { certificate: usual } = await certifyInProcess(honest, { suite });
  const changed = withFault('customer-ignored');
  let requests = 0;
  const late: Answer = (request) => {
    requests += 1;
    return requests > usual.requests_sent - 6 ? changed(request) : honest(request);
  };
  const { certificate } = await certifyInProcess(late, { suite });
  expect(certificate.verdict).toBe('does-not-conform');
  const failing = certificate.requirements.flatMap(({ cases }) => cases).filter(({ verdict }) => verdict === 'fail');
  expect(failing.map(({ id }) => id)).toEqual([samplesCaseId]);
  expect(failing[0]?.reason).toMatch(/^When 'reserved-for-one-customer' was sent again at the end of the run: /);
});

test.describe('The world is a precondition', () => {
  const always =
    (status: number, body = ''): Answer =>
    () => ({ status, headers: [], body });
  const empty = always(200, '{"promotions":[]}');
  const onItsPath =
    (answer: Answer): Answer =>
    (request) =>
      (request.path.startsWith('/v1/promotions/') ? answer : always(404, 'no such path'))(request);
  const own: Answer = (request) =>
    request.path.includes('filters')
      ? empty(request)
      : always(200, '{"promotions":[{"id":"own-promotion-1"}]}')(request);
  /** Answers the first requests of a run in another way. */
  const firstThen = (count: number, first: Answer, others: Answer): Answer => {
    let requests = 0;
    return (request) => (++requests > count ? others : first)(request);
  };
  const upper: Answer = (request) => {
    const response = honest(request);
    return { ...response, body: response.body.replaceAll(/promo_[0-9a-f]+/g, (id) => id.toUpperCase()) };
  };
  const unseen = /either it is not loaded .*, or nothing is ever returned\..*--world-loaded, or world: loaded/;
  const retired = /^Answered 410, expected 2xx\..* The deployment says that it has retired the operation/;
  let turn = 0;
  const rows: readonly (readonly [what: string, answer: Answer, verdict: RunVerdict, says: RegExp])[] = [
    ['returns nothing', empty, 'incomplete', unseen],
    ['knows no customer', onItsPath(always(404, '{"error":"no such customer"}')), 'incomplete', unseen],
    ['refuses what it does not know', onItsPath(always(400)), 'incomplete', unseen],
    ['has promotions of its own', own, 'incomplete', unseen],
    // A customer may be deleted.
    [
      'answers 410 to some requests',
      () => ({ status: ++turn % 2 === 0 ? 410 : 404, headers: [], body: '' }),
      'incomplete',
      /410/,
    ],
    // A later case shows the world.
    [
      'is loaded late',
      firstThen(suite.calibration.length, empty, withFault('window-of-149')),
      'does-not-conform',
      /'window-last'/,
    ],
    // No data can explain it.
    ['answers 405 to everything', always(405, '{}'), 'does-not-conform', /^Answered 405, expected 2xx\./],
    ['answers 410 to everything', always(410, '{}'), 'does-not-conform', retired],
    ['answers 500 to everything', always(500, '{}'), 'does-not-conform', /^Answered 500, expected 2xx\./],
    ['has ids in another letter case', upper, 'conforms', /another letter case/],
  ];
  for (const [what, answer, verdict, says] of rows)
    test(`a deployment that ${what}: ${verdict}`, async () => {
      const { certificate } = await certifyInProcess(answer, { suite });
      expect(certificate.verdict).toBe(verdict);
      const failures = certificate.requirements.flatMap(({ cases }) => cases.filter((each) => each.verdict === 'fail'));
      const reasons = [
        ...(certificate.incomplete_because ?? []),
        ...certificate.notes,
        ...failures.map(({ reason }) => reason),
      ];
      expect(reasons).toContainEqual(expect.stringMatching(says));
      if (says !== unseen) return;
      const { certificate: loaded } = await certifyInProcess(answer, { suite, isWorldLoaded: true });
      expect(loaded.verdict).toBe('does-not-conform');
    });
});
