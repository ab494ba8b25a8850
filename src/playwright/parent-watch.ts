/** How often a process looks whether the one that started it is still there, in milliseconds. */
const intervalMs = 250;

const signals = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Calls back, once, when this process is to end: it gets SIGTERM, its terminal was closed (SIGHUP), or the process
 * that started it ended without it. From then on neither signal ends it by itself.
 *
 * @returns how to end the watch
 */
export function watchForShutdown(act: () => void): () => void {
  const { ppid } = process;
  let isDismissed = false;
  const dismissed = () => {
    if (!isDismissed) act();
    isDismissed = true;
  };
  const watch = setInterval(() => {
    if (process.ppid !== ppid) dismissed();
  }, intervalMs);
  watch.unref();
  for (const signal of signals) process.on(signal, dismissed);
  return () => {
    clearInterval(watch);
    for (const signal of signals) process.off(signal, dismissed);
  };
}

/** Lets this process go on when nobody reads any more what it prints: it still has results to write. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
