/**
 * Finds promotions that responses name and the data file does not have. In: the exchanges of a run. Out: a reason that says so.
 * It changes no verdict: a deployment is not judged by what the file lacks. Pure.
 */

import { entityKinds, type TargetWorld } from '../contract/world.js';
import { isSuccessful } from '../http/response-status.js';
import { getIdFinders } from '../recognition/id-finders.js';
import { listValuesUnderPaths } from '../recognition/list-values-under-paths.js';
import { determineTierReading } from '../recognition/returned-tier-paths.js';
import type { MentionFilter } from '../recognition/sibling-values.js';
import type { ExchangeIndex } from '../run/exchange-index.js';
import { createReason, type Reason } from '../support/reason.js';
import { truncate } from '../support/untrusted-text.js';

/** How the target file says that responses are read. */
interface StatedReading {
  readonly tierPatterns?: readonly string[] | undefined;
  readonly mentionFilter?: MentionFilter | undefined;
}

/** A longer text hides the rest of a sentence. */
const maxName = 60;

/** @returns undefined if there are none, or if it is not clear where responses name promotions */
export function findUnknownPromotions(
  { all, calibration }: Pick<ExchangeIndex, 'all' | 'calibration'>,
  world: TargetWorld,
  { tierPatterns, mentionFilter }: StatedReading,
): Reason | undefined {
  if (world.isDataFile !== true) return undefined;
  const reading = determineTierReading(
    calibration.map(({ mentions }) => mentions),
    tierPatterns,
  );
  if (reading.kind !== 'agreed' && reading.kind !== 'stated') return undefined;
  // Agreeing patterns name the same tiers.
  const patterns = reading.kind === 'stated' ? reading.patterns : reading.patterns.slice(0, 1);
  const ids = getIdFinders(world);
  const bodies = new Set(
    all.flatMap((exchange) =>
      'response' in exchange && isSuccessful(exchange.response) ? [exchange.response.body] : [],
    ),
  );
  const named = new Set([...bodies].flatMap((body) => listValuesUnderPaths(body, patterns, ids, mentionFilter)));
  const isKnown = (text: string) => entityKinds.some((kind) => world.ids[kind].has(text));
  const unknown = [...named].filter(
    (text) =>
      text !== '' &&
      !isKnown(text) &&
      ids.tiers.findIds(text).ids.length === 0 &&
      ids.tiers.findAnywhere(text).length === 0,
  );
  if (unknown.length === 0) return undefined;
  return createReason('data-outdated', { names: unknown.sort().map((text) => `'${truncate(text, maxName)}'`) });
}
