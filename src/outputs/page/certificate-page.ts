import { undetermined } from '../../cases/test-case.js';
import { type CaseDifference, type CaseEntry, renderDifference } from '../../certificate/case-entry.js';
import { findDecisive, type QuestionEntry, type RequirementEntry } from '../../certificate/certificate.js';
import type { Cause } from '../../certificate/diagnosis/cause.js';
import { replayEndNotice } from '../../certificate/notices.js';
import { renderAnswer } from '../../certificate/render-answer.js';
import { describeSharedReasons, findSharedReasons } from '../../certificate/shared-reasons.js';
import type { Question } from '../../contract/contract.js';
import { groupBy } from '../../support/group-by.js';
import { type Html, html, noHtml, rawHtml, renderPageHead, renderPreformatted } from '../../support/markup.js';
import { describeAnswers, describeCounts, describeFurtherCount, sortByUrgency } from '../counts.js';
import type { RunView } from '../run-view.js';
import { type CaseRenderer, createCaseRenderer, renderBadge } from './case-section.js';
import { pageScript } from './page-script.js';
import { pageStyle } from './page-style.js';

interface Page extends RunView {
  readonly renderCase: CaseRenderer;
  readonly asked: readonly AskedQuestion[];
  readonly titles: ReadonlyMap<string, string>;
  /** Reasons that the top of the page shows once. */
  readonly shared: ReturnType<typeof findSharedReasons>;
}

interface AskedQuestion {
  readonly question: Question;
  readonly entry: QuestionEntry;
  /** The answer as a sentence. */
  readonly answer: string;
}

type Chapter = readonly [id: string, heading: string, content: readonly Html[]];

/**
 * Renders the certificate as one page for people, which loads nothing from elsewhere. The page's policy allows its own
 * script and no other, whatever a deployment wrote.
 */
export function renderCertificatePage(view: RunView): Html {
  const { certificate, suite, results } = view;
  const exchangeOf = new Map(results.map(({ id, exchange }) => [id, exchange]));
  const entries = new Map(certificate.questions.map((entry) => [entry.id, entry]));
  const page: Page = {
    ...view,
    renderCase: createCaseRenderer(view),
    titles: new Map(suite.cases.map(({ id, title }) => [id, title])),
    shared: findSharedReasons(certificate),
    asked: suite.contract.questions.flatMap((question) => {
      const entry = entries.get(question.id);
      if (entry === undefined) return [];
      const { id, outcome } = entry;
      const answer = outcome === null ? 'No answer.' : renderAnswer(question, outcome, exchangeOf.get(id));
      return [{ question, entry, answer }];
    }),
  };
  const chapters = listChapters(page).filter(([, , content]) => content.length > 0);
  const verdict = capitalize(certificate.verdict.replaceAll('-', ' '));
  return html`${renderPageHead(`${certificate.target.name}: ${verdict}`, pageStyle, pageScript)}
<body>
<a class="skip" href="#results">Skip to the results</a>
<div class="page">
${renderHead(page, verdict)}
<nav aria-label="Contents"><ul>${chapters.map(([id, heading]) => html`<li><a href="#${id}">${heading}</a></li>\n`)}</ul></nav>
<main id="results">
${chapters.map(
  ([id, heading, content], n) =>
    html`${n === 1 ? renderSearch(page) : noHtml}<section id="${id}" class="chapter"><h2>${heading}</h2>\n${content}</section>\n`,
)}
</main>
</div>
<script>${rawHtml(pageScript)}</script>
</body>
</html>
`;
}

function listChapters(page: Page): Chapter[] {
  const { certificate, suite, asked } = page;
  const parts = [...groupBy(certificate.requirements, ({ part }) => part)].map(([part, entries]) =>
    renderGroup(
      part,
      sortByUrgency(entries).map((entry) => renderRequirement(entry, page)),
    ),
  );
  const groups = [...groupBy(asked, ({ question }) => question.group)].map(([name, entries]) =>
    renderGroup(
      name,
      entries.map((entry) => renderQuestion(entry, page)),
    ),
  );
  const exclusions = suite.contract.exclusions.map(({ statement, reason, part }) =>
    renderCard(statement, html`<p>${reason} <small>${part}</small></p>`),
  );
  return [
    ['attention', 'What needs attention', listAttentionCards(page)],
    ['drift', 'Drift from the record, or from the target file', certificate.drift.map(renderDifferenceCard)],
    ['unstable', 'Unstable: failed once and passed once', certificate.unstable.map(renderDifferenceCard)],
    ['requirements', 'Requirements: what the documentation states', parts],
    ['questions', 'Questions: what the documentation leaves open', groups],
    ['not-verified', 'Statements without a test', exclusions],
    ['about', 'About this run', [renderFacts(page)]],
  ];
}

function renderGroup(heading: string, blocks: readonly Html[]): Html {
  return html`<section class="group"><h3>${heading}</h3>
${blocks}</section>
`;
}

