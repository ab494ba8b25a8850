import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { countDisturbances } from '../../src/certificate/disturbances.js';
import { openClient } from '../../src/http/client.js';
import type { HttpRequest, RequestChannel } from '../../src/http/exchange.js';
import { describeDisturbances } from '../../src/outputs/counts.js';
import { channelTo, createReference } from '../support/in-process.js';
import { listenOnLoopback } from '../support/listen-on-loopback.js';
import { judgeAgain, runWithEvidence } from '../support/run-with-evidence.js';

test('Disturbances are one sentence, the most frequent first', () => {
  const sentence = (...attempts: Parameters<typeof countDisturbances>[0]) => {
    const counted = countDisturbances(attempts);
    return counted && describeDisturbances(counted);
  };
  expect(sentence()).toBeUndefined();
  expect(sentence({ outcome: 'timed-out' })).toBe('1 timeout: retried.');
  const busy = { outcome: 503, slowed_to: 10 };
  expect(sentence({ outcome: 'timed-out' }, busy, busy, { outcome: 503, slowed_to: 5 })).toBe(
    '3 × 503, 1 timeout: retried. Slowed to 5 requests per second.',
  );
  expect(sentence({ outcome: 'broken-connection' }, { outcome: 'broken-connection' })).toBe(
    '2 broken connections: retried.',
  );
});

test('An exchange has the attempts before the last one', async () => {
  const statuses = [503, 502, 200, 200];
  const server = createServer((_, response) => response.writeHead(statuses.shift() ?? 200).end('[]'));
  const { url, close } = await listenOnLoopback(server);
  const client = openClient({ baseUrl: url, retry: { delays_seconds: [0.01, 0.01], max_delay_seconds: 1 } });
  const request: HttpRequest = { method: 'GET', path: '/', headers: [] };
  const [disturbed, plain] = [await client.send(request), await client.send(request)];
  await Promise.all([client.close(), close()]);
  const pace = expect.any(Number);
  expect(disturbed.retried).toEqual([
    { outcome: 503, slowed_to: pace },
    { outcome: 502, slowed_to: pace },
  ]);
  expect(plain).not.toHaveProperty('retried');
});

test('A run tells its disturbances, and so does its evidence', async () => {
  const channel = channelTo(createReference({}));
  let count = 0;
  const send: RequestChannel['send'] = async (request) => {
    count += 1;
    const isDisturbed = count % 10 === 0;
    const exchange = await channel.send(request);
    return isDisturbed ? { ...exchange, attempts: 2, retried: [{ outcome: 503, slowed_to: 5 }] } : exchange;
  };
  const run = await runWithEvidence({ ...channel, send }, { selects: ({ kind }) => kind === 'requirement' });
  const { disturbances } = run.certificate;
  expect(disturbances).toEqual({ retried: { 503: Math.floor(count / 10) }, requests_per_second: 5 });
  expect((await judgeAgain(run)).disturbances).toEqual(disturbances);
});
