import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Deployments with one mistake each, which others wrote. A fleet is a folder with a program `run.py`: `--list` prints a JSON
 * list of `{ id, story, legal }`, and `--run ID --world FILE --port PORT` serves one of them on loopback until it is ended.
 */
export interface Fleet {
  readonly program: string;
  readonly members: readonly FleetMember[];
}

export interface FleetMember {
  readonly id: string;
  readonly story: string;
  /** Whether the documentation leaves open what it does. */
  readonly legal: boolean;
}

/** The credentials of every fleet. */
export const fleetCredentials = { CLIENT_APPLICATION_ID: 'fleet-app', CLIENT_TOKEN: 'fleet-token-51c7' };

export function loadFleet(folder: string): Fleet {
  const program = path.join(folder, 'run.py');
  return { program, members: JSON.parse(execFileSync('python3', [program, '--list'], { encoding: 'utf8' })) };
}

/** Serves a member of a fleet with some data while it is used. @param use gets the base URL */
export async function serveMember<T>(
  { program }: Fleet,
  id: string,
  data: string,
  use: (baseUrl: string) => Promise<T> | T,
): Promise<T> {
  const port = await findFreePort();
  const args = [program, '--run', id, '--world', data, '--port', String(port)];
  const server = spawn('python3', args, { stdio: 'ignore', detached: true });
  try {
    await waitForPort(port);
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    end(server);
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** @throws Error if nothing listens after a minute */
async function waitForPort(port: number): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await wait(100);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}

/** Ends a server with the processes that it started. */
function end({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
}
