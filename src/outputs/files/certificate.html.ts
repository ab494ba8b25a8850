import {
  type CaseDifference,
  type CaseEntry,
  isFailure,
  renderDifference,
  renderFailure,
} from '../../certificate/case-entry.js';
import type { RequirementEntry } from '../../certificate/certificate.js';
import type { Cause } from '../../certificate/diagnosis/diagnose-run.js';
import { replayEndNotice } from '../../certificate/notices.js';
import { renderAnswer } from '../../certificate/render-answer.js';
import { describeSharedReasons, findSharedReasons } from '../../certificate/shared-reasons.js';
import type { KnownDeviation } from '../../record/known-deviations.js';
import { groupBy } from '../../support/collections.js';
import { type Html, html, noHtml, rawHtml, renderPageHead, renderPreformatted } from '../../support/markup.js';
import {
  describeAnswers,
  describeCounts,
  describeKnownDeviation,
  describeKnownEntry,
  renderVerdict,
  sortByUrgency,
} from '../counts.js';
import type { Output, QuestionAnswer, RunView } from '../output.js';
import { pageStyle } from '../page-style.js';

interface Page extends RunView {
  readonly titles: ReadonlyMap<string, string>;
  readonly shared: ReturnType<typeof findSharedReasons>;
}

/** Loads nothing from elsewhere and runs no script. Browsers open what is folded for a link or a search. */
export default ((view) => {
  const { certificate } = view;
  const { target, suite, started_at, duration_ms, requests_sent } = certificate;
  const titles = new Map(view.suite.cases.map(({ id, title }) => [id, title]));
  const chapters = listChapters({ ...view, titles, shared: findSharedReasons(certificate) });
  const verdict = capitalize(renderVerdict(certificate).replaceAll('-', ' '));
  const facts = [
    `Requirements: ${describeCounts(certificate.summary)}. Questions: ${describeAnswers(certificate.questions)}.`,
    target.version ?? '',
    `Started ${started_at}, took ${(duration_ms / 1_000).toFixed(1)} s. Requests: ${requests_sent}; evidence.har has all exchanges.`,
    `${suite.name} ${suite.version}, ${suite.digest}`,
    certificate.is_replay ? replayEndNotice : '',
  ];
  return html`${renderPageHead(`${target.name}: ${verdict}`, pageStyle)}
<body>
<header>
<p>Conformance certificate of <code>${target.base_url}</code></p>
<h1>${target.name}</h1>
<p class="verdict ${certificate.verdict}">${verdict}</p>
${facts.map((fact) => (fact === '' ? noHtml : html`<p>${fact}</p>\n`))}</header>
<nav aria-label="Contents"><ul>${chapters.map(([id, heading]) => html`<li><a href="#${id}">${heading}</a></li>\n`)}</ul></nav>
<main>
${chapters.map(([id, heading, content]) => html`<section id="${id}" class="chapter"><h2>${heading}</h2>\n${content}</section>\n`)}
</main>
</body>
</html>
`;
}) satisfies Output;

type Chapter = readonly [id: string, heading: string, content: readonly Html[]];

function listChapters(page: Page): Chapter[] {
  const { certificate, answers, shared } = page;
  const { requirements, drift, unstable, compared_with = 'the target file was written' } = certificate;
  const parts = sortByUrgency(requirements).map((entry) => [entry.part, renderRequirement(entry, page)] as const);
  const groups = answers.map((answer) => [answer.question.group, renderQuestion(answer, shared)] as const);
  const chapters: Chapter[] = [
    ['attention', 'What needs attention', listAttentionCards(page)],
    ['drift', `What changed since ${compared_with}`, drift.map(renderDifferenceCard)],
    ['unstable', 'Unstable: failed once and passed once', unstable.map(renderDifferenceCard)],
    ['requirements', 'Requirements: what the documentation states', renderGroups(parts)],
    ['questions', 'Questions: what the documentation leaves open', renderGroups(groups)],
  ];
  return chapters.filter(([, , content]) => content.length > 0);
}

function renderGroups(blocks: readonly (readonly [heading: string, content: Html])[]): Html[] {
  return [...groupBy(blocks, ([heading]) => heading)].map(
    ([heading, members]) =>
      html`<section class="group"><h3>${heading}</h3>\n${members.map(([, content]) => content)}</section>\n`,
  );
}

function listAttentionCards({ certificate, answers }: Page): Html[] {
  const { verdict, incomplete_because, notes, causes = [], known_deviations: known, drift } = certificate;
  const warnings = answers
    .filter(({ entry }) => entry.warning)
    .map((answer) => html`${renderLinks([answer.question.id])} ${renderAnswerText(answer)}`);
  const lists: Readonly<Record<string, readonly (string | Html)[]>> = {
    'Known deviations': (known?.entries ?? []).flatMap((entry) => describeKnownEntry(entry) ?? []),
    'Not judged': incomplete_because ?? describeSharedReasons(certificate),
    Notes: notes,
    'Warnings: the documentation leaves this open, and callers may not expect it': warnings,
  };
  const cards = Object.entries(lists).flatMap(([heading, entries]) => renderListCard(heading, entries));
  const isCalm = verdict === 'conforms' && cards.length === 0 && drift.length === 0;
  return isCalm ? [renderCard('Nothing. Every requirement passes.', noHtml)] : [...causes.map(renderCause), ...cards];
}

