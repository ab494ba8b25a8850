/**
 * Finds out whether a data file that is older than the data of the deployment, or not complete, explains what is wrong: each
 * promotion has the same wrong result again and again, and it would be right with another entry in the file. In: what was
 * observed. Out: these promotions, and what their entries would have to be. Pure.
 */

import { createOracle, type Obligation } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import { cacheByObject } from '../support/caches.js';
import { groupBy, renderShortList } from '../support/collections.js';
import { createReason, type Reason } from '../support/reason.js';
import { type EntryChange, listChangedEntries } from './changed-entries.js';
import { quoteTierName } from './narrowed-failure.js';
import type { ComparableObservation, Observations } from './observation.js';

/** How the results of a promotion differ from its entry in the data file. */
type Direction = 'never' | 'missing' | 'extra' | 'both';

/** A promotion whose entry in the data file may be out of date. */
interface OutdatedTier {
  readonly tier: Tier;
  readonly direction: Direction;
  /** What would make all its results right. Undefined if it is missing each time: the deployment may not have it. */
  readonly change: EntryChange | undefined;
  /** How many responses show it. */
  readonly shown: number;
}

/** What the responses show of one promotion. */
interface TierResults {
  readonly tier: Tier;
  readonly position: number;
  readonly missing: number;
  readonly extra: number;
  /** Whether a response returns it for which the documentation says anything of it. */
  readonly isReturned: boolean;
  /** Whether no response returns it. */
  readonly isNeverReturned: boolean;
}

/** A promotion that few responses show to be wrong may be wrong for anything that these have. */
const minShown = 3;
/** The share of such promotions that says that the file is out of date, and not that something in few requests matters. */
const leastShareOfShown = 0.5;
/** An entry may have changed in more than what is tried. */
const leastShareOfWrong = 0.8;
/** The share of entries that need more than one change. Where most do, anything else made the results wrong. */
const maxShareOfComplex = 0.5;

/** @returns a reason for a report; undefined if no other entries of the file explain nearly all that is wrong */
export function suspectOutdatedData(run: Pick<Observations, 'compared' | 'tiers' | 'world'>): Reason | undefined {
  const { compared, tiers, world } = run;
  // Where nothing of the file is ever returned, it may be the data of another deployment.
  const isAnyReturned = compared.some(({ returned }) => returned.includes(true));
  if (world.isDataFile !== true || !isAnyReturned) return undefined;
  const wrong = tiers.flatMap((tier, position) => countResults(compared, tier, position));
  const absent = new Set(wrong.flatMap(({ tier, isReturned }) => (isReturned ? [] : [tier])));
  const judge = createEntryJudge(run, absent);
  const outdated = wrong.flatMap((results): OutdatedTier[] => {
    const { tier, missing, extra, isReturned, isNeverReturned } = results;
    const shown = missing + extra;
    if (!isReturned) return [{ tier, direction: isNeverReturned ? 'never' : 'missing', change: undefined, shown }];
    const change = findChange(results, compared, judge);
    const direction = missing === 0 ? 'extra' : extra === 0 ? 'missing' : 'both';
    return change === undefined ? [] : [{ tier, direction, change, shown }];
  });
  const often = outdated.filter(({ shown }) => shown >= minShown).length;
  const complex = outdated.filter(({ change }) => change !== undefined && change.words.length > 1).length;
  const isSuspect =
    often > 0 &&
    often >= leastShareOfShown * outdated.length &&
    complex <= maxShareOfComplex * outdated.length &&
    outdated.length >= leastShareOfWrong * wrong.length;
  return isSuspect ? describe(outdated, tiers.length) : undefined;
}

/** Counts what the responses show of a promotion. @returns none if all its results are right */
function countResults(compared: readonly ComparableObservation[], tier: Tier, position: number): TierResults[] {
  const count = (obligation: Obligation, isReturned: boolean) =>
    compared.filter(({ documented, returned }) => {
      return documented[position] === obligation && returned[position] === isReturned;
    }).length;
  const [missing, extra] = [count('required', false), count('forbidden', true)];
  const returning = compared.filter(({ returned }) => returned[position]);
  const isReturned = returning.some(({ documented }) => documented[position] !== 'open');
  const results = { tier, position, missing, extra, isReturned, isNeverReturned: returning.length === 0 };
  return missing + extra === 0 ? [] : [results];
}

/** Says what must be returned if a promotion had another entry. */
type EntryJudge = (shown: ComparableObservation, tier: Tier, entry: Tier) => Obligation;

/** @param absent promotions that the deployment may not have: then older ones are among the newest 150 */
function createEntryJudge({ world }: Pick<Observations, 'world'>, absent: ReadonlySet<Tier>): EntryJudge {
  const others = absent.size === 0 ? world : { ...world, tiers: world.tiers.filter((tier) => !absent.has(tier)) };
  const getOracles = cacheByObject(({ request }: ComparableObservation) =>
    [world, others].map((data) => {
      const stated = createOracle(request, data);
      return stated.whenReturning ?? stated;
    }),
  );
  return (shown, tier, entry) => {
    const [oracle, without] = getOracles(shown);
    if (oracle === undefined) return 'open';
    const checked = oracle.checked(tier);
    const isChecked = checked === without?.checked(tier) ? checked : 'open';
    const parts = [isChecked, oracle.matching(entry), oracle.valid(entry)];
    if (parts.includes('forbidden')) return 'forbidden';
    return parts.includes('open') ? 'open' : 'required';
  };
}

/** Finds the smallest change of an entry with which all results of the promotion are right. */
function findChange(
  { tier, position }: TierResults,
  compared: readonly ComparableObservation[],
  judge: EntryJudge,
): EntryChange | undefined {
  const isRight = (shown: ComparableObservation, entry: Tier) =>
    judge(shown, tier, entry) !== (shown.returned[position] ? 'forbidden' : 'required');
  // What is open may be returned although a rule is not met.
  const returning = compared
    .filter(({ documented, returned }) => returned[position] && documented[position] !== 'open')
    .map(({ request }) => parseRequest(request));
  return listChangedEntries(tier, returning).find(({ entry }) => compared.every((shown) => isRight(shown, entry)));
}

const directions = {
  never: 'never returned',
  missing: 'missing where the file requires them',
  extra: 'returned where the file forbids them',
  both: 'partly missing and partly returned against the file',
} as const satisfies Record<Direction, string>;

function describe(outdated: readonly OutdatedTier[], total: number): Reason {
  const byDirection = groupBy(outdated, ({ direction }) => direction);
  const seen = [...byDirection].map(([direction, alike]) => {
    const names = renderShortList(alike.map(({ tier }) => quoteTierName(tier)));
    return `${alike.length} ${directions[direction]} (${names})`;
  });
  const changes = groupBy(
    outdated.flatMap(({ change }) => change?.words ?? []),
    (words) => words,
  );
  const repairs = [...changes].map(([words, alike]) => `${words} (${alike.length})`);
  return createReason('data-differs', {
    count: outdated.length,
    total,
    seen: seen.join('; '),
    repairs: repairs.length === 0 ? '' : renderShortList(repairs),
  });
}
