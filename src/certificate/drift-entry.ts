/** What changed since the record, as sentences: first what explains other changes, last what no client has to notice. */

import { renderCurlCommand } from '../http/curl-command.js';
import type { Drift } from '../record/drift.js';
import type { CaseResult } from '../run/case-result.js';
import { groupBy } from '../support/collections.js';
import { quoteLines, toOneLine } from '../support/untrusted-text.js';
import { type EntryRenderingContext, type ResponseDifference, renderQuestionAnswer } from './case-entry.js';

export interface DriftEntry extends ResponseDifference {
  readonly kind: 'answer' | 'shape' | 'new-members';
  readonly was?: string;
  readonly is?: string;
}

interface FoundDrift {
  readonly drift: Drift;
  readonly result: CaseResult;
}

/** Lists all drift. A change of shape counts once, and all new members are one change. */
export function listDriftEntries(results: readonly CaseResult[], context: EntryRenderingContext): DriftEntry[] {
  const found = results.flatMap((result) => result.drift.map((drift): FoundDrift => ({ drift, result })));
  const alike = groupBy(found, ({ drift }) => {
    if (drift.kind === 'outcome') return drift;
    return drift.kind === 'shape' ? drift.message : drift.kind;
  });
  // The contract begins with what explains other answers, such as the response to an empty result.
  const order = context.contract.questions.map(({ id }) => id);
  const rank = (entry: DriftEntry) => (entry.kind === 'new-members' ? order.length : order.indexOf(entry.case));
  return [...alike.values()]
    .map((group) => createDriftEntry(group, context))
    .sort((left, right) => rank(left) - rank(right));
}

function createDriftEntry(
  group: readonly [FoundDrift, ...FoundDrift[]],
  { contract, baseUrl, renderResponse, showExchange }: EntryRenderingContext,
): DriftEntry {
  const [{ drift, result }] = group;
  const { id, subject, exchangeId } = result;
  if (drift.kind === 'shape') return { case: id, kind: 'shape', text: toOneLine(drift.message) };
  if (drift.kind !== 'outcome') {
    const places = new Set(group.flatMap((found) => ('message' in found.drift ? found.drift.message : [])));
    const text = `Responses have new members: ${[...places].sort().join(', ')}.`;
    return { case: id, kind: 'new-members', text: toOneLine(text) };
  }
  const { outcome, expected } = drift;
  const exchange = showExchange(exchangeId);
  const question = contract.questions.find((candidate) => candidate.id === subject);
  const describe = (answer: string) =>
    toOneLine(question === undefined ? answer : renderQuestionAnswer(question, answer));
  const [was, is] = [describe(expected.outcome), describe(outcome)];
  const before = expected.statedBy === 'the target file' ? 'pinned to' : 'was';
  return {
    case: id,
    kind: 'answer',
    text: `${id}: ${before} “${was}”, is “${is}”`,
    was,
    is,
    before: expected.recorded && quoteLines(expected.recorded).join('\n'),
    after: exchange && quoteLines(renderResponse(exchange)).join('\n'),
    repeat_with: exchange && renderCurlCommand(exchange.request, baseUrl),
  };
}
