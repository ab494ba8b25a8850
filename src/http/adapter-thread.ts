import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Location, UnusableInput } from '../support/problem.js';
import type { Adapter, AdapterFile } from './adapter.js';

export const adapterFunctions = [
  'toRequest',
  'nextRequest',
  'toResponse',
] as const satisfies readonly (keyof Adapter)[];
export type AdapterFunction = (typeof adapterFunctions)[number];

export interface AdapterCall {
  readonly id: number;
  readonly name: AdapterFunction;
  readonly args: readonly unknown[];
}

/** The answer to a call; 0 is the id of loading the module, and its value the names of the functions. */
export type AdapterAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: AdapterError });

export interface AdapterError {
  readonly message: string;
  readonly stack: string;
  readonly isSyntaxError: boolean;
}

/** A running adapter. Its functions return what the module returns, unchecked. */
export interface AdapterThread {
  has(name: AdapterFunction): Promise<boolean>;
  /** @throws UnusableInput with the line in the module if the function throws or does not return; then always */
  call(name: AdapterFunction, args: readonly unknown[]): Promise<unknown>;
  /** Ends the adapter with a problem in one of its functions. */
  refuse(name: AdapterFunction, message: string, hint: string): UnusableInput;
  /** Returns the problem that ended the adapter, if one did. */
  findFailure(): UnusableInput | undefined;
  close(): Promise<void>;
}

/** How long loading, and by default each call, may take. Pure functions need microseconds. */
const defaultTimeoutMs = 10_000;

/**
 * Starts an adapter in a thread: an endless loop in this one could not be interrupted. The thread has no environment
 * variables, so that it has no credentials. What it prints goes to standard error.
 *
 * @param redact replaces secrets in printed text and in messages
 * @param timeoutMs how long each call may take, in milliseconds
 */
export function startAdapter(
  { file, shown }: AdapterFile,
  redact: (text: string) => string,
  timeoutMs = defaultTimeoutMs,
): AdapterThread {
  const url = pathToFileURL(file).href;
  const worker = new Worker(new URL('./adapter-worker.js', import.meta.url), {
    workerData: url,
    env: {},
    // Warnings of Node.js name files of the suite.
    execArgv: ['--no-warnings'],
    stdout: true,
    stderr: true,
  });
  worker.unref();
  for (const stream of [worker.stdout, worker.stderr])
    createInterface({ input: stream }).on('line', (line) => process.stderr.write(`${shown}: ${redact(line)}\n`));
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let failure: UnusableInput | undefined;
  const fail = (at: Location, message: string, hint: string): UnusableInput => {
    failure ??= new UnusableInput([{ at, message: redact(message), hint }]);
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
    void worker.terminate();
    return failure;
  };
  const locate = (name: AdapterFunction | undefined): Location => findFunction(file, shown, name);
  let current: AdapterFunction | undefined;
  worker.on('message', (answer: AdapterAnswer) => {
    if ('value' in answer) {
      waiting.get(answer.id)?.resolve(answer.value);
      waiting.delete(answer.id);
      return;
    }
    const { message, stack, isSyntaxError } = answer.error;
    const [, line, column = '1'] =
      stack.split(url)[1]?.match(/^:(\d+)(?::(\d+))?/) ?? (isSyntaxError ? findSyntaxError(file) : null) ?? [];
    const at = line === undefined ? locate(current) : { file: shown, line: Number(line), column: Number(column) };
    fail(at, `the adapter failed: ${message}`, findHint(file, message));
  });
  worker.on('error', (error) => fail(locate(current), `the adapter failed: ${error.message}`, endHint));
  worker.on('exit', () => fail(locate(current), 'the adapter ended its thread', endHint));

  const wait = async (id: number, limitMs: number, name?: AdapterFunction): Promise<unknown> => {
    if (failure !== undefined) throw failure;
    let timer: NodeJS.Timeout | undefined;
    const expire = () =>
      fail(locate(name), `${name ?? 'the adapter'} did not return within ${limitMs / 1_000} seconds`, endHint);
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    timer = setTimeout(expire, limitMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  };
  const loading: Promise<unknown> | undefined = wait(0, defaultTimeoutMs);
  const load = async (): Promise<readonly AdapterFunction[]> => (await loading) as readonly AdapterFunction[];
  loading.catch(() => undefined);
  let count = 0;
  return {
    has: async (name) => (await load()).includes(name),
    async call(name, args) {
      await load();
      current = name;
      count += 1;
      const id = count;
      const answer = wait(id, timeoutMs, name);
      worker.postMessage({ id, name, args } satisfies AdapterCall);
      return answer;
    },
    refuse: (name, message, hint) => fail(locate(name), message, hint),
    findFailure: () => failure,
    async close() {
      worker.removeAllListeners('exit');
      await worker.terminate();
    },
  };
}

const endHint = 'Functions of an adapter are pure: they return a value, and do not wait, loop or exit.';

/** Tells how to correct a module that cannot be loaded or that threw. */
function findHint(file: string, message: string): string {
  const extension = path.extname(file);
  if (/^\.m?ts$/.test(extension) && message.includes('Unknown file extension'))
    return `Node.js ${process.versions.node} does not run TypeScript. Use Node.js 22.18 or newer, or write the adapter as .mjs.`;
  if (/^\.[jt]s$/.test(extension) && /Unexpected token 'export'|Cannot use import statement/.test(message))
    return `Node.js takes the file for CommonJS. Rename it to .m${extension.slice(1)}, or write "type": "module" in its package.json.`;
  return 'Correct the adapter: no case was judged with it.';
}

/** Node.js names the line of a syntax error only where it prints the error. */
function findSyntaxError(file: string): RegExpMatchArray | null {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', env: {} });
  return stderr.match(/^.*:(\d+)$/m);
}

/** Finds the line that defines a function. */
function findFunction(file: string, shown: string, name: AdapterFunction | undefined): Location {
  const lines = name === undefined ? [] : readFileSync(file, 'utf8').split('\n');
  const index = lines.findIndex((line) => new RegExp(`\\b${name}\\b\\s*[:(=]`).test(line));
  return { file: shown, line: Math.max(index, 0) + 1, column: Math.max(lines[index]?.indexOf(name ?? '') ?? 0, 0) + 1 };
}
