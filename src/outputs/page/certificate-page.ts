import { undetermined } from '../../cases/test-case.js';
import { type CaseDifference, type CaseEntry, renderDifference } from '../../certificate/case-entry.js';
import type { QuestionEntry, RequirementEntry, RunVerdict } from '../../certificate/certificate.js';
import type { Cause } from '../../certificate/diagnosis/cause.js';
import { renderTransportNotice, replayEndNotice } from '../../certificate/notices.js';
import { renderAnswer } from '../../certificate/render-answer.js';
import { describeSharedReasons, findSharedReasons } from '../../certificate/shared-reasons.js';
import type { Question } from '../../contract/contract.js';
import { verdicts } from '../../judge/verdict.js';
import { groupBy } from '../../support/group-by.js';
import { type Html, html, noHtml, rawHtml, renderPageHead, renderPreformatted } from '../../support/markup.js';
import { renderRequestCounts, sortByUrgency } from '../counts.js';
import type { RunView } from '../run-view.js';
import { type CaseRenderer, createCaseRenderer, renderVerdictBadge } from './case-section.js';
import { pageScript } from './page-script.js';
import { pageStyle } from './page-style.js';

interface Page extends RunView {
  readonly asked: readonly AskedQuestion[];
  readonly renderCase: CaseRenderer;
  /** Reasons that the top of the page shows once. */
  readonly shared: ReturnType<typeof findSharedReasons>;
}

interface AskedQuestion {
  readonly question: Question;
  readonly entry: QuestionEntry;
  /** The answer as a sentence. */
  readonly answer: string;
}

/**
 * Renders the certificate as one page for people, which loads nothing from elsewhere. The page's policy allows its own
 * script and no other, whatever a deployment wrote.
 */
export function renderCertificatePage(view: RunView): Html {
  const { certificate } = view;
  const page: Page = {
    ...view,
    asked: listAsked(view),
    renderCase: createCaseRenderer(view),
    shared: findSharedReasons(certificate),
  };
  const { target, verdict, drift, unstable } = certificate;
  return html`${renderPageHead(`${target.name}: ${renderVerdict(verdict)}`, pageStyle, pageScript)}
<body>
<a class="skip" href="#results">Skip to the results</a>
<div class="page">
${head(page)}
${contents(page)}
<main id="results">
${attention(page)}${byCase('drift', 'Drift', 'Where this target differs from the record, or from its target file.', drift)}${byCase('unstable', 'Unstable', 'Cases that failed once and passed once, which proves nothing.', unstable)}${searchForm(page)}${requirementsChapter(page)}${questionsChapter(page)}${exclusions(page)}${about(page)}
</main>
</div>
<script>${rawHtml(pageScript)}</script>
</body>
</html>
`;
}

function listAsked({ certificate, suite, results }: RunView): AskedQuestion[] {
  const entries = new Map(certificate.questions.map((entry) => [entry.id, entry]));
  return suite.contract.questions.flatMap((question) => {
    const entry = entries.get(question.id);
    if (entry === undefined) return [];
    const { id, outcome } = entry;
    const exchange = results.find((result) => result.id === id)?.exchange;
    return [{ question, entry, answer: outcome === null ? 'No answer.' : renderAnswer(question, outcome, exchange) }];
  });
}

function head({ certificate }: Page): Html {
  const { verdict, target, summary, questions, drift, started_at } = certificate;
  const answered = questions.filter(({ outcome }) => outcome !== null && outcome !== undetermined).length;
  const warnings = questions.filter(({ warning }) => warning).length;
  const count = (number: number, words: string) => html`<li><b>${number}</b><span>${words}</span></li>`;
  return html`<header>
<p class="kicker">Conformance certificate</p>
<h1>${target.name}</h1>
<p class="verdict ${verdict}">${renderVerdict(verdict)}</p>
<p class="kicker"><code>${target.base_url}</code> on <time datetime="${started_at}">${started_at.slice(0, 16).replace('T', ' ')} UTC</time>, ${certificate.requests_sent} requests in ${renderDuration(certificate.duration_ms)}${target.transport === undefined ? noHtml : html`<br>${renderTransportNotice(target.transport)}`}</p>
<ul class="counts" aria-label="Sums">
${verdicts.filter((each) => summary[each] !== undefined).map((each) => count(summary[each] ?? 0, `requirements: ${each}`))}
${count(answered, `of ${questions.length} questions answered`)}
${warnings === 0 ? noHtml : count(warnings, warnings === 1 ? 'warning' : 'warnings')}
${drift.length === 0 ? noHtml : count(drift.length, 'drift')}
</ul>
${certificate.is_replay ? html`<p class="kicker">${replayEndNotice}</p>` : noHtml}
</header>
`;
}

