/** Since when a deployment no longer works, by the exchanges of a run in the order of sending. */

import { expect, test } from '@playwright/test';
import { createOracle } from '../../src/contract/oracle.js';
import type { HttpRequest, TransportErrorKind } from '../../src/http/exchange.js';
import {
  classifyExchangeOutcome,
  type ExchangeSummary,
  findDeploymentStop,
  rechecksPerRequest,
  summarizeExchange,
} from '../../src/judge/find-deployment-stop.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { suite } from '../support/in-process.js';

const [a, b] = suite.calibration as [HttpRequest, HttpRequest];
const requests: Readonly<Record<string, HttpRequest>> = {
  a,
  b,
  // Not documented.
  u: { ...a, body: '{"customer":' },
};

/**
 * Reads exchanges in the order of sending: a request and its outcome, 200 by default, and how often it was sent. After a bar
 * come the checks at the end.
 */
function readTraces(text: string): ExchangeSummary[] {
  const [ofRun = '', ofEnd = ''] = text.split('|');
  const read = (part: string, isCheck: boolean) =>
    part.split(' ').flatMap((word) => {
      const [, name = '', outcome = '200', count = '1'] = /^(\w)(?::([\w-]+))?(?:\*(\d+))?$/.exec(word) ?? [];
      const request = requests[name];
      return request === undefined ? [] : Array.from({ length: Number(count) }, () => ({ request, outcome, isCheck }));
    });
  return [...read(ofRun, false), ...read(ofEnd, true)].flatMap(({ request, outcome, isCheck }, n) => {
    const status = Number(outcome);
    const end = Number.isNaN(status)
      ? { transportError: outcome as TransportErrorKind, message: '' }
      : { response: { status, headers: [], body: `at ${n}` } };
    return summarizeExchange(String(n + 1), { request, numbers: [n + 1], ...end }, isCheck) ?? [];
  });
}

const rows: readonly (readonly [exchanges: string, stop: string])[] = [
  // It works to the last request, or never did.
  ['a b a', 'none'],
  ['a:500 b:500 a:500 | a:500*6', 'none'],
  ['a b a:500 b:500 a:500 a', 'none'],
  ['a b a:500 b:500 a:500 | a:500*3 a', 'none'],
  ['a b u:400 u:500', 'none'],
  // Refused, each time, for as long as the run looks.
  ['a b a:500 b:500 | a:500*6 b:500*6', 'fail 3'],
  ['a b a:404 | a:404*6', 'fail 3'],
  ['a b a:400 | a:400*6', 'fail 3'],
  ['a b a:500 b:404 | a:500*6', 'fail 3'],
  ['a b a:503 b:500 | a:500*6', 'fail 3'],
  // What is not documented is refused, too, but its refusal alone shows nothing.
  ['a b u:500 u:500 a:500 | a:500*6', 'fail 3'],
  ['a b u:400 a:500 u:400 | a:500*6', 'fail 4'],
  ['a b u u:500 a:500 | a:500*6', 'fail 4'],
  // One was not looked at for long enough.
  ['a b a:500 | a:500*6 b:500*5', 'inconclusive 3'],
  ['a b a:500 b:500 a:500', 'inconclusive 3'],
  ['a b a:500 b:500', 'none'],
  // A quota, the credentials, a gateway, a redirect, or no answer.
  ...[401, 402, 403, 429, 408, 502, 503, 504, 302].map(
    (status) => [`a b a:${status} | a:${status}`, 'inconclusive 3'] as const,
  ),
  ['a b a:500 | a:500*5 a:503', 'inconclusive 3'],
  ...['timed-out', 'unreachable', 'broken-connection'].map(
    (kind) => [`a b u:${kind} a:${kind} b:${kind} a:${kind}`, 'inconclusive 3'] as const,
  ),
  // Other requests are accepted.
  ['a b a:500 b a:500 | a:500*6 b', 'fail 3'],
  ['a b a:503 b | a:503 b', 'inconclusive 3'],
  ['a b a:500 b | a:500*2 a b', 'none'],
  // No size is documented.
  ['a b a:413 b:413 a:413 | a:413*6', 'none'],
];
for (const [exchanges, expected] of rows)
  test(`${exchanges}: ${expected}`, () => {
    const stop = findDeploymentStop(readTraces(exchanges), suite.world);
    expect(stop === undefined ? 'none' : `${stop.verdict} ${stop.since}`).toBe(expected);
  });

test('Requests that overlap may arrive in another order', () => {
  const traces = readTraces('a b a:timed-out b u:timed-out a:timed-out b:timed-out a:timed-out');
  // The server got the fourth request before the third.
  expect(findDeploymentStop(traces, suite.world)?.since).toBe(4);
});

test('The exchanges of several processes are ordered by time', () => {
  const inTurn = (text: string, startedAt: number) =>
    readTraces(text).map((trace, n) => ({ ...trace, startedAt: startedAt + n }));
  const traces = [...inTurn('a:500 b:500 | a:500*6', 100), ...inTurn('a b a', 1)];
  expect(findDeploymentStop(traces, suite.world)).toMatchObject({ verdict: 'fail', since: 4 });
});

test('An empty result may have any status, unless the request had another one before', () => {
  const asked = suite.cases.flatMap(listRequestsOfCase);
  const empty = asked.find((request) => {
    const { accepted, returned } = createOracle(request, suite.world);
    return accepted && !suite.world.tiers.some((tier) => returned(tier) === 'required');
  });
  expect(empty).toBeDefined();
  const traces = readTraces('a b a:404 b:404 a:404').map((trace) =>
    trace.outcome === 404 ? { ...trace, request: empty as HttpRequest } : trace,
  );
  expect(findDeploymentStop(traces, suite.world)).toBeUndefined();
});

test('Statuses that say that a deployment no longer works are told from those that a quota or a gateway has', () => {
  const kinds = [200, 204, 400, 404, 405, 409, 422, 500, 501].map(classifyExchangeOutcome);
  expect(kinds).toEqual(['accepted', 'accepted', ...Array(7).fill('refused')]);
  const others = [301, 401, 402, 403, 407, 408, 429, 499, 502, 503, 504, 524, 'timed-out', 'tls'] as const;
  expect(new Set(others.map(classifyExchangeOutcome))).toEqual(new Set(['unavailable']));
  expect(rechecksPerRequest).toBeGreaterThan(3);
});
