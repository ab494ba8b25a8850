/** The longest delay of a timer, in milliseconds. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs something with a deadline, even if it ignores the signal.
 *
 * @param ms the deadline, in milliseconds
 * @throws a TimeoutError, or what `run` throws
 */
export function runWithDeadline<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expiring = new AbortController();
    const expire = (): void => {
      const error = new DOMException('The deadline has passed.', 'TimeoutError');
      expiring.abort(error);
      reject(error);
    };
    // A timer drops fractions of milliseconds.
    const timer = setTimeout(expire, Math.min(Math.ceil(ms) + 1, maxTimerMs));
    run(expiring.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
