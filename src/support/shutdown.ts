/** On SIGTERM and when its terminal is closed (SIGHUP), ends this process as Ctrl-C does: it writes its results. */
export function endAsInterrupted(): void {
  const interrupt = () => process.kill(process.pid, 'SIGINT');
  process.once('SIGTERM', interrupt).once('SIGHUP', interrupt);
}

/** Lets this process write its results although nobody reads its output any more. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
