import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CaseDifference } from '../../certificate/case-entry.js';
import { findDecisive, type RequirementEntry } from '../../certificate/certificate.js';
import type { Cause } from '../../certificate/diagnosis/cause.js';
import { referenceEndNotice, renderTransportNotice } from '../../certificate/notices.js';
import { describeSharedReasons } from '../../certificate/shared-reasons.js';
import { type Html, html, noHtml } from '../../support/markup.js';
import { describeFileError } from '../../support/read-input-file.js';
import { joinLines, truncate } from '../../support/untrusted-text.js';
import { describeAnswers, describeCounts, describeFollows, renderHeadline, sortRequirements } from '../counts.js';
import type { Output } from '../output.js';

/** Characters of each text: GitHub takes one megabyte for a step. */
const maxText = 1_000;

/** Renders the summary of a job in continuous integration: HTML without empty lines, which Markdown leaves as it is. */
export default (({ certificate }) => {
  const { target, summary, selected, questions, drift, unstable, notes, requests_sent, causes = [] } = certificate;
  const requirements = sortRequirements(certificate);
  const isWhole = selected === undefined;
  const reasons = describeSharedReasons(certificate, !isWhole);
  return html`<h2>${truncate(`${renderHeadline(certificate)}: ${[target.name, target.version].filter(Boolean).join(' ')}`, maxText)}</h2>
<p>${truncate(target.base_url, maxText)}, ${requests_sent} requests</p>
<table>${isWhole ? html`<tr><th>Requirements</th><td>${describeCounts(summary)}</td></tr><tr><th>Questions</th><td>${describeAnswers(questions)}</td></tr>` : html`<tr><th>Selected cases</th><td>${describeCounts(selected.cases)}</td></tr>`}</table>
${list('What most likely is wrong', causes.map(describeCause))}${list('Not passed', isWhole ? requirements.filter(({ verdict }) => verdict !== 'pass').map(describeRequirement) : [])}${list('Not judged', reasons)}${list('Notes', notes)}${list('Drift', drift.map(describeDifference))}${list('Unstable', unstable.map(describeDifference))}${target.is_reference ? html`<p>${referenceEndNotice}</p>\n` : noHtml}${target.transport === undefined ? noHtml : html`<p>${renderTransportNotice(target.transport)}</p>\n`}
`;
}) satisfies Output;

function describeRequirement(requirement: RequirementEntry): string {
  const { id, verdict, statement } = requirement;
  return `${verdict}: ${id}. ${statement} ${findDecisive(requirement)?.reason ?? ''}`;
}

function describeCause({ sentence, evidence, example, follows }: Cause): string {
  const rest = follows.length === 0 ? '' : ` ${describeFollows(follows)}`;
  return `${[sentence, ...evidence].join(' ')} Example: ${example.case}, ${example.shows}.${rest}`;
}

function describeDifference({ case: id, text }: CaseDifference): string {
  return `${id}: ${text}`;
}

function list(title: string, entries: readonly string[]): Html {
  if (entries.length === 0) return noHtml;
  return html`<h3>${title}</h3>
<ul>
${entries.map((entry) => html`<li>${truncate(entry, maxText)}</li>\n`)}</ul>
`;
}

/**
 * Appends the summary of a run to the page of a job of GitHub Actions.
 *
 * @param file of the job; none elsewhere
 * @returns why it could not be written, for the terminal
 */
export function appendJobSummary(files: readonly string[], file: string | undefined): string {
  const summary = files.find((name) => path.basename(name) === 'summary.md');
  if (!file || summary === undefined) return '';
  try {
    appendFileSync(file, readFileSync(summary));
    return '';
  } catch (error) {
    return joinLines([describeFileError(error, `The job summary was not written to ${file}`)]);
  }
}
