import { execFile } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import type { Suite } from '../../src/cases/suite.js';
import { type ResultWithExchanges, samplesCaseId } from '../../src/engine/case-result.js';
import { runSuite } from '../../src/engine/run.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';
import { suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';
import type { CaseRun } from './support/run-cases.js';
import { type ReceivedRequest, type Reply, renderResponse, test, timeoutMs, type Wire } from './support/wire.js';

const answer = createIndependentDeployment(suite.world);

/** The body that a conforming deployment returns. */
function honestBody({ line, headers, body }: ReceivedRequest): string {
  const [method = '', target = ''] = line.split(' ');
  const request: HttpRequest = { method, path: target.slice(target.indexOf('/v1/')), headers, body };
  return answer(request).body;
}

const json = 'Content-Type: application/json';
/** Wraps the body of a conforming deployment. */
const wrap = (change: (body: string) => string | Buffer, headers: readonly string[] = [json]): Reply => {
  return (socket, received) => void socket.write(renderResponse('200 OK', headers, change(honestBody(received))));
};

/** Writes a text repeatedly until the client disconnects. */
function pour(socket: Socket, head: string, text: string | Buffer, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  const more = (error?: Error | null): void => {
    left -= 1;
    if (left >= 0 && !error && !socket.destroyed) socket.write(text, more);
  };
  socket.write(head, more);
}

const megabyte = 1024 * 1024;
/** Deeper than the call stack allows. */
const depth = 20_000;
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
// Concatenated gzip members: 200 MB without holding them in memory.
const bomb = Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(10 * megabyte))));

const endless: Readonly<Record<string, Reply>> = {
  'a body of 200 MB': (socket) =>
    pour(socket, `HTTP/1.1 200 OK\r\nContent-Length: ${200 * megabyte}\r\n\r\n`, 'x'.repeat(megabyte), 200),
  'a body without end': (socket) => pour(socket, chunked, chunk),
  'a body that unpacks to 200 MB': (socket) => socket.write(renderResponse('200 OK', ['Content-Encoding: gzip'], bomb)),
  'a body that unpacks to 200 MB, packed again': (socket) =>
    socket.write(renderResponse('200 OK', ['Content-Encoding: gzip, gzip'], gzipSync(bomb))),
  'headers without end': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'X-Header: value\r\n'.repeat(100)),
};

test.describe('A broken response is inconclusive, never a failure or an error', () => {
  const slowly: Reply = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 1_000);
    socket.on('close', () => clearInterval(drip));
  };
  const tooLarge = 'The body is larger than 8388608 bytes (limits.body_bytes).';
  const timedOut = 'There was no complete response within 1500 ms (limits.timeout_ms).';
  const noHttp = /^The response is not valid HTTP, or its length differs from Content-Length\./;
  const noJson = 'The body looks like JSON, but it is not valid JSON, so there is no result to judge.';
  const tooManyValues = 'The body has more than 100000 values (limits.body_values).';
  // client.spec.ts has all transport errors, and judge.spec.ts shows that none of them proves anything.
  const replies: readonly (readonly [what: string, reply: Reply, reason: string | RegExp])[] = [
    ['a body without end', endless['a body without end'] as Reply, tooLarge],
    ['one byte a second', slowly, timedOut],
    ['a body longer than announced', wrap((body) => body, [json, 'Content-Length: 20']), noJson],
    ['a header of control characters', wrap((body) => body, ['X-Title: \u001b]0;title\u0007']), noHttp],
    ['JSON that is cut off', wrap((body) => body.slice(0, body.length / 2)), noJson],
    ['JSON with something after it', wrap((body) => `${body}}`), noJson],
    ['JSON that is none', wrap(() => '{promotions: NaN}'), noJson],
    ['JSON of a million numbers', wrap(() => `[${'0,'.repeat(1_000_000)}0]`), tooManyValues],
    ['bytes that are no text', wrap(() => Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28])), noJson],
  ];
  for (const [what, reply, reason] of replies) {
    test(what, async ({ serve, open }) => {
      const { url } = await serve(reply);
      const results = await ranOver(open(url, reason === timedOut ? { limits: { timeoutMs } } : {}));
      const requirements = results.filter(({ id }) => resultCases.includes(id));
      expect(new Set(requirements.map(({ verdict }) => verdict))).toEqual(new Set(['inconclusive']));
      expect(results.filter(({ verdict }) => verdict === 'fail' || verdict === 'error')).toEqual([]);
      for (const each of requirements) {
        const shown = each.reason.replace(/^(Not judged, since something else is not as expected: )?('\S+': )?/, '');
        expect(shown).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
      }
    });
  }
});

const resultCases = ['reserved-for-one-customer', 'metadata-rules', 'window-with-few-valid', 'every-valid-tier'];
const questions = ['response-shape', 'response-status', 'repeatability', 'error-shape', 'rate-limit-headers'];
const some: Suite = { ...suite, cases: suite.cases.filter(({ id }) => [...resultCases, ...questions].includes(id)) };

async function ranOver(channel: Parameters<typeof runSuite>[1]): Promise<readonly ResultWithExchanges[]> {
  const { results } = await runSuite(some, channel);
  expect(results.map(({ id }) => id)).toEqual([...some.cases.map(({ id }) => id), samplesCaseId]);
  return results;
}

