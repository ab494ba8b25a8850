/**
 * Milliseconds on a clock that only goes forward, whatever is done to the time of day. They count from a point of the
 * machine's own, the same for all its processes until it is restarted, so that those of one run can compare.
 */
export function getMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
