/**
 * Says what all responses of a run show together of results that change: that they are wrong only while other requests are being
 * answered, that they stay wrong, or that they are right for parts of other requests. In: all exchanges, and what narrowing found.
 * Out: a group with its explanation. Pure.
 */

import { type Exchange, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import type { ExchangeUse } from '../run/case-report.js';
import { groupBy } from '../support/collections.js';
import { type EarlierParts, findSimultaneousParts } from './earlier-parts.js';
import { getRowKey, type NarrowedGroup, type NarrowingInput } from './failure-groups.js';
import { describeLent, findLentParts } from './narrow-state.js';
import { describeSymptom, type FindingKind, type NarrowingContext } from './narrowed-failure.js';
import { minChanging, type UnpassedRow } from './observation.js';
import {
  countFirstResults,
  describeFirstResults,
  describeOverlap,
  isOnlyWrongAmongOthers,
  listSimultaneous,
  type OverlapCounts,
} from './overlap.js';
import { listSymptoms } from './symptom.js';
import { SymptomInquiry } from './symptom-inquiry.js';

/**
 * Says what equal requests with different results show, if narrowing did not find the earlier request that decides: that they are
 * wrong only while others are being answered, or that they are right for parts of earlier requests.
 */
export function describeUnstableRun(
  around: NarrowingContext,
  found: readonly NarrowedGroup[],
  counts: OverlapCounts | undefined,
  input: NarrowingInput,
): NarrowedGroup | undefined {
  const isFound = (kind: FindingKind) => found.some(({ narrowed }) => narrowed.kind === kind);
  if (counts === undefined || isFound('earlier-request') || isFound('reproduced-race')) return undefined;
  if (isOnlyWrongAmongOthers(counts)) {
    const rows = around.isUnstable ? input.rows : listRowsOf(counts, input);
    const headline = `Results are wrong only while other requests are being answered. ${describeOverlap(counts)}`;
    return describeOfRun({ kind: 'race-of-run', headline, counts, rows }, around, input);
  }
  if (!around.isUnstable || isFound('earlier-parts') || isFound('repeated-with-part')) return undefined;
  const lent = describeLentInRun(counts, around, input);
  if (lent !== undefined) return lent;
  if (isFound('repeated') || counts.alone.wrong < minChanging) return undefined;
  const headline = `Equal requests have different results, even if they are sent alone. ${describeOverlap(counts)}`;
  return describeOfRun({ kind: 'changing', headline, counts, rows: input.rows }, around, input);
}

/** Says what is known of results that stay wrong, although no part of their requests decides. */
export function describeKeptRun(
  around: NarrowingContext,
  ofNarrowing: readonly Exchange[],
  found: readonly NarrowedGroup[],
  { rows, target }: NarrowingInput,
): NarrowedGroup | undefined {
  const kept = found.find(({ narrowed }) => narrowed.kind === 'kept-result');
  const counts = countFirstResults([...around.sent, ...ofNarrowing], around.plain, target);
  if (kept === undefined || counts === undefined || !isOnlyWrongAmongOthers(counts)) return undefined;
  const headline = 'Results are wrong only if a request is first sent while others are being answered.';
  const sentence = `${headline} ${describeFirstResults(counts)} ${staysWrong} For example: ${kept.narrowed.sentence}`;
  return { ...kept, rows: [...rows], narrowed: { ...kept.narrowed, kind: 'race-of-run', sentence } };
}

const staysWrong = 'A wrong result stays wrong when the request is sent again.';

/**
 * Where requests at the same time showed wrong results again, these explain all failures that have no contrast of their own, and
 * wrong results that are kept.
 */
export function joinToRace(found: readonly NarrowedGroup[], rows: readonly UnpassedRow[]): NarrowedGroup[] {
  const isOf = (kind: FindingKind) => (group: NarrowedGroup) => group.narrowed.kind === kind;
  if (!found.some(isOf('reproduced-race'))) return [...found];
  const isKept = found.some(isOf('kept-result'));
  const joined: readonly FindingKind[] = ['kept-result', 'earlier-parts'];
  return found
    .filter(({ narrowed }) => !joined.includes(narrowed.kind))
    .map((group) => {
      if (!isOf('reproduced-race')(group)) return group;
      const sentence = isKept ? `${group.narrowed.sentence} ${staysWrong}` : group.narrowed.sentence;
      return { ...group, rows: [...rows], narrowed: { ...group.narrowed, sentence } };
    });
}

/** What all responses of a run show, and the rows that it explains. */
interface RunFinding {
  readonly kind: FindingKind;
  readonly headline: string;
  readonly counts: OverlapCounts;
  readonly rows: readonly UnpassedRow[];
}

/** Adds an example: if there is one, a result that is right for parts of a request at the same time. */
function describeOfRun(
  { kind, headline, counts, rows }: RunFinding,
  around: NarrowingContext,
  { target }: NarrowingInput,
): NarrowedGroup | undefined {
  const examples = counts.wrong.slice(0, maxLending).map(({ exchange, right }) => {
    const simultaneous = listSimultaneous(exchange, around.sent);
    return { exchange, right, lent: findSimultaneousParts(exchange, simultaneous, around, target) };
  });
  const example = findCommonExample(examples) ?? examples.map((shown) => ({ ...shown, lent: undefined }))[0];
  const [symptom] = example === undefined ? [] : listSymptoms(example.exchange, target);
  if (example === undefined || symptom === undefined) return undefined;
  const { exchange, right, lent } = example;
  const seen = describeSymptom(new SymptomInquiry(symptom, target, { left: 0 }), exchange.request);
  const how = lent === undefined ? '' : ` The result would have been right with ${lent.words}.`;
  const sentence = `${headline} For example, ${seen}.${how}`;
  const kindWithParts = kind === 'race-of-run' && lent !== undefined ? 'race-of-run-with-parts' : kind;
  return { symptom, rows: [...rows], narrowed: { kind: kindWithParts, sentence, wrong: [exchange], right } };
}

/** A wrong result, and the parts of another request with which it is right, if there are some. */
interface RaceExample {
  readonly exchange: Exchange;
  readonly right: Exchange | undefined;
  readonly lent: EarlierParts | undefined;
}

/** How many examples, and which share of all, have to be right with the same parts: one may be so by coincidence. */
const [minCommon, minCommonShare] = [2, 0.3];

/** Finds an example of what is right for the same parts of other requests most often. */
function findCommonExample(examples: readonly RaceExample[]): RaceExample | undefined {
  const right = examples.filter(({ lent }) => lent !== undefined);
  const [common] = [...groupBy(right, ({ lent }) => lent?.parts.join()).values()].toSorted(
    (left, other) => other.length - left.length,
  );
  const isCommon = common !== undefined && common.length >= Math.max(minCommon, minCommonShare * examples.length);
  return isCommon ? common[0] : undefined;
}

/** Lists the failing rows with a request whose results differ. */
function listRowsOf({ wrong }: OverlapCounts, { rows, uses, exchanges }: NarrowingInput): UnpassedRow[] {
  const changing = new Set(wrong.map(({ exchange }) => serializeRequestIgnoringRepetition(exchange.request)));
  const isChanging = ({ id }: ExchangeUse) => {
    const request = exchanges.get(id)?.request;
    return request !== undefined && changing.has(serializeRequestIgnoringRepetition(request));
  };
  const keys = new Set(uses.filter(isChanging).map(getRowKey));
  return rows.filter((row) => keys.has(getRowKey(row)));
}

/** Of how many wrong responses it is looked for what earlier requests may have lent. */
const maxLending = 8;

/** Says for which earlier request the first wrong response is right that is right for any. */
function describeLentInRun(
  { wrong }: OverlapCounts,
  around: NarrowingContext,
  { rows, target }: Pick<NarrowingInput, 'rows' | 'target'>,
): NarrowedGroup | undefined {
  for (const { exchange } of wrong.slice(0, maxLending)) {
    const [symptom] = listSymptoms(exchange, target);
    if (symptom === undefined) continue;
    const inquiry = new SymptomInquiry(symptom, target, { left: 0 });
    const lent = findLentParts(exchange, inquiry, around);
    if (lent !== undefined)
      return { symptom, rows: [...rows], narrowed: describeLent(exchange, lent, inquiry, undefined) };
  }
  return undefined;
}
