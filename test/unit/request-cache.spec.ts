import { expect, test } from '@playwright/test';
import type { TestCase } from '../../src/cases/test-case.js';
import type { Exchange, HttpRequest, RequestChannel } from '../../src/http/exchange.js';
import { createCaseSender, type SuspectRequest } from '../../src/run/case-sender.js';

/** `/a 2` repeats `/a`. */
function requestTo(text: string): HttpRequest {
  const [path = '', again] = text.split(' ');
  return { method: 'GET', path, headers: [], ...(again !== undefined && { again: Number(again) }) };
}

/** Creates a case with one row per list of paths. */
function caseOf(id: string, ...rows: readonly (readonly string[])[]): TestCase {
  const at = { file: 'x.yaml', line: 1, column: 1 };
  const requestsTo = (paths: readonly string[]) => new Map(paths.map((text, n) => [`r${n}`, requestTo(text)]));
  const others = { title: '', given: [], expect: [], unavailable: [] };
  const filledRows = rows.map((paths) => ({ ...others, requests: requestsTo(paths) }));
  return { kind: 'requirement', id, verifies: 'x', title: id, at, tags: [], rows: filledRows };
}

type Outcome = number | 'timed-out';

/** Creates a channel that logs requests. The nth response to a path is its nth outcome, then always the last. */
function createLog(outcomes: Readonly<Record<string, readonly Outcome[]>> = {}) {
  const log: string[] = [];
  let hold: Promise<void> = Promise.resolve();
  const channel: RequestChannel = {
    send: async (request): Promise<Exchange> => {
      log.push(request.path);
      await hold;
      const stated = outcomes[request.path] ?? [200];
      const outcome = stated[Math.min(log.filter((path) => path === request.path).length, stated.length) - 1] ?? 200;
      return outcome === 'timed-out'
        ? { request, transportError: outcome, message: 'too late', attempts: 2 }
        : { request, response: { status: outcome, headers: [], body: String(log.length) } };
    },
    reconnect: () => log.push('renewed'),
    maxConcurrency: 1,
  };
  return {
    log,
    channel,
    /** Holds all responses until the returned function is called. */
    holdUp(): () => void {
      let release: () => void = () => undefined;
      hold = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
  };
}

test('What was sent before the cases is in a batch, too: it may have been wrong among others', async () => {
  const { log, channel } = createLog();
  const earlier = await Promise.all(['/first', '/second'].map((path) => channel.send(requestTo(path))));
  const sender = createCaseSender(
    channel,
    [],
    earlier.map((exchange) => [exchange.request, exchange] as const),
  );
  const testCase = caseOf('case', ['/second', '/a']);
  const { exchanges } = await sender.send(testCase);
  expect(exchanges[0]?.get('r0')).toBe(earlier[1]);
  log.length = 0;
  await sender.sendInBatch({ testCase, row: 0, name: 'r0', first: earlier[1] as Exchange } as SuspectRequest, 1, 20);
  expect(log.filter((path) => path !== 'renewed')).toEqual(['/first', '/second', '/a']);
});

test.describe('Equal requests of several cases', () => {
  test('are sent once', async () => {
    const { log, channel } = createLog();
    const sender = createCaseSender(channel);
    const first = await sender.send(caseOf('first', ['/a', '/b']));
    const second = await sender.send(caseOf('second', ['/a', '/c'], ['/b']));
    expect(log).toEqual(['/a', '/b', '/c']);
    expect(second.exchanges[0]?.get('r0')).toBe(first.exchanges[0]?.get('r0'));
  });

  test('are repeated as often as a case states', async () => {
    const { log, channel } = createLog();
    const sender = createCaseSender(channel);
    await sender.send(caseOf('first', ['/a', '/a 1', '/a 2']));
    await sender.send(caseOf('second', ['/a', '/a 1']));
    expect(log).toEqual(['/a', '/a', '/a']);
  });

  const lots: readonly (readonly [what: string, outcomes: readonly Outcome[], sent: number])[] = [
    ['a transport error', ['timed-out', 'timed-out', 'timed-out', 200], 4],
    ['a busy deployment', [503, 429, 503, 200], 4],
    ['a temporary server error', [500, 200], 2],
    ['a permanent server error', [500], 2],
  ];
  for (const [what, outcomes, sent] of lots) {
    test(`are sent ${sent} times after ${what}`, async () => {
      const { log, channel } = createLog({ '/a': outcomes });
      const sender = createCaseSender(channel);
      for (const id of ['one', 'two', 'three', 'four', 'five']) await sender.send(caseOf(id, ['/a']));
      expect(log).toHaveLength(sent);
    });
  }

  test('wait for the first one, and the next is sent if that failed', async () => {
    const { log, channel, holdUp } = createLog({ '/a': ['timed-out', 200] });
    const sender = createCaseSender(channel);
    const release = holdUp();
    const sending = ['one', 'two', 'three'].map((id) => sender.send(caseOf(id, ['/a'])));
    release();
    await Promise.all(sending);
    expect(log).toEqual(['/a', '/a']);
  });
});

test.describe('Requests of the next cases are sent ahead', () => {
  const paths = ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h', '/i', '/j', '/k'];
  const cases = paths.map((path) => caseOf(path, [path]));

  test('up to the limit of requests', async () => {
    const { log, channel, holdUp } = createLog();
    const sender = createCaseSender(channel, cases.slice(0, 10));
    const release = holdUp();
    const first = sender.send(cases[0] as TestCase);
    await new Promise(setImmediate);
    expect(log).toEqual(paths.slice(0, 9));
    release();
    await first;
    const hold = holdUp();
    const second = sender.send(cases[1] as TestCase);
    await new Promise(setImmediate);
    expect(log).toEqual(paths.slice(0, 10));
    hold();
    await second;
    for (const testCase of cases.slice(2, 10)) await sender.send(testCase);
    expect(log).toEqual(paths.slice(0, 10));
  });
});
