import { whyDecided } from '../contract/why.js';
import type { HttpResponse } from '../http/exchange.js';
import { headerValues } from '../http/exchange.js';
import { succeeded } from '../http/response-status.js';
import { type Result, resultOf } from '../recognition/result.js';
import { parseJson } from '../support/json.js';
import type { Tier, World } from '../world/world.js';
import type { JudgeContext } from './assertion.js';
import { holds, type Truth, unclear, violated, violatedFor } from './truth.js';

/**
 * Judges a statement about the promotions that a response returned.
 *
 * @param expectsNothing whether an empty result satisfies the statement; that may look like anything, so then any
 *   response that names no tier will do
 */
export function withResult(
  { exchange: { response }, evidence, mode }: JudgeContext,
  expectsNothing: boolean,
  judge: (result: Result) => Truth,
): Truth {
  const naming = evidence.recognizer.naming(response.body);
  const result = resultOf(naming, evidence.reading);
  if (!succeeded(response)) {
    // Where it is stated what counts, what else is named does not.
    const namesNothing =
      naming.unplaced.size + result.unclear.size === 0 &&
      (evidence.reading.kind === 'stated' ? result.returned.length === 0 : naming.places.size === 0);
    if (mode === 'requirement' && expectsNothing && namesNothing) return holds;
    const because = `Answered ${response.status}, so there is no result to judge.`;
    return mode === 'requirement' ? unclear(because) : violated(because);
  }
  if (naming.places.size === 0 && isBrokenJson(response))
    return unclear('The body is no valid JSON, though it is meant to be, so it shows no result.');
  return judge(result);
}

/** Judges how the results of two requests compare. */
export function withBothResults(
  context: JudgeContext,
  name: string,
  judge: (result: Result, other: Result) => Truth,
): Truth {
  const { evidence } = context;
  return withResult(context, false, (result) => {
    const other = context.other(name);
    if ('because' in other) return unclear(`'${name}': ${other.because}`);
    if (!succeeded(other.response))
      return unclear(`'${name}' was answered ${other.response.status}, so there is no result to compare with.`);
    const otherResult = resultOf(evidence.recognizer.naming(other.response.body), evidence.reading);
    const doubtful = [result, otherResult].find(({ unclear }) => unclear.size > 0);
    return doubtful === undefined ? judge(result, otherResult) : unclear(doubtful.because);
  });
}

/** Whether a body says that it is JSON, by its media type or by how it begins, and is none: cut off, for instance. */
function isBrokenJson({ headers, body }: HttpResponse): boolean {
  const announced = headerValues(headers, 'content-type').some((type) => /^[^;]*[/+]json\b/i.test(type));
  return body.trim() !== '' && (announced || /^\s*[[{]/.test(body)) && parseJson(body) === undefined;
}

/** That all of these were returned. */
export function allReturned(ids: readonly string[], result: Result, context: JudgeContext): Truth {
  const absent = ids.filter((id) => !result.returned.includes(id) && !result.unclear.has(id));
  if (absent.length > 0) return violatedFor(() => `Not returned: ${tiersExplained(absent, context)}.`);
  return clearFor(ids, result);
}

/** That none of these was returned. */
export function noneReturned(ids: readonly string[], result: Result, context: JudgeContext): Truth {
  const extra = ids.filter((id) => result.returned.includes(id));
  if (extra.length > 0) return violatedFor(() => `Returned, but should not be: ${tiersExplained(extra, context)}.`);
  return clearFor(ids, result);
}

function clearFor(ids: readonly string[], result: Result): Truth {
  return ids.some((id) => result.unclear.has(id)) ? unclear(result.because) : holds;
}

/** What one result has and another has not, in words: empty where they are the same. */
export function differences(one: Result, other: Result, otherName: string, world: World): string {
  const onlyHere = one.returned.filter((id) => !other.returned.includes(id));
  const onlyThere = other.returned.filter((id) => !one.returned.includes(id));
  return [
    ...(onlyHere.length > 0 ? [`Returned here and not in '${otherName}': ${tierNames(onlyHere, world)}.`] : []),
    ...(onlyThere.length > 0 ? [`Returned in '${otherName}' and not here: ${tierNames(onlyThere, world)}.`] : []),
  ].join(' ');
}

/** Names tiers with what the request decides them by. */
function tiersExplained(ids: readonly string[], { exchange: { request }, evidence: { world } }: JudgeContext): string {
  return tierNames(ids, world, whyDecided(request, world));
}

/**
 * Names tiers for people: the first few by name and rank, the rest by number.
 *
 * @param explain what to say of each, if anything
 */
export function tierNames(
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
