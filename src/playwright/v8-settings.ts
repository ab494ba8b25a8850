/** How the engine works in the processes of a run. */

import { setFlagsFromString } from 'node:v8';

/**
 * What workers begin with. New objects get half of the room that they have by themselves, which takes no more time. And
 * the parser of HTTP, WebAssembly in undici, is not optimised: that takes longer than all that it has to parse, and a
 * tenth of the memory.
 */
const flags = ['--max-semi-space-size=8', '--no-wasm-dynamic-tiering', '--no-wasm-tier-up'];

/** Sets up this process, and those that it forks. */
export function applyV8Flags(): void {
  for (const flag of flags) setFlagsFromString(flag);
  process.execArgv.push(...flags);
}

/**
 * From now on garbage is collected early in this process: by itself, the engine lets that of large bodies pile up. Where
 * there are none, a run would take a tenth longer by it.
 */
export function collectGarbageEarly(): void {
  // Tighter, as with --optimize-for-size, it takes a tenth less memory and twice the time.
  setFlagsFromString('--heap-growing-percent=40');
}

/**
 * Playwright maps the stack of every error to the sources, whether or not anybody will see it, and asks of some ten steps
 * of each test where they begin, by an error without a message: that takes longer than to judge most cases. As it is
 * installed, the package has no maps, and no case is where such an error came about.
 */
export function disableStackMapping(): void {
  Error.prepareStackTrace = (error, frames) =>
    error.message === '' ? String(error) : [String(error), ...frames.map((frame) => `    at ${frame}`)].join('\n');
}
