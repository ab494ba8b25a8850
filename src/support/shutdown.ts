/** How often a process checks whether its parent still runs, in milliseconds. */
const intervalMs = 250;

/**
 * Calls back once when this process should end: on SIGTERM, when its terminal is closed (SIGHUP), or when its parent has
 * ended. From now on these signals do not end the process by themselves.
 */
export function watchForShutdown(shutDown: () => void): void {
  const { ppid } = process;
  let isCalled = false;
  const call = () => {
    if (!isCalled) shutDown();
    isCalled = true;
  };
  const timer = setInterval(() => {
    if (process.ppid !== ppid) call();
  }, intervalMs);
  timer.unref();
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, call);
}

/** Lets this process write its results although nobody reads its output any more. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
