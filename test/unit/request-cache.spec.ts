import { expect, test } from '@playwright/test';
import type { TestCase } from '../../src/cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../../src/http/exchange.js';
import { createCaseSender } from '../../src/run/case-sender.js';

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
  const channel: Channel = {
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

  test('and finish before a case is sent again', async () => {
    const { log, channel, holdUp } = createLog();
    const sender = createCaseSender(channel, cases);
    const release = holdUp();
    const first = sender.send(cases[0] as TestCase);
    const slow = sender.sendAlone(caseOf('again', ['/a', '/b']), [0], 1);
    await new Promise(setImmediate);
    const before = log.length;
    release();
    await Promise.all([first, slow]);
    expect(log.slice(before)).toEqual(['renewed', '/a', 'renewed', '/b']);
  });
});

test.describe('What failed is sent again', () => {
  const all = Array.from({ length: 200 }, (_, n) => caseOf(`case ${n}`, [`/${n}`]));
  const paths = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `/${from + n}`);

  async function sendAll(cases: readonly TestCase[]) {
    const { log, channel } = createLog();
    const sender = createCaseSender(channel, cases);
    const firsts: Exchange[] = [];
    for (const testCase of cases) {
      const { exchanges } = await sender.send(testCase);
      firsts.push(exchanges[0]?.get('r0') as Exchange);
    }
    log.splice(0);
    const sendAgain = async (n: number, turn: number) => {
      const sent = await sender.sendInBatch(cases[n] as TestCase, 0, 'r0', firsts[n] as Exchange, turn);
      return { sent, requests: log.splice(0) };
    };
    return { log, sender, sendAgain };
  }

  test('alone, once for all cases that need it in the same turn', async () => {
    const { log, sender } = await sendAll([]);
    const [first, second] = [caseOf('first', ['/a', '/b'], ['/c']), caseOf('second', ['/b', '/c'])];
    const sent = await sender.sendAlone(first, [0], 1);
    expect(log.splice(0)).toEqual(['renewed', '/a', 'renewed', '/b']);
    expect(sent.exchanges.map(({ size }) => size)).toEqual([2, 0]);
    await sender.sendAlone(second, [0], 1);
    expect(log.splice(0)).toEqual(['renewed', '/c']);
    await sender.sendAlone(second, [0], 2);
    expect(log).toEqual(['renewed', '/b', 'renewed', '/c']);
  });

  test('with the requests before and after it, once for all cases whose requests are close, up to a limit', async () => {
    const { sendAgain } = await sendAll(all);
    const { sent, requests } = await sendAgain(20, 1);
    expect(requests).toEqual(['renewed', ...paths(12, 27)]);
    expect(sent?.exchanges[0]?.get('r0')?.request.path).toBe('/20');
    const shared = await sendAgain(27, 1);
    expect(shared.requests).toEqual([]);
    expect(shared.sent?.exchanges[0]?.get('r0')?.request.path).toBe('/27');
    expect((await sendAgain(20, 2)).requests).toHaveLength(17);
    expect((await sendAgain(2, 1)).requests).toEqual(['renewed', ...paths(0, 9)]);
    for (let n = 40; n < 199; n += 16) await sendAgain(n, 1);
    expect((await sendAgain(199, 1)).sent).toBeUndefined();
  });

  test('as it is, if the case is serial', async () => {
    const serial = { ...caseOf('serial', ['/a', '/b', '/c']), tags: ['serial'] } as TestCase;
    const { sendAgain, sender, log } = await sendAll([serial]);
    expect((await sendAgain(0, 1)).requests).toEqual(['renewed', '/a', '/b', '/c']);
    await sender.sendAlone(serial, [0], 1);
    await sender.sendAlone(serial, [0], 1);
    expect(log.filter((each) => each === '/a')).toHaveLength(2);
  });
});
