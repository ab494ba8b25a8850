import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { openClient } from '../../src/http/client.js';
import type { Channel, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { Certificate } from '../../src/report/certificate.js';
import { createRandom, type Random } from './support/chaos.js';
import { certifyOver, channelTo, requirementSuite, suite } from './support/in-process.js';
import { listenStatefully, type StatefulAnswer } from './support/stateful-deployment.js';

const { world } = requirementSuite;
const answer = createDeployment({ world, credentials: credentialPlaceholders });

/** Makes a deployment that changes the members of a body before it answers. */
function changingBody(change: (body: Members, connection: Members) => Members | Promise<Members>): StatefulAnswer {
  return async (request, connection) => {
    const body = parseBody(request);
    return answer(body === undefined ? request : { ...request, body: JSON.stringify(await change(body, connection)) });
  };
}

type Members = Record<string, unknown>;

function parseBody({ body = '' }: HttpRequest): Members | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a member of the previous request on a connection, and uses it in place of the request's own. */
const usingPrevious = (member: string) =>
  changingBody((body, connection) => {
    const own = body[member];
    const used = 'kept' in connection ? connection.kept : own;
    connection.kept = own;
    return { ...body, [member]: used };
  });

/** A variable of the process that overlapping requests share. */
function sharing(member: string): StatefulAnswer {
  let shared: unknown;
  return changingBody(async (body) => {
    shared = body[member];
    await delay(4);
    return { ...body, [member]: shared };
  });
}

/** Keeps results under a key that lacks a member of the body. */
function cacheWithout(member: string, request: HttpRequest, results: Record<string, unknown>): HttpResponse {
  const key = JSON.stringify([request.path, { ...parseBody(request), [member]: undefined }]);
  results[key] ??= answer(request);
  return results[key] as HttpResponse;
}

const overlapping = /Only when requests overlap: /;
const reused = /Only on a reused connection(, after request .*)?: /;

const leaks: Readonly<Record<string, readonly [create: () => StatefulAnswer, condition: RegExp, leak: string]>> = {
  'swaps customers between overlapping requests': [
    () => sharing('customer'),
    overlapping,
    'What came back is what an overlapping request asked for (its customer)',
  ],
  'swaps orders between overlapping requests': [
    () => sharing('order'),
    overlapping,
    'What came back is what an overlapping request asked for (its order)',
  ],
  'uses the body of the previous request on a connection': [
    () => async (request, connection) => {
      const { previous } = connection;
      connection.previous = request.body;
      return answer(typeof previous === 'string' ? { ...request, body: previous } : request);
    },
    reused,
    'What came back is what the request before asked for (its ',
  ],
  'uses the metadata of the previous request on a connection': [
    () => usingPrevious('metadata'),
    reused,
    'What came back is what the request before asked for (its metadata)',
  ],
  'keeps the filter of the previous request on a connection': [
    () => async (request, connection) => {
      const path = request.path.includes('?') ? request.path : String(connection.path ?? request.path);
      connection.path = request.path;
      return answer({ ...request, path });
    },
    reused,
    'What came back is what the request before asked for (its filter)',
  ],
  'keeps the first customer of a pooled connection': [
    () =>
      changingBody((body, connection) => {
        connection.customer ??= body.customer;
        return { ...body, customer: connection.customer };
      }),
    reused,
    'What came back is what the request before asked for (its customer)',
  ],
  'caches results of a connection without their metadata': [
    () => async (request, connection) => cacheWithout('metadata', request, connection),
    reused,
    'What came back is what the request before asked for (its metadata)',
  ],
};

/** One of each kind; the others take time and show little more. */
const quick: ReadonlySet<string> = new Set([
  'swaps customers between overlapping requests',
  'uses the body of the previous request on a connection',
]);

/** Certifies a deployment over sockets. */
async function certify(answerStatefully: StatefulAnswer, own = requirementSuite): Promise<Certificate> {
  const { url, close } = await listenStatefully(answerStatefully);
  const client = openClient({ baseUrl: url, limits: { timeoutMs: 120_000 } });
  const { certificate } = await certifyOver(client, own);
  await client.close();
  await close();
  return certificate;
}

function listFailureReasons({ requirements }: Certificate): string[] {
  return requirements.flatMap(({ cases }) =>
    cases.flatMap(({ verdict, reason }) => (verdict === 'fail' ? reason : [])),
  );
}

test.describe('a failure that shows only under a condition is confirmed under it', () => {
  for (const [story, [create, condition, leak]] of Object.entries(leaks)) {
    for (const [runs, tag] of [
      [1, quick.has(story) ? [] : ['@long']],
      [20, ['@long']],
    ] as const) {
      test(`a deployment that ${story} fails, ${runs} of ${runs} times`, { tag: [...tag] }, async () => {
        test.setTimeout(180_000 + runs * 30_000);
        for (let run = 1; run <= runs; run += 1) {
          const certificate = await certify(create());
          const reasons = listFailureReasons(certificate);
          expect(certificate.verdict).toBe('does-not-conform');
          expect(reasons.filter((reason) => condition.test(reason))).not.toEqual([]);
          expect(reasons.join('\n')).toContain(leak);
        }
      });
    }
  }

  for (const member of ['metadata', 'customer', 'order']) {
    const tag = member === 'customer' ? [] : '@long';
    test(`a cache of the whole deployment without the ${member} fails without a condition`, { tag }, async () => {
      const results = {};
      const certificate = await certify(async (request) => cacheWithout(member, request, results));
      expect(certificate.verdict).toBe('does-not-conform');
      expect(listFailureReasons(certificate).join()).not.toMatch(/Only (when|on|after)/);
    });
  }
});

test.describe('An answer that depends on earlier requests is an outcome with a warning', () => {
  for (const member of ['customer', 'order', 'metadata']) {
    const question = `omitted-${member}`;
    const own = { ...suite, cases: suite.cases.filter(({ id }) => id === question) };
    const keep = (body: Members, kept: Members): Members => {
      kept[member] = body[member] ?? kept[member];
      return { ...body, [member]: kept[member] };
    };
    const shared = {};
    const deployments: Readonly<Record<string, () => StatefulAnswer>> = {
      'of the previous request': () => changingBody((body) => keep(body, shared)),
      'of the previous request on a connection': () => changingBody(keep),
    };
    for (const [whose, create] of Object.entries(deployments)) {
      test(`A deployment that uses the ${member} ${whose} for a request without one`, async () => {
        const { questions } = await certify(create(), own);
        expect(questions.filter(({ id }) => id === question)).toMatchObject([
          { outcome: 'depends-on-earlier-requests', warning: true },
        ]);
      });
    }
  }

  test('A deployment that keeps the order of the previous caller conforms', async () => {
    const kept: Members = {};
    const certificate = await certify(
      changingBody((body) => {
        kept.order = body.order ?? kept.order;
        return { ...body, order: kept.order };
      }),
      suite,
    );
    expect(certificate.verdict).toBe('conforms');
    const outcomes = Object.fromEntries(certificate.questions.map(({ id, outcome }) => [id, outcome]));
    expect(outcomes['omitted-order']).toBe('depends-on-earlier-requests');
    expect(outcomes['omitted-customer']).toBe('as-anybody');
  });
});

test.describe('A conforming deployment never fails, however unsteady it is', () => {
  type Unsteady = (random: Random) => (request: HttpRequest, inFlight: number) => HttpResponse | Promise<HttpResponse>;
  const nothing: HttpResponse = { status: 200, headers: [], body: '{"promotions":[]}' };
  const deployments: Readonly<Record<string, Unsteady>> = {
    // Three failures of one row in a row are taken for a violation: at 5 %, one run in forty would have them.
    'answers 500 to some requests': (random) => (request) =>
      random() < 0.01 ? { status: 500, headers: [], body: '' } : answer(request),
    'returns nothing to some requests': (random) => (request) => (random() < 0.01 ? nothing : answer(request)),
    'answers slowly, and in any order': (random) => async (request) => {
      await delay(random() * 3);
      return answer(request);
    },
    'refuses more than three requests at once': () => async (request, inFlight) => {
      if (inFlight > 3) return { status: 429, headers: [], body: '' };
      await delay(1);
      return answer(request);
    },
    'finds nothing when it is asked something for the first time': () => {
      const asked = new Set<string>();
      return (request) => {
        const key = `${request.path} ${request.body}`;
        if (asked.has(key)) return answer(request);
        asked.add(key);
        return nothing;
      };
    },
    'has no data for the first 50 requests': () => {
      let count = 0;
      return (request) => {
        count += 1;
        return count > 50 ? answer(request) : nothing;
      };
    },
  };
  for (const [story, create] of Object.entries(deployments)) {
    for (const [runs, tag] of [
      [1, []],
      [40, ['@long']],
    ] as const) {
      test(`It ${story}, ${runs} times`, { tag: [...tag] }, async () => {
        for (let seed = 1; seed <= runs; seed += 1) {
          const respond = create(createRandom(seed));
          let inFlight = 0;
          const channel: Channel = {
            ...channelTo(answer),
            async send(request) {
              inFlight += 1;
              const response = await respond(request, inFlight);
              inFlight -= 1;
              return { request, response };
            },
          };
          const { certificate } = await certifyOver(channel, requirementSuite);
          expect(certificate.verdict, `seed ${seed}: ${listFailureReasons(certificate)}`).not.toBe('does-not-conform');
        }
      });
    }
  }
});