function renderHead({ certificate }: Page, verdict: string): Html {
  const { target, summary, questions, drift } = certificate;
  const warnings = questions.filter(({ warning }) => warning).length;
  const answers = `${describeAnswers(questions)}${describeFurtherCount(warnings, warnings === 1 ? 'warning' : 'warnings')}${describeFurtherCount(drift.length, 'drift')}`;
  return html`<header>
<p>Conformance certificate of <code>${target.base_url}</code></p>
<h1>${target.name}</h1>
<p class="verdict ${certificate.verdict}">${verdict}</p>
<p>Requirements: ${describeCounts(summary)}. Questions: ${answers}.</p>
${certificate.is_replay ? html`<p>${replayEndNotice}</p>` : noHtml}
</header>`;
}

/** The script shows the form, because it needs the script. */
function renderSearch({ certificate: { requirements, questions }, asked }: Page): Html {
  const options = (label: string, values: readonly string[]) =>
    html`<optgroup label="${label}">${[...new Set(values)].map((value) => html`<option value="${value}">${value}</option>`)}</optgroup>`;
  const judged = sortByUrgency(requirements.flatMap(({ cases }) => cases)).map(({ verdict }) => verdict);
  const parts = requirements.map(({ part }) => part);
  const groups = asked.map(({ question }) => question.group);
  return html`<form id="search" role="search" aria-label="Cases and questions" hidden>
<label>Search<input type="search" name="text" autocomplete="off"></label>
<label>Verdict or answer<select name="is"><option value="">any</option>${options('Cases', judged)}${options('Questions', questions.flatMap(listMarks))}</select></label>
<label>Part or group<select name="group"><option value="">any</option>${options('Requirements', parts)}${options('Questions', groups)}</select></label>
<button type="reset">Clear</button>
<output id="shown"></output>
</form>
<p id="nothing" hidden>Nothing here has all these words. The suite may not ask this.</p>
`;
}

/** Lists what needs attention: causes, requirements that belong to none, notes and warnings. */
function listAttentionCards(page: Page): Html[] {
  const { certificate, shared, asked } = page;
  const { requirements, notes, causes = [] } = certificate;
  const covered = new Set(causes.flatMap((cause) => [...cause.requirements, ...cause.follows]));
  const unpassed = sortByUrgency(requirements.filter(({ verdict, id }) => verdict !== 'pass' && !covered.has(id)));
  const warnings = asked
    .filter(({ entry }) => entry.warning)
    .map(({ question: { id, open }, answer }) => html`<a href="#${id}">${answer}</a> <small>${open}</small>`);
  const cards = [
    ...causes.map((cause) => renderCause(cause, page)),
    ...unpassed.flatMap((entry) => {
      const decisive = findDecisive(entry);
      // A shared reason is shown once, below.
      return decisive === undefined || shared.has(decisive.reason) ? [] : [renderUnpassed(entry, decisive)];
    }),
    ...renderListCard('Not judged', describeSharedReasons(certificate)),
    ...renderListCard('Notes', notes),
    ...renderListCard('Warnings: the documentation leaves this open, and callers may not expect it', warnings),
  ];
  return cards.length > 0 ? cards : [renderCard('Nothing. Every requirement passes.', noHtml)];
}

function renderCard(heading: string | Html, content: Html | readonly Html[], verdict = ''): Html {
  return html`<div class="card" data-is="${verdict}"><h3>${heading}</h3>${content}</div>
`;
}

function renderListCard(heading: string, entries: readonly (string | Html)[]): Html[] {
  return entries.length === 0 ? [] : [renderCard(heading, renderList(entries))];
}

function renderList(entries: readonly (string | Html)[]): Html {
  return html`<ul class="plain">${entries.map((entry) => html`<li>${entry}</li>`)}</ul>`;
}

/** More requirements are folded. */
const maxOpen = 3;

function renderCause({ sentence, evidence, example, requirements, cases, follows }: Cause, page: Page): Html {
  const entries = page.certificate.requirements.filter(({ id }) => requirements.includes(id));
  const verdict = entries.length > 0 ? 'fail' : 'inconclusive';
  const items = entries.map((entry) => {
    const shown = entry.cases.filter(({ id }) => cases.includes(id)).map(({ id }) => id);
    return html`<a href="#${entry.id}">${entry.statement}</a> <code class="id">${entry.id}</code> <small>${renderLinks(shown)}</small>`;
  });
  const best = html`<a href="#${example.case}">${page.titles.get(example.case) ?? example.case}</a>${example.row === undefined ? '' : `, ${example.row}`}`;
  return renderCard(
    html`${sentence} ${renderBadge(verdict)}`,
    html`${evidence.map((fact) => html`<p>${fact}</p>`)}<p>Best seen in ${best}${example.shows === '' ? '.' : html`: <b>${example.shows}</b>`}</p>
${items.length === 0 ? noHtml : html`<details${openIf(items.length <= maxOpen)}><summary>Requirements that fail: ${items.length}</summary>${renderList(items)}</details>`}${follows.length === 0 ? noHtml : html`<p><small>Not judged for this reason: ${renderLinks(follows)}.</small></p>`}`,
    verdict,
  );
}

