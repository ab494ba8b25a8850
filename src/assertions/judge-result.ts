import { createTierExplainer } from '../contract/tier-explainer.js';
import type { HttpResponse } from '../http/exchange.js';
import { getHeaderValues } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { type ReturnedTiers, readReturnedTiers } from '../recognition/returned-tiers.js';
import { parseJson } from '../support/json.js';
import type { Tier, World } from '../world/world.js';
import type { JudgeContext } from './assertion.js';
import { type AssertionResult, holds, unclear, violated, violatedFor } from './assertion-result.js';

/**
 * Judges a statement about the promotions that a response returned.
 *
 * @param expectsNothing whether an empty result satisfies the statement; that may look like anything, so then any
 *   response that names no tier will do
 */
export function judgeResult(
  { exchange: { response }, evidence, mode }: JudgeContext,
  expectsNothing: boolean,
  judge: (result: ReturnedTiers) => AssertionResult,
): AssertionResult {
  const naming = evidence.recognizer.findMentions(response.body);
  const result = readReturnedTiers(naming, evidence.reading);
  if (!isSuccessful(response)) {
    // Where it is stated what counts, what else is named does not.
    const namesNothing =
      naming.unlocatedIds.size + result.unclear.size === 0 &&
      (evidence.reading.kind === 'stated' ? result.returned.length === 0 : naming.idsByPattern.size === 0);
    if (mode === 'requirement' && expectsNothing && namesNothing) return holds;
    const because = `Answered ${response.status}, so there is no result to judge.`;
    return mode === 'requirement' ? unclear(because) : violated(because);
  }
  if (naming.idsByPattern.size === 0 && isBrokenJson(response))
    return unclear('The body is no valid JSON, though it is meant to be, so it shows no result.');
  return judge(result);
}

/** Judges how the results of two requests compare. */
export function judgeBothResults(
  context: JudgeContext,
  name: string,
  judge: (result: ReturnedTiers, other: ReturnedTiers) => AssertionResult,
): AssertionResult {
  const { evidence } = context;
  return judgeResult(context, false, (result) => {
    const other = context.findAnswer(name);
    if ('because' in other) return unclear(`'${name}': ${other.because}`);
    if (!isSuccessful(other.response))
      return unclear(`'${name}' was answered ${other.response.status}, so there is no result to compare with.`);
    const otherResult = readReturnedTiers(evidence.recognizer.findMentions(other.response.body), evidence.reading);
    const doubtful = [result, otherResult].find(({ unclear }) => unclear.size > 0);
    return doubtful === undefined ? judge(result, otherResult) : unclear(doubtful.reason);
  });
}

/** Whether a body says that it is JSON, by its media type or by how it begins, and is none: cut off, for instance. */
function isBrokenJson({ headers, body }: HttpResponse): boolean {
  const announced = getHeaderValues(headers, 'content-type').some((type) => /^[^;]*[/+]json\b/i.test(type));
  return body.trim() !== '' && (announced || /^\s*[[{]/.test(body)) && parseJson(body) === undefined;
}

/** That all of these were returned. */
export function judgeAllReturned(
  ids: readonly string[],
  result: ReturnedTiers,
  context: JudgeContext,
): AssertionResult {
  const absent = ids.filter((id) => !result.returned.includes(id) && !result.unclear.has(id));
  if (absent.length > 0) return violatedFor(() => `Not returned: ${tiersExplained(absent, context)}.`);
  return clearFor(ids, result);
}

/** That none of these was returned. */
export function judgeNoneReturned(
  ids: readonly string[],
  result: ReturnedTiers,
  context: JudgeContext,
): AssertionResult {
  const extra = ids.filter((id) => result.returned.includes(id));
  if (extra.length > 0) return violatedFor(() => `Returned, but should not be: ${tiersExplained(extra, context)}.`);
  return clearFor(ids, result);
}

function clearFor(ids: readonly string[], result: ReturnedTiers): AssertionResult {
  return ids.some((id) => result.unclear.has(id)) ? unclear(result.reason) : holds;
}

/** What one result has and another has not, in words: empty where they are the same. */
export function describeDifferences(one: ReturnedTiers, other: ReturnedTiers, otherName: string, world: World): string {
  const onlyHere = one.returned.filter((id) => !other.returned.includes(id));
  const onlyThere = other.returned.filter((id) => !one.returned.includes(id));
  return [
    ...(onlyHere.length > 0 ? [`Returned here and not in '${otherName}': ${renderTierNames(onlyHere, world)}.`] : []),
    ...(onlyThere.length > 0 ? [`Returned in '${otherName}' and not here: ${renderTierNames(onlyThere, world)}.`] : []),
  ].join(' ');
}

/** Names tiers with what the request decides them by. */
function tiersExplained(ids: readonly string[], { exchange: { request }, evidence: { world } }: JudgeContext): string {
  return renderTierNames(ids, world, createTierExplainer(request, world));
}

/**
 * Names tiers for people: the first few by name and rank, the rest by number.
 *
 * @param explain what to say of each, if anything
 */
export function renderTierNames(
  ids: readonly string[],
  { tiers }: World,
  explain: (tier: Tier) => string = () => '',
): string {
  const maxNamed = 5;
  const named = ids.slice(0, maxNamed).map((id) => {
    const index = tiers.findIndex((tier) => tier.id === id);
    const tier = tiers[index];
    const why = tier === undefined ? '' : explain(tier);
    return `'${tier?.name}' (rank ${index + 1}${why === '' ? '' : `: ${why}`})`;
  });
  return `${named.join(', ')}${ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''}`;
}
