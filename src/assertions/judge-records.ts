import { isSuccessful } from '../http/response-status.js';
import { listRecords } from '../recognition/list-records.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import type { JudgeContext } from './assertion.js';
import { type AssertionResult, unclear } from './assertion-result.js';
import type { AnsweredExchange } from './row-evidence.js';

/**
 * Judges a statement about whatever stands where a response names promotions, known or not. Nothing there shows nothing.
 *
 * @param judge gets what stands there, and how to find the same in another response
 */
export function judgeRecords(
  { exchange, evidence: { reading, recognizer } }: JudgeContext,
  judge: (records: readonly string[], recordsOf: (other: AnsweredExchange) => readonly string[]) => AssertionResult,
): AssertionResult {
  const { response } = exchange;
  if (!isSuccessful(response)) return unclear(`Answered ${response.status}, so there is no result to judge.`);
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated')
    return unclear(readReturnedTiers(recognizer.findMentions(response.body), reading).reason);
  if (reading.kind === 'agreed' && reading.patterns.length === 0)
    return unclear(
      'Where the responses name promotions is not known. Say it in a target file: response: { tier: /promotions/*/id }',
    );
  const recordsOf = (answered: AnsweredExchange) => listRecords(answered.response.body, reading, recognizer.ids);
  const records = recordsOf(exchange);
  if (records.length === 0) return unclear('No promotion was returned, so there is nothing to judge.');
  return judge(records, recordsOf);
}

/** Whether a request has a query: filters, or what else may take promotions away. */
export function hasQuery({ path }: { readonly path: string }): boolean {
  return path.includes('?');
}
