import { createHash } from 'node:crypto';
import type { ResponseDifference } from '../../certificate/case-entry.js';
import { type Certificate, createOwnCaseNotes } from '../../certificate/certificate.js';
import type { KnownDeviationEntry } from '../../certificate/deviation-entry.js';
import type { DriftEntry } from '../../certificate/drift-entry.js';
import { documentedRequestNotice } from '../../certificate/notices.js';
import { listOutOfScope } from '../../certificate/scope.js';
import type { Suite } from '../../suite/suite.js';
import {
  adviseOnKnownDeviation,
  adviseOnScopeEntry,
  describeAnswerCounts,
  describeCounts,
  describeDisturbances,
  describeKnownDeviation,
  describeVerdict,
  renderCount,
  renderUndeclaredScope,
} from '../counts.js';
import type { OutputRenderer } from '../output.js';
import { foldAfter } from '../page/fold-after.js';
import { createSharedPlaceLookup, listUnjudged } from '../page/shared-place.js';
import { showSections } from '../page/shown-text.js';
import { viewFailures } from '../page/view-failures.js';
import { viewOwnCases } from '../page/view-own-cases.js';
import { viewQuestionGroups } from '../page/view-questions.js';
import { viewCases, viewVerdicts } from '../page/view-requirements.js';
import { readTemplate } from '../template.js';
import { viewDataDecisions } from '../view-data-decisions.js';

/** Loads nothing from elsewhere. Its script folds and filters; without scripts, everything is open. */
export default (({ certificate, suite, answers }) => {
  const { target, questions, drift, unstable } = certificate;
  const headline = describeHeadline(certificate);
  const when = renderTime(certificate.started_at);
  const style = `${readTemplate('certificate.css')}${renderPrintedLine(`${headline}. ${when}`)}`;
  const script = readTemplate('certificate.js');
  const failures = viewFailures(certificate);
  const verdicts = viewVerdicts(certificate, failures);
  const findPlace = createSharedPlaceLookup(certificate);
  return {
    view: {
      style,
      styleHash: hashSource(style),
      script,
      scriptHash: hashSource(script),
      certificate,
      target,
      tone: drift.length > 0 && certificate.verdict === 'conforms' ? 'changed' : certificate.verdict,
      headline,
      when,
      seconds: (certificate.duration_ms / 1_000).toFixed(1),
      commandNotice: target.transport && documentedRequestNotice,
      disturbances: certificate.disturbances && describeDisturbances(certificate.disturbances),
      requirementCounts: describeCounts(certificate.summary),
      outOfScope: viewOutOfScope(certificate),
      questionCounts: describeQuestions(questions),
      lead: viewLead(certificate),
      verdicts,
      hasReasons: verdicts.some(({ numbers, isKnown }) => numbers.length > 0 || isKnown),
      failures: foldAfter(failures, maxFailures, 'failure'),
      known: foldAfter((certificate.known_deviations?.entries ?? []).map(viewKnown), maxEntries, 'entry'),
      since: certificate.compared_with ?? 'the target file was written',
      drift: foldAfter(drift.map(viewChange), maxEntries, 'change'),
      unstable: foldAfter(unstable.map(viewDifference), maxEntries, 'case'),
      unjudged: foldAfter(listUnjudged(certificate), maxEntries, 'reason'),
      decisions: viewDataDecisions(certificate) ?? false,
      notes: foldAfter(viewNotes(certificate, suite), maxEntries, 'note'),
      requirements: viewCases(certificate, suite, findPlace),
      ownCases: viewOwnCases(certificate, suite, findPlace),
      groups: viewQuestionGroups(certificate, suite.contract, answers, findPlace),
      isCompared: certificate.compared_with !== undefined || drift.length > 0,
    },
  };
}) satisfies OutputRenderer;

/** A Content-Security-Policy names an inline style or script by its hash (CSP 3, section 2.3.1). */
function hashSource(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}

function describeHeadline(certificate: Certificate): string {
  return describeVerdict(certificate)
    .replaceAll('-', ' ')
    .replace(/^./, (letter) => letter.toUpperCase());
}