function contents({ certificate, suite }: Page): Html {
  const { requirements, questions, drift, unstable } = certificate;
  const groups = suite.contract.groups.map(({ name }) => name);
  const item = (id: string, text: string, number?: number, under: readonly string[] = []): Html =>
    html`<li><a href="#${id}">${text}${number === undefined ? noHtml : html`<span class="number">${number}</span>`}</a>${under.length === 0 ? noHtml : html`<ul>${under.map((heading) => item(createAnchor(heading), heading))}</ul>`}</li>`;
  return html`<nav aria-label="Contents"><details id="contents" open><summary>Contents</summary><ul>
${item('attention', 'What needs attention')}
${drift.length === 0 ? noHtml : item('drift', 'Drift', drift.length)}
${unstable.length === 0 ? noHtml : item('unstable', 'Unstable', unstable.length)}
${item('search', 'Search and filter')}
${item('requirements', 'Requirements', requirements.length, listParts(requirements))}
${item('questions', 'Questions', questions.length, groups)}
${item('not-verified', 'Statements without a test', suite.contract.exclusions.length)}
${item('about', 'About this run')}
</ul></details></nav>
`;
}

/** Creates an id that no case or question has. */
function createAnchor(heading: string): string {
  return `${heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-group`;
}

function listParts(requirements: readonly RequirementEntry[]): string[] {
  return [...new Set(requirements.map(({ part }) => part))];
}

/** Renders what needs attention: causes, then the requirements that belong to none. */
function attention(page: Page): Html {
  const { certificate, shared } = page;
  const { requirements, drift, notes, causes = [] } = certificate;
  const covered = new Set(causes.flatMap((cause) => [...cause.requirements, ...cause.follows]));
  const unpassed = sortByUrgency(requirements.filter(({ verdict, id }) => verdict !== 'pass' && !covered.has(id)));
  const cards = unpassed.flatMap((entry) => {
    const decisive = entry.cases.find((each) => each.verdict === entry.verdict);
    // A shared reason is shown once, below.
    return decisive === undefined || shared.has(decisive.reason) ? [] : [{ entry, decisive }];
  });
  const whyNot = describeSharedReasons(certificate);
  const warnings = page.asked
    .filter(({ entry }) => entry.warning)
    .map(({ question: { id, open }, answer }) => html`<a href="#${id}">${answer}</a> <small>${open}</small>`);
  const isCalm = causes.length + cards.length + whyNot.length + drift.length + warnings.length === 0;
  return html`<section id="attention" class="chapter">
<h2>What needs attention</h2>
${causes.map((cause) => causeCard(cause, page))}${cards.map(({ entry, decisive }) => attentionCard(entry, decisive))}${listCard('Not judged', whyNot)}${listCard('Notes', notes)}${listCard('Warnings: the documentation leaves this open, and callers may not expect it', warnings)}${isCalm ? html`<div class="card"><p>Nothing. Every requirement passes.</p></div>` : noHtml}
</section>
`;
}

function listCard(heading: string, entries: readonly (string | Html)[]): Html {
  if (entries.length === 0) return noHtml;
  return html`<div class="card"><h3>${heading}</h3><ul class="plain">${entries.map((entry) => html`<li>${entry}</li>`)}</ul></div>`;
}

/** More requirements are folded. */
const maxOpen = 3;

function causeCard(cause: Cause, page: Page): Html {
  const { sentence, evidence, example, cases, follows } = cause;
  const entries = page.certificate.requirements.filter(({ id }) => cause.requirements.includes(id));
  const verdict = entries.length > 0 ? 'fail' : 'inconclusive';
  const title = page.suite.cases.find(({ id }) => id === example.case)?.title ?? example.case;
  const items = entries.map((entry) => {
    const own = entry.cases.filter(({ id }) => cases.includes(id)).map(({ id }) => id);
    return html`<li><a href="#${entry.id}">${entry.statement}</a> <code class="id">${entry.id}</code> <small>${links(own)}</small></li>`;
  });
  return html`<div class="card attention cause" data-is="${verdict}"><div class="lead"><h3>${sentence}</h3>${renderVerdictBadge(verdict)}</div>${evidence.map((each) => html`<p>${each}</p>`)}
<p class="example">Best seen in <a href="#${example.case}">${title}</a>${example.row === undefined ? '' : `, ${example.row}`}${example.shows === '' ? '.' : html`: <b>${example.shows}</b>`}</p>
${items.length === 0 ? noHtml : html`<details${items.length > maxOpen ? noHtml : rawHtml(' open')}><summary>Requirements that fail: ${items.length}</summary><ul class="plain">${items}</ul></details>`}${follows.length === 0 ? noHtml : html`<p><small>Not judged for this reason: ${links(follows)}.</small></p>`}</div>
`;
}