function renderCard(heading: string | Html, content: Html, verdict = ''): Html {
  return html`<div class="card" data-is="${verdict}"><h3>${heading}</h3>${content}</div>\n`;
}

function renderListCard(heading: string, entries: readonly (string | Html)[]): Html[] {
  const list = html`<ul class="plain">${entries.map((entry) => html`<li>${entry}</li>`)}</ul>`;
  return entries.length === 0 ? [] : [renderCard(heading, list)];
}

/** Renders links to cases, questions or requirements. */
function renderLinks(ids: readonly string[]): Html[] {
  return ids.map((id, n) => html`${n === 0 ? '' : ', '}<a href="#${id}">${id}</a>`);
}

function renderBadge(mark: string): Html {
  return html`<span class="badge ${mark}">${mark}</span>`;
}

function renderCause({ sentence, evidence, requirements, follows }: Cause): Html {
  const verdict = requirements.length > 0 ? 'fail' : 'inconclusive';
  const renderIds = (heading: string, ids: readonly string[]) =>
    ids.length === 0 ? noHtml : html`<p>${heading}: ${renderLinks(ids)}.</p>`;
  const content = html`${evidence.map((fact) => html`<p>${fact}</p>`)}
${renderIds('Requirements that fail', requirements)}${renderIds('Not judged for this reason', follows)}`;
  return renderCard(html`${sentence} ${renderBadge(verdict)}`, content, verdict);
}

function renderKnown({ issue = '', ...deviation }: KnownDeviation): Html {
  const link = /^https?:\/\/\S+$/.test(issue) ? html`<a href="${issue}">${issue}</a>` : html`${issue}`;
  return html`${describeKnownDeviation(deviation)} ${link}`;
}

function renderDifferenceCard(entry: CaseDifference): Html {
  return renderCard(html`${renderLinks([entry.case])}`, renderPreformatted(renderDifference(entry)));
}

function renderRequirement({ id, statement, verdict, known = [], cases }: RequirementEntry, page: Page): Html {
  const items = sortByUrgency(cases).map((entry, n) => renderCase(entry, page, isFailure(entry.verdict) && n === 0));
  return html`<section class="block" id="${id}"><h4>${statement} ${renderBadge(verdict)}</h4><code class="id">${id}</code>
${known.map((deviation) => html`<p>Known: ${renderKnown(deviation)}</p>\n`)}${items}</section>\n`;
}

/** Renders a case, folded. The id is inside, because browsers open what is around the target of a link. */
function renderCase(entry: CaseEntry, { shared, titles }: Page, isOpen: boolean): Html {
  const { id, verdict, reason, at = '', rows = [] } = entry;
  const why = reason === '' || shared.has(reason) ? renderReason(reason) : renderPreformatted(renderFailure(entry));
  const details = rows.map((row) => html`<h5>${row.verdict}: ${row.title}</h5><p>${row.reason}</p>`);
  return html`<details class="item"${isOpen ? rawHtml(' open') : noHtml}><summary>${renderBadge(verdict)} ${titles.get(id) ?? id} <small><code>${id}</code></small></summary><div class="inside" id="${id}">
${why}${details}<p><small>${at}</small></p></div></details>\n`;
}

/** @param reason empty, or shared */
function renderReason(reason: string): Html {
  return reason === '' ? noHtml : html`<p>Not judged, for the reason <a href="#attention">at the top</a>.</p>`;
}

function renderAnswerText({ question, entry }: QuestionAnswer): string {
  return entry.outcome === null ? 'No answer.' : renderAnswer(question, entry.outcome);
}

function renderQuestion(answer: QuestionAnswer, shared: Page['shared']): Html {
  const { id, open, part, answer: possible } = answer.question;
  const { outcome, reason = '', warning, drift } = answer.entry;
  const question = renderSentence(capitalize(open.replace(/^The documentation does not say /, '')));
  const marks = [...(warning ? ['warning'] : []), ...(drift ? ['drift'] : [])].map(renderBadge);
  const name = outcome === null || possible.kind === 'value' ? noHtml : html` <code class="badge">${outcome}</code>`;
  const why = reason === '' || shared.has(reason) ? renderReason(reason) : html`<p>${reason}</p>`;
  return html`<div class="block" id="${id}">${question} ${marks}<p><b>${renderSentence(renderAnswerText(answer))}</b>${name}</p>
<small><code>${id}</code>, left open in: ${part}</small>${why}</div>\n`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function renderSentence(sentence: string): Html[] {
  return sentence.split('`').map((text, n) => (n % 2 === 0 ? html`${text}` : html`<code>${text}</code>`));
}
