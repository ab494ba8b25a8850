/**
 * Joins what narrowing found about several groups of failures, where one explanation is behind them. In: groups, each with what was
 * found. Out: fewer of them. Pure.
 */

import type { FailureGroup, NarrowedGroup } from './failure-groups.js';
import type { NarrowedFailure } from './narrowed-failure.js';
import { findLeastTextDifference, getDifferenceKey } from './text-difference.js';

/** Adds failures to the group whose texts differ in the same letters, if there is one. */
export function joinSameLetters(found: readonly NarrowedGroup[], { symptom, start, rows }: FailureGroup): boolean {
  if (symptom.kind !== 'extra' || found.every(({ narrowed }) => narrowed.letters === undefined)) return false;
  const difference = findLeastTextDifference([start.exchange.request], symptom.tier);
  const key = difference && getDifferenceKey(difference);
  const alike = found.find(({ narrowed }) => narrowed.letters !== undefined && narrowed.letters === key);
  alike?.rows.push(...rows);
  return alike !== undefined;
}

/** Adds what was found to the group with the same explanation, if there is one. What says more is kept. */
export function addGroup(found: NarrowedGroup[], { symptom, rows }: FailureGroup, narrowed: NarrowedFailure): void {
  // That a filter makes the difference says less than which texts it does not find.
  const isOfFilter = ({ kind }: NarrowedFailure) => kind === 'tier-metadata' || kind === 'stored-texts';
  const isAlike = (earlier: NarrowedFailure) =>
    (earlier.kind === narrowed.kind && earlier.part === narrowed.part) ||
    narrowed.lostTexts?.some((text) => earlier.lostTexts?.includes(text)) === true ||
    (isOfFilter(earlier) && isOfFilter(narrowed) && [earlier.kind, narrowed.kind].includes('tier-metadata'));
  const place = found.findIndex((earlier) => isAlike(earlier.narrowed) && earlier.symptom.kind === symptom.kind);
  const alike = found[place];
  if (alike === undefined) {
    found.push({ symptom, rows: [...rows], narrowed });
    return;
  }
  const now: NarrowedGroup = { symptom, rows: [], narrowed };
  const [kept, other] = saysMore(narrowed, alike.narrowed) ? [now, alike] : [alike, now];
  // Other letters are said, too: another mistake may be behind them.
  const isSame = narrowed.kind !== 'text-pair' || kept.narrowed.letters === other.narrowed.letters;
  const also = [...(alike.also ?? []), ...(isSame ? [] : [other.narrowed.sentence])];
  found[place] = { ...kept, rows: [...alike.rows, ...rows], also };
}

/**
 * Joins contrasts in which signs in the value of a filter decide: what takes them for its own refuses some, does not find others,
 * and finds too much with others. All that was seen is said.
 */
export function joinSigns(groups: readonly NarrowedGroup[], unsent: readonly NarrowedGroup[]): NarrowedGroup[] {
  const isOfSigns = ({ narrowed }: NarrowedGroup) => narrowed.isOfSigns === true;
  const first = groups.find(isOfSigns);
  if (first === undefined) return [...groups];
  const others = [...groups, ...unsent].filter((group) => isOfSigns(group) && group !== first);
  const joined: NarrowedGroup = {
    ...first,
    rows: [first, ...others].flatMap(({ rows }) => rows),
    also: [first, ...others].flatMap((group) => [
      ...(group === first ? [] : [group.narrowed.sentence]),
      ...(group.also ?? []),
    ]),
  };
  return groups.filter((group) => !others.includes(group)).map((group) => (group === first ? joined : group));
}

/** Whether one of two failures that are one says more: which texts are lost, or more of them, or the same with shorter texts. */
function saysMore(narrowed: NarrowedFailure, earlier: NarrowedFailure): boolean {
  if (narrowed.kind === 'text-pair' && narrowed.right !== undefined) {
    const [length = 0, before = 0] = [narrowed, earlier].map(({ wrong }) => wrong[0]?.request.path.length);
    return 2 * length < before;
  }
  if (earlier.kind === 'tier-metadata' && narrowed.kind !== 'tier-metadata') return true;
  const [now = 0, before] = [narrowed, earlier].map(({ lostTexts }) => lostTexts?.length);
  return before !== undefined && now > before;
}
