import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpRequest, HttpResponse } from '../src/http/exchange.js';
import { packageRoot } from '../src/support/package-root.js';
import { temporaryFolder } from './self-test/support/cli.js';
import { suite } from './self-test/support/in-process.js';
import { independentDeployment, listen } from './self-test/support/independent.js';

/**
 * How long `certify` takes on deployments of different kinds, side by side in one run, so that the machine's speed
 * cancels out in the ratio; and the memory that all its processes take together at their peak, of which Playwright's own
 * part is that of a run with one empty test. Run it with `npm run benchmark`.
 */
const rounds = 3;
const { world } = suite;
const broken: HttpResponse = { status: 500, headers: [], body: '' };
const honest = independentDeployment(world);

type Serve = () => Promise<{ url: string; close(): Promise<unknown> }>;
const serving =
  (answer: (request: HttpRequest) => HttpResponse): Serve =>
  () =>
    listen(answer);

/** As an honest deployment, with records of 14 KB each: 150 of them are just within the largest body that is read. */
const largeRecords = (request: HttpRequest): HttpResponse => {
  const response = honest(request);
  if (response.status !== 200) return response;
  const padded = (key: string, value: unknown) =>
    typeof value === 'object' && value !== null && 'id' in value && key !== '' ? { ...value, padding } : value;
  return { ...response, body: JSON.stringify(JSON.parse(response.body), padded) };
};
const padding = 'x'.repeat(13_700);

/** Bodies that name 25,000 ids, none of which is known, and of which no two are the same. */
const idsWithoutNumber = (): HttpResponse => {
  turn += 1;
  const data = Array.from({ length: 25_000 }, (_, n) => `promo_${(n * 7919 + turn).toString(16).padStart(24, '0')}`);
  return { status: 200, headers: [['content-type', 'application/json']], body: JSON.stringify({ data }) };
};
let turn = 0;

/** Bodies that never end, each connection as fast as it is read. */
const endless: Serve = async () => {
  const chunk = Buffer.from(`{"id":"${world.tiers[0]?.id}","text":"${'x'.repeat(64 * 1024)}"},`);
  const server = createServer((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).write('[');
    const more = (): void => {
      while (!outgoing.destroyed && outgoing.write(chunk));
    };
    outgoing.on('drain', more).on('error', () => undefined);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

const kinds: Readonly<Record<string, Serve>> = {
  conforming: serving(honest),
  'returns everything': serving(independentDeployment(world, { violation: 'returns-everything' })),
  'returns nothing': serving(independentDeployment(world, { violation: 'returns-nothing' })),
  'answers 500': serving(() => broken),
  'records of 14 KB': serving(largeRecords),
  '25,000 ids': serving(idsWithoutNumber),
  'endless bodies': endless,
};

/** What a process and all that it started took. */
interface Cost {
  readonly seconds: number;
  /** Undefined where the system does not say. */
  readonly megabytes: number | undefined;
}

/** Runs a program of Node.js, and watches what it takes. */
async function costOf(args: readonly string[], cwd: string): Promise<Cost> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, CLIENT_APPLICATION_ID: 'application', CLIENT_TOKEN: 'a-token-to-measure-with' },
    stdio: 'ignore',
  });
  let peak: number | undefined;
  const watch = setInterval(() => {
    const now = kilobytesOf(child);
    if (now !== undefined) peak = Math.max(peak ?? 0, now);
  }, 50);
  await new Promise((resolve) => child.on('close', resolve));
  clearInterval(watch);
  const megabytes = peak === undefined ? undefined : peak / 1024;
  return { seconds: (performance.now() - started) / 1000, megabytes };
}

/** The memory of a process and of all that it started, where the system is Linux; what they share counts for each. */
function kilobytesOf({ pid = 0 }: ChildProcess): number | undefined {
  let sum: number | undefined;
  const open = [pid];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    try {
      const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${each}/status`, 'utf8')) ?? [];
      sum = (sum ?? 0) + Number(kilobytes ?? 0);
      for (const task of readdirSync(`/proc/${each}/task`))
        open.push(
          ...readFileSync(`/proc/${each}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
        );
    } catch {
      // It has ended, or this is another system.
    }
  }
  return sum;
}

/** A run of Playwright with one empty test, as `certify` starts it. */
async function playwrightAlone(cwd: string): Promise<Cost> {
  const folder = path.join(packageRoot, 'dist', 'specs', 'empty');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'empty.spec.js'), "import { test } from '@playwright/test';\ntest('', () => {});\n");
  const config = "export default { reporter: 'list', workers: 1, build: { external: ['**/*'] } };\n";
  writeFileSync(path.join(folder, 'playwright.config.js'), config);
  const cli = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
  return costOf(['--optimize-for-size', cli, 'test', '--config', path.join(folder, 'playwright.config.js')], cwd);
}

const certify = [path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js'), 'certify', '--out', 'out'];
const { folder: cwd, remove } = temporaryFolder();
const best = new Map<string, Cost>();
/** Keeps the shortest time and the lowest peak: what else the machine does only adds. */
const note = (kind: string, { seconds, megabytes }: Cost): void => {
  const before = best.get(kind);
  const lower = (one?: number, other?: number) => (one === undefined ? other : Math.min(one, other ?? one));
  best.set(kind, {
    seconds: Math.min(before?.seconds ?? seconds, seconds),
    megabytes: lower(before?.megabytes, megabytes),
  });
};
for (let round = 0; round < rounds; round += 1) {
  note('Playwright alone', await playwrightAlone(cwd));
  for (const [kind, serve] of Object.entries(kinds)) {
    const { url, close } = await serve();
    note(kind, await costOf([...certify, '--base-url', url], cwd));
    await close();
  }
}
remove();
const conforming = best.get('conforming') as Cost;
const row = (cells: readonly string[]): string =>
  `${cells
    .map((cell, n) => cell.padEnd(n === 0 ? 20 : 10))
    .join('')
    .trimEnd()}\n`;
process.stdout.write(row(['', 'time', '', 'memory']));
for (const [kind, { seconds, megabytes }] of best) {
  const memory =
    megabytes === undefined || conforming.megabytes === undefined
      ? ['not known on this system']
      : [`${megabytes.toFixed(0)} MB`, `${(megabytes / conforming.megabytes).toFixed(2)}×`];
  process.stdout.write(
    row([kind, `${seconds.toFixed(1)} s`, `${(seconds / conforming.seconds).toFixed(1)}×`, ...memory]),
  );
}
