/** The questions of a run, in their groups, with the answer to each and what it was before. */

import type { Certificate } from '../../certificate/certificate.js';
import type { Contract } from '../../contract/contract.js';
import { describeAnswerCounts, renderCount } from '../counts.js';
import { type AnsweredQuestion, renderAnswerOrNone } from '../output.js';
import { foldRest } from './fold-after.js';
import type { SharedPlaceLookup } from './shared-place.js';

/** If more answers than these deserve a warning, all groups are folded: nobody reads a wall. */
const maxOpen = 20;

/** The groups of questions. A group with a warning or a changed answer is open, and shows these first. */
export function viewQuestionGroups(
  certificate: Certificate,
  { groups }: Contract,
  answers: readonly AnsweredQuestion[],
  findPlace: SharedPlaceLookup,
) {
  const isWall = answers.filter(isRemarkable).length > maxOpen;
  const changes = new Map(certificate.drift.flatMap(({ case: id, was }) => (was === undefined ? [] : [[id, was]])));
  const view = (answer: AnsweredQuestion) => viewQuestion(answer, changes, findPlace);
  return groups.map(({ name, asks }) => {
    const members = answers.filter(({ question }) => question.group === name);
    const remarkable = isWall ? [] : members.filter(isRemarkable);
    const others = members.filter((answer) => !remarkable.includes(answer));
    return {
      asks,
      counts: describeGroup(members),
      isOpen: remarkable.length > 0,
      blocks: foldRest(remarkable.map(view), others.map(view), 'question'),
    };
  });
}

/** Whether an answer is to be shown without being looked for. */
function isRemarkable({ entry: { warning, drift } }: AnsweredQuestion): boolean {
  return warning || drift;
}

function describeGroup(members: readonly AnsweredQuestion[]): string {
  const entries = members.map(({ entry }) => entry);
  const [warnings, changed] = [
    entries.filter(({ warning }) => warning).length,
    entries.filter(({ drift }) => drift).length,
  ];
  const facts = [
    describeAnswerCounts(entries),
    warnings > 0 && renderCount(warnings, 'warning'),
    changed > 0 && `${changed} changed`,
  ];
  return facts.filter(Boolean).join(', ');
}

/** @param changes the answers of the baseline that are others now, by the ids of their questions */
function viewQuestion(answer: AnsweredQuestion, changes: ReadonlyMap<string, string>, findPlace: SharedPlaceLookup) {
  const { question, entry } = answer;
  const { outcome, reason = '', warning, drift } = entry;
  const sharedPlace = findPlace(reason);
  return {
    id: question.id,
    open: splitCode(question.open),
    answer: splitCode(renderAnswerOrNone(answer)),
    outcome: question.answer.kind === 'value' ? '' : outcome,
    marks: [...(warning ? ['warning'] : []), ...(drift ? ['drift'] : [])],
    needsAttention: warning || drift || outcome === null,
    was: changes.get(question.id) ?? '',
    sharedPlace,
    reason: sharedPlace === '' ? reason : '',
  };
}

/** Splits a sentence at its backticks. Every second part is code. */
function splitCode(sentence: string) {
  return sentence.split('`').map((part, n) => (n % 2 === 0 ? { text: part, code: '' } : { text: '', code: part }));
}
