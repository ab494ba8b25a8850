import { createObligationExplainer } from '../contract/describe-request.js';
import type { TargetWorld, Tier, World } from '../contract/world.js';
import { getHeaderValues, type HttpResponse } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { ReturnedTiers } from '../recognition/returned-tiers.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { cacheByObject } from '../support/caches.js';
import { parseJson } from '../support/json.js';
import { createReason, type Reason } from '../support/reason.js';
import { shorten } from '../support/untrusted-text.js';
import {
  type AssertionJudgeContext,
  type AssertionResult,
  createUnclearResult,
  createViolation,
  holdingResult,
} from './assertion.js';
import { type JudgeMode, readReturnedTiersOfExchange } from './row-evidence.js';

/** @param expectsNothing whether every response that names no tier satisfies it: an empty result may have any status */
export function judgeReturnedTiers(
  { exchange, evidence, mode }: AssertionJudgeContext,
  expectsNothing: boolean,
  judge: (result: ReturnedTiers) => AssertionResult,
): AssertionResult {
  const { response } = exchange;
  const mentions = evidence.recognizer.findMentions(response.body, evidence.reading.filter);
  const result = readReturnedTiersOfExchange(exchange, evidence);
  if (!isSuccessful(response)) {
    // If the target file states the path of promotions, mentions elsewhere do not count.
    const namesNothing =
      mentions.unlocatedIds.size + result.unclear.size === 0 &&
      (evidence.reading.kind === 'stated' || mentions.certainPatterns.size === 0) &&
      result.returned.length === 0;
    if (mode === 'requirement' && expectsNothing && namesNothing) return holdingResult;
    return (mode === 'requirement' ? createUnclearResult : createViolation)('no-result', { status: response.status });
  }
  if (mentions.idsByPattern.size > 0 || !isUnreadable(response, mentions, mode)) return judge(result);
  return createUnclearResult('not-json');
}

/** @param judge gets the tiers that only one of the results has; undefined if the results are equal */
export function judgeTierDifferences(
  context: AssertionJudgeContext,
  name: string,
  judge: (differences: Reason | undefined) => AssertionResult,
): AssertionResult {
  const { evidence, compareWith } = context;
  return judgeReturnedTiers(context, false, (here) =>
    compareWith(name, (compared) => {
      if (!isSuccessful(compared.response))
        return createUnclearResult('no-result-to-compare', { name, status: compared.response.status });
      const there = readReturnedTiersOfExchange(compared, evidence);
      const doubtful = [here, there].find(({ unclear }) => unclear.size > 0);
      if (doubtful !== undefined) return createUnclearTiersResult(doubtful);
      const [onlyHere, onlyThere] = [listExtra(here, there), listExtra(there, here)];
      const nameAll = (ids: readonly string[]) => (ids.length === 0 ? '' : describeTiers(ids, evidence.world));
      const compare = (inHere: readonly string[], inThere: readonly string[]) =>
        createReason('results-differ', { name, here: nameAll(inHere), there: nameAll(inThere) });
      if (onlyHere.length + onlyThere.length === 0) return judge(undefined);
      const judged = judge(compare(onlyHere, onlyThere));
      if (judged.is !== 'violated') return judged;
      // What one response returns, the other may name elsewhere. Then nothing proves that they differ.
      const certainHere = onlyHere.filter((id) => !there.isNamedElsewhere(id));
      const certainThere = onlyThere.filter((id) => !here.isNamedElsewhere(id));
      if (certainHere.length + certainThere.length > 0) return judge(compare(certainHere, certainThere));
      return createUnclearResult('named-elsewhere', { tiers: nameAll([...onlyHere, ...onlyThere]) });
    }),
  );
}

function listExtra({ returned }: ReturnedTiers, other: ReturnedTiers): string[] {
  const there = indexIds(other.returned);
  return returned.filter((id) => !there.has(id));
}

/** Whether no result can be read from a body, which may be cut off. Any body that is JSON or names nothing can be read. */
function isUnreadable({ body, headers }: HttpResponse, { unlocatedIds }: TierMentions, mode: JudgeMode): boolean {
  if (body.trim() === '' || parseJson(body) !== undefined) return false;
  const isDeclared = getHeaderValues(headers, 'content-type').some((type) => /^[^;]*[/+]json\b/i.test(type));
  return isDeclared || /^\s*[[{]/.test(body) || (mode === 'requirement' && unlocatedIds.size > 0);
}

/** A tier that is named elsewhere in the response may have been returned: that it was not is then unclear. */
export function judgeAllReturned(ids: readonly string[], result: ReturnedTiers, context: AssertionJudgeContext) {
  const returned = indexIds(result.returned);
  const missing = ids.filter((id) => !returned.has(id) && !result.unclear.has(id));
  const absent = missing.filter((id) => !result.isNamedElsewhere(id));
  const judged = judgeTiers('not-returned', absent, ids, result, context);
  if (judged.is !== 'holds' || missing.length === 0) return judged;
  return createUnclearResult('named-elsewhere', { tiers: describeTiers(missing, context.evidence.world) });
}

/** If it is unclear whether the response returned a tier, the result is unclear. */
export function judgeNoneReturned(ids: readonly string[], result: ReturnedTiers, context: AssertionJudgeContext) {
  const returned = indexIds(result.returned);
  const extra = returned.size === 0 ? [] : ids.filter((id) => returned.has(id));
  return judgeTiers('returned-wrongly', extra, ids, result, context);
}

/** @param result one that has unclear tiers, and so a reason */
export function createUnclearTiersResult({ reason }: ReturnedTiers): AssertionResult {
  return { is: 'unclear', reason: reason as Reason };
}

function judgeTiers(
  code: string,
  wrong: readonly string[],
  all: readonly string[],
  result: ReturnedTiers,
  { exchange: { request }, evidence: { world } }: AssertionJudgeContext,
): AssertionResult {
  if (wrong.length > 0)
    return createViolation(code, {
      tiers: describeTiers(wrong, world, createObligationExplainer(request, world)),
      entry: wrong.length === 1 ? renderEntry(wrong[0], world) : '',
    });
  const isAsked = indexIds(all);
  return [...result.unclear].some((id) => isAsked.has(id)) ? createUnclearTiersResult(result) : holdingResult;
}

/** Many requests are judged by the same thousands of tiers. */
const indexIds = cacheByObject((ids: readonly string[]): ReadonlySet<string> => new Set(ids));

/** A single tier may have been changed since it was exported. */
function renderEntry(id: string | undefined, { tiers, isDataFile }: TargetWorld): string {
  return isDataFile === true ? shorten(JSON.stringify(tiers.find((tier) => tier.id === id)), 600) : '';
}

/** Names the first five tiers, with their ranks, and counts the others. Has ids if the target gave them. */
export function describeTiers(
  ids: readonly string[],
  { tiers, hasOwnIds }: World & Pick<TargetWorld, 'hasOwnIds'>,
  explain: (tier: Tier) => string = () => '',
): Reason {
  const maxNamed = 5;
  const named = ids.slice(0, maxNamed).map((id) => {
    const index = tiers.findIndex((tier) => tier.id === id);
    const tier = tiers[index] as Tier;
    return createReason('tier', { name: tier.name, id: hasOwnIds ? id : '', rank: index + 1, why: explain(tier) });
  });
  return createReason('tiers', { named, more: Math.max(0, ids.length - maxNamed) });
}
