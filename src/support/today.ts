/** Returns the current day in UTC, such as 2027-03-31. */
export function getToday(): string {
  return new Date().toISOString().slice(0, 10);
}