function links(ids: readonly string[]): Html[] {
  return ids.map((id, n) => html`${n === 0 ? '' : ', '}<a href="#${id}">${id}</a>`);
}

function attentionCard({ id, statement, verdict }: RequirementEntry, decisive: CaseEntry): Html {
  return html`<div class="card attention" data-is="${verdict}"><div class="lead"><h3><a href="#${id}">${statement}</a></h3>${renderVerdictBadge(verdict)}</div><p class="id"><code>${id}</code></p><p>${decisive.reason}</p><p><small>Shown by <a href="#${decisive.id}">${decisive.id}</a></small></p></div>
`;
}

function requirementsChapter(page: Page): Html {
  const { requirements } = page.certificate;
  return html`<section id="requirements" class="chapter">
<h2>Requirements</h2>
<p>The statements of the documentation, part by part. Each case shows its requests and the responses.</p>
${listParts(requirements).map(
  (part) => html`<section class="group" id="${createAnchor(part)}"><h3>${part}</h3>
${sortByUrgency(requirements.filter((entry) => entry.part === part)).map((entry) => requirementBlock(entry, page))}</section>
`,
)}
</section>
`;
}

/** The script shows the form, because it needs the script. */
function searchForm({ certificate: { requirements, questions }, suite }: Page): Html {
  const judged = new Set(requirements.flatMap(({ cases }) => cases.map(({ verdict }) => verdict)));
  const answers = new Set(questions.flatMap(listMarks));
  const options = (values: readonly string[]) =>
    values.map((value) => html`<option value="${value}">${value}</option>`);
  return html`<form id="search" role="search" aria-label="Cases and questions" hidden>
<label>Search<input type="search" name="text" autocomplete="off"></label>
<label>Verdict or answer<select name="is"><option value="">any</option><optgroup label="Cases">${options(verdicts.filter((each) => judged.has(each)))}</optgroup><optgroup label="Questions">${options([...answers])}</optgroup></select></label>
<label>Part or group<select name="group"><option value="">any</option><optgroup label="Requirements">${options(listParts(requirements))}</optgroup><optgroup label="Questions">${options(suite.contract.groups.map(({ name }) => name))}</optgroup></select></label>
<button type="reset">Clear</button>
<output id="shown"></output>
</form>
<p id="nothing" hidden>Nothing here has all these words. The suite may not ask this.</p>
`;
}

/** @param milliseconds of a run or a case */
function renderDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

function requirementBlock({ id, statement, verdict, cases }: RequirementEntry, page: Page): Html {
  return html`<section class="block" id="${id}"><div class="lead"><h4>${statement}</h4>${renderVerdictBadge(verdict)}</div><code class="id">${id}</code>
${sortByUrgency(cases).map((entry, n) => requirementCase(entry, n === 0, page))}</section>
`;
}

/** @param isFirst whether it is the first case of its requirement, which is open if it fails */
function requirementCase(entry: CaseEntry, isFirst: boolean, page: Page): Html {
  const { id, verdict, reason } = entry;
  const title = page.suite.cases.find((each) => each.id === id)?.title ?? id;
  const { durationMs = 0 } = page.results.find((each) => each.id === id) ?? {};
  return html`<details class="item" id="${id}" data-is="${verdict}"${verdict === 'fail' && isFirst ? rawHtml(' open') : noHtml}><summary>${verdict === 'pass' ? noHtml : html`${renderVerdictBadge(verdict)} `}${title} <small><code>${id}</code>${verdict === 'pass' ? ' pass' : noHtml}${durationMs === 0 ? '' : `, ${renderDuration(durationMs)}`}</small></summary><div class="inside">
${verdict === 'fail' || verdict === 'error' ? noHtml : reasonMarkup(reason, page.shared)}${page.renderCase(id, entry)}</div></details>
`;
}

function reasonMarkup(reason: string, shared: Page['shared']): Html {
  if (reason === '') return noHtml;
  return shared.has(reason)
    ? html`<p>Not judged, for the reason <a href="#attention">at the top</a>.</p>`
    : html`<p>${reason}</p>`;
}

