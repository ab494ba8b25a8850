import { isOwnCase } from '../cases/suite.js';
import type { ResultWithExchanges } from '../engine/case-result.js';
import type { Certificate } from './certificate.js';
import { createResponseRenderer, type ResponseRenderer } from './exchange-text.js';
import { mergeShapeDrift, renderBrokenCase } from './failure-text.js';
import type { RunView } from './run-view.js';

/** A case as reports of tests show it, whatever their format. */
export interface TestEntry {
  readonly result: ResultWithExchanges;
  /** `requirements`, `questions`, or the folder of the user's own cases. */
  readonly group: string;
  /** What the case speaks of. */
  readonly kind: 'requirement' | 'question';
  readonly title: string;
  /** The part of the documentation. */
  readonly part: string | undefined;
  readonly tags: readonly string[];
  readonly status: TestStatus;
}

/** A drift counts as a failure. What could not be judged counts as skipped. */
export type TestStatus =
  | { readonly is: 'passed' }
  | { readonly is: 'skipped'; readonly message: string }
  | {
      readonly is: 'failed' | 'error';
      readonly type: 'fail' | 'error' | 'drift';
      readonly message: string;
      readonly details: string;
    };

/** Lists the results as tests: requirements, questions, own cases. */
export function listTestEntries(run: Pick<RunView, 'certificate' | 'suite' | 'results'>): TestEntry[] {
  const { certificate, suite, results } = run;
  const testCases = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  const parts = new Map([...certificate.requirements, ...certificate.questions].map(({ id, part }) => [id, part]));
  const renderResponse = createResponseRenderer(suite.world);
  const entries = mergeShapeDrift(results).map((merged): TestEntry => {
    // New members that count as no drift are notes of the certificate.
    const result = { ...merged, drift: merged.drift.filter(({ kind }) => kind !== 'addition') };
    const testCase = testCases.get(result.id);
    const kind = testCase?.kind ?? 'requirement';
    return {
      result,
      group: isOwnCase(result) ? `own cases: ${suite.own?.folder}` : `${kind}s`,
      kind,
      title: testCase === undefined ? result.id : `${result.id}: ${testCase.title}`,
      part: parts.get(result.subject),
      tags: testCase?.tags ?? [],
      status: determineStatus(result, certificate, renderResponse),
    };
  });
  const rank = ({ group }: TestEntry) => ['requirements', 'questions'].indexOf(group) >>> 0;
  return entries.sort((one, other) => rank(one) - rank(other));
}

function determineStatus(
  result: ResultWithExchanges,
  { causes = [], target }: Certificate,
  renderResponse: ResponseRenderer,
): TestStatus {
  const { id, verdict, reason, drift } = result;
  if (verdict === 'pass' && drift.length === 0) return { is: 'passed' };
  if (verdict !== 'fail' && verdict !== 'error' && drift.length === 0)
    return { is: 'skipped', message: `${verdict}: ${reason}` };
  const { kind: type, text: details } = renderBrokenCase(result, target.base_url, renderResponse);
  const cause = causes.find(({ cases }) => cases.includes(id));
  const why = cause === undefined || cause.kind === 'unexplained' ? reason : `${cause.sentence} ${reason}`;
  const [firstLine = ''] = details.split('\n');
  return { is: type === 'error' ? 'error' : 'failed', type, message: type === 'drift' ? firstLine : why, details };
}
