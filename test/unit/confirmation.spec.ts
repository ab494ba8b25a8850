import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import type { Certificate } from '../../src/certificate/certificate.js';
import { openClient } from '../../src/http/client.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { parseJson } from '../../src/support/json.js';
import { certifyInProcess, certifyOver, createReference, requirementSuite, suite } from '../support/in-process.js';
import { listenStatefully, type StatefulAnswer } from '../support/listen-on-loopback.js';

const answer = createReference();

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

/** The items of a refused request that are right: a deployment stores them before it sees the wrong one. */
function dropWrongItems(order: unknown): Members {
  const { items, ...others } = order as { items: Members[] };
  return { ...others, items: items.filter(({ quantity }) => Number.isInteger(quantity)) };
}

/** Keeps results under a key that lacks a member of the body. */
function cacheWithout(member: string, request: HttpRequest, results: Record<string, unknown>): HttpResponse {
  const key = JSON.stringify([request.path, { ...parseBody(request), [member]: undefined }]);
  results[key] ??= answer(request);
  return results[key] as HttpResponse;
}

/** How a deployment takes a part of one request for that of another. */
const leaks: Readonly<Record<string, (part: Part) => StatefulAnswer>> = {
  'takes it from an overlapping request': (part) => {
    let shared: unknown;
    return async (request) => {
      shared = readPart(request, part);
      await delay(4);
      return answer(replacePart(request, part, shared));
    };
  },
  'takes it from the previous request on a connection': (part) => async (request, connection) => {
    const own = readPart(request, part);
    const used = 'kept' in connection ? connection.kept : own;
    connection.kept = own;
    return answer(replacePart(request, part, used));
  },
  'takes it from the first request on a connection that has it': (part) => async (request, connection) => {
    connection.kept ??= readPart(request, part);
    return answer(replacePart(request, part, connection.kept));
  },
  'caches results of a connection without it': (part) => async (request, connection) => {
    const { path, body } = replacePart(request, part, undefined);
    const key = JSON.stringify([path, body]);
    connection[key] ??= answer(request);
    return connection[key] as HttpResponse;
  },
  'takes it from a refused request on a connection': (part) => async (request, connection) => {
    const response = answer(request);
    const value = connection.refused;
    connection.refused = response.status < 400 ? undefined : readPart(request, part);
    if (response.status >= 400 || value === undefined) return response;
    return answer(replacePart(request, part, part === 'order' ? dropWrongItems(value) : value));
  },
};

/** Two of the worst; the others take time. */
const quick: ReadonlySet<string> = new Set([
  'customer: takes it from an overlapping request',
  'body: takes it from the previous request on a connection',
]);

const leaksOfParts = Object.entries(leaks).flatMap(([story, create]) =>
  // A refused body is refused again.
  parts
    .filter((part) => part !== 'body' || !story.includes('refused'))
    .map((part) => ({ story: `${part}: ${story}`, answer: () => create(part) })),
);

/** Few cases: the quick leaks break some of them. */
const someCases = { ...requirementSuite, cases: requirementSuite.cases.filter((_, n) => n % 6 === 0) };

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

const onlyAmongOthers = /Only among other requests: /;

test.describe('A failure that passes alone is confirmed among the same other requests', () => {
  for (const { story, answer: create } of leaksOfParts) {
    test(story, { tag: quick.has(story) ? [] : '@long' }, async () => {
      const certificate = await certify(create(), quick.has(story) ? someCases : requirementSuite);
      expect(certificate.verdict).toBe('does-not-conform');
      expect(listFailureReasons(certificate).join('\n')).toMatch(onlyAmongOthers);
      if (quick.has(story)) return;
      const { certificate: usual } = await certifyInProcess(answer, { suite: requirementSuite });
      expect(certificate.requests_sent).toBeLessThanOrEqual(2 * usual.requests_sent);
    });
  }

  for (const member of ['metadata', 'customer', 'order']) {
    const tag = member === 'customer' ? [] : '@long';
    test(`a cache of the whole deployment without the ${member} fails alone`, { tag }, async () => {
      const results = {};
      const certificate = await certify(async (request) => cacheWithout(member, request, results));
      expect(certificate.verdict).toBe('does-not-conform');
      expect(listFailureReasons(certificate).join()).not.toMatch(onlyAmongOthers);
    });
  }
});

test.describe('An answer that depends on earlier requests is an outcome with a warning', () => {
  const keepMember = (member: Part, isOfConnection = false): StatefulAnswer => {
    const shared: Members = {};
    return async (request, connection) => {
      const kept = isOfConnection ? connection : shared;
      kept.value = readPart(request, member) ?? kept.value;
      return answer(replacePart(request, member, kept.value));
    };
  };

  for (const member of ['customer', 'order', 'metadata'] as const)
    for (const isOfConnection of [false, true])
      test(`A deployment uses the ${member} of the previous request${isOfConnection ? ' on a connection' : ''}`, async () => {
        const question = `omitted-${member}`;
        const own = { ...suite, cases: suite.cases.filter(({ id }) => id === question) };
        const { questions } = await certify(keepMember(member, isOfConnection), own);
        expect(questions.filter(({ id }) => id === question)).toMatchObject([
          { outcome: 'depends-on-earlier-requests', warning: true },
        ]);
      });

  test('A deployment that keeps the order of the previous caller conforms', async () => {
    const certificate = await certify(keepMember('order'), suite);
    expect(certificate.verdict).toBe('conforms');
    const outcomes = Object.fromEntries(certificate.questions.map(({ id, outcome }) => [id, outcome]));
    expect(outcomes['omitted-order']).toBe('depends-on-earlier-requests');
    expect(outcomes['omitted-customer']).toBe('as-anybody');
  });
});

test.describe('A conforming deployment never fails, however unsteady it is', () => {
  const deployments: Readonly<Record<string, () => typeof answer>> = {
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
  for (const [story, create] of Object.entries(deployments))
    test(`It ${story}`, async () => {
      const { certificate } = await certifyInProcess(create(), { suite: requirementSuite });
      expect(certificate.verdict, listFailureReasons(certificate).join()).not.toBe('does-not-conform');
    });
});
