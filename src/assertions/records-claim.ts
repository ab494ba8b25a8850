import { succeeded } from '../http/response-status.js';
import { recordsIn } from '../recognition/records.js';
import { resultOf } from '../recognition/result.js';
import type { JudgeContext } from './assertion.js';
import type { Answered } from './evidence.js';
import { type Truth, unclear } from './truth.js';

/**
 * Judges a statement about whatever stands where a response names promotions, known or not. Nothing there shows nothing.
 *
 * @param judge gets what stands there, and how to find the same in another response
 */
export function withRecords(
  { exchange, evidence: { reading, recognizer } }: JudgeContext,
  judge: (records: readonly string[], recordsOf: (other: Answered) => readonly string[]) => Truth,
): Truth {
  const { response } = exchange;
  if (!succeeded(response)) return unclear(`Answered ${response.status}, so there is no result to judge.`);
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated')
    return unclear(resultOf(recognizer.naming(response.body), reading).because);
  if (reading.kind === 'agreed' && reading.patterns.length === 0)
    return unclear(
      'Where the responses name promotions is not known. Say it in a target file: response: { tier: /promotions/*/id }',
    );
  const recordsOf = (answered: Answered) => recordsIn(answered.response.body, reading, recognizer.ids);
  const records = recordsOf(exchange);
  if (records.length === 0) return unclear('No promotion was returned, so there is nothing to judge.');
  return judge(records, recordsOf);
}

/** Whether a request has a query: filters, or what else may take promotions away. */
export function isNarrowed({ path }: { readonly path: string }): boolean {
  return path.includes('?');
}
