import { createHash } from 'node:crypto';
import {
  type CaseEntry,
  isFailingVerdict,
  type ResponseDifference,
  renderCaseDifference,
  renderFailure,
} from '../../certificate/case-entry.js';
import type { CauseEntry } from '../../certificate/cause-entry.js';
import type { RequirementEntry } from '../../certificate/certificate.js';
import { describeSharedReasons, findSharedReasons } from '../../certificate/shared-reasons.js';
import type { KnownDeviation } from '../../record/known-deviations.js';
import { groupBy } from '../../support/collections.js';
import {
  adviseOnKnownDeviation,
  describeAnswerCounts,
  describeCounts,
  describeKnownDeviation,
  describeVerdict,
  sortByUrgency,
} from '../counts.js';
import { type AnsweredQuestion, type OutputRenderer, renderAnswerOrNone } from '../output.js';
import { readTemplate } from '../template.js';

/** Loads nothing from elsewhere and runs no script. Browsers open what is folded for a link or a search. */
export default (({ certificate, suite, answers }) => {
  const { target, verdict, requirements, questions, causes = [], drift, unstable, notes } = certificate;
  const style = readTemplate('certificate.css');
  const known = (certificate.known_deviations?.entries ?? []).flatMap((entry) => adviseOnKnownDeviation(entry) ?? []);
  const unjudged = certificate.incomplete_because ?? describeSharedReasons(certificate);
  const warnings = answers.filter(({ entry }) => entry.warning);
  const hasCards = [known, unjudged, notes, warnings].some(({ length }) => length > 0);
  const isCalm = verdict === 'conforms' && !hasCards && drift.length === 0 && certificate.load === undefined;
  const shared = findSharedReasons(certificate);
  const titles = new Map(suite.cases.map(({ id, title }) => [id, title]));
  return {
    view: {
      style,
      // A Content-Security-Policy names an inline style by its hash (CSP 3, section 2.3.1).
      styleHash: `sha256-${createHash('sha256').update(style).digest('base64')}`,
      certificate,
      target,
      verdict,
      headline: describeVerdict(certificate)
        .replaceAll('-', ' ')
        .replace(/^./, (letter) => letter.toUpperCase()),
      requirementCounts: describeCounts(certificate.summary),
      questionCounts: describeAnswerCounts(questions),
      seconds: (certificate.duration_ms / 1_000).toFixed(1),
      since: certificate.compared_with ?? 'the target file was written',
      isCalm,
      hasAttention: isCalm || hasCards || causes.length > 0 || certificate.load !== undefined,
      causes: causes.map((cause) => ({
        ...cause,
        verdict: cause.requirements.length > 0 ? 'fail' : 'inconclusive',
        fails: listLinks(cause.requirements),
        follows: listLinks(cause.follows),
        requests: viewRequests(cause),
      })),
      known,
      unjudged,
      notes,
      warnings: warnings.map((answer) => ({ id: answer.question.id, text: renderAnswerOrNone(answer) })),
      drift: drift.map(viewDifference),
      unstable: unstable.map(viewDifference),
      parts: Array.from(
        groupBy(sortByUrgency(requirements), ({ part }) => part),
        ([heading, entries]) => ({
          heading,
          requirements: entries.map((entry) => viewRequirement(entry, titles, shared)),
        }),
      ),
      groups: Array.from(
        groupBy(answers, ({ question }) => question.group),
        ([heading, members]) => ({ heading, questions: members.map((answer) => viewQuestion(answer, shared)) }),
      ),
    },
  };
}) satisfies OutputRenderer;

/** The requests of a contrast, each with what came back. */
function viewRequests({ wrong = [], right }: CauseEntry) {
  const shown = wrong.map((request, n) => {
    const isFirstOfTwo = n < wrong.length - 1;
    return { ...request, label: isFirstOfTwo ? 'First' : 'Wrong' };
  });
  return [...shown, ...(right === undefined ? [] : [{ ...right, label: 'Right' }])];
}

function listLinks(ids: readonly string[]) {
  return ids.map((id, n) => ({ id, separator: n === 0 ? '' : ', ' }));
}

function viewDifference(entry: ResponseDifference) {
  return { id: entry.case, text: renderCaseDifference(entry) };
}

type SharedReasons = ReturnType<typeof findSharedReasons>;

function viewRequirement(entry: RequirementEntry, titles: ReadonlyMap<string, string>, shared: SharedReasons) {
  const viewCase = ({ at = '', rows = [], ...judged }: CaseEntry, n: number) => ({
    ...judged,
    at,
    rows: rows.map(({ known = false, ...row }) => ({ ...row, isKnown: known })),
    title: titles.get(judged.id) ?? judged.id,
    isOpen: n === 0 && isFailingVerdict(judged.verdict),
    isShared: shared.has(judged.reason),
    failure: judged.reason === '' || shared.has(judged.reason) ? '' : renderFailure(judged),
  });
  return { ...entry, known: (entry.known ?? []).map(viewKnown), cases: sortByUrgency(entry.cases).map(viewCase) };
}

function viewKnown(deviation: KnownDeviation) {
  const { issue = '', ...unlinked } = deviation;
  const isLink = /^https?:\/\/\S+$/.test(issue);
  return { text: describeKnownDeviation(isLink ? unlinked : deviation), link: isLink ? issue : '' };
}

function viewQuestion(answer: AnsweredQuestion, shared: SharedReasons) {
  const { question, entry } = answer;
  const { outcome, reason = '', warning, drift } = entry;
  return {
    ...question,
    open: splitCode(question.open),
    answer: splitCode(renderAnswerOrNone(answer)),
    outcome: question.answer.kind === 'value' ? '' : outcome,
    marks: [...(warning ? ['warning'] : []), ...(drift ? ['drift'] : [])],
    isShared: shared.has(reason),
    reason: shared.has(reason) ? '' : reason,
  };
}

/** Splits a sentence at its backticks. Every second part is code. */
function splitCode(sentence: string) {
  return sentence.split('`').map((part, n) => (n % 2 === 0 ? { text: part, code: '' } : { text: '', code: part }));
}
