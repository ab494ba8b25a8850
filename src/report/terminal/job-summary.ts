import { toOneLine, truncate } from '../../support/untrusted-text.js';
import type { Certificate } from '../certificate.js';
import { describeAnswers, describeCounts, renderHeadline } from '../counts.js';
import { escapeMarkup } from '../markup.js';
import { referenceEndNotice } from '../reference-notice.js';
import { describeSharedReasons } from '../shared-reasons.js';

/** Of each text, in characters: GitHub takes a megabyte for all of a step. */
const maxOfText = 1_000;

/**
 * What a run came to, for the page of a pipeline. It is HTML, which Markdown takes as it is where it has no empty line:
 * so no text of a deployment can mean anything in either.
 */
export function renderJobSummary(certificate: Certificate): string {
  const { target, summary, selected, requirements, questions, drift, unstable, requests_sent } = certificate;
  const unpassed = requirements.filter(({ verdict }) => verdict !== 'pass');
  const reasons = selected === undefined ? (certificate.incomplete_because ?? describeSharedReasons(certificate)) : [];
  const lines = [
    element('h2', `${renderHeadline(certificate)}: ${[target.name, target.version].filter(Boolean).join(' ')}`),
    element('p', `${target.base_url}, ${requests_sent} requests`),
    table(
      selected === undefined
        ? [
            ['Requirements', describeCounts(summary)],
            ['Questions', describeAnswers(questions)],
          ]
        : [['Selected cases', describeCounts(selected.cases)]],
    ),
    ...section('Not passed', selected === undefined ? unpassed.map(unpassedText) : []),
    ...section('Incomplete, or not judged', reasons),
    ...section('Drift', drift.map(titleOf)),
    ...section('Unstable', unstable.map(titleOf)),
    ...(target.is_reference ? [element('p', referenceEndNotice)] : []),
  ];
  return `${lines.join('\n')}\n\n`;
}

function unpassedText({ id, verdict, statement, cases }: Certificate['requirements'][number]): string {
  const { reason = '' } = cases.find((entry) => entry.verdict === verdict) ?? {};
  return `${verdict}: ${id}. ${statement} ${toOneLine(reason)}`;
}

function section(title: string, entries: readonly string[]): string[] {
  if (entries.length === 0) return [];
  return [element('h3', title), '<ul>', ...entries.map((entry) => element('li', entry)), '</ul>'];
}

function table(rows: readonly (readonly [name: string, value: string])[]): string {
  const cells = rows.map(([name, value]) => `<tr>${element('th', name)}${element('td', value)}</tr>`);
  return `<table>${cells.join('')}</table>`;
}

/** What an entry is about, which its first line says. */
function titleOf({ case: id, text }: { readonly case: string; readonly text: string }): string {
  return `${id}: ${text.split('\n', 1)[0]}`;
}

function element(name: string, text: string): string {
  return `<${name}>${escapeMarkup(truncate(text, maxOfText))}</${name}>`;
}
