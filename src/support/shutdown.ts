/**
 * Ends this process as Ctrl-C does on SIGTERM and when its terminal is closed (SIGHUP), so that results of what was done
 * by then are written.
 */
export function endAsInterrupted(): void {
  const interrupt = () => process.kill(process.pid, 'SIGINT');
  process.once('SIGTERM', interrupt).once('SIGHUP', interrupt);
}

/** Lets this process write its results although nobody reads its output any more. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
