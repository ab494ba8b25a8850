import type { TargetWorld, World } from '../contract/world.js';
import { cacheByObject, computeOnce } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import { readNumber } from '../support/json.js';
import { createBroadIdSearch } from './broad-id-search.js';
import { anyPartBoundaries, createIdFinder, minIdLengthInsideText } from './id-finder.js';

export type IdFinders = ReturnType<typeof createIdFinders>;

/** Returns the ids of a world. They are collected once: that takes longer than to judge a case. */
export const getIdFinders = cacheByObject((world: World & Partial<Pick<TargetWorld, 'isDataFile' | 'unavailable'>>) => {
  const { tiers, customers, products, skus, categories, campaigns } = world;
  const others = [customers, products, skus, categories, campaigns].flat();
  const keys = [...others.map(({ id }) => id), ...[...categories, ...campaigns].map(({ name }) => name)];
  const otherTexts = () => [
    ...others.flatMap(({ id, name = id }) => [id, name]),
    ...tiers.flatMap(({ name, metadata }) => [name, ...Object.entries(metadata).flat().map(String)]),
  ];
  const ids = tiers.map(({ id }) => id);
  // What the deployment lacks has the id of the suite's world, which says nothing about ids of the deployment.
  const available = ids.filter((id) => world.unavailable?.has(id) !== true);
  // Responses have short numbers and words anyway, as in a count or a key. Other ids that somebody binds are no coincidence.
  const mayBeAnyText = world.isDataFile === true || available.some((id) => /^(?:\d{1,11}|[\p{L}_]{1,11})$/u.test(id));
  return createIdFinders(ids, keys, mayBeAnyText ? otherTexts() : undefined, available);
});

/**
 * @param otherTexts of a deployment with ids of its own, which may be any texts: those that are not ids of tiers
 * @param available the ids of the tiers that the deployment has
 */
export function createIdFinders(
  tiers: readonly string[],
  keys: readonly string[],
  otherTexts?: readonly string[],
  available = tiers,
) {
  const ids = new Set(tiers);
  const texts = new Set(otherTexts?.map((text) => text.toLowerCase()));
  const words = new Set(
    [...texts, ...tiers].filter((text) => /[^\w-]/.test(text)).flatMap((text) => text.toLowerCase().split(/[^\w-]+/)),
  );
  const isOrdinary = (text: string) =>
    otherTexts !== undefined && (text.length < 4 || !/\d/.test(text) || !/\p{L}/u.test(text));
  // Nobody writes so long a text by chance, unless it is data.
  const isShared = (id: string) => (id.length < minIdLengthInsideText && isOrdinary(id)) || texts.has(id.toLowerCase());
  const isOnlyWhole = (id: string) =>
    otherTexts !== undefined && (isShared(id) || !/^[\w-]+$/.test(id) || words.has(id.toLowerCase()));
  // Without any other id, the target file has to say where responses name promotions, unless only one place does.
  const areAllShared = available.every(isShared);
  const getTiersInWords = computeOnce(() => createIdFinder(ids, anyPartBoundaries, isOnlyWhole));
  return {
    tiers: createIdFinder(ids, undefined, isOnlyWhole),
    /** For the ids of tiers that are any part of a text, as in `tier-promo_1`. */
    get tiersInWords() {
      return getTiersInWords();
    },
    /** All other texts that are data, and not names of fields, if they are object keys. */
    keys: createIdFinder(new Set(keys), undefined, isOrdinary),
    listTwins: createTwinFinder(tiers),
    hasNumericIds: tiers.some((id) => readNumber(id) !== undefined),
    searchBroadly: createBroadIdSearch(tiers),
    /** Whether responses may have a text by chance. Such an id counts only where others are named, too. */
    isGuessable: (text: string) =>
      otherTexts !== undefined && (ids.has(text) ? !areAllShared && isShared(text) : isOrdinary(text)),
  };
}

/** Creates a function that lists the ids which differ from an id in letter case alone. */
function createTwinFinder(ids: readonly string[]): (id: string) => readonly string[] {
  const alike = groupBy(ids, (id) => id.toLowerCase());
  if (alike.size === ids.length) return () => [];
  return (id) => (alike.get(id.toLowerCase()) ?? []).filter((other) => other !== id);
}
