import { spawn } from 'node:child_process';

/**
 * Runs a Node.js program and measures its wall time, in seconds.
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
): Promise<number> {
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
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output = `${output}${text}`.slice(-2_000)));
  const status = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  const seconds = (performance.now() - started) / 1000;
  if (status === null || !expected.includes(status))
    throw new Error(`node ${args.slice(0, 3).join(' ')} … ended with ${status}:\n${output}`);
  return seconds;
}

/** Credentials of all measured programs. */
export const benchCredentials = { applicationId: 'application', token: 'a-token-to-measure-with' };

/** Returns the median time of each program. They run in turn, so that the machine's speed cancels out in ratios. */
export async function measureInTurn<Name extends string>(
  runs: Readonly<Record<Name, () => Promise<number>>>,
  rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(runs) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      process.stderr.write(`${name}, ${round + 1} of ${rounds}\n`);
      times.get(name)?.push(await runs[name]());
    }
  }
  return Object.fromEntries(names.map((name) => [name, findMedian(times.get(name) ?? [])])) as Record<Name, number>;
}

export function findMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
