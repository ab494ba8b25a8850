import { createTierExplainer } from '../contract/describe-request.js';
import type { NamedWorld, Tier, World } from '../contract/world.js';
import { getHeaderValues, type HttpResponse } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { ReturnedTiers } from '../recognition/returned-tiers.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { remember } from '../support/caches.js';
import { parseJson } from '../support/json.js';
import { shorten } from '../support/untrusted-text.js';
import { type AssertionResult, holds, type JudgeContext, unclear, violated } from './assertion.js';
import { type JudgeMode, readResult } from './row-evidence.js';

/** @param expectsNothing whether every response that names no tier satisfies it: an empty result may have any status */
export function judgeResult(
  { exchange, evidence, mode }: JudgeContext,
  expectsNothing: boolean,
  judge: (result: ReturnedTiers) => AssertionResult,
): AssertionResult {
  const { response } = exchange;
  const mentions = evidence.recognizer.findMentions(response.body, evidence.reading.filter);
  const result = readResult(exchange, evidence);
  if (!isSuccessful(response)) {
    // If the target file states the path of promotions, mentions elsewhere do not count.
    const namesNothing =
      mentions.unlocatedIds.size + result.unclear.size === 0 &&
      (evidence.reading.kind === 'stated' || mentions.certainPatterns.size === 0) &&
      result.returned.length === 0;
    if (mode === 'requirement' && expectsNothing && namesNothing) return holds;
    const reason = `Answered ${response.status}, so there is no result to judge.`;
    return mode === 'requirement' ? unclear(reason) : violated(reason);
  }
  if (mentions.idsByPattern.size > 0 || !isUnreadable(response, mentions, mode)) return judge(result);
  return unclear(
    "The body is not valid JSON, so there is no result to judge. The suite reads promotions from one JSON value; a transport can translate another format ('transport' in the target file).",
  );
}

/** @param judge gets a text about the tiers that only one of the results has. Empty if the results are equal */
export function judgeBothResults(
  context: JudgeContext,
  name: string,
  judge: (differences: string) => AssertionResult,
): AssertionResult {
  const { evidence, compareWith } = context;
  return judgeResult(context, false, (here) =>
    compareWith(name, (compared) => {
      if (!isSuccessful(compared.response))
        return unclear(`'${name}' was answered ${compared.response.status}, so there is no result to compare with.`);
      const there = readResult(compared, evidence);
      const doubtful = [here, there].find(({ unclear }) => unclear.size > 0);
      if (doubtful !== undefined) return unclear(doubtful.reason);
      const describeExtra = (where: string, { returned }: ReturnedTiers, other: ReturnedTiers) => {
        const ids = returned.filter((id) => !other.returned.includes(id));
        return ids.length === 0 ? [] : [`${where}: ${renderTierNames(ids, evidence.world)}.`];
      };
      const extraHere = describeExtra(`Returned here, but not in '${name}'`, here, there);
      return judge([...extraHere, ...describeExtra(`Returned in '${name}', but not here`, there, here)].join(' '));
    }),
  );
}

/** Whether no result can be read from a body, which may be cut off. Any body that is JSON or names nothing can be read. */
function isUnreadable({ body, headers }: HttpResponse, { unlocatedIds }: TierMentions, mode: JudgeMode): boolean {
  if (body.trim() === '' || parseJson(body) !== undefined) return false;
  const isDeclared = getHeaderValues(headers, 'content-type').some((type) => /^[^;]*[/+]json\b/i.test(type));
  return isDeclared || /^\s*[[{]/.test(body) || (mode === 'requirement' && unlocatedIds.size > 0);
}

export function judgeAllReturned(ids: readonly string[], result: ReturnedTiers, context: JudgeContext) {
  const returned = new Set(result.returned);
  const absent = ids.filter((id) => !returned.has(id) && !result.unclear.has(id));
  return judgeTiers('Not returned', absent, ids, result, context);
}

export function judgeNoneReturned(ids: readonly string[], result: ReturnedTiers, context: JudgeContext) {
  const returned = new Set(result.returned);
  const extra = returned.size === 0 ? [] : ids.filter((id) => returned.has(id));
  return judgeTiers('Returned, but should not be', extra, ids, result, context);
}

function judgeTiers(
  what: string,
  wrong: readonly string[],
  all: readonly string[],
  result: ReturnedTiers,
  { exchange: { request }, evidence: { world } }: JudgeContext,
): AssertionResult {
  if (wrong.length > 0)
    return violated(() => {
      const names = renderTierNames(wrong, world, createTierExplainer(request, world));
      return `${what}: ${names}.${wrong.length === 1 ? renderEntry(wrong[0], world) : ''}`;
    });
  const isAsked = indexIds(all);
  return [...result.unclear].some((id) => isAsked.has(id)) ? unclear(result.reason) : holds;
}

/** Many requests are judged by the same thousands of tiers. */
const indexIds = remember((ids: readonly string[]): ReadonlySet<string> => new Set(ids));

/** A single tier may have been changed since it was exported. */
function renderEntry(id: string | undefined, { tiers, isDataFile }: NamedWorld): string {
  if (isDataFile !== true) return '';
  const entry = shorten(JSON.stringify(tiers.find((tier) => tier.id === id)), 600);
  return ` Or the data file is out of date for this tier: ${entry}`;
}

/** Renders names and ranks of the first five tiers, and the number of the others. Shows ids if the target gave them. */
export function renderTierNames(
  ids: readonly string[],
  { tiers, hasOwnIds }: World & Pick<NamedWorld, 'hasOwnIds'>,
  explain: (tier: Tier) => string = () => '',
): string {
  const maxNamed = 5;
  const named = ids.slice(0, maxNamed).map((id) => {
    const index = tiers.findIndex((tier) => tier.id === id);
    const tier = tiers[index];
    const explanation = tier === undefined ? '' : explain(tier);
    return `'${tier?.name}' (${hasOwnIds ? `${id}, ` : ''}rank ${index + 1}${explanation === '' ? '' : `: ${explanation}`})`;
  });
  return `${named.join(', ')}${ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : ''}`;
}
