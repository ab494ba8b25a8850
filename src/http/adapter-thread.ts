import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { type Location, UnusableInput } from '../support/problem.js';
import { truncate } from '../support/untrusted-text.js';
import type { Adapter, AdapterFile } from './adapter.js';

export type AdapterFunction = keyof Adapter;

const maxMessage = 500;

export interface AdapterCall {
  readonly name: AdapterFunction;
  readonly args: readonly unknown[];
}

/** A running adapter. Its functions return what the module returns, unchecked. */
export interface AdapterThread {
  /**
   * Calls a function; returns undefined if the module does not have it.
   *
   * @throws UnusableInput with the line in the module if the function throws or does not return; then always
   */
  call(name: AdapterFunction, args: readonly unknown[]): Promise<unknown>;
  /** Ends the adapter with a problem in one of its functions. */
  refuse(name: AdapterFunction, message: string, hint: string): UnusableInput;
  /** @throws UnusableInput with the problem that ended the adapter, if one did: no verdict is valid then */
  close(): Promise<void>;
}

/** How long each call may take, and loading, in milliseconds. Pure functions need microseconds. */
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
  /** Aborts when the adapter ends, with the problem. */
  const ending = new AbortController();
  const fail = (at: Location, message: string, hint: string): UnusableInput => {
    // Redacted before it is cut: a part of a secret would not be found.
    ending.abort(new UnusableInput([{ at, message: truncate(redact(message), maxMessage), hint }]));
    void worker.terminate();
    return ending.signal.reason;
  };
  const locate = (name: AdapterFunction | undefined): Location => findFunction(file, shown, name);
  let current: AdapterFunction | undefined;
  worker.on('error', (thrown: unknown) => {
    const { name, message, stack = '' } = thrown instanceof Error ? thrown : new Error(String(thrown));
    const [, line, column = '1'] =
      stack.split(url)[1]?.match(/^:(\d+)(?::(\d+))?/) ?? (name === 'SyntaxError' ? findSyntaxError(file) : null) ?? [];
    const at = line === undefined ? locate(current) : { file: shown, line: Number(line), column: Number(column) };
    fail(at, `the adapter failed: ${message}`, moduleHint);
  });
  worker.on('exit', () => fail(locate(current), 'the adapter ended its thread', endHint));

  // One call at a time: the answers need no number, and what goes wrong belongs to the current call.
  const calls = new PQueue({ concurrency: 1 });
  const ask = async (call: AdapterCall | undefined, limitMs: number): Promise<unknown> => {
    ending.signal.throwIfAborted();
    current = call?.name;
    const late = `${current ?? 'the adapter'} did not return within ${limitMs / 1_000} seconds`;
    const timer = setTimeout(() => fail(locate(current), late, endHint), limitMs);
    if (call !== undefined) worker.postMessage(call);
    const [value] = await once(worker, 'message', { signal: ending.signal })
      .catch(() => {
        throw ending.signal.reason;
      })
      .finally(() => clearTimeout(timer));
    return value;
  };
  const loading = calls.add(() => ask(undefined, defaultTimeoutMs));
  loading.catch(() => undefined);
  return {
    call: (name, args) => calls.add(() => ask({ name, args }, timeoutMs)),
    refuse: (name, message, hint) => fail(locate(name), message, hint),
    async close() {
      worker.removeAllListeners('exit');
      await worker.terminate();
      ending.signal.throwIfAborted();
    },
  };
}

const endHint = 'Functions of an adapter are pure: they return a value, and do not wait, loop or exit.';
const moduleHint = 'An adapter is an ES module: name it .mjs, or .mts with Node.js 22.18 or newer.';

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
