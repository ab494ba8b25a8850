import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../../src/support/package-root.js';
import { commandLine, credentialVariables, loadCertificate, runConformance } from '../../test/support/cli.js';
import type { Place, Software, Variant } from './software.js';

/** How a run through a proxy ended. */
export interface Ending {
  readonly status: number | null;
  readonly verdict: string;
  /** The first cause, or else why the certificate is incomplete. */
  readonly cause: string;
  readonly output: string;
}

export function isInstalled({ program }: Software, { needs = program }: Variant): boolean {
  return existsSync(program) && existsSync(needs);
}

const tls = path.join(packageRoot, 'test', 'support', 'tls');

/** Starts a program before the reference deployment, and certifies the deployment through it. */
export async function certifyThrough({ program, args, extension = '' }: Software, variant: Variant): Promise<Ending> {
  const folder = mkdtempSync(path.join(tmpdir(), 'proxy-'));
  // Some programs leave root for a user of their own.
  chmodSync(folder, 0o777);
  const [port, upstreamPort] = [await findFreePort(), await findFreePort()];
  const place: Place = { port, upstream: `127.0.0.1:${upstreamPort}`, folder, pem: path.join(tls, 'server.pem') };
  const config = path.join(folder, `config${extension}`);
  const named = { PORT: port, UPSTREAM_PORT: upstreamPort, UPSTREAM: place.upstream, FOLDER: folder, PEM: place.pem };
  writeFileSync(
    config,
    Object.entries(named).reduce((text, [name, value]) => text.replaceAll(`@${name}@`, String(value)), variant.config),
  );
  const { isTls = false, runs = 1 } = variant;
  writeFileSync(
    path.join(folder, 'target.yaml'),
    `name: proxy\nbase_url: ${isTls ? 'https' : 'http'}://127.0.0.1:${port}\n${isTls ? `tls: { ca: ${path.join(tls, 'authority.pem')} }\n` : ''}`,
  );
  const ends: (() => Promise<void>)[] = [];
  try {
    ends.push(await start(process.execPath, [commandLine, 'serve', '--port', `${upstreamPort}`], upstreamPort, folder));
    ends.push(await start(program, args(config, place), port, folder));
    let ending = await certify(folder);
    for (let run = 1; run < runs; run += 1) ending = await certify(folder);
    return ending;
  } finally {
    for (const end of ends) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function certify(folder: string): Promise<Ending> {
  const args = ['certify', '--target', 'target.yaml', '--out', 'out'];
  const { status, output } = await runConformance(args, { cwd: folder, env: credentialVariables });
  const file = path.join(folder, 'out', 'certificate.json');
  if (!existsSync(file)) throw new Error(output);
  const { verdict, causes = [], incomplete_because: reasons = [] } = loadCertificate(folder, 'out');
  return { status, verdict, cause: causes[0]?.sentence ?? reasons[0] ?? '', output };
}

/** Starts a program, and waits until it listens. @returns ends it, with its children */
async function start(
  program: string,
  args: readonly string[],
  port: number,
  folder: string,
): Promise<() => Promise<void>> {
  const child = spawn(program, args, { cwd: folder, detached: true, env: { PATH: process.env.PATH, HOME: folder } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const closed = once(child, 'close');
  for (let attempt = 0; !(await isListening(port)); attempt += 1) {
    if (child.exitCode !== null || attempt > 900) throw new Error(`${program} does not start: ${output}`);
    await sleep(100);
  }
  return async () => {
    process.kill(-(child.pid as number), 'SIGTERM');
    await closed;
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((isOpen) => {
    socket.destroy();
    return isOpen as boolean;
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
