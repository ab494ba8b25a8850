/**
 * Puts the failing rows of a run into groups that share a symptom, the largest first. In: failing rows and the exchanges of a run.
 * Out: groups, each with the exchange that is easiest to read. Pure.
 */

import type { Exchange } from '../http/exchange.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import type { ExchangeUse, RowId } from '../run/case-report.js';
import { groupBy } from '../support/collections.js';
import type { NarrowedFailure } from './narrowed-failure.js';
import type { UnpassedRow } from './observation.js';
import type { SuspectedMistake } from './prove-causes.js';
import { getSymptomKey, listSymptoms, type Symptom } from './symptom.js';
import { findLeastTextDifference } from './text-difference.js';

export interface NarrowingInput {
  readonly rows: readonly UnpassedRow[];
  /** Structural mistakes that may explain some of them. */
  readonly suspected: readonly SuspectedMistake[];
  readonly uses: readonly ExchangeUse[];
  /** All exchanges of the run by their ids, in the order of sending. */
  readonly exchanges: ReadonlyMap<string, Exchange>;
  readonly target: TargetContext;
}

/** A wrong exchange of a failing row. */
interface WrongExchange {
  readonly row: UnpassedRow;
  readonly exchange: Exchange;
  readonly symptoms: readonly Symptom[];
}

/** Failing rows that share a symptom. */
export interface FailureGroup {
  readonly symptom: Symptom;
  readonly rows: readonly UnpassedRow[];
  /** The exchange that is easiest to read, or whose text differs least from that of the promotion tier. */
  readonly start: WrongExchange;
}

/** A group, and what was found out about it. */
export interface NarrowedGroup {
  readonly symptom: Symptom;
  readonly rows: UnpassedRow[];
  readonly narrowed: NarrowedFailure;
  /** What else was seen that may have the same explanation, a sentence each. */
  readonly also?: readonly string[];
}

/** How many groups are made. Those that are not looked at may have the explanation of another one. */
const maxListedGroups = 40;

/** Groups failing rows by what is wrong in them, the largest group first. */
export function groupFailures(input: NarrowingInput): FailureGroup[] {
  let left = listWrongExchanges(input);
  const groups: FailureGroup[] = [];
  while (left.length > 0 && groups.length < maxListedGroups) {
    const group = takeLargestGroup(left);
    groups.push(group);
    const grouped = new Set(group.rows);
    left = left.filter(({ row }) => !grouped.has(row));
  }
  return groups;
}

function listWrongExchanges({ rows, uses, exchanges, target }: NarrowingInput): WrongExchange[] {
  const byRow = groupBy(uses, (use) => getRowKey(use));
  return rows.flatMap((row) =>
    (byRow.get(getRowKey(row)) ?? []).flatMap(({ id, attempt }): WrongExchange[] => {
      const exchange = exchanges.get(id);
      const symptoms = exchange === undefined || attempt > 1 ? [] : listSymptoms(exchange, target);
      return exchange === undefined || symptoms.length === 0 ? [] : [{ row, exchange, symptoms }];
    }),
  );
}

export function getRowKey({ case: id, row }: RowId): string {
  return JSON.stringify([id, row]);
}

/** Takes the symptom that most rows have; among equals, the one whose promotion tier has the fewest rules. */
function takeLargestGroup(wrong: readonly WrongExchange[]): FailureGroup {
  const shown = wrong.flatMap((entry) => entry.symptoms.map((symptom) => ({ ...entry, symptom })));
  const byKey = [...groupBy(shown, ({ symptom }) => getSymptomKey(symptom)).values()];
  const countRows = (group: (typeof byKey)[number]) => new Set(group.map(({ row }) => row)).size;
  const measure = ({ exchange: { request } }: WrongExchange) => request.path.length + (request.body ?? '').length;
  const [largest] = byKey.toSorted(
    (left, right) => countRows(right) - countRows(left) || countRules(left[0].symptom) - countRules(right[0].symptom),
  );
  const group = largest as (typeof byKey)[number];
  const sorted = group.toSorted((left, right) => measure(left) - measure(right));
  return {
    symptom: group[0].symptom,
    rows: [...new Set(group.map(({ row }) => row))],
    start: findAlmostEqualText(group[0].symptom, sorted) ?? sorted[0] ?? group[0],
  };
}

/** Finds the exchange whose request has almost the text of the promotion tier that must not be returned. */
function findAlmostEqualText(symptom: Symptom, group: readonly WrongExchange[]): WrongExchange | undefined {
  if (symptom.kind !== 'extra') return undefined;
  const requests = group.map(({ exchange: { request } }) => request);
  const least = findLeastTextDifference(requests, symptom.tier);
  return least && group.find(({ exchange: { request } }) => request === least.request);
}

function countRules(symptom: Symptom): number {
  return symptom.kind === 'refused' ? 0 : symptom.tier.rules.length;
}
