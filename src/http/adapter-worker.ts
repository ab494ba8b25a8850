/** The thread of an adapter. It loads the module, says so, and calls a function for each message. */

import { parentPort, workerData } from 'node:worker_threads';
import type { AdapterContext } from './adapter.js';
import type { AdapterCall, AdapterFunction } from './adapter-thread.js';

const context: AdapterContext = { unsupported: (reason) => ({ unsupported: String(reason) }) };
const known: readonly string[] = ['toRequest', 'toResponse', 'nextRequest'] satisfies AdapterFunction[];

// Before the module is loaded: this keeps the thread alive. An error ends the thread, which reports it.
parentPort?.on('message', async ({ name, args }: AdapterCall) => {
  const value = await adapter[name]?.(...args, context);
  try {
    parentPort?.postMessage(value);
  } catch (error) {
    // The value is not plain data. The error is a DOMException, which leaves the thread without its message.
    throw new Error(String(error));
  }
});

const adapter: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = Object(
  (await import(workerData)).default,
);
const names = Object.keys(adapter);
const isComplete = typeof adapter.toRequest === 'function' && typeof adapter.toResponse === 'function';
if (!isComplete || !names.every((name) => known.includes(name))) {
  const found = names.length === 0 ? 'nothing' : names.join(', ');
  throw new Error(`its default export needs toRequest and toResponse, and may have nextRequest. It has ${found}.`);
}
parentPort?.postMessage('loaded');