function renderUnpassed({ id, statement, verdict }: RequirementEntry, decisive: CaseEntry): Html {
  return renderCard(
    html`<a href="#${id}">${statement}</a> ${renderBadge(verdict)}`,
    html`<p><code class="id">${id}</code></p><p>${decisive.reason}</p><p><small>Shown by ${renderLinks([decisive.id])}</small></p>`,
    verdict,
  );
}

function renderDifferenceCard(entry: CaseDifference): Html {
  return renderCard(html`${renderLinks([entry.case])}`, renderPreformatted(renderDifference(entry)));
}

function renderLinks(ids: readonly string[]): Html[] {
  return ids.map((id, n) => html`${n === 0 ? '' : ', '}<a href="#${id}">${id}</a>`);
}

function renderRequirement({ id, statement, verdict, cases }: RequirementEntry, page: Page): Html {
  return html`<section class="block" id="${id}"><h4>${statement} ${renderBadge(verdict)}</h4><code class="id">${id}</code>
${sortByUrgency(cases).map((entry, n) => renderRequirementCase(entry, n === 0, page))}</section>
`;
}

/** @param isFirst whether it is the first case of its requirement, which is open if it fails */
function renderRequirementCase(entry: CaseEntry, isFirst: boolean, page: Page): Html {
  const { id, verdict, reason } = entry;
  const title = page.titles.get(id) ?? id;
  return renderItem(
    id,
    [verdict],
    html`${verdict === 'pass' ? noHtml : html`${renderBadge(verdict)} `}${title} <small><code>${id}</code>${verdict === 'pass' ? ' pass' : noHtml}</small>`,
    html`${verdict === 'fail' || verdict === 'error' ? noHtml : renderReason(reason, page)}${page.renderCase(id, entry)}`,
    verdict === 'fail' && isFirst,
  );
}

function renderItem(id: string, marks: readonly string[], summary: Html, content: Html, isOpen = false): Html {
  return html`<details class="item" id="${id}" data-is="${marks.join(' ')}"${openIf(isOpen)}><summary>${summary}</summary><div class="inside">
${content}</div></details>
`;
}

function openIf(isOpen: boolean): Html {
  return isOpen ? rawHtml(' open') : noHtml;
}

function renderReason(reason: string, { shared }: Page): Html {
  if (reason === '') return noHtml;
  if (shared.has(reason)) return html`<p>Not judged, for the reason <a href="#attention">at the top</a>.</p>`;
  return html`<p>${reason}</p>`;
}

/** Lists the values by which the filter finds a question. */
function listMarks({ outcome, warning, drift }: QuestionEntry): string[] {
  const answer = outcome === null ? 'no-answer' : outcome === undetermined ? undetermined : 'answered';
  return [answer, ...(warning ? ['warning'] : []), ...(drift ? ['drift'] : [])];
}

function renderQuestion({ question, entry, answer }: AskedQuestion, page: Page): Html {
  const { id, open, part, answer: asked } = question;
  const { outcome, reason = '' } = entry;
  const marks = listMarks(entry);
  const headline = capitalize(open.replace(/^The documentation does not say /, ''));
  const badges = marks.slice(1).map((mark) => html`${renderBadge(mark)} `);
  const named =
    outcome === null || asked.kind === 'value' ? noHtml : html` <code class="badge outcome">${outcome}</code>`;
  return html`<div class="block question">${renderItem(
    id,
    marks,
    html`${renderSentence(headline)} ${badges}<b class="answer">${renderSentence(answer)}${named}</b> <small><code>${id}</code></small>`,
    html`${renderReason(reason, page)}${renderOutcomes(question, outcome)}<p><small>Left open in: ${part}.</small></p>${page.renderCase(id)}`,
  )}</div>
`;
}

/** Renders all named outcomes of a question, with a mark at the observed one. */
function renderOutcomes({ answer }: Question, seen: string | null): Html {
  if (answer.kind === 'value') return noHtml;
  return html`<ul class="outcomes">${[...answer.outcomes].map(([outcome, words]) => html`<li>${outcome === seen ? '● ' : '○ '}${renderSentence(words)} <code>${outcome}</code></li>`)}</ul>`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Renders a sentence of the contract, with code between backticks. */
function renderSentence(sentence: string): Html[] {
  return sentence.split('`').map((text, n) => (n % 2 === 0 ? html`${text}` : html`<code>${text}</code>`));
}

function renderFacts({ certificate }: Page): Html {
  const { target, suite, started_at, duration_ms, requests_sent } = certificate;
  const who = [target.version, target.contact].filter((fact) => fact !== undefined).join(', ');
  return renderCard(
    `${target.name}${who === '' ? '' : `, ${who}`}`,
    renderList([
      `Started ${started_at}, took ${(duration_ms / 1_000).toFixed(1)} s. Requests: ${requests_sent}.`,
      html`${suite.name} ${suite.version}, <code>${suite.digest}</code>`,
      'Send this file as it is: it loads nothing from elsewhere, and the credentials are not in it.',
      html`<code>npx conformance compare earlier/certificate.json certificate.json</code> shows what has changed since an earlier run.`,
    ]),
  );
}
