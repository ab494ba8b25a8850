/** What changed since the record, as sentences: first what explains other changes, last what no client has to notice. */

import { explainUndocumented } from '../contract/explain-undocumented.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { Drift } from '../record/drift.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import { groupBy, omitUndefined } from '../support/collections.js';
import { quoteLines, toOneLine } from '../support/untrusted-text.js';
import type { CaseDifference, EntryTerms } from './case-entry.js';
import { renderAnswer } from './render-answer.js';

export interface DriftEntry extends CaseDifference {
  readonly kind: 'answer' | 'shape' | 'new-members';
  /** Whether a client can notice it with a request that the documentation describes, or only with others. */
  readonly severity: 'documented-request' | 'undocumented-request';
  readonly was?: string;
  readonly is?: string;
}

interface FoundDrift {
  readonly drift: Drift;
  readonly result: ResultWithExchanges;
}

/** Lists all drift. A change of shape counts once, and all new members are one change. */
export function listDriftEntries(results: readonly ResultWithExchanges[], terms: EntryTerms): DriftEntry[] {
  const found = results.flatMap((result) => result.drift.map((drift): FoundDrift => ({ drift, result })));
  const alike = groupBy(found, ({ drift }) => {
    if (drift.kind === 'outcome') return drift;
    return drift.kind === 'shape' ? drift.message : drift.kind;
  });
  // The contract begins with what explains other answers, such as the response to an empty result.
  const order = terms.contract.questions.map(({ id }) => id);
  return [...alike.values()]
    .map((group) => createDriftEntry(group, terms))
    .sort((left, right) => order.indexOf(left.case) - order.indexOf(right.case))
    .sort((left, right) => rankSeverity(left) - rankSeverity(right));
}

function rankSeverity({ kind, severity }: DriftEntry): number {
  if (kind === 'new-members') return 2;
  return severity === 'documented-request' ? 0 : 1;
}

function createDriftEntry(
  group: readonly [FoundDrift, ...FoundDrift[]],
  { contract, baseUrl, renderResponse }: EntryTerms,
): DriftEntry {
  const [{ drift, result }] = group;
  const { id, subject, exchange } = result;
  const findQuestion = (name: string) => contract.questions.find((question) => question.id === name);
  const isDocumented = group.some(
    ({ result: { subject: of, exchange: shown } }) =>
      findQuestion(of) === undefined || (shown && explainUndocumented(shown.request) === undefined),
  );
  const severity = isDocumented ? 'documented-request' : 'undocumented-request';
  const limit = isDocumented ? '' : ' Only requests that the documentation does not describe show it.';
  if (drift.kind !== 'outcome') {
    const places = new Set(group.flatMap((found) => ('message' in found.drift ? found.drift.message : [])));
    const isShape = drift.kind === 'shape';
    const text = isShape ? drift.message : `Responses have new members: ${[...places].sort().join(', ')}.`;
    return { case: id, kind: isShape ? 'shape' : 'new-members', severity, text: toOneLine(`${text}${limit}`) };
  }
  const { outcome, expected } = drift;
  const question = findQuestion(subject);
  const describe = (answer: string) => toOneLine(question === undefined ? answer : renderAnswer(question, answer));
  const [was, is] = [describe(expected.outcome), describe(outcome)];
  const before = expected.statedBy === 'the target file' ? 'pinned to' : 'was';
  return {
    case: id,
    kind: 'answer',
    severity,
    text: `${id}: ${before} “${was}”, is “${is}”${limit}`,
    was,
    is,
    ...omitUndefined({
      before: expected.recorded && quoteLines(expected.recorded).join('\n'),
      after: exchange && quoteLines(renderResponse(exchange)).join('\n'),
      repeat_with: exchange && renderCurlCommand(exchange.request, baseUrl),
    }),
  };
}
