/** The user's own cases: those that do not pass first, and the answers of those about questions. */

import type { CaseEntry } from '../../certificate/case-entry.js';
import type { Certificate } from '../../certificate/certificate.js';
import { describeOwnAnswer } from '../../certificate/describe-own-cases.js';
import type { Suite } from '../../suite/suite.js';
import { sortByUrgency } from '../counts.js';
import { foldAfter } from './fold-after.js';
import type { SharedPlaceLookup } from './shared-place.js';
import { type CaseView, describeCaseCounts, viewCase } from './view-requirements.js';

/** How many cases are shown that need no attention, if none does. */
const maxCases = 5;

/** @returns undefined if the run has no own cases */
export function viewOwnCases(certificate: Certificate, { cases, contract }: Suite, findPlace: SharedPlaceLookup) {
  const { own_cases: own, questions } = certificate;
  if (own === undefined) return undefined;
  const titles = new Map(cases.map(({ id, title }) => [id, title]));
  const view = (entry: CaseEntry): CaseView => {
    const { id, subject = '', reason } = entry;
    const question = contract.questions.find((asked) => asked.id === subject);
    const ofSuite = questions.find((asked) => asked.id === subject)?.outcome;
    return {
      ...viewCase(entry, titles.get(id) ?? id, findPlace(reason)),
      relation: question === undefined ? 'verifies' : 'answers',
      subject,
      answer: (question && describeOwnAnswer(entry, question, ofSuite)) ?? '',
    };
  };
  const views = sortByUrgency(own.cases).map(view);
  const urgent = views.filter(({ needsAttention }) => needsAttention).length;
  return {
    folder: own.folder,
    counts: describeCaseCounts(own),
    blocks: foldAfter(views, Math.max(urgent, maxCases), 'own case'),
  };
}
