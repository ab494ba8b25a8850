import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The cost of a program and its child processes. */
export interface Cost {
  /** Wall time. */
  readonly seconds: number;
  /** Peak memory, summed over the processes (shared pages count for each); undefined if the system has no /proc. */
  readonly megabytes: number | undefined;
}

/** Interval between two samples of memory, in milliseconds. */
const everyMs = 40;

/**
 * Runs a Node.js program and measures its cost.
 *
 * @param args arguments of `node`
 * @param cwd its working folder
 * @param expected exit statuses that are fine
 * @throws Error for another exit status: the program did not do the work
 */
export async function measureCost(
  args: readonly string[],
  cwd: string,
  expected: readonly number[] = [0],
): Promise<Cost> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      CLIENT_APPLICATION_ID: benchCredentials.applicationId,
      CLIENT_TOKEN: benchCredentials.token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let peak: number | undefined;
  const watch = setInterval(() => {
    const now = kilobytesOf(child.pid ?? 0);
    if (now !== undefined) peak = Math.max(peak ?? 0, now);
  }, everyMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output = `${output}${text}`.slice(-2_000)));
  const status = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  clearInterval(watch);
  const seconds = (performance.now() - started) / 1000;
  if (status === null || !expected.includes(status))
    throw new Error(`node ${args.slice(0, 3).join(' ')} … ended with ${status}:\n${output}`);
  return { seconds, megabytes: peak === undefined ? undefined : peak / 1024 };
}

/** Credentials of all measured programs. */
export const benchCredentials = { applicationId: 'application', token: 'a-token-to-measure-with' };

/** Returns the median cost of each program. They run in turn, so that the machine's speed cancels out in ratios. */
export async function measureInTurn<Name extends string>(
  runs: Readonly<Record<Name, () => Promise<Cost>>>,
  rounds: number,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(runs) as Name[];
  const costs = new Map<Name, Cost[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      process.stderr.write(`${name}, ${round + 1} of ${rounds}\n`);
      costs.get(name)?.push(await runs[name]());
    }
  }
  const medians = names.map((name) => {
    const all = costs.get(name) ?? [];
    const of = (key: keyof Cost) => findMedian(all.flatMap((cost) => cost[key] ?? []));
    return [name, { seconds: of('seconds') ?? 0, megabytes: of('megabytes') }];
  });
  return Object.fromEntries(medians);
}

/** Returns undefined for an empty list. */
export function findMedian(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Returns the memory of a process and its descendants. */
function kilobytesOf(root: number): number | undefined {
  let sum: number | undefined;
  const open = [root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    try {
      const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
      sum = (sum ?? 0) + Number(kilobytes ?? 0);
      for (const task of readdirSync(`/proc/${id}/task`))
        open.push(...readFileSync(`/proc/${id}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
    } catch {
      // The process has ended, or the system has no /proc.
    }
  }
  return sum;
}
