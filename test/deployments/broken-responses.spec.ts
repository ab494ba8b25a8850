/**
 * Responses over the wire that no ordinary deployment sends. What cannot be read is inconclusive; everything else is judged.
 */

import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import type { HttpRequest, RequestChannel } from '../../src/http/exchange.js';
import { type CaseResult, repetitionCaseId } from '../../src/run/case-result.js';
import type { Suite } from '../../src/suite/suite.js';
import { findCauses } from '../../tools/proof/find-first-cause.js';
import { runSuite } from '../../tools/proof/judge-deployment.js';
import { createRandom } from '../support/chaos.js';
import { breakDeployment, fewCases } from '../support/check-deployment.js';
import { channelTo, recognizer, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { listReasons, reasonOf } from '../support/reasons.js';
import { type Reply, renderResponse, test, timeoutMs } from '../support/wire.js';

type Change = (body: string) => string | Buffer;

const megabyte = 1024 * 1024;
const json = 'Content-Type: application/json';
const conforming = createIndependentDeployment(suite.world);
const violating = breakDeployment(createIndependentDeployment, 'customer rules are ignored')(suite.world);

/** Changes the bodies of a deployment. */
function wrap(change: Change, headers: readonly string[] = [json], answer = conforming): Reply {
  return (socket, { line, ...received }) => {
    const [method = '', target = ''] = line.split(' ');
    const { body } = answer({ ...received, method, path: target.slice(target.indexOf('/v1/')) });
    socket.write(renderResponse('200 OK', headers, change(body)));
  };
}

/** Adds members before those of the body. */
const add =
  (members: string): Change =>
  (body) =>
    body.replace('{', `{${members},`);

const repeat = (count: number, create: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => create(n)).join();

const endlessBody: Reply = (socket) => {
  const more = (error?: Error | null): void => {
    if (!error && !socket.destroyed) socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`, more);
  };
  socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', more);
};

// Verdicts ------------------------------------------------------------------------------------------------------------

const questions = ['response-shape', 'response-status', 'repeatability', 'error-shape', 'rate-limit-headers'];
const someCases = [...fewCases, 'metadata-rules', ...questions];
const some: Suite = { ...suite, cases: suite.cases.filter(({ id }) => someCases.includes(id)) };

async function run(channel: Parameters<typeof runSuite>[1]): Promise<readonly CaseResult[]> {
  const { results } = await runSuite(some, channel);
  expect(results.map(({ id }) => id)).toEqual([...some.cases.map(({ id }) => id), repetitionCaseId]);
  return results;
}

const tooLarge = reasonOf('no-response', { message: expect.stringContaining('limits.body_bytes') });
const tooManyValues = reasonOf('no-response', { message: expect.stringContaining('limits.body_values') });
const noHttp = reasonOf('odd-response');
const noJson = reasonOf('not-json');

// client.spec.ts has all transport errors, and judge.spec.ts shows that none of them proves anything.
const unreadable: Readonly<Record<string, readonly [reply: Reply, reason: unknown]>> = {
  'a body without end': [endlessBody, tooLarge],
  'a body longer than announced': [wrap((body) => body, [json, 'Content-Length: 20']), noJson],
  'a header of control characters': [wrap((body) => body, ['X-Title: \u001b]0;title\u0007']), noHttp],
  'JSON that is cut off': [wrap((body) => body.slice(0, body.length / 2)), noJson],
  'JSON with something after it': [wrap((body) => `${body}}`), noJson],
  'JSON that is none': [wrap(() => '{promotions: NaN}'), noJson],
  'JSON of a million numbers': [wrap(() => `[${'0,'.repeat(1_000_000)}0]`), tooManyValues],
  'bytes that are no text': [wrap(() => Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28])), noJson],
};

test.describe('Inconclusive:', () => {
  for (const [title, [reply, reason]] of Object.entries(unreadable))
    test(title, async ({ serve, open }) => {
      const { url } = await serve(reply);
      const results = await run(open(url));
      expect(results.filter(({ verdict }) => verdict === 'fail' || verdict === 'error')).toEqual([]);
      for (const result of results.filter(({ id }) => fewCases.includes(id))) {
        expect(result.verdict, result.id).toBe('inconclusive');
        expect(listReasons(result.reason).at(-1)).toEqual(reason);
      }
    });

  test('a duplicate key that hides the result', async ({ serve, open }) => {
    const { url } = await serve(wrap((body) => body.replace(/}$/, ',"data":[]}')));
    const results = await run(open(url));
    expect(results.filter(({ verdict }) => verdict === 'fail' || verdict === 'error')).toEqual([]);
    for (const { id, verdict } of results) if (fewCases.includes(id)) expect(verdict, id).toBe('inconclusive');
  });
});

const escapes = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e<script>alert(1)</script>"&\'`](javascript:alert(1))';
const prototypes = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1';
const badNote = Buffer.concat([Buffer.from('{"note":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('",')]);

const strange: Readonly<Record<string, readonly [change: Change, headers?: readonly string[]]>> = {
  'JSON nested 20,000 deep': [add(`"deep":${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`)],
  'members called __proto__': [add(prototypes)],
  'a key twice, the result in the last one': [add('"data":[{"id":"none"}]')],
  'as many headers as the limit allows': [(body) => body, [json, ...Array(10_000).fill('a: b')]],
  'bytes that are no text in a string': [(body) => Buffer.concat([badNote, Buffer.from(body.slice(1))])],
  'terminal escapes and markup in every string': [(body) => JSON.stringify({ [escapes]: [escapes, JSON.parse(body)] })],
  'more keys than one would want to describe': [add(`"keys":{${repeat(2_000, (n) => `"k${n}":0`)}}`)],
};

test.describe('Judged:', () => {
  for (const [title, [change, headers]] of Object.entries(strange))
    test(title, async ({ serve, open }) => {
      const certify = async (answer: typeof conforming) => {
        const { url } = await serve(wrap(change, headers, answer));
        return run(open(url, { limits: { body_values: 1_000_000 } }));
      };
      const results = await certify(conforming);
      expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      // Results are sent to the reporter as attachments.
      const text = JSON.stringify(results);
      expect(text.length).toBeLessThan(4 * megabyte);
      expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]|(?<!\\)\\u001b/u);
      expect(text.includes('\\\\u001b[2J')).toBe(title.startsWith('terminal escapes'));
      const failing = (await certify(violating)).filter(({ verdict }) => verdict === 'fail');
      expect(failing.map(({ id }) => id)).toContain('reserved-for-one-customer');
    });
});

// Length --------------------------------------------------------------------------------------------------------------

/** Ends the connection within the body of some responses. */
const cut =
  (isCut: (length: number) => boolean): Reply =>
  (socket, { line, ...received }) => {
    const [method = '', target = ''] = line.split(' ');
    const { body } = conforming({ ...received, method, path: target.slice(target.indexOf('/v1/')) });
    const response = renderResponse('200 OK', [json], body);
    if (isCut(body.length)) socket.end(response.subarray(0, response.length - 100));
    else socket.write(response);
  };

/** In characters: between a result with few promotions and one with many. */
const long = (() => {
  const requests = suite.cases.find(({ id }) => id === 'long-response')?.rows[0].requests;
  const [few = 0, many = 0] = ['few-for-ann', 'many'].map((name) => {
    const request = requests?.get(name);
    return request === undefined ? 0 : conforming(request).body.length;
  });
  return (few + many) / 2;
})();

test.describe('A connection that breaks', () => {
  let seen = 0;
  const random = createRandom(11);
  const deployments: Readonly<Record<string, readonly [isCut: (length: number) => boolean, verdict: string]>> = {
    'within each long response': [(length) => length > long, 'fail'],
    'within each response': [() => true, 'inconclusive'],
    'within each short response': [(length) => length <= long, 'inconclusive'],
    'within a long response, once': [
      (length) => {
        seen += Number(length > long);
        return length > long && seen === 1;
      },
      'pass',
    ],
    'at random': [() => random() < 0.8, 'inconclusive'],
  };
  const ofLength: Suite = { ...suite, cases: suite.cases.filter(({ id }) => id === 'long-response') };
  for (const [title, [isCut, verdict]] of Object.entries(deployments))
    test(title, async ({ serve, open }) => {
      const { url } = await serve(cut(isCut));
      const { results } = await runSuite(ofLength, open(url), { isWorldLoaded: true });
      const code = verdict === 'pass' ? undefined : expect.any(String);
      expect(results.map((result) => [result.verdict, result.reason?.code])).toEqual([[verdict, code]]);
      if (verdict === 'fail') expect(results[0]?.reason?.code).toBe('long-responses-lost');
    });

  test('within each long response is the cause, and only the requirement of an answer fails', async () => {
    const answering = channelTo(conforming);
    const channel: RequestChannel = {
      ...answering,
      send: async (request) => {
        const exchange = await answering.send(request);
        const isLost = 'response' in exchange && exchange.response.body.length > long;
        return isLost ? { request, transportError: 'broken-connection', message: 'It broke.' } : exchange;
      },
    };
    const causes = await findCauses(channel, suite, recognizer);
    expect(causes.map(({ evidence, requirements }) => [evidence, requirements])).toEqual([
      [[expect.stringMatching(/^Only long responses do not arrive/)], ['request.get-with-body']],
    ]);
  });
});

// Requests that share a feature ---------------------------------------------------------------------------------------

type Received = Pick<HttpRequest, 'path' | 'body'>;

/** What the requests share whose responses break. */
const features: Readonly<Record<string, (request: Received, body: string) => boolean>> = {
  'long results': (_, body) => body.length > long,
  'empty results': (_, body) => !body.includes('promo_'),
  'results with a letter beyond ASCII': (_, body) => body.includes('größe'),
  'a filter': ({ path }) => path.includes('summer') || path.includes('has_budget'),
  'one customer': ({ body = '' }) => body.includes(benId),
};
const benId = suite.world.customers[1]?.id ?? '';

/** Writes a broken response to a request. */
const breakages: Readonly<Record<string, (socket: Socket, body: string) => void>> = {
  'a length counted in characters, or one too small': (socket, body) =>
    socket.write(renderResponse('200 OK', [json, `Content-Length: ${body.length - 2}`], body.slice(0, -2))),
  'a length too large, and the end of the connection': (socket, body) =>
    socket.end(renderResponse('200 OK', [json, `Content-Length: ${body.length + 900}`], body)),
  'a chunk of an invalid length': (socket, body) =>
    socket.write(
      renderResponse('200 OK', [json, 'Transfer-Encoding: chunked'], `${body.length}q\r\n${body}\r\n0\r\n\r\n`),
    ),
  'an end within the body': (socket, body) => {
    const response = renderResponse('200 OK', [json], body);
    socket.end(response.subarray(0, response.length - 5));
  },
  'an end without a response': (socket) => socket.end(),
  'a reset without a response': (socket) => socket.resetAndDestroy(),
  'gzip that is announced and not sent': (socket, body) =>
    socket.write(renderResponse('200 OK', [json, 'Content-Encoding: gzip'], body)),
  'gzip that is cut off': (socket, body) => {
    const compressed = gzipSync(body);
    socket.write(
      renderResponse('200 OK', [json, 'Content-Encoding: gzip'], compressed.subarray(0, compressed.length - 9)),
    );
  },
  'what is no HTTP': (socket, body) => socket.end(body),
  'a header with a control character': (socket, body) =>
    socket.write(renderResponse('200 OK', [json, 'X-Title: \u001b]0;title\u0007'], body)),
};

/** Breaks responses of a conforming deployment. Some have a letter beyond ASCII. */
function breakSome(
  isBroken: (request: Received, body: string) => boolean,
  breakResponse: (socket: Socket, body: string) => void,
): Reply {
  return (socket, { line, ...received }) => {
    const [method = '', target = ''] = line.split(' ');
    const request = { ...received, method, path: target.slice(target.indexOf('/v1/')) };
    const plain = conforming(request).body;
    const body = request.body.includes('store_name') ? plain.replace('{', '{"note":"größe",') : plain;
    if (isBroken(request, body)) breakResponse(socket, body);
    else socket.write(renderResponse('200 OK', [json], body));
  };
}

const everyCase = ['whole-responses', 'every-valid-tier-if-few-are-valid'];
const ofEveryRequest: Suite = { ...suite, cases: suite.cases.filter(({ id }) => everyCase.includes(id)) };

test.describe('Broken each time, while others are whole:', () => {
  const names = Object.keys(features);
  for (const [n, [title, breakResponse]] of Object.entries(breakages).entries())
    for (const [m, feature] of names.entries())
      test(`${title}, for ${feature}`, { tag: m === n % names.length ? [] : ['@long'] }, async ({ serve, open }) => {
        const isBroken = features[feature] ?? (() => false);
        const { url } = await serve(breakSome(isBroken, breakResponse));
        const { results } = await runSuite(ofEveryRequest, open(url), { isWorldLoaded: true });
        const failing = results.filter(({ verdict }) => verdict === 'fail');
        expect(failing.map(({ id, subject }) => [id, subject])).toEqual([['whole-responses', 'request.get-with-body']]);
        const { reason } = failing[0]?.rows.find(({ verdict }) => verdict === 'fail') ?? {};
        expect(reason?.code).toMatch(/^(response-broken|long-responses-lost)$/);
      });

  test('a body that is whole and does not end', async ({ serve, open }) => {
    const endless = breakSome(features['one customer'] as never, (socket, body) =>
      socket.write(renderResponse('200 OK', [json, `Content-Length: ${body.length + 900}`], body)),
    );
    const { url } = await serve(endless);
    const { results } = await runSuite(ofEveryRequest, open(url, { limits: { timeout_ms: timeoutMs } }), {
      isWorldLoaded: true,
    });
    expect(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual(['whole-responses']);
  });
});

test.describe('Not a failure, although the responses to some requests never arrive:', () => {
  const encoded = (coding: string) => (socket: Socket, body: string) =>
    socket.write(renderResponse('200 OK', [json, `Content-Encoding: ${coding}`], body));
  const limits: Readonly<Record<string, (socket: Socket, body: string) => void>> = {
    'a coding that the suite does not know': encoded('zstd'),
    'more values than the suite reads': (socket) =>
      socket.write(renderResponse('200 OK', [json], `[${'0,'.repeat(100_001)}0]`)),
    'more headers than the suite reads': (socket, body) =>
      socket.write(renderResponse('200 OK', [json, `X-A: ${'x'.repeat(70_000)}`], body)),
    'JSON that is none, and is whole': (socket, body) => socket.write(renderResponse('200 OK', [json], `${body}}`)),
    'one JSON value after another': (socket, body) =>
      socket.write(renderResponse('200 OK', [json], `${body}\n${body}`)),
  };
  for (const [title, answer] of Object.entries(limits))
    test(title, async ({ serve, open }) => {
      const { url } = await serve(breakSome(features['one customer'] as never, answer));
      const { results } = await runSuite(ofEveryRequest, open(url), { isWorldLoaded: true });
      expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
      // What is no JSON arrives whole, too.
      const verdict = title.includes('JSON') ? 'pass' : 'inconclusive';
      expect(results.find(({ id }) => id === 'whole-responses')?.verdict).toBe(verdict);
    });

  for (const [n, [title, breakResponse]] of Object.entries(breakages).entries())
    for (const share of [0.05, 0.15, 0.3])
      test(`${title}, at random, ${share}`, { tag: n % 4 === 0 && share === 0.15 ? [] : ['@long'] }, async ({
        serve,
        open,
      }) => {
        const drawn = createRandom(n);
        let broken = 0;
        const { url } = await serve(
          breakSome(
            () => drawn() < share,
            (...response) => {
              broken += 1;
              breakResponse(...response);
            },
          ),
        );
        const { results } = await runSuite(ofEveryRequest, open(url), { isWorldLoaded: true });
        expect(results.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
        expect(broken).toBeGreaterThan(0);
      });
});
