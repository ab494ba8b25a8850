import { expect, test } from '@playwright/test';
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
  for (const [n, [what, otherwise]] of mishaps.entries()) {
    test(`${what}, once: does not fail, and is listed with both answers if it was noticed`, async () => {
      let unstable = 0;
      // Every second request in turn; the next mishap takes the others.
      for (let number = 1 + (n % 2); number <= 18; number += 2) {
        const { certificate } = await certifyInProcess(onceOtherwise(number, otherwise), { suite: few });
        expect(certificate.verdict).not.toBe('does-not-conform');
        for (const { case: id, text } of certificate.unstable) {
          unstable += 1;
          expect(text).toMatch(
            /^(.*: )?Unstable: sent twice, with different results\.[\s\S]*\nFirst:\n[\s\S]*\nThen:\n/,
          );
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
  const campaigns = suite.cases.find(({ id }) => id === 'campaign-filter');
  const narrowed = campaigns?.rows[0]?.requests.get('filtered');
  const one = { ...suite, cases: suite.cases.filter((each) => each === campaigns) };

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
  const onItsPath =
    (answer: Answer): Answer =>
    (request) =>
      request.path.startsWith('/v1/promotions/') ? answer(request) : { status: 404, headers: [], body: 'no such path' };
  const withoutWorld: readonly (readonly [what: string, answer: Answer])[] = [
    ['returns nothing', () => ({ status: 200, headers: [], body: '{"promotions":[]}' })],
    ['knows no customer', onItsPath(() => ({ status: 404, headers: [], body: '{"error":"no such customer"}' }))],
    ['refuses what it does not know', onItsPath(() => ({ status: 400, headers: [], body: '' }))],
    [
      'has promotions of its own',
      ({ path }) => {
        const own = path.includes('filters') ? '' : '{"id":"own-promotion-1"}';
        return { status: 200, headers: [], body: `{"promotions":[${own}]}` };
      },
    ],
  ];
  for (const [what, answer] of withoutWorld) {
    test(`a deployment that ${what} is incomplete, with both reasons and the setting that overrides them`, async () => {
      const { certificate } = await certifyInProcess(answer, { suite });
      expect(certificate.verdict).toBe('incomplete');
      expect(listRequirementsWith('fail', certificate)).toEqual([]);
      const reasons = certificate.incomplete_because?.join('\n');
      expect(reasons).toMatch(
        /either it is not loaded .*, or nothing is ever returned\..*--world-loaded, or world: loaded/,
      );
      const { certificate: loaded } = await certifyInProcess(answer, { suite, isWorldLoaded: true });
      expect(loaded.verdict).toBe('does-not-conform');
    });
  }

  test('is met if a later case shows the world', async () => {
    let requests = 0;
    const late: Answer = (request) => {
      requests += 1;
      return requests > suite.calibration.length
        ? withFault('window-of-149')(request)
        : { status: 200, headers: [], body: '{"promotions":[]}' };
    };
    const { certificate } = await certifyInProcess(late, { suite });
    expect(listRequirementsWith('fail', certificate)).toContain('limit.newest-150');
  });

  for (const status of [405, 410, 500])
    test(`a deployment that answers ${status} to everything fails, since no data can explain it`, async () => {
      const { certificate } = await certifyInProcess(() => ({ status, headers: [], body: '{}' }), { suite });
      expect(certificate.verdict).toBe('does-not-conform');
      const cases = certificate.requirements.flatMap((requirement) => requirement.cases);
      for (const { reason } of cases.filter(({ verdict }) => verdict === 'fail')) {
        expect(reason).toContain(`Answered ${status}, expected 2xx.`);
        if (status === 410) expect(reason).toContain('The deployment says that it has retired the operation');
      }
    });

  test('a 410 for some requests proves nothing: a customer may be deleted', async () => {
    let requests = 0;
    const { certificate } = await certifyInProcess(
      () => {
        requests += 1;
        return { status: requests % 2 === 0 ? 410 : 404, headers: [], body: '' };
      },
      { suite },
    );
    expect(certificate.verdict).toBe('incomplete');
  });

  test('ids in another letter case are accepted, with a note', async () => {
    const upper: Answer = (request) => {
      const response = honest(request);
      return { ...response, body: response.body.replaceAll(/promo_[0-9a-f]+/g, (id) => id.toUpperCase()) };
    };
    const { certificate } = await certifyInProcess(upper, { suite });
    expect(certificate.verdict).toBe('conforms');
    expect(certificate.notes.join()).toContain('another letter case');
  });
});
