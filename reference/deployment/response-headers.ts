import type { Headers, HttpRequest } from '../../src/http/exchange.js';
import { type CompleteBehaviours, parseHeaderLines } from './behaviours.js';
import { findHeader } from './find-header.js';

/** The headers that every response has, whatever it says, by the request. */
export function createResponseHeaders(behaviours: CompleteBehaviours): (request: HttpRequest) => Headers {
  const questions = ['deprecation-headers', 'rate-limit-headers', 'caching-headers'] as const;
  const always = questions.flatMap((question) => linesOf(behaviours[question]));
  const crossOrigin = linesOf(behaviours['cors-headers']);
  return ({ headers }) => {
    const isCrossOrigin = findHeader(headers, 'origin') !== undefined;
    return isCrossOrigin ? [...always, ...crossOrigin] : always;
  };
}

/** What a header says of which a record keeps only the name. */
const plausible: Readonly<Record<string, string>> = {
  age: '0',
  etag: '"5d8c72a5edda8d6a"',
  expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
  'last-modified': 'Thu, 02 Nov 2023 00:00:00 GMT',
  pragma: 'no-cache',
  'retry-after': '1',
  'x-rate-limit-limit': '2000',
  'x-rate-limit-remaining': '1999',
  'x-rate-limit-retry': '1698883200',
};

function linesOf(text: string): Headers {
  return parseHeaderLines(text).map(([name, value]) => [name, value ?? plausible[name] ?? '1']);
}
