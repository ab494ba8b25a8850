/** A failure is confirmed: the case is repeated, alone and among the same other requests. */

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import type { RunVerdict } from '../../src/certificate/run-verdict.js';
import { openClient } from '../../src/http/client.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { repetitionCaseId } from '../../src/run/case-result.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { isJsonObject, parseJson } from '../../src/support/json.js';
import { createRandom } from '../support/chaos.js';
import {
  type Answer,
  certifyInProcess,
  certifyOver,
  createReference,
  type InProcessRun,
  listCodesOf,
  listRequirementsWith,
  renderUnpassed,
  requirementSuite,
  suite,
} from '../support/in-process.js';
import { listenStatefully, type StatefulAnswer } from '../support/listen-on-loopback.js';
import { listReasonCodes, listReasons, reasonOf } from '../support/reasons.js';
import { renderOutput } from '../support/render-output.js';

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
const few = { ...requirementSuite, cases: requirementSuite.cases.filter(({ id }) => ofEachSort.includes(id)) };

test.describe('A failing case is repeated', () => {
  const mishaps: readonly (readonly [what: string, otherwise: (response: HttpResponse) => HttpResponse])[] = [
    ['404', () => ({ status: 404, headers: [], body: '' })],
    ['500', () => ({ status: 500, headers: [], body: '{"error":"once"}' })],
    ['an empty list', () => ({ status: 200, headers: [], body: '{"promotions":[]}' })],
    ['the answer to another request', () => honest(requirementSuite.calibration[1] as HttpRequest)],
  ];
  for (const [what, otherwise] of mishaps) {
    test(`${what}, once: does not fail, and is listed with both answers if it was noticed`, async () => {
      let unstable = 0;
      for (let number = 1; number <= 18; number += 2) {
        const { certificate, results } = await certifyInProcess(onceOtherwise(number, otherwise), { suite: few });
        expect(certificate.verdict).not.toBe('does-not-conform');
        for (const { case: id, before, after } of certificate.unstable) {
          unstable += 1;
          expect(listReasonCodes(results.find((result) => result.id === id)?.reason)).toContain('unstable');
          expect(before).not.toBe(after);
          const entry = certificate.requirements.flatMap(({ cases }) => cases).find((judged) => judged.id === id);
          expect(entry?.verdict).toBe('inconclusive');
        }
      }
      expect(unstable).toBeGreaterThan(0);
    });
  }

  test('a case that fails twice fails, and its failing rows are sent again', async () => {
    const { certificate } = await certifyInProcess(withFault('window-of-149'), { suite: few });
    expect(listRequirementsWith('fail', certificate)).toContain('limit.newest-150');
    expect(certificate.unstable).toEqual([]);
    const { certificate: usual } = await certifyInProcess(honest, { suite: few });
    const added = certificate.requests_sent - usual.requests_sent;
    const failing = new Set(
      certificate.requirements
        .flatMap(({ cases }) => cases.filter(({ verdict }) => verdict === 'fail'))
        .map(({ id }) => id),
    );
    const ofFailing = few.cases.filter(({ id }) => failing.has(id)).flatMap(listRequestsOfCase);
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThanOrEqual(2 * ofFailing.length);
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
  const repeatedCase = requirementSuite.cases.find(({ id }) => id === 'campaign-filter');
  const narrowed = repeatedCase?.rows[0]?.requests.get('filtered');
  const cases = requirementSuite.cases.filter(({ id }) => id === 'metadata-filter' || id === 'campaign-filter');
  const filtering = { ...requirementSuite, cases };

  test('sends a single failing row three times more', async () => {
    const run = await certifyInProcess(emptyFor(3), { suite: filtering });
    const { certificate } = run;
    expect(listRequirementsWith('fail', certificate)).toEqual([]);
    expect(certificate.unstable.map((entry) => entry.case)).toEqual([repeatedCase?.id]);
    expect(renderOutput('certificate.html', run, filtering).split('id="unstable"')[1]).toContain(
      `<a href="#${repeatedCase?.id}">`,
    );
    const { certificate: refuted } = await certifyInProcess(emptyFor(4), { suite: filtering });
    expect(listRequirementsWith('fail', refuted)).toHaveLength(1);
  });
});

/** Answers the nth of equal requests with nothing where the pattern says so. Each request is counted on its own. */
function answerByPattern(isWrong: (n: number) => boolean): Answer {
  const counts = new Map<string, number>();
  return (request) => {
    const key = `${request.path} ${request.body}`;
    const n = counts.get(key) ?? 0;
    counts.set(key, n + 1);
    return request.path.includes('metadata.') && isWrong(n) ? nothing : honest(request);
  };
}

test.describe('A result that is wrong by turns', () => {
  const turns: Readonly<Record<string, (n: number) => boolean>> = {
    'every other time': (n) => n % 2 === 0,
    'two of three times': (n) => n % 3 !== 1,
    'one of three times': (n) => n % 3 === 0,
  };
  for (const [when, isWrong] of Object.entries(turns))
    test(`fails: ${when}`, async () => {
      const { certificate, results } = await certifyInProcess(answerByPattern(isWrong), { suite: requirementSuite });
      expect(listRequirementsWith('fail', certificate)).toContain('filter.tier-metadata');
      expect(listCodesOf('fail', results)).toContain('by-turns');
    });

  const passing: Readonly<Record<string, (n: number) => boolean>> = {
    once: (n) => n === 0,
    'at the first and at the sixth time': (n) => n === 0 || n === 5,
  };
  for (const [when, isWrong] of Object.entries(passing))
    test(`does not fail if it is wrong ${when}`, async () => {
      const { certificate } = await certifyInProcess(answerByPattern(isWrong), { suite: requirementSuite });
      expect(certificate.verdict).toBe('incomplete');
      const { certificate: usual } = await certifyInProcess(honest, { suite: requirementSuite });
      expect(certificate.unstable.length).toBeGreaterThan(0);
      expect(certificate.requests_sent).toBeLessThanOrEqual(usual.requests_sent + 48 + 20 + 70);
    });
});

test('A deployment that changes during the run is noticed, since some early cases are sent again at the end', async () => {
  const { certificate: usual } = await certifyInProcess(honest, { suite: requirementSuite });
  const changed = withFault('customer-ignored');
  let requests = 0;
  const late: Answer = (request) => {
    requests += 1;
    return requests > usual.requests_sent - 4 ? changed(request) : honest(request);
  };
  const { certificate, results } = await certifyInProcess(late, { suite: requirementSuite });
  expect(certificate.verdict).toBe('does-not-conform');
  const failing = certificate.requirements.flatMap(({ cases }) => cases).filter(({ verdict }) => verdict === 'fail');
  expect(failing.map(({ id }) => id)).toEqual([repetitionCaseId]);
  const { reason } = results.find(({ id }) => id === repetitionCaseId) ?? {};
  expect(reason).toEqual(reasonOf('changed-at-end', { case: 'full-request' }));
});

/** Answers the first requests of a run with an empty result. */
const loadedAfter = (count: number, answer: Answer): Answer => {
  let requests = 0;
  return (request) => (++requests > count ? answer(request) : { status: 200, headers: [], body: '{"promotions":[]}' });
};
const upper: Answer = (request) => {
  const response = honest(request);
  return { ...response, body: response.body.replaceAll(/promo_[0-9a-f]+/g, (id) => id.toUpperCase()) };
};
const always = (status: number): Answer => {
  return () => ({ status, headers: [], body: '{}' });
};
const unexpected = (status: number) => reasonOf('status-unexpected', { status, expected: ['2xx'] });
// judge.spec.ts and cannot-be-judged.spec.ts have the deployments that lack the world.
const unusual: readonly (readonly [what: string, answer: Answer, verdict: RunVerdict, reason?: unknown])[] = [
  // A later case shows the world.
  [
    'has its world late',
    loadedAfter(requirementSuite.calibration.length, withFault('quantity-ignored')),
    'does-not-conform',
    reasonOf('tier', { name: expect.stringMatching(/^mug-\d+$/) }),
  ],
  // No data can explain it.
  ['answers 405 to everything', always(405), 'does-not-conform', unexpected(405)],
  ['answers 410 to everything', always(410), 'does-not-conform', unexpected(410)],
  ['has ids in another letter case', upper, 'conforms'],
];
for (const [what, answer, verdict, reason] of unusual)
  test(`A deployment that ${what}: ${verdict}`, async () => {
    const { certificate, results } = await certifyInProcess(answer, { suite: requirementSuite });
    expect(certificate.verdict).toBe(verdict);
    if (reason === undefined) return;
    const failing = results.filter((result) => result.verdict === 'fail');
    expect(failing.flatMap((result) => listReasons(result.reason))).toContainEqual(reason);
  });

test('One answer to all requests is known to be wrong after a few of them', async () => {
  const promotions = honest(requirementSuite.calibration[0] as HttpRequest);
  for (const answer of [always(405), always(415), () => promotions]) {
    const { certificate } = await certifyInProcess(answer, { suite: requirementSuite });
    const failing = certificate.requirements.filter(({ verdict }) => verdict === 'fail');
    expect(failing.map(({ id }) => id)).toEqual(['request.get-with-body']);
    expect(certificate.requests_sent).toBeLessThan(20);
  }
});

type Members = Record<string, unknown>;

function parseBody({ body = '' }: HttpRequest): Members | undefined {
  const value = parseJson(body);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}

const nothing: HttpResponse = { status: 200, headers: [], body: '{"promotions":[]}' };

/** What a deployment may take from another request. */
const parts = ['customer', 'order', 'metadata', 'filter', 'body'] as const;
type Part = (typeof parts)[number];

function readPart(request: HttpRequest, part: Part): unknown {
  if (part === 'filter') return request.path.split('?')[1];
  return part === 'body' ? request.body : parseBody(request)?.[part];
}

function replacePart(request: HttpRequest, part: Part, value: unknown): HttpRequest {
  if (part === 'body') return { ...request, body: String(value) };
  if (part === 'filter')
    return { ...request, path: [request.path.split('?')[0], ...(value === undefined ? [] : [value])].join('?') };
  const body = parseBody(request);
  return body === undefined ? request : { ...request, body: JSON.stringify({ ...body, [part]: value }) };
}

/** Keeps results under a key that lacks a member of the body. */
function cacheWithout(member: string, request: HttpRequest, results: Record<string, unknown>): HttpResponse {
  const key = JSON.stringify([request.path, { ...parseBody(request), [member]: undefined }]);
  results[key] ??= honest(request);
  return results[key] as HttpResponse;
}

/** How a deployment takes a part of one request for that of another. */
const leaks: Readonly<Record<string, (part: Part) => StatefulAnswer>> = {
  'takes it from an overlapping request': (part) => {
    let shared: unknown;
    return async (request) => {
      shared = readPart(request, part);
      // Longer than a busy machine takes between two requests: they must overlap.
      await delay(100);
      return honest(replacePart(request, part, shared));
    };
  },
  'takes it from the previous request on a connection': (part) => async (request, connection) => {
    const sent = readPart(request, part);
    const used = 'kept' in connection ? connection.kept : sent;
    connection.kept = sent;
    return honest(replacePart(request, part, used));
  },
};

/** Two of the worst; the others take time. */
const quick: ReadonlySet<string> = new Set([
  'customer: takes it from an overlapping request',
  'body: takes it from the previous request on a connection',
]);

const leaksOfParts = Object.entries(leaks).flatMap(([story, create]) =>
  parts.map((part) => ({ story: `${part}: ${story}`, answer: () => create(part) })),
);

/** Few cases: the quick leaks break some of them. */
const someCases = { ...requirementSuite, cases: requirementSuite.cases.filter((_, n) => n % 6 === 0) };

/** Certifies a deployment over sockets. */
async function certify(answerStatefully: StatefulAnswer, some = requirementSuite): Promise<InProcessRun> {
  const { url, close } = await listenStatefully(answerStatefully);
  const client = openClient({ baseUrl: url, limits: { timeout_ms: 120_000 } });
  const run = await certifyOver(client, some);
  await client.close();
  await close();
  return run;
}

/** The codes of failures that no request shows alone. */
const amongOthers: readonly string[] = ['only-among-others', 'after-others', 'among-overlapping'];

test.describe('A failure that passes alone is confirmed among the same other requests', () => {
  test('metadata that a request lacks are those of the request before on its connection', async () => {
    const { certificate, results } = await certify(async (request, connection) => {
      const body = parseJson(request.body ?? '');
      const { metadata } = isJsonObject(body) ? body : {};
      if (!isJsonObject(body) || !isJsonObject(metadata)) return honest(request);
      const kept = Object.keys(metadata).length === 0 ? (connection.metadata ?? {}) : metadata;
      connection.metadata = metadata;
      return honest({ ...request, body: JSON.stringify({ ...body, metadata: kept }) });
    });
    expect(certificate.verdict).toBe('does-not-conform');
    expect(listCodesOf('fail', results).some((code) => amongOthers.includes(code))).toBe(true);
  });

  for (const { story, answer: create } of leaksOfParts) {
    test(story, { tag: quick.has(story) ? [] : '@long' }, async () => {
      const { certificate, results } = await certify(create(), quick.has(story) ? someCases : requirementSuite);
      expect(certificate.verdict).toBe('does-not-conform');
      // On a busy machine, other requests overlap when a failure is sent again: then it fails among any of them.
      const codes = listCodesOf('fail', results);
      expect(codes.some((code) => amongOthers.includes(code))).toBe(true);
      if (quick.has(story)) return;
      const { certificate: usual } = await certifyInProcess(honest, { suite: requirementSuite });
      // A failing run has 70 requests for its failures, and a few more where what a connection keeps decides.
      expect(certificate.requests_sent).toBeLessThanOrEqual(usual.requests_sent + 75);
    });
  }

  for (const member of ['metadata', 'customer', 'order']) {
    const tag = member === 'customer' ? [] : '@long';
    test(`a cache of the whole deployment without the ${member} fails alone`, { tag }, async () => {
      const cached = {};
      const { certificate, results } = await certify(async (request) => cacheWithout(member, request, cached));
      expect(certificate.verdict).toBe('does-not-conform');
      expect(listCodesOf('fail', results)).not.toContain('only-among-others');
    });
  }
});

/** Deployments that answer overlapping requests wrongly, but seldom the same one twice. */
const overlaps: Readonly<Record<string, () => StatefulAnswer>> = {
  'answers with nothing while another request has its only permit': () => {
    let isTaken = false;
    return async (request) => {
      if (isTaken) return nothing;
      isTaken = true;
      await delay(3);
      isTaken = false;
      return honest(request);
    };
  },
  'loses a promotion in every fifth overlapping request': () => {
    let underWay = 0;
    let overlapping = 0;
    return async (request) => {
      underWay += 1;
      if (underWay > 1) overlapping += 1;
      const isWrong = underWay > 1 && overlapping % 5 === 0;
      await delay(3);
      underWay -= 1;
      const response = honest(request);
      return isWrong ? { ...response, body: response.body.replace(/promo_[0-9a-f]+/, 'none') } : response;
    };
  },
};

test.describe('Overlapping requests get wrong results, whichever requests', () => {
  for (const [n, [story, create]] of Object.entries(overlaps).entries())
    test(`A deployment that ${story}`, { tag: n === 0 ? [] : '@long' }, async () => {
      const { certificate, results } = await certify(create());
      expect(certificate.verdict).toBe('does-not-conform');
      const codes = listCodesOf('fail', results);
      expect(
        codes.some((code) => code === 'among-overlapping' || code === 'only-among-others'),
        codes.join(),
      ).toBe(true);
      const { certificate: usual } = await certifyInProcess(honest, { suite: requirementSuite });
      expect(certificate.requests_sent).toBeLessThanOrEqual(usual.requests_sent + 70);
    });
});

test.describe('An answer that depends on earlier requests is an outcome with a warning', () => {
  const keepMember = (member: Part, isOfConnection = false): StatefulAnswer => {
    const shared: Members = {};
    return async (request, connection) => {
      const kept = isOfConnection ? connection : shared;
      kept.value = readPart(request, member) ?? kept.value;
      return honest(replacePart(request, member, kept.value));
    };
  };

  for (const member of ['customer', 'order', 'metadata'] as const)
    for (const isOfConnection of [false, true])
      test(`A deployment uses the ${member} of the previous request${isOfConnection ? ' on a connection' : ''}`, async () => {
        const question = `omitted-${member}`;
        const asking = { ...suite, cases: suite.cases.filter(({ id }) => id === question) };
        const { questions } = (await certify(keepMember(member, isOfConnection), asking)).certificate;
        expect(questions.filter(({ id }) => id === question)).toMatchObject([
          { outcome: 'depends-on-earlier-requests', warning: true },
        ]);
      });

  // Of several workers, each keeps a customer of its own, or none.
  const ann = { id: suite.world.customers.find(({ name }) => name === 'ann')?.id };
  const ofWorkers = [
    ['as-one-customer', [ann, ann]],
    ['depends-on-earlier-requests', [ann, undefined]],
    ['depends-on-earlier-requests', [undefined, ann]],
    ['as-anybody', [undefined, undefined]],
  ] as const;
  for (const [outcome, kept] of ofWorkers)
    test(`Workers have kept ${kept.map((customer) => (customer ? 'ann' : 'nobody')).join(', then ')}: ${outcome}`, async () => {
      const asking = { ...suite, cases: suite.cases.filter(({ id }) => id === 'omitted-customer') };
      let turn = 0;
      const answer: Answer = (request) => {
        const hasCustomer = readPart(request, 'customer') !== undefined;
        return honest(hasCustomer ? request : replacePart(request, 'customer', kept[turn++]));
      };
      const { questions } = (await certifyInProcess(answer, { suite: asking })).certificate;
      expect(questions.find(({ id }) => id === 'omitted-customer')?.outcome).toBe(outcome);
    });

  test('A deployment that keeps the order of the previous caller conforms', async () => {
    const { certificate } = await certify(keepMember('order'), suite);
    expect(certificate.verdict).toBe('conforms');
    const outcomes = Object.fromEntries(certificate.questions.map(({ id, outcome }) => [id, outcome]));
    expect(outcomes['omitted-order']).toBe('depends-on-earlier-requests');
    expect(outcomes['omitted-customer']).toBe('as-anybody');
  });
});

test.describe('A conforming deployment never fails, however unsteady it is', () => {
  const deployments: Readonly<Record<string, () => typeof honest>> = {
    'finds nothing when it is asked something for the first time': () => {
      const asked = new Set<string>();
      return (request) => {
        const isFirst = asked.size < asked.add(`${request.path} ${request.body}`).size;
        return isFirst ? nothing : honest(request);
      };
    },
    'is behind a proxy that replaces one response in forty by an empty list': () => {
      const random = createRandom(5);
      return (request) => (random() < 1 / 40 ? nothing : honest(request));
    },
    'is behind a proxy that takes one response in twenty for the previous one': () => {
      const random = createRandom(6);
      let previous = nothing;
      return (request) => {
        const [before, response] = [previous, honest(request)];
        previous = response;
        return random() < 1 / 20 ? before : response;
      };
    },
    'has no data for the first 50 requests': () => {
      let count = 0;
      return (request) => (++count > 50 ? honest(request) : nothing);
    },
  };
  // The first one takes as long as all others together.
  for (const [n, [story, create]] of Object.entries(deployments).entries())
    test(`It ${story}`, { tag: n === 0 ? '@long' : [] }, async () => {
      const { certificate } = await certifyInProcess(create(), { suite: requirementSuite });
      expect(certificate.verdict, renderUnpassed(certificate)).not.toBe('does-not-conform');
    });
});
