import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Pacing } from './connection-options.js';

/** Lets requests go in turn, as many at once and as many per second as the pacing says. */
export interface PacedQueue {
  /**
   * Runs something when its turn comes.
   *
   * @param priority the higher go first; of equal ones the first that came
   * @returns what `run` does; rejects with an AbortError once the queue is closed
   */
  inTurn<T>(run: () => Promise<T>, priority: number): Promise<T>;
  /** Lets nothing go for so many milliseconds, and one at a time from then on. */
  holdUp(ms: number): void;
  /** Waits, in milliseconds; no longer than until the queue is closed. */
  wait(ms: number): Promise<void>;
  close(): void;
}

/** Makes a queue with the pacing of one target. */
export function pacedQueue({ concurrency, requestsPerSecond }: Pacing): PacedQueue {
  const closing = new AbortController();
  // Everything that waits for its turn listens.
  setMaxListeners(0, closing.signal);
  const queue = new PQueue({
    concurrency,
    ...(requestsPerSecond === undefined ? {} : { interval: 1_000 / requestsPerSecond, intervalCap: 1 }),
  });
  let pausedUntil = 0;
  let release: NodeJS.Timeout | undefined;
  return {
    inTurn: (run, priority) => queue.add(run, { priority, signal: closing.signal }),
    holdUp: (ms) => {
      pausedUntil = Math.max(pausedUntil, Date.now() + ms);
      queue.pause();
      queue.concurrency = 1;
      clearTimeout(release);
      release = setTimeout(() => queue.start(), pausedUntil - Date.now());
    },
    wait: (ms) => delay(ms, undefined, { signal: closing.signal }).catch(() => undefined),
    close: () => {
      closing.abort();
      clearTimeout(release);
    },
  };
}
