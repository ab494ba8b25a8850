/** The thread of an adapter. It loads the module and calls its functions, one message for each call. */

import { parentPort, workerData } from 'node:worker_threads';
import type { AdapterContext } from './adapter.js';
import type { AdapterAnswer, AdapterCall, AdapterFunction } from './adapter-thread.js';

const context: AdapterContext = { unsupported: (reason) => ({ unsupported: String(reason) }) };
const known: readonly string[] = ['toRequest', 'toResponse', 'nextRequest'] satisfies AdapterFunction[];

let adapter: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = {};

async function load(): Promise<void> {
  adapter = Object((await import(workerData)).default);
  const names = Object.keys(adapter);
  const isComplete = typeof adapter.toRequest === 'function' && typeof adapter.toResponse === 'function';
  if (isComplete && names.every((name) => known.includes(name))) return;
  const found = names.length === 0 ? 'nothing' : names.join(', ');
  throw new Error(`its default export needs toRequest and toResponse, and may have nextRequest. It has ${found}.`);
}

parentPort?.on('message', async (call: AdapterCall) => {
  const answer = (message: AdapterAnswer) => parentPort?.postMessage(message);
  try {
    // Throws for values that are not plain data.
    answer({ value: call === undefined ? await load() : await adapter[call.name]?.(...call.args, context) });
  } catch (error) {
    const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    answer({ error: { name, message, stack } });
  }
});
