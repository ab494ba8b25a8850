/**
 * The part of this room that sends. In: the failures of a run that no proved cause explains, and its exchanges. Out: for the
 * largest groups of them, what makes the difference. It runs in the worker, after the last case. When evidence is judged again,
 * it gets the recorded exchanges, and the result is the same.
 */

import { listSuccesses } from '../assertions/row-evidence.js';
import { type Exchange, type HttpRequest, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import type { Contrast } from '../run/case-report.js';
import { countAttempts } from '../run/case-sender.js';
import type { NarrowingSender } from '../run/narrowing-sender.js';
import { groupBy } from '../support/collections.js';
import { type AskedMistake, askSuspected } from './ask-suspected.js';
import { type FailureGroup, groupFailures, type NarrowedGroup, type NarrowingInput } from './failure-groups.js';
import { describeFinding, type EvidenceOfRun } from './finding-evidence.js';
import { addGroup, joinSameLetters, joinSigns } from './join-findings.js';
import { narrow } from './narrow.js';
import { describeTextPair } from './narrow-text-pair.js';
import type { NarrowingContext } from './narrowed-failure.js';
import { minChanging, type UnpassedRow } from './observation.js';
import { countOverlap, isOnlyWrongAmongOthers, isPerhapsOnlyWrongAmongOthers, type OverlapCounts } from './overlap.js';
import { isDoubtful, rankFindings } from './rank-findings.js';
import type { PlainRequestHead } from './request-components.js';
import { describeKeptRun, describeUnstableRun, joinToRace } from './run-findings.js';
import { readReturnedTiersForTarget, type Symptom } from './symptom.js';
import { type RequestAllowance, type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';
import { countResultsByTier, type RequestWithReturnedTiers, type ResultCountsByTier } from './wrong-tier-traits.js';

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

export async function narrowFailures(input: NarrowingInput, sender: NarrowingSender): Promise<Contrast[]> {
  const plain = input.target.calibration[0]?.request;
  const isExplained = input.rows.length === 0 && input.suspected.length === 0;
  if (plain === undefined || isExplained) return [];
  const run = readRun(input, plain);
  const sending = new NarrowingByGroups(sender, countAllowed(input), run.overlap);
  const { suspected, target } = input;
  const asked =
    suspected.length === 0
      ? undefined
      : await sending.answer(askSuspected(suspected, plain, target, sending.allow([])));
  const rows = input.rows.filter((row) => asked?.rows.has(row) !== true);
  const { found, unsent } = await narrowGroups(groupFailures({ ...input, rows }), sending, run, target);
  const findId = createIdFinder(input, sending.keep());
  const ofMistake = asked === undefined ? [] : [describeAskedMistake(asked, input.rows, findId)];
  const groups = concludeRun(found, unsent, run, sending.listSent(), input);
  return [...ofMistake, ...groups.map((group) => createContrast(group, run.evidence, target, findId))];
}

/** What the exchanges of a run show before narrowing. */
interface NarrowedRun {
  readonly around: NarrowingContext;
  readonly overlap: OverlapCounts | undefined;
  readonly evidence: EvidenceOfRun;
}

function readRun({ exchanges, target }: NarrowingInput, plain: PlainRequestHead): NarrowedRun {
  const sent = [...exchanges.values()];
  const responses = listSuccesses(sent).map(
    (exchange): RequestWithReturnedTiers => ({
      request: exchange.request,
      result: readReturnedTiersForTarget(exchange, target),
    }),
  );
  const counts = countResultsByTier(responses, target.world);
  // A mistake may count, or take, what a filter leaves: then ranks say something without a filter alone.
  const unfiltered = responses.filter(({ request }) => !request.path.includes('?'));
  const isUnstable = haveDifferentResults(responses);
  const overlap = countOverlap(sent, target);
  const around = {
    plain,
    sent,
    maxReturned: Math.max(0, ...responses.map(({ result }) => result.returned.length)),
    counts,
    isUnstable,
    isDoubtful: overlap !== undefined,
    isWrongAmongOthersOnly: overlap !== undefined && isPerhapsOnlyWrongAmongOthers(overlap),
    isSometimesRight: createRightTest(counts),
  };
  // Where results change, what some promotions never have is a matter of time.
  const countsToCompare = isUnstable ? [] : [countResultsByTier(unfiltered, target.world), counts];
  return { around, overlap, evidence: { responses, sent, counts: countsToCompare } };
}

/** Sends the requests of one group after another, and knows how many may still be sent. */
class NarrowingByGroups {
  readonly #sent: Exchange[][] = [];

  constructor(
    private readonly sender: NarrowingSender,
    private readonly allowed: number,
    private readonly overlap: OverlapCounts | undefined,
  ) {}

  /** Sends what a generator asks for, as a group of its own. */
  async answer<Value>(asking: RequestGenerator<Value>): Promise<Value> {
    const ofGroup: Exchange[] = [];
    const number = this.#sent.push(ofGroup) - 1;
    return await answerAll(asking, async (requests) => {
      const together = await this.sender.send(requests, number, ofGroup.length + 1);
      ofGroup.push(...together);
      return together;
    });
  }

  /** Counts the requests that the next group may send. */
  allow(found: readonly NarrowedGroup[]): RequestAllowance {
    const isRaceSeen = this.overlap !== undefined && isOnlyWrongAmongOthers(this.overlap);
    const all = found.length === 0 && !isRaceSeen ? Math.max(this.allowed, minRequests) : this.allowed;
    return { left: Math.min(all - this.listSent().length, requestsPerGroup) };
  }

  listSent(): Exchange[] {
    return this.#sent.flat();
  }

  /** Keeps what was sent as evidence. Call it once, after the last request. */
  keep(): ReturnType<NarrowingSender['keep']> {
    return this.sender.keep(this.#sent);
  }
}

/** The groups of a run. For some, requests were sent; for others, the texts of the run already say what is wrong. */
interface NarrowedGroups {
  readonly found: readonly NarrowedGroup[];
  readonly unsent: readonly NarrowedGroup[];
}

/** Looks at the largest groups by requests, one after the other. */
async function narrowGroups(
  groups: readonly FailureGroup[],
  sending: NarrowingByGroups,
  { around, overlap }: NarrowedRun,
  target: TargetContext,
): Promise<NarrowedGroups> {
  const found: NarrowedGroup[] = [];
  const unsent: NarrowedGroup[] = [];
  let lookedAt = 0;
  for (const group of groups) {
    if (joinSameLetters(found, group)) continue;
    const allowance = sending.allow(found);
    if (allowance.left <= 0 || found.length === maxContrasts || lookedAt === maxGroups) {
      unsent.push(...describeUnsent(group));
      continue;
    }
    lookedAt += 1;
    const { exchange } = group.start;
    const comparison = { with: exchange.request, mayLackRules: false };
    const inquiry = new SymptomInquiry(group.symptom, target, allowance, comparison);
    const now = { ...around, isDoubtful: overlap !== undefined || found.some(isDoubtful) };
    addGroup(found, group, await sending.answer(narrow(exchange, inquiry, now)));
  }
  return { found, unsent };
}

/** Describes a group of failures that no request is sent for, if the texts of its request say what is wrong. */
function describeUnsent({ symptom, start: { exchange }, rows }: FailureGroup): NarrowedGroup[] {
  const narrowed = describeTextPair(exchange, symptom);
  return narrowed === undefined ? [] : [{ symptom, rows: [...rows], narrowed }];
}

/** Adds what all responses of the run show together, and sorts. */
function concludeRun(
  found: readonly NarrowedGroup[],
  unsent: readonly NarrowedGroup[],
  { around, overlap }: NarrowedRun,
  sent: readonly Exchange[],
  input: NarrowingInput,
): NarrowedGroup[] {
  const all = joinToRace(found, input.rows);
  const ofRun = describeUnstableRun(around, all, overlap, input) ?? describeKeptRun(around, sent, all, input);
  return joinSigns(rankFindings(ofRun === undefined ? all : [ofRun, ...all], around.isUnstable), unsent);
}

type FindId = (exchange: Exchange) => string | undefined;

/** @param findSentId finds what narrowing sent */
function createIdFinder({ exchanges }: NarrowingInput, findSentId: FindId): FindId {
  const ids = new Map([...exchanges].map(([id, exchange]) => [exchange, id]));
  return (exchange) => ids.get(exchange) ?? findSentId(exchange);
}

function createContrast(group: NarrowedGroup, run: EvidenceOfRun, target: TargetContext, findId: FindId): Contrast {
  const { wrong, right } = group.narrowed;
  return {
    ...describeFinding(group, run, target),
    wrong: wrong.flatMap((exchange) => findId(exchange) ?? []),
    right: right && findId(right),
    rows: group.rows.map(({ case: id, row }) => ({ case: id, row })),
  };
}

function describeAskedMistake(
  { id: cause, sentence, wrong, rows }: AskedMistake,
  failing: readonly UnpassedRow[],
  findId: FindId,
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

/** The one loop that sends what a generator asks for. */
async function answerAll<Value>(
  asking: RequestGenerator<Value>,
  send: (requests: readonly HttpRequest[]) => Promise<readonly Exchange[]>,
): Promise<Value> {
  let step = asking.next();
  while (step.done !== true) step = asking.next(await send(step.value));
  return step.value;
}
