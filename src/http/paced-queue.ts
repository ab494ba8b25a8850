import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import type { Pacing } from './connection-options.js';
import { maxTimerMs } from './deadline.js';

/** Lets requests go in turn, as many at once and as many per second as the pacing says. */
export interface PacedQueue {
  /**
   * Runs something when its turn comes.
   *
   * @param priority the higher go first; of equal ones the first that came
   * @returns what `run` does; rejects with an AbortError once the queue is closed
   */
  run<T>(run: () => Promise<T>, priority: number): Promise<T>;
  /** Lets nothing go for so many milliseconds, and one at a time from then on. */
  pause(ms: number): void;
  /** Waits, in milliseconds; no longer than until the queue is closed. */
  wait(ms: number): Promise<void>;
  close(): void;
}

/** How late a timer may come, in milliseconds; what comes later was waited for. */
const timerDelayMs = 15;

/**
 * Makes a queue with the pacing of one target.
 *
 * @param maxWaitMs how long may be waited at most, from now on: then the turn of all has come
 */
export function createPacedQueue({ concurrency, requestsPerSecond }: Pacing, maxWaitMs: () => number): PacedQueue {
  const closing = new AbortController();
  // Everything that waits for its turn listens.
  setMaxListeners(0, closing.signal);
  // Not paced by the queue itself, which goes by the time of day.
  const queue = new PQueue({ concurrency });
  const intervalMs = requestsPerSecond === undefined ? 0 : 1_000 / requestsPerSecond;
  // Timers leave out fractions of milliseconds.
  const bounded = (ms: number): number => Math.min(Math.ceil(Math.min(ms, maxWaitMs())) + 1, maxTimerMs);
  let pausedUntil = 0;
  /** The turn of the next request. */
  let due = 0;
  let release: NodeJS.Timeout | undefined;
  const pause = (ms: number): void => {
    pausedUntil = Math.max(pausedUntil, getMonotonicMs() + ms);
    queue.pause();
    clearTimeout(release);
    release = setTimeout(() => queue.start(), bounded(pausedUntil - getMonotonicMs()));
  };
  return {
    run: (run, priority) => {
      const begin = (): ReturnType<typeof run> => {
        if (intervalMs > 0) {
          const now = getMonotonicMs();
          // A timer that comes late delays one request, not all that follow.
          due = Math.max(due, now - Math.min(timerDelayMs, intervalMs)) + intervalMs;
          pause(due - now);
        }
        return run();
      };
      return queue.add(begin, { priority, signal: closing.signal });
    },
    pause: (ms) => {
      pause(ms);
      queue.concurrency = 1;
    },
    wait: (ms) => delay(bounded(ms), undefined, { signal: closing.signal }).catch(() => undefined),
    close: () => {
      closing.abort();
      clearTimeout(release);
    },
  };
}
