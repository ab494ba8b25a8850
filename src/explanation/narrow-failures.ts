/**
 * The part of this room that sends. In: the failures of a run that no proved cause explains, and its exchanges. Out: for the
 * largest groups of them, what makes the difference. It runs in the worker, after the last case. When evidence is judged again,
 * it gets the recorded exchanges, and the result is the same.
 */

import { listSuccesses } from '../assertions/row-evidence.js';
import { type Exchange, type HttpRequest, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import type { TargetContext } from '../judge/judge-case.js';
import type { Contrast } from '../run/case-report.js';
import { countAttempts } from '../run/case-sender.js';
import type { NarrowingSender } from '../run/narrowing-sender.js';
import { groupBy } from '../support/collections.js';
import { type AskedMistake, askSuspected } from './ask-suspected.js';
import { type FailureGroup, groupFailures, type NarrowedGroup, type NarrowingInput } from './failure-groups.js';
import { narrow } from './narrow.js';
import { customerShape } from './narrow-customer.js';
import { repeatedShape, repeatedWithPartShape } from './narrow-repetition.js';
import { longRuleTextShape, ruleTextShape } from './narrow-rule-texts.js';
import { perhapsEarlierAnswerShape, perhapsStateShape, seenStateShape } from './narrow-state.js';
import { storedTextShapePrefix } from './narrow-stored-texts.js';
import { describeTextPair, textPairShape } from './narrow-text-pair.js';
import { textShape } from './narrow-texts.js';
import {
  keptResultShape,
  type NarrowedFailure,
  reproducedOverlapShape,
  reproducedStateShape,
  unstableShape,
} from './narrowed-failure.js';
import { minChanging, type UnpassedRow } from './observation.js';
import { countOverlap, isOnlyWrongAmongOthers, isPerhapsOnlyWrongAmongOthers } from './overlap.js';
import { describeRefusedResults } from './refused-results.js';
import {
  amongOthersShape,
  amongOthersWithPartsShape,
  describeKeptRun,
  describeUnstableRun,
  joinToRace,
} from './run-findings.js';
import { listSymptoms, readReturnedTiersForTarget, type Symptom } from './symptom.js';
import { type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';
import { findLeastTextDifference, getDifferenceKey } from './text-difference.js';
import {
  countResultsByTier,
  describeCompanion,
  describeTraitsOfWrongTiers,
  type RequestWithReturnedTiers,
  type ResultCountsByTier,
} from './wrong-tier-traits.js';

/** How many different explanations are looked for. */
const maxContrasts = 3;
/** How many groups of failures are looked at by requests: several may turn out to have one explanation. */
const maxGroups = 6;
/** No group uses up the requests of the others. */
const requestsPerGroup = 40;
/** How many requests narrowing sends at most, and how many it may send in any case until something is known. */
const [maxRequests, minRequests] = [50, 3];
/** How many requests a failing run sends beside those of a conforming one: to confirm failures, and to narrow them. */
const maxFurther = 66;

/** Counts the requests that narrowing may send. Many are sent before where equal requests have different results. */
function countAllowed({ exchanges, uses }: Pick<NarrowingInput, 'exchanges' | 'uses'>): number {
  const ofFirstAttempts = new Set(uses.filter(({ attempt }) => attempt === 1).map(({ id }) => id));
  const ofConfirmation = [...exchanges].filter(([id]) => !ofFirstAttempts.has(id)).map(([, exchange]) => exchange);
  return Math.min(maxRequests, maxFurther - countAttempts(ofConfirmation));
}

/** The shapes of what is not explained. */
const weakShapes: readonly string[] = ['smallest', unstableShape];

/** The shapes of what is no part of a request. */
const doubtfulShapes: readonly string[] = [
  reproducedStateShape,
  reproducedOverlapShape,
  keptResultShape,
  unstableShape,
];

export async function narrowFailures(input: NarrowingInput, sender: NarrowingSender): Promise<Contrast[]> {
  const { exchanges, target } = input;
  const plain = target.calibration[0]?.request;
  if (plain === undefined) return [];
  const responses = listSuccesses([...exchanges.values()]).map(
    (exchange): RequestWithReturnedTiers => ({
      request: exchange.request,
      result: readReturnedTiersForTarget(exchange, target),
    }),
  );
  const counts = countResultsByTier(responses, target.world);
  // A mistake may count, or take, what a filter leaves: then ranks say something without a filter alone.
  const unfiltered = responses.filter(({ request }) => !request.path.includes('?'));
  const isUnstable = haveDifferentResults(responses);
  // Where results change, what some promotions never have is a matter of time.
  const countsToCompare = isUnstable ? [] : [countResultsByTier(unfiltered, target.world), counts];
  const overlap = countOverlap([...exchanges.values()], target);
  const maxReturned = Math.max(0, ...responses.map(({ result }) => result.returned.length));
  const around = {
    plain,
    sent: [...exchanges.values()],
    maxReturned,
    counts,
    isUnstable,
    isDoubtful: overlap !== undefined,
    isWrongAmongOthersOnly: overlap !== undefined && isPerhapsOnlyWrongAmongOthers(overlap),
    isSometimesRight: createRightTest(counts),
  };
  const allowed = countAllowed(input);
  const isRaceSeen = overlap !== undefined && isOnlyWrongAmongOthers(overlap);
  const found: NarrowedGroup[] = [];
  const sent: Exchange[][] = [];
  /** Sends what a generator asks for, as a group of its own. */
  const answer = async <Value>(asking: RequestGenerator<Value>): Promise<Value> => {
    const ofGroup: Exchange[] = [];
    const number = sent.push(ofGroup) - 1;
    return await answerAll(asking, async (requests) => {
      const together = await sender.send(requests, number, ofGroup.length + 1);
      ofGroup.push(...together);
      return together;
    });
  };
  const allowOfGroup = () => {
    const all = found.length === 0 && !isRaceSeen ? Math.max(allowed, minRequests) : allowed;
    return { left: Math.min(all - sent.flat().length, requestsPerGroup) };
  };
  const { suspected } = input;
  const asked =
    suspected.length === 0 ? undefined : await answer(askSuspected(suspected, plain, target, allowOfGroup()));
  const rows = input.rows.filter((row) => asked?.rows.has(row) !== true);
  let lookedAt = 0;
  const unsent: NarrowedGroup[] = [];
  for (const group of groupFailures({ ...input, rows })) {
    if (joinSameLetters(found, group)) continue;
    const allowance = allowOfGroup();
    if (allowance.left <= 0 || found.length === maxContrasts || lookedAt === maxGroups) {
      unsent.push(...describeUnsent(group));
      continue;
    }
    lookedAt += 1;
    const { exchange } = group.start;
    const comparison = { with: exchange.request, mayLackRules: false };
    const inquiry = new SymptomInquiry(group.symptom, target, allowance, comparison);
    const isDoubtful = overlap !== undefined || found.some(({ narrowed }) => doubtfulShapes.includes(narrowed.shape));
    addGroup(found, group, await answer(narrow(exchange, inquiry, { ...around, isDoubtful })));
  }
  const ids = new Map([...exchanges].map(([id, exchange]) => [exchange, id]));
  const findSentId = sender.keep(sent);
  const findId = (exchange: Exchange) => ids.get(exchange) ?? findSentId(exchange);
  const all = joinToRace(found, input.rows);
  const ofRun = describeUnstableRun(around, all, overlap, input) ?? describeKeptRun(around, sent.flat(), all, input);
  const sorted = joinSigns(sortByWorth(ofRun === undefined ? all : [ofRun, ...all], isUnstable), unsent);
  const ofMistake = asked === undefined ? [] : [describeAskedMistake(asked, input.rows, findId)];
  const contrasts = sorted.map((group) => ({
    ...describeGroup(group, [
      ...(group.also ?? []),
      ...describeRefusedGroup(group, { responses, sent: around.sent }, target),
      ...listEvidence(group, responses, countsToCompare, target),
    ]),
    wrong: group.narrowed.wrong.flatMap((exchange) => findId(exchange) ?? []),
    right: group.narrowed.right && findId(group.narrowed.right),
    rows: group.rows.map(({ case: id, row }) => ({ case: id, row })),
  }));
  return [...ofMistake, ...contrasts];
}

/**
 * Sorts by how much is said. What shows no difference comes last, and is left out where results change and something says more. For
 * which other request a wrong result is right says more than that it changes, unless it may be a coincidence. That is left out where
 * further requests have shown what decides.
 */
function sortByWorth(groups: readonly NarrowedGroup[], isUnstable: boolean): NarrowedGroup[] {
  const listOf = (shapes: readonly string[]) => groups.filter(({ narrowed }) => shapes.includes(narrowed.shape));
  const weak = listOf(weakShapes);
  const repeated = listOf([repeatedShape]);
  const perhaps = listOf([perhapsEarlierAnswerShape, perhapsStateShape]);
  const others = groups.filter((group) => ![weak, repeated, perhaps].flat().includes(group));
  // Which letters decide says more than which texts do.
  const ofTexts = listOf([textShape]).length === 0 ? others : putLast(others, ruleTextShape);
  const telling = putLast(ofTexts, longRuleTextShape);
  // Requests at the same time may get each other's answers. Where an earlier answer comes back, what other requests show may be
  // earlier answers, too.
  const race = listOf([reproducedOverlapShape, amongOthersShape, amongOthersWithPartsShape]);
  const seen = listOf([seenStateShape]);
  // What two requests show again says more than what was seen once.
  const isPairKnown = listOf([reproducedStateShape]).length > 0;
  const later = [...listOf([keptResultShape]), ...seen];
  const kept = [...race, ...(isPairKnown ? [] : later)];
  const leftOut = listOf([amongOthersWithPartsShape]).length > 0 ? seen : [];
  // Another customer may have another earlier answer, where no rule asks for the customer.
  const earlier = telling.some(isOfUnaskedCustomer) ? listOf([perhapsEarlierAnswerShape]) : [];
  const isReproduced = race.length > 0 || listOf([reproducedStateShape, repeatedWithPartShape]).length > 0;
  const strong = [
    ...kept.filter((group) => !leftOut.includes(group)),
    ...earlier,
    ...telling.filter((group) => ![...race, ...later].includes(group)),
    ...(isPairKnown ? later : []),
    ...repeated,
    ...(isReproduced ? [] : perhaps.filter((group) => !earlier.includes(group))),
  ];
  const isWeakLeftOut = race.length > 0 || (isUnstable && strong.length > 0);
  return isWeakLeftOut ? strong : [...strong, ...weak];
}

function putLast(groups: readonly NarrowedGroup[], shape: string): NarrowedGroup[] {
  const isLast = ({ narrowed }: NarrowedGroup) => narrowed.shape === shape;
  return [...groups.filter((group) => !isLast(group)), ...groups.filter(isLast)];
}

/** Whether the customer makes the difference for a promotion that asks for none. */
function isOfUnaskedCustomer({ symptom, narrowed }: NarrowedGroup): boolean {
  if (narrowed.shape !== customerShape || symptom.kind === 'refused') return false;
  return symptom.tier.rules.every(({ kind }) => kind !== 'customer');
}

function describeAskedMistake(
  { id: cause, sentence, wrong, rows }: AskedMistake,
  failing: readonly UnpassedRow[],
  findId: (exchange: Exchange) => string | undefined,
): Contrast {
  const explained = failing.filter((row) => rows.has(row));
  return {
    cause,
    sentence,
    evidence: [],
    wrong: [findId(wrong) ?? []].flat(),
    rows: explained.map(({ case: id, row }) => ({ case: id, row })),
  };
}

function haveDifferentResults(responses: readonly RequestWithReturnedTiers[]): boolean {
  const equal = groupBy(responses, ({ request }) => serializeRequestIgnoringRepetition(request));
  const unstable = [...equal.values()].filter(
    (group) => new Set(group.map(({ result }) => JSON.stringify(result.returned.toSorted()))).size > 1,
  );
  return unstable.length >= minChanging;
}

function createRightTest(counts: ResultCountsByTier): (symptom: Symptom) => boolean {
  return (symptom) => {
    const count = symptom.kind === 'refused' ? undefined : counts.find(({ tier }) => tier.id === symptom.tier.id);
    return count !== undefined && (symptom.kind === 'missing' ? count.returned : count.excluded) > 0;
  };
}

/** Says what was found out. Where no request makes a difference, what all wrong promotions share says more. */
function describeGroup(
  { narrowed: { sentence, shape } }: NarrowedGroup,
  evidence: readonly string[],
): Pick<Contrast, 'sentence' | 'evidence'> {
  const [trait, ...others] = evidence;
  if (trait === undefined || !weakShapes.includes(shape)) return { sentence, evidence };
  return { sentence: trait, evidence: [sentence, ...others] };
}

/** Says which results are refused, if the part of the contrast is accepted elsewhere. */
function describeRefusedGroup(
  { symptom, narrowed: { wrong, right } }: NarrowedGroup,
  { responses, sent }: { readonly responses: readonly RequestWithReturnedTiers[]; readonly sent: readonly Exchange[] },
  target: TargetContext,
): string[] {
  const [refused] = wrong;
  if (symptom.kind !== 'refused' || refused === undefined || right === undefined) return [];
  const { status } = symptom;
  // What was accepted need not be read again: only a response with this status can be refused alike.
  const isRefusedAlike = (exchange: Exchange) =>
    'response' in exchange && exchange.response.status === status && listSymptoms(exchange, target).length > 0;
  const run = { refused: sent.filter(isRefusedAlike).map(({ request }) => request), accepted: responses };
  const contrast = { status, refused: refused.request, accepted: right.request };
  return [describeRefusedResults(contrast, run, target.world) ?? []].flat();
}

/** Lists what the responses of the run show of a symptom, apart from the contrast. */
function listEvidence(
  { symptom, narrowed }: NarrowedGroup,
  responses: readonly RequestWithReturnedTiers[],
  counts: readonly ResultCountsByTier[],
  { world }: TargetContext,
): string[] {
  const { kind } = symptom;
  if (kind === 'refused') return [];
  const traits = describeTraits(counts, kind, world);
  const companion =
    symptom.kind === 'missing' && weakShapes.includes(narrowed.shape)
      ? describeCompanion(symptom.tier, responses, world)
      : undefined;
  return [companion ?? [], traits ?? []].flat();
}

/** Says what the wrong promotions have in common, in responses without a filter, or else in all. */
function describeTraits(
  counts: readonly ResultCountsByTier[],
  kind: 'missing' | 'extra',
  world: TargetContext['world'],
): string | undefined {
  const [unfiltered, all] = counts.map((some) => describeTraitsOfWrongTiers(some, kind, world));
  if (unfiltered === undefined || unfiltered === all) return all;
  return `Without a filter, ${unfiltered.replace(/^O(?=f )/, 'o')}`;
}

/** Adds failures to the group whose texts differ in the same letters, if there is one. */
function joinSameLetters(found: readonly NarrowedGroup[], { symptom, start, rows }: FailureGroup): boolean {
  if (symptom.kind !== 'extra' || found.every(({ narrowed }) => narrowed.letters === undefined)) return false;
  const difference = findLeastTextDifference([start.exchange.request], symptom.tier);
  const key = difference && getDifferenceKey(difference);
  const alike = found.find(({ narrowed }) => narrowed.letters !== undefined && narrowed.letters === key);
  alike?.rows.push(...rows);
  return alike !== undefined;
}

/** Adds what was found to the group with the same explanation, if there is one. What says more is kept. */
function addGroup(found: NarrowedGroup[], { symptom, rows }: FailureGroup, narrowed: NarrowedFailure): void {
  // That a filter makes the difference says less than which texts it does not find.
  const isOfFilter = ({ shape }: NarrowedFailure) => shape === 'metadata' || shape.startsWith(storedTextShapePrefix);
  const isAlike = (earlier: NarrowedFailure) =>
    earlier.shape === narrowed.shape ||
    narrowed.lostTexts?.some((text) => earlier.lostTexts?.includes(text)) === true ||
    (isOfFilter(earlier) && isOfFilter(narrowed) && [earlier.shape, narrowed.shape].includes('metadata'));
  const place = found.findIndex((earlier) => isAlike(earlier.narrowed) && earlier.symptom.kind === symptom.kind);
  const alike = found[place];
  if (alike === undefined) {
    found.push({ symptom, rows: [...rows], narrowed });
    return;
  }
  const now: NarrowedGroup = { symptom, rows: [], narrowed };
  const [kept, other] = saysMore(narrowed, alike.narrowed) ? [now, alike] : [alike, now];
  // Other letters are said, too: another mistake may be behind them.
  const isSame = narrowed.shape !== textPairShape || kept.narrowed.letters === other.narrowed.letters;
  const also = [...(alike.also ?? []), ...(isSame ? [] : [other.narrowed.sentence])];
  found[place] = { ...kept, rows: [...alike.rows, ...rows], also };
}

/** Describes a group of failures that no request is sent for, if the texts of its request say what is wrong. */
function describeUnsent({ symptom, start: { exchange }, rows }: FailureGroup): NarrowedGroup[] {
  const narrowed = describeTextPair(exchange, symptom);
  return narrowed === undefined ? [] : [{ symptom, rows: [...rows], narrowed }];
}

/**
 * Joins contrasts in which signs in the value of a filter decide: what takes them for its own refuses some, does not find others,
 * and finds too much with others. All that was seen is said.
 */
function joinSigns(groups: readonly NarrowedGroup[], unsent: readonly NarrowedGroup[]): NarrowedGroup[] {
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
  if (narrowed.shape === textPairShape && narrowed.right !== undefined) {
    const [length = 0, before = 0] = [narrowed, earlier].map(({ wrong }) => wrong[0]?.request.path.length);
    return 2 * length < before;
  }
  if (earlier.shape === 'metadata' && narrowed.shape !== 'metadata') return true;
  const [now = 0, before] = [narrowed, earlier].map(({ lostTexts }) => lostTexts?.length);
  return before !== undefined && now > before;
}

/** The one loop that sends what a generator asks for. */
async function answerAll<Value>(
  asking: RequestGenerator<Value>,
  send: (requests: readonly HttpRequest[]) => Promise<readonly Exchange[]>,
): Promise<Value> {
  let step = asking.next();
  while (step.done !== true) step = asking.next(await send(step.value));
  return step.value;
}
