/** The longest time that a timer takes, in milliseconds. */
export const maxTimerMs = 2 ** 31 - 1;

/** How much longer something may take to say itself that it came to no end in time, in milliseconds. */
const graceMs = 500;

/**
 * Does something in time, whatever becomes of it: the signal that is given when the time is over may go unheard.
 *
 * @param ms how long it may take; a moment more, if it does not heed the signal
 * @throws a TimeoutError, or what `run` throws
 */
export async function runWithDeadline<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(Math.ceil(ms));
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    const expire = (): void => reject(new DOMException('It took too long.', 'TimeoutError'));
    timer = setTimeout(expire, Math.min(ms + graceMs, maxTimerMs));
  });
  try {
    return await Promise.race([run(signal), expired]);
  } finally {
    clearTimeout(timer);
  }
}
