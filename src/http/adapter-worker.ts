/** The thread of an adapter. It loads the module and calls its functions, one message for each call. */

import { parentPort, workerData } from 'node:worker_threads';
import type { AdapterContext } from './adapter.js';
import { type AdapterAnswer, type AdapterCall, type AdapterError, adapterFunctions } from './adapter-thread.js';

type AnyFunction = (...args: readonly unknown[]) => unknown;

const context: AdapterContext = { unsupported: (reason) => ({ unsupported: String(reason) }) };

/** @param error anything that was thrown */
function describeError(error: unknown): AdapterError {
  if (!(error instanceof Error)) return { message: String(error), stack: '', isSyntaxError: false };
  // A module with a syntax error has no line of its own in the stack.
  return { message: error.message, stack: error.stack ?? '', isSyntaxError: error.name === 'SyntaxError' };
}

async function answer(id: number, compute: () => unknown): Promise<void> {
  const post = (message: AdapterAnswer) => parentPort?.postMessage(message);
  try {
    // Throws for values that are not plain data.
    post({ id, value: await compute() });
  } catch (error) {
    post({ id, error: describeError(error) });
  }
}

const loading = import(workerData as string).then((module) => module.default);
// Before the module is awaited: without a listener, a module that never settles would end the thread.
parentPort?.on('message', ({ id, name, args }: AdapterCall) =>
  answer(id, async () => ((await loading)[name] as AnyFunction)(...args, context)),
);
await answer(0, async () => {
  const adapter = await loading;
  if (typeof adapter !== 'object' || adapter === null)
    throw new Error('The module has no default export that is an object.');
  const missing = ['toRequest', 'toResponse'].find((name) => typeof adapter[name] !== 'function');
  const other = Object.keys(adapter).find((name) => !adapterFunctions.some((each) => each === name));
  const found =
    other === undefined ? '' : ` It has an unknown member '${other}'. Known: ${adapterFunctions.join(', ')}.`;
  if (missing !== undefined) throw new Error(`The adapter has no function ${missing}.${found}`);
  if (other !== undefined) throw new Error(`The adapter cannot be used.${found}`);
  return Object.keys(adapter);
});
