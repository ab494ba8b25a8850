import type { AnsweredExchange } from '../../assertions/row-evidence.js';
import { indexPositionsById, listAvailableTiers, type TargetWorld } from '../../contract/world.js';
import type { Recognizer } from '../../recognition/recognizer.js';
import { createReason, type Reason } from '../../support/reason.js';

/** In which order the tiers were created, as far as anything but the results shows it. */
export interface CreationOrder {
  readonly isReversed: boolean;
  readonly evidence: Reason;
}

/** The number of tiers from which a common order is no coincidence. */
const minOrdered = 10;

/** Finds the first of these that shows an order: times in responses, ids that grow, the file of ids of a loader. */
export function findCreationOrder(
  successes: readonly AnsweredExchange[],
  { world, recognizer }: { readonly world: TargetWorld; readonly recognizer: Recognizer },
): CreationOrder | undefined {
  const ids = findGrowth(readNumbers(listAvailableTiers(world).map(({ id }) => id)));
  const listed = world.listedOrder;
  return (
    readTimes(successes, world, recognizer) ??
    (ids && { isReversed: ids === 'grows', evidence: createReason('order-by-ids') }) ??
    (listed && { isReversed: listed === 'newest-first', evidence: createReason('order-by-lines', { listed }) })
  );
}

/** Finds a time beside each tier that follows the ranks, whatever its name. */
function readTimes(
  successes: readonly AnsweredExchange[],
  world: TargetWorld,
  recognizer: Recognizer,
): CreationOrder | undefined {
  const times = new Map<string, Map<string, bigint | undefined>>();
  for (const { response } of successes)
    for (const { id, values } of recognizer.listLocatedMentions(response.body))
      for (const [name, text] of values) {
        const ofName = times.get(name) ?? new Map<string, bigint | undefined>();
        times.set(name, ofName.set(id, readTime(text)));
      }
  const ranks = indexPositionsById(world.tiers);
  for (const [name, byId] of times) {
    const sorted = [...byId].sort(([left], [right]) => (ranks.get(left) ?? 0) - (ranks.get(right) ?? 0));
    const growth = findGrowth(sorted.map(([, time]) => time));
    if (growth !== undefined)
      return { isReversed: growth === 'grows', evidence: createReason('order-by-times', { name }) };
  }
  return undefined;
}

/** A time as in ISO 8601, or as a number of seconds or milliseconds since the epoch. */
function readTime(text: string): bigint | undefined {
  if (/^\d{10,16}$/.test(text)) return BigInt(text);
  const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : BigInt(time);
}

/** Numbers in the order of ids: those that they end with, or the whole text if all are equally long, such as ULIDs. */
function readNumbers(ids: readonly string[]): (bigint | undefined)[] {
  if (new Set(ids.map(({ length }) => length)).size === 1)
    return ids.map((id) => BigInt(`0x${Buffer.from(id).toString('hex')}`));
  return ids.map((id) => {
    const [digits] = /\d+$/.exec(id) ?? [];
    return digits === undefined ? undefined : BigInt(digits);
  });
}

/** Whether values never fall, or never rise; undefined if they do both, or if some are missing. */
function findGrowth(values: readonly (bigint | undefined)[]): 'grows' | 'falls' | undefined {
  const known = values.flatMap((value) => value ?? []);
  if (known.length < values.length || known.length < minOrdered || known[0] === known.at(-1)) return undefined;
  const pairs = known.slice(1).map((value, n) => [known[n] as bigint, value] as const);
  if (pairs.every(([before, after]) => before <= after)) return 'grows';
  return pairs.every(([before, after]) => before >= after) ? 'falls' : undefined;
}
