import { isSuccessful } from '../http/response-status.js';
import { listRecords } from '../recognition/list-records.js';
import { readReturned } from '../recognition/returned-tiers.js';
import type { JudgeContext } from './assertion.js';
import { type AssertionResult, unclear } from './assertion-result.js';
import type { AnsweredExchange } from './row-evidence.js';

/**
 * Judges a statement about all records of a response: the known tiers and everything else that is listed beside them.
 * The result is unclear if there are none.
 *
 * @param judge gets the records, and a function that lists the records of another response
 */
export function judgeRecords(
  { exchange, evidence }: JudgeContext,
  judge: (records: readonly string[], recordsOf: (other: AnsweredExchange) => readonly string[]) => AssertionResult,
): AssertionResult {
  const { reading, recognizer } = evidence;
  const { response } = exchange;
  if (!isSuccessful(response)) return unclear(`Answered ${response.status}, so there is no result to judge.`);
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated')
    return unclear(readReturned(response.body, evidence).reason);
  if (reading.kind === 'agreed' && reading.patterns.length === 0)
    return unclear(
      'The path of promotions in the responses is unknown. Set it in a target file: response: { tier: /promotions/*/id }',
    );
  const recordsOf = (answered: AnsweredExchange) => listRecords(answered.response.body, reading, recognizer);
  const records = recordsOf(exchange);
  if (records.length === 0) {
    const { returned } = readReturned(response.body, evidence);
    return unclear(
      returned.length === 0
        ? 'No promotion was returned, so there is nothing to judge.'
        : 'Promotions are nested too deeply to list all records. Set their path in a target file: response: { tier: /**/id }',
    );
  }
  return judge(records, recordsOf);
}

/** Whether a request has a query, such as a filter. It may reduce the result. */
export function hasQuery({ path }: { readonly path: string }): boolean {
  return path.includes('?');
}
