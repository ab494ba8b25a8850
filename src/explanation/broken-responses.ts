/**
 * Finds out what responses have in common that do not arrive whole. In: all exchanges of a run. Out: a cause, if all of them and none
 * of the whole ones have it. Pure.
 */

import type { Exchange } from '../http/exchange.js';
import { findResponseBreakage } from '../http/response-breakage.js';
import { isSuccessful } from '../http/response-status.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { UnpassedRow } from './observation.js';
import { minMendedResponses } from './wrong-results.js';

/** The code of the reason of a response that does not arrive whole. */
const brokenCode = 'response-broken';

/** What a body may have. The words follow "with". */
const bodyTraits: readonly (readonly [words: string, has: (body: string) => boolean])[] = [
  ['letters beyond ASCII', (body) => /[^\0-\x7f]/.test(body)],
  ['letters beyond the basic plane of Unicode, such as an emoji', (body) => /[\u{10000}-\u{10ffff}]/u.test(body)],
];

export function findBrokenResponses(
  exchanges: readonly Exchange[],
  rows: readonly UnpassedRow[],
): CauseWithRows | undefined {
  const answered = exchanges.flatMap((exchange) =>
    'response' in exchange && isSuccessful(exchange.response) && exchange.response.bodyLength === undefined
      ? [exchange]
      : [],
  );
  const broken = answered.filter((exchange) => findResponseBreakage(exchange) !== undefined);
  const whole = answered.filter((exchange) => findResponseBreakage(exchange) === undefined);
  const ofBroken = rows.filter(({ reason }) => reason?.code === brokenCode);
  if (broken.length < minMendedResponses || whole.length < minMendedResponses || ofBroken.length === 0)
    return undefined;
  const trait = bodyTraits.find(
    ([, has]) =>
      broken.every(({ response }) => has(response.body)) && !whole.some(({ response }) => has(response.body)),
  );
  if (trait === undefined) return undefined;
  return {
    id: 'broken-responses',
    sentence: `Responses with ${trait[0]} are cut off.`,
    evidence: [
      `All ${broken.length} responses that are cut off have them, and none of ${whole.length} that arrive whole has.`,
    ],
    rows: new Set(ofBroken),
  };
}