function questionsChapter(page: Page): Html {
  return html`<section id="questions" class="chapter">
<h2>Questions</h2>
<p>What the documentation leaves open, and what this target does. Answers do not change the verdict.</p>
${page.suite.contract.groups.map(
  ({ name }) => html`<section class="group" id="${createAnchor(name)}"><h3>${name}</h3>
${page.asked.filter(({ question }) => question.group === name).map((asked) => questionBlock(asked, page))}</section>
`,
)}
</section>
`;
}

/** Lists the values by which the filter finds a question. */
function listMarks({ outcome, warning, drift }: QuestionEntry): string[] {
  const answer = outcome === null ? 'no-answer' : outcome === undetermined ? undetermined : 'answered';
  return [answer, ...(warning ? ['warning'] : []), ...(drift ? ['drift'] : [])];
}

function questionBlock({ question, entry, answer }: AskedQuestion, page: Page): Html {
  const { id, open, part } = question;
  const { outcome, warning, drift, reason = '' } = entry;
  const headline = capitalize(open.replace(/^The documentation does not say /, ''));
  return html`<div class="block question"><details class="item" id="${id}" data-is="${listMarks(entry).join(' ')}"><summary><span class="asked">${renderSentence(headline)}</span> ${warning ? html`<span class="badge warning">warning</span> ` : noHtml}${drift ? html`<span class="badge drift">drift</span> ` : noHtml}<span class="answer">${renderSentence(answer)} ${outcome === null || question.answer.kind === 'value' ? noHtml : html`<code class="badge outcome">${outcome}</code>`}</span><small><code>${id}</code></small></summary><div class="inside">
${reasonMarkup(reason, page.shared)}${outcomeList(question, outcome)}<p><small>Left open in: ${part}.</small></p>${page.renderCase(id)}</div></details></div>
`;
}

function renderVerdict(verdict: RunVerdict): string {
  return capitalize(verdict.replaceAll('-', ' '));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Renders a sentence of the contract, with code between backticks. */
function renderSentence(sentence: string): Html[] {
  return sentence.split('`').map((text, n) => (n % 2 === 0 ? html`${text}` : html`<code>${text}</code>`));
}

/** Renders all named outcomes of a question, with a mark at the observed one. */
function outcomeList({ answer }: Question, seen: string | null): Html {
  if (answer.kind === 'value') return noHtml;
  return html`<ul class="outcomes">${[...answer.outcomes].map(([outcome, words]) => html`<li${outcome === seen ? rawHtml(' class="seen"') : noHtml}>${outcome === seen ? '● ' : '○ '}${renderSentence(words)} <code>${outcome}</code></li>`)}</ul>`;
}

function byCase(id: string, heading: string, words: string, entries: readonly CaseDifference[]): Html {
  if (entries.length === 0) return noHtml;
  const groups = [...groupBy(entries, (entry) => entry.case).values()];
  return html`<section id="${id}" class="chapter"><h2>${heading}</h2><p>${words}</p>
${groups.map(
  (
    own,
  ) => html`<div class="card"><h3>${links([own[0].case])}</h3>${own.map((entry) => renderPreformatted(renderDifference(entry)))}</div>
`,
)}</section>
`;
}

function exclusions({ suite }: Page): Html {
  return html`<section id="not-verified" class="chapter"><h2>Statements without a test</h2>
<p>Other statements of the documentation, and why the suite sends nothing for them.</p>
${suite.contract.exclusions.map(
  (each) => html`<div class="card"><h3>${each.statement}</h3><p>${each.reason} <small>${each.part}</small></p></div>
`,
)}</section>
`;
}

function about({ certificate }: Page): Html {
  const { target, suite, started_at, duration_ms } = certificate;
  const fact = (name: string, value: string | Html | undefined) =>
    value === undefined ? noHtml : html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`<section id="about" class="chapter"><h2>About this run</h2>
<div class="card"><dl class="facts">
${fact('Version', target.version)}${fact('Contact', target.contact)}${fact('Requests', renderRequestCounts(certificate))}${fact('Started', started_at)}${fact('Duration', renderDuration(duration_ms))}${fact('Suite', html`${suite.name} ${suite.version}<br><code>${suite.digest}</code>`)}${fact('Share', 'Send this file as it is: it loads nothing from elsewhere, and the credentials are not in it.')}${fact('Compare', html`<code>npx conformance compare earlier/certificate.json certificate.json</code> shows what has changed since an earlier run.`)}
</dl></div>
</section>
`;
}