function describeQuestions(questions: Certificate['questions']): string {
  const warnings = questions.filter(({ warning }) => warning).length;
  return [describeAnswerCounts(questions), warnings > 0 && renderCount(warnings, 'warning')].filter(Boolean).join(', ');
}

/** Renders a time as people write it, in UTC. */
function renderTime(iso: string): string {
  return iso.replace(/T(\d\d:\d\d).*$/, ' $1 UTC');
}

/** The line on each printed page. @param text of the suite alone: nothing foreign may be a part of the style */
function renderPrintedLine(text: string): string {
  const escaped = text.replaceAll(/[^\w .,:()-]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `);
  return `@page { @bottom-left { content: "${escaped}"; font: 8pt sans-serif; } }\n`;
}

/** How many reasons of an incomplete run, failures, and entries of other lists are shown at once. */
const [maxLead, maxFailures, maxEntries] = [3, 6, 5];

/** What is to be read before everything else: a wrong load of the test data, and why the run is incomplete. */
function viewLead(certificate: Certificate) {
  const { data, load, incomplete_because: reasons = [], known_deviations: known, scope } = certificate;
  const advice = (known?.entries ?? []).flatMap((entry) => adviseOnKnownDeviation(entry) ?? []);
  const overdue = (scope?.not_applicable ?? []).flatMap((entry) => adviseOnScopeEntry(entry) ?? []);
  const [undeclared = '', ...lines] = renderUndeclaredScope(certificate);
  const lists = [
    { heading: data === undefined ? 'Test data' : 'Data file', entries: load === undefined ? [] : [load.sentence] },
    { heading: 'Why it is incomplete', entries: reasons.filter((reason) => reason !== load?.sentence) },
    { heading: 'To declare the scope', entries: [undeclared].filter(Boolean), code: lines.join('\n') },
    { heading: 'Known deviations that no longer hold', entries: advice },
    { heading: 'Requirements out of scope that apply', entries: overdue },
  ];
  const filled = lists.filter(({ entries }) => entries.length > 0);
  return filled.map(({ heading, entries, code = '' }) => {
    return { heading, blocks: foldAfter(entries, maxLead, 'reason'), code };
  });
}

/** The requirements that the target declares not to have, for the facts of the run. */
function viewOutOfScope({ scope }: Certificate) {
  return listOutOfScope(scope).map(({ requirement, reason }) => ({ requirement, reason }));
}

/** The notes that no other part of the page shows. */
function viewNotes(certificate: Certificate, { contract }: Suite): string[] {
  const { notes, incomplete_because: reasons = [], load, own_cases: own, questions } = certificate;
  const ofOwnCases = own === undefined ? [] : createOwnCaseNotes(own, contract, questions);
  const shown = [...reasons, ...ofOwnCases, ...(load === undefined ? [] : [load.sentence])];
  return notes.filter((note) => !shown.includes(note));
}

const stateMarks = {
  seen: 'as known',
  stale: 'no longer true',
  expired: 'expired',
  'not-judged': 'not judged',
} as const;

function viewKnown(entry: KnownDeviationEntry) {
  const { issue = '', ...unlinked } = entry;
  const isLink = /^https?:\/\/\S+$/.test(issue);
  return {
    requirement: entry.requirement,
    what: entry.cause ?? renderCount(Object.keys(entry.rows ?? {}).length, 'case'),
    state: stateMarks[entry.state],
    text: describeKnownDeviation(isLink ? unlinked : entry),
    link: isLink ? issue : '',
  };
}

function viewChange({ was = '', is = '', ...entry }: DriftEntry) {
  const view = viewDifference(entry);
  return { ...view, sentence: is === '' ? view.sentence : '', was, is };
}

function viewDifference({ case: id, text: sentence, before, after, repeat_with }: ResponseDifference) {
  return { id, sentence, sections: showSections({ Before: before, After: after, 'Send it again with': repeat_with }) };
}
