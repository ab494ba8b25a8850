import type { Headers } from '../../src/http/exchange.js';

/** The first value of a header, whose name is given in lower case. */
export function findHeader(headers: Headers, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}
