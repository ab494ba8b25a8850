/** The requirements of a run: a table with the verdict of each, and the cases of each. */

import { type CaseEntry, isFailingVerdict } from '../../certificate/case-entry.js';
import type { Certificate } from '../../certificate/certificate.js';
import { findDecisiveCase, isKnownFailure, type RequirementEntry } from '../../certificate/judged-requirement.js';
import { listOutOfScope } from '../../certificate/scope.js';
import { findSharedReasons } from '../../certificate/shared-reasons.js';
import type { Suite } from '../../suite/suite.js';
import { shorten } from '../../support/untrusted-text.js';
import { describeCounts, sortByUrgency } from '../counts.js';
import { foldAfter, type ListBlock } from './fold-after.js';
import type { SharedPlaceLookup } from './shared-place.js';
import type { ShownSection } from './shown-text.js';
import { type FailureView, sortByRequest, viewFailingCase } from './view-failures.js';

/** Characters of a reason in the table, and rows of a case that are not folded. */
const [maxReason, maxRows] = [200, 5];

/** A row of the table of requirements. @param failures what is wrong, by the numbers of which the row shows its own */
export function viewVerdicts(certificate: Certificate, failures: readonly FailureView[]) {
  const shared = findSharedReasons(certificate);
  return sortByUrgency(certificate.requirements).map((requirement) => {
    const { id, statement, verdict } = requirement;
    const explaining = failures.filter(({ fails, follows }) => [...fails, ...follows].some((link) => link.id === id));
    const { code, reason = '' } = findDecisiveCase(requirement) ?? {};
    const isKnown = certificate.known_deviations !== undefined && verdict !== 'not-run' && isKnownFailure(requirement);
    // The reasons of an incomplete run are listed before the table.
    const isExplained =
      isKnown ||
      listOutOfScope(certificate.scope).some(({ requirement: outside }) => outside === id) ||
      explaining.length > 0 ||
      shared.has(reason) ||
      certificate.verdict === 'incomplete';
    return {
      id,
      statement,
      verdict,
      numbers: explaining.map(({ number }) => number),
      isKnown,
      reason: verdict === 'pass' || code === undefined || isExplained ? '' : shorten(reason, maxReason),
    };
  });
}

export interface CaseView {
  readonly id: string;
  /** Of an own case: what it is about, such as "verifies" and the id of a requirement. Empty for cases of the suite. */
  readonly relation: string;
  readonly subject: string;
  /** Of an own case about a question. */
  readonly answer: string;
  readonly verdict: CaseEntry['verdict'];
  readonly title: string;
  readonly at: string;
  readonly needsAttention: boolean;
  /** The section that says the reason for several cases, or ''. */
  readonly sharedPlace: string;
  readonly reason: string;
  readonly sections: readonly ShownSection[];
  readonly rows: readonly ListBlock<RowView>[];
  readonly hasMore: boolean;
}

interface RowView {
  readonly verdict: CaseEntry['verdict'];
  readonly isKnown: boolean;
  readonly title: string;
  readonly reason: string;
}

/** The cases of each requirement: those that fail first, and of these the one with the smallest request. */
export function viewCases(certificate: Certificate, { cases }: Suite, findPlace: SharedPlaceLookup) {
  const titles = new Map(cases.map(({ id, title }) => [id, title]));
  return sortByUrgency(certificate.requirements).map((requirement) => ({
    id: requirement.id,
    verdict: requirement.verdict,
    statement: requirement.statement,
    counts: describeCaseCounts(requirement),
    cases: sortByUrgency(sortByRequest(requirement.cases)).map((entry) =>
      viewCase(entry, titles.get(entry.id) ?? entry.id, findPlace(entry.reason)),
    ),
  }));
}

/** Counts cases by their verdicts, the most urgent one first. */
export function describeCaseCounts({ cases }: Pick<RequirementEntry, 'cases'>): string {
  const counts: Record<string, number> = {};
  for (const { verdict } of sortByUrgency(cases)) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return describeCounts(counts);
}

export function viewCase(entry: CaseEntry, title: string, sharedPlace: string): CaseView {
  const { id, verdict, at = '', rows = [] } = entry;
  const views = rows.map(({ known = false, ...row }) => ({ ...row, isKnown: known }));
  const hasReason = entry.reason !== '' && sharedPlace === '';
  return {
    id,
    relation: '',
    subject: '',
    answer: '',
    verdict,
    title,
    at,
    needsAttention: verdict !== 'pass',
    sharedPlace,
    reason: hasReason ? entry.reason : '',
    sections: hasReason || isFailingVerdict(verdict) ? viewFailingCase(entry) : [],
    rows: foldAfter(views, maxRows, 'row'),
    hasMore: verdict !== 'pass' && sharedPlace === '',
  };
}