test.describe('A conforming deployment with strange responses passes', () => {
  const hostile = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e<script>alert(1)</script>"&\'`](javascript:alert(1))';
  const wrappedReplies: Readonly<Record<string, Reply>> = {
    'JSON nested 20,000 deep, beside the result': wrap((body) =>
      body.replace('{', `{"deep":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)},`),
    ),
    'members called __proto__': wrap((body) =>
      body.replace('{', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,'),
    ),
    'a key twice, the result in the last one': wrap((body) => body.replace('{', '{"data":[{"id":"none"}],')),
    'as many headers as the limit allows': wrap((body) => body, [json, ...Array(10_000).fill('a: b')]),
    'bytes that are no text in a string': wrap((body) =>
      Buffer.concat([Buffer.from('{"note":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(body.replace('{', '",'))]),
    ),
    'terminal escapes and markup in every string': wrap((body) =>
      JSON.stringify({ [hostile]: [hostile, JSON.parse(body)] }),
    ),
    'more keys than one would want to describe': wrap((body) =>
      body.replace('{', `{"keys":{${Array.from({ length: 10_000 }, (_, n) => `"k${n}":0`).join()}},`),
    ),
  };
  for (const [what, reply] of Object.entries(wrappedReplies)) {
    test(what, async ({ serve, open }) => {
      const { url } = await serve(reply);
      const results = await ranOver(open(url, { limits: { bodyValues: 1_000_000 } }));
      expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      // Results are sent to the reporter as attachments.
      const text = JSON.stringify(results);
      expect(text.length).toBeLessThan(4 * megabyte);
      expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]|(?<!\\)\\u001b/u);
      expect(text.includes('\\\\u001b[2J')).toBe(what.startsWith('terminal escapes'));
    });
  }

  test('A result that a duplicate key hides does not count as empty', async ({ serve, open }) => {
    const { url } = await serve(wrap((body) => body.replace(/}$/, ',"data":[]}')));
    const results = await ranOver(open(url));
    expect(results.filter(({ verdict }) => verdict === 'fail' || verdict === 'error')).toEqual([]);
  });
});

test.describe('memory', () => {
  const nearly = 1_900_000;
  const filled = (text: string) => text.repeat(Math.floor(nearly / Buffer.byteLength(text)));
  const plain = (body: string): Reply => renderResponse('200 OK', [json], body);
  let turn = 0;
  // Bodies differ, so that caches do not help.
  const own = (): string => {
    turn += 1;
    return `{"turn":${turn},"text":"`;
  };
  const replies: Readonly<Record<string, Reply>> = {
    'as large as the limit allows': (socket) => socket.write(plain(`${own()}${filled('x')}"}`) as Buffer),
    'that takes more in memory than over the wire': (socket) =>
      socket.write(plain(`${own()}${filled('→')}"}`) as Buffer),
    ...endless,
    'numbers without number': plain(`[${filled('0,')}0]`),
    'keys without number': plain(`{${Array.from({ length: 140_000 }, (_, n) => `"k${n}":0`).join()}}`),
    'ids under keys without number': plain(
      `{${Array.from({ length: 40_000 }, (_, n) => `"k${n}":"${suite.world.tiers[n % 156]?.id}"`).join()}}`,
    ),
    'ids as keys of each other': plain(nested(`{"${suite.world.tiers[0]?.id}":`, '}')),
    'arrays 100,000 deep': plain(nested('[', ']')),
    'objects 100,000 deep': plain(nested('{"a":', '}')),
  };
  function nested(open: string, close: string): string {
    const depth = Math.min(100_000, Math.floor(nearly / (open.length + close.length)));
    return `${open.repeat(depth)}0${close.repeat(depth)}`;
  }
  const maxPeak = 400 * megabyte;

  /** Measures the peak memory of a process that tests deployments one after another. */
  async function peaks(serve: (reply: Reply) => Promise<Wire>) {
    const urls: string[] = [];
    for (const reply of Object.values(replies)) urls.push((await serve(reply)).url);
    const script = path.join(packageRoot, 'dist', 'specs', 'self-test', 'support', 'run-cases.js');
    // 'campaign-filter' has the most requests.
    const args = [script, ['campaign-filter', ...resultCases].join(), ...urls];
    // Without coverage counters.
    const env = { ...process.env, NODE_V8_COVERAGE: undefined };
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * megabyte, env });
    const ran: CaseRun[] = JSON.parse(stdout);
    expect(ran).toHaveLength(urls.length);
    for (const [n, what] of Object.keys(replies).entries()) {
      const { results, peak } = ran[n] as CaseRun;
      test.info().annotations.push({ type: what, description: `${Math.round(peak / megabyte)} MB` });
      expect
        .soft(
          results.map(({ verdict }) => verdict),
          what,
        )
        .not.toContain('error');
      expect.soft(peak, what).toBeLessThan(maxPeak);
    }
  }

  test(
    'large texts, bodies without end, and of more members than anybody sends, one after another: at most 400 MB',
    { tag: '@long' },
    ({ serve }) => peaks(serve),
  );
});
