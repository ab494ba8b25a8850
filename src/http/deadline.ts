/** The longest delay of a timer, in milliseconds. */
export const maxTimerMs = 2 ** 31 - 1;

/** Time for `run` to report the timeout itself, in milliseconds. */
const graceMs = 500;

/**
 * Runs something with a deadline, even if it ignores the signal.
 *
 * @param ms the deadline; `run` gets slightly more time if it ignores the signal
 * @throws a TimeoutError, or what `run` throws
 */
export async function runWithDeadline<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(Math.ceil(ms));
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    const expire = (): void => reject(new DOMException('The deadline has passed.', 'TimeoutError'));
    timer = setTimeout(expire, Math.min(ms + graceMs, maxTimerMs));
  });
  try {
    return await Promise.race([run(signal), expired]);
  } finally {
    clearTimeout(timer);
  }
}
