/** Reads a clock that never goes back, in milliseconds. All processes of one machine share it. */
export function getMonotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}
