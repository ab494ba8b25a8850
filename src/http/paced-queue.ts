import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { ConnectionOptions } from './connection-options.js';

/** A timer may be this late, in milliseconds. Requests that come later do not catch up. */
const timerDelayMs = 15;
/** The longest time between two requests that a deployment which limits the rate causes, in milliseconds. */
const maxSlowIntervalMs = 200;

export type PacedQueue = ReturnType<typeof createPacedQueue>;

export function createPacedQueue({ concurrency, requests_per_second }: ConnectionOptions['pacing']) {
  const closing = new AbortController();
  // Every waiting request listens.
  setMaxListeners(0, closing.signal);
  // p-queue's own interval uses the time of day, which may be set during a run.
  const queue = new PQueue({ concurrency });
  let intervalMs = requests_per_second === undefined ? 0 : 1_000 / requests_per_second;
  // Timers drop fractions of milliseconds.
  const limit = (ms: number): number => Math.ceil(ms) + 1;
  let isSlowed = false;
  let pausedUntil = 0;
  let nextStart = 0;
  let release: NodeJS.Timeout | undefined;
  const pause = (ms: number): void => {
    pausedUntil = Math.max(pausedUntil, performance.now() + ms);
    queue.pause();
    clearTimeout(release);
    release = setTimeout(() => queue.start(), limit(pausedUntil - performance.now()));
  };
  return {
    /** Runs something when its turn comes. Rejects with an AbortError once the queue is closed. @param priority higher goes first */
    run<T>(run: () => Promise<T>, priority: number): Promise<T> {
      const begin = (): Promise<T> => {
        if (intervalMs > 0) {
          const now = performance.now();
          // A late timer delays one request, not all that follow.
          nextStart = Math.max(nextStart, now - Math.min(timerDelayMs, intervalMs)) + intervalMs;
          pause(nextStart - now);
        }
        return run();
      };
      return queue.add(begin, { priority, signal: closing.signal });
    },
    /** Starts nothing for some milliseconds, and then one at a time and slower: without that, every second one is too early. */
    pause: (ms: number): void => {
      pause(ms);
      const slowMs = Math.min(ms / 10, maxSlowIntervalMs);
      isSlowed ||= slowMs > intervalMs;
      intervalMs = Math.max(intervalMs, slowMs);
      queue.concurrency = 1;
    },
    /** Returns the requests per second after a pause, if they are fewer than before it. */
    findSlowedPace: (): number | undefined => (isSlowed ? Math.round(1_000 / intervalMs) : undefined),
    /** Waits, at most until the queue is closed. */
    wait: (ms: number): Promise<void> => sleep(limit(ms), undefined, { signal: closing.signal }).catch(() => undefined),
    close: () => {
      closing.abort();
      clearTimeout(release);
    },
  };
}
