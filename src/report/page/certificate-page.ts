import type { Suite } from '../../cases/suite.js';
import { undetermined } from '../../cases/test-case.js';
import type { Question } from '../../contract/contract.js';
import type { ResultWithExchanges } from '../../engine/case-result.js';
import { type Verdict, verdicts } from '../../judge/verdict.js';
import type { CaseEntry, Certificate, QuestionEntry, RequirementEntry, RunVerdict } from '../certificate.js';
import { renderRequestCounts, sortByUrgency } from '../counts.js';
import { type Cause, findPicture } from '../diagnosis/cause.js';
import { groupBy } from '../group-by.js';
import { type Html, html, noHtml, rawHtml, renderPageHead, renderPreformatted, renderTable } from '../markup.js';
import { renderAdapterNotice, replayEndNotice } from '../notices.js';
import { renderAnswer } from '../render-answer.js';
import { describeTimes, listTimesRows, timesHeadings } from '../response-times.js';
import type { RunView } from '../run-view.js';
import {
  describeSharedReasons,
  dropExplainedReasons,
  findSharedReasons,
  isSharedReason,
  type SharedReasons,
} from '../shared-reasons.js';
import { type CaseRenderer, createCaseRenderer, renderVerdictBadge } from './case-section.js';
import { type Figure, renderFigures } from './figures.js';
import { pageScript } from './page-script.js';
import { pageStyle } from './page-style.js';

interface Page {
  readonly certificate: Certificate;
  readonly suite: Suite;
  readonly results: ReadonlyMap<string, ResultWithExchanges>;
  readonly renderCase: CaseRenderer;
  /** Reasons that the top of the page shows once. */
  readonly shared: SharedReasons;
  readonly figures: readonly Figure[];
}

const title: Readonly<Record<RunVerdict, string>> = {
  conforms: 'Conforms',
  'does-not-conform': 'Does not conform',
  incomplete: 'Incomplete',
};

/**
 * Renders the certificate as one page for people, which loads nothing from elsewhere. The page's policy allows its own
 * script and no other, whatever a deployment wrote.
 */
export function renderCertificatePage(view: RunView): Html {
  const { certificate, suite, results, exchanges, tierPatterns } = view;
  const page: Page = {
    certificate,
    suite,
    results: new Map(results.map((result) => [result.id, result])),
    // A shared exchange is shown where it matters most.
    renderCase: createCaseRenderer(
      view,
      sortByUrgency(results).map(({ id }) => id),
    ),
    shared: findSharedReasons(certificate),
    figures: exchanges === undefined ? [] : renderFigures(suite, exchanges, tierPatterns),
  };
  const { target, verdict, drift, unstable, causes = [] } = certificate;
  const beside = placeFigures(causes, page.figures);
  const rest = page.figures.filter((each) => ![...beside.values()].flat().includes(each));
  return html`${renderPageHead(`${target.name}: ${title[verdict]}`, pageStyle, pageScript)}
<body>
<a class="skip" href="#results">Skip to the results</a>
<div class="page">
${head(page)}
${contents(page, rest)}
<main id="results">
${attention(page, beside)}${searchForm(page)}${requirementsChapter(page)}${pictures(rest)}${questionsChapter(page)}${byCase('drift', 'Drift', 'Where this target differs from the record, or from its target file.', drift)}${byCase('unstable', 'Unstable', 'Cases that failed once and passed once, which proves nothing.', unstable)}${exclusions(page)}${about(page)}${responseTimes(page)}
</main>
</div>
<script>${rawHtml(pageScript)}</script>
</body>
</html>
`;
}

/** So many figures stand beside a cause. */
const maxFigures = 2;

/** Chooses the figures to show beside each cause: those of its picture and its requirements in which something is wrong. */
function placeFigures(causes: readonly Cause[], figures: readonly Figure[]): Map<Cause, readonly Figure[]> {
  const placed = new Set<Figure>();
  return new Map(
    causes.map((cause) => {
      const isOwn = ({ picture, requirement = '' }: Figure) =>
        picture === findPicture(cause.kind) && (requirement === '' || cause.requirements.includes(requirement));
      const fitting = figures.filter((each) => each.isOff && isOwn(each) && !placed.has(each));
      const chosen = fitting.slice(0, maxFigures);
      for (const each of chosen) placed.add(each);
      return [cause, chosen];
    }),
  );
}

function pictures(figures: readonly Figure[]): Html {
  if (figures.length === 0) return noHtml;
  return html`<section id="pictures" class="chapter">
<h2>Pictures</h2>
${figures.map(({ figure }) => figure)}
</section>
`;
}

function head({ certificate }: Page): Html {
  const { verdict, target, summary, questions, drift, started_at } = certificate;
  const answered = questions.filter(({ outcome }) => outcome !== null && outcome !== undetermined).length;
  const warnings = questions.filter(({ warning }) => warning).length;
  const count = (number: number, words: string) => html`<li><b>${number}</b><span>${words}</span></li>`;
  return html`<header>
<p class="kicker">Conformance certificate</p>
<h1>${target.name}</h1>
<p class="verdict ${verdict}">${title[verdict]}</p>
<p class="kicker"><code>${target.base_url}</code> on <time datetime="${started_at}">${started_at.slice(0, 16).replace('T', ' ')} UTC</time>, ${certificate.requests_sent} requests in ${renderDuration(certificate.duration_ms)}${target.adapter === undefined ? noHtml : html`<br>${renderAdapterNotice(target.adapter)}`}</p>
<ul class="counts" aria-label="Sums">
${verdicts.filter((each) => summary[each] !== undefined).map((each) => count(summary[each] ?? 0, counted[each]))}
${count(answered, `of ${questions.length} questions answered`)}
${warnings === 0 ? noHtml : count(warnings, warnings === 1 ? 'warning' : 'warnings')}
${drift.length === 0 ? noHtml : count(drift.length, 'drift')}
</ul>
${certificate.is_replay ? html`<p class="kicker">${replayEndNotice}</p>` : noHtml}
</header>
`;
}

const counted: Readonly<Record<Verdict, string>> = {
  fail: 'requirements fail',
  error: 'requirements in error',
  inconclusive: 'requirements inconclusive',
  'not-run': 'requirements not run',
  pass: 'requirements pass',
  'not-applicable': 'requirements not applicable',
};

function contents({ certificate, suite }: Page, figures: readonly Figure[]): Html {
  const { requirements, questions, drift, unstable } = certificate;
  const link = (id: string, text: string, number?: number) =>
    html`<a href="#${id}">${text}${number === undefined ? noHtml : html`<span class="number">${number}</span>`}</a>`;
  const item = (id: string, text: string, number?: number, under: Html = noHtml) =>
    html`<li>${link(id, text, number)}${under}</li>`;
  const sub = (entries: readonly Html[]) => html`<ul>${entries}</ul>`;
  return html`<nav aria-label="Contents"><details id="contents" open><summary>Contents</summary><ul>
${item('attention', 'What needs attention')}
${item('search', 'Search and filter')}
${item('requirements', 'Requirements', requirements.length, sub(listParts(requirements).map((part) => item(createAnchor(part), part))))}
${figures.length === 0 ? noHtml : item('pictures', 'Pictures')}
${item('questions', 'Questions', questions.length, sub(listGroups(suite).map((group) => item(createAnchor(group), group))))}
${drift.length === 0 ? noHtml : item('drift', 'Drift', drift.length)}
${unstable.length === 0 ? noHtml : item('unstable', 'Unstable', unstable.length)}
${item('not-verified', 'Statements without a test', suite.contract.exclusions.length)}
${item('about', 'About this run')}
${certificate.response_times === undefined ? noHtml : item('response-times', 'Response times')}
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

function listGroups({ contract }: Suite): string[] {
  return [...new Set(contract.questions.map(({ group }) => group))];
}

/** Renders what needs attention: causes, then the requirements that belong to none. */
function attention(page: Page, beside: ReadonlyMap<Cause, readonly Figure[]>): Html {
  const { certificate, shared } = page;
  const { verdict, requirements, questions, drift, incomplete_because, notes, causes = [] } = certificate;
  const covered = new Set(causes.flatMap((cause) => [...cause.requirements, ...cause.follows]));
  const unpassed = sortByUrgency(requirements.filter(({ verdict, id }) => verdict !== 'pass' && !covered.has(id)));
  const warnings = page.suite.contract.questions.flatMap((question) => {
    const entry = questions.find(({ id, warning }) => warning && id === question.id);
    return entry === undefined ? [] : [{ question, entry }];
  });
  const cards = unpassed.flatMap((entry) => {
    const decisive = entry.cases.find((each) => each.verdict === entry.verdict);
    // A shared reason is shown once, below.
    return decisive === undefined || isSharedReason(decisive.reason, shared) ? [] : [{ entry, decisive }];
  });
  const shownIds = [...cards.map(({ entry }) => entry.id), ...covered];
  const isShown = (line: string) => shownIds.some((id) => line.startsWith(`${id}: `));
  const reasons = incomplete_because ?? describeSharedReasons(certificate);
  const whyNot = dropExplainedReasons(reasons, causes).filter((line) => !isShown(line));
  const list = (entries: readonly Html[]) => html`<ul class="plain">${entries}</ul>`;
  return html`<section id="attention" class="chapter">
<h2>What needs attention</h2>
${causes.map((cause) => causeCard(cause, beside.get(cause) ?? [], page))}${cards.map(({ entry, decisive }) => attentionCard(entry, decisive))}${whyNot.length === 0 ? noHtml : html`<div class="card"><h3>${verdict === 'incomplete' ? 'Why it is incomplete' : 'Not judged'}</h3>${list(whyNot.map((line) => html`<li>${line}</li>`))}</div>`}${
  notes.length === 0
    ? noHtml
    : html`<div class="card"><h3>Notes</h3>${list(notes.map((note) => html`<li>${note}</li>`))}</div>`
}${
  drift.length === 0
    ? noHtml
    : html`<div class="card"><h3>Drift</h3><p><a href="#drift">${drift.length === 1 ? 'One difference' : `${drift.length} differences`}</a> from what was recorded or stated of this target.</p></div>`
}${
  warnings.length === 0
    ? noHtml
    : html`<div class="card" id="warnings"><h3>Warnings</h3><p>The documentation leaves this open, and callers may not expect it.</p>${list(warnings.map(({ question, entry }) => html`<li><a href="#${question.id}">${renderOutcome(question, entry.outcome, page)}</a> <small>${question.open}</small></li>`))}</div>`
}${causes.length + cards.length + whyNot.length + drift.length + warnings.length === 0 ? html`<div class="card"><p>Nothing. Every requirement passes.</p></div>` : noHtml}
</section>
`;
}

/** More requirements are folded. */
const maxOpen = 3;

function causeCard(cause: Cause, figures: readonly Figure[], { certificate, suite }: Page): Html {
  const { sentence, evidence, example, cases, follows } = cause;
  const entries = certificate.requirements.filter(({ id }) => cause.requirements.includes(id));
  const verdict = entries.length > 0 ? 'fail' : 'inconclusive';
  const title = suite.cases.find(({ id }) => id === example.case)?.title ?? example.case;
  const items = entries.map((entry) => {
    const own = entry.cases.filter(({ id }) => cases.includes(id));
    return html`<li><a href="#${entry.id}">${entry.statement}</a> <code class="id">${entry.id}</code> <small>${own.map(({ id }, n) => html`${n === 0 ? '' : ', '}<a href="#${id}">${id}</a>`)}</small></li>`;
  });
  const list = html`<ul class="plain">${items}</ul>`;
  const count = cases.length === 1 ? 'One case shows this' : `${cases.length} cases show this`;
  return html`<div class="card attention cause" data-is="${verdict}"><div class="lead"><h3>${sentence}</h3>${renderVerdictBadge(verdict)}</div>${evidence.map((each) => html`<p>${each}</p>`)}
<p class="example">Best seen in <a href="#${example.case}">${title}</a>${example.row === undefined ? '' : `, ${example.row}`}${example.shows === '' ? '.' : html`: <b>${example.shows}</b>`}</p>
${figures.map(({ figure }) => figure)}${
  items.length === 0
    ? noHtml
    : items.length > maxOpen
      ? html`<details><summary>${count}, of ${items.length} requirements</summary>${list}</details>`
      : html`<p>${count}:</p>${list}`
}${follows.length === 0 ? noHtml : html`<p><small>${follows.length === 1 ? 'One more requirement' : `${follows.length} more requirements`} could not be judged for this reason: ${follows.map((id, n) => html`${n === 0 ? '' : ', '}<a href="#${id}">${id}</a>`)}.</small></p>`}</div>
`;
}

function attentionCard(entry: RequirementEntry, decisive: CaseEntry): Html {
  const { id, statement, verdict } = entry;
  return html`<div class="card attention" data-is="${verdict}"><div class="lead"><h3><a href="#${id}">${statement}</a></h3>${renderVerdictBadge(verdict)}</div><p class="id"><code>${id}</code></p><p>${decisive.reason}</p><p><small>Shown by <a href="#${decisive.id}">${decisive.id}</a>${otherCases(entry, decisive)}</small></p></div>
`;
}

function otherCases({ cases }: RequirementEntry, decisive: CaseEntry): string {
  const others = cases.filter((each) => each.verdict === decisive.verdict).length - 1;
  return others === 0 ? '' : `, and ${others} more ${others === 1 ? 'case' : 'cases'}`;
}

function requirementsChapter(page: Page): Html {
  const { requirements } = page.certificate;
  return html`<section id="requirements" class="chapter">
<h2>Requirements</h2>
<p>The statements of the documentation, part by part. Each case shows its requests, the responses and the lines of its file.</p>
${listParts(requirements).map(
  (part) => html`<section class="group" id="${createAnchor(part)}"><h3>${part}</h3>
${sortByUrgency(requirements.filter((entry) => entry.part === part)).map((entry) => requirementBlock(entry, page))}</section>
`,
)}
</section>
`;
}

/** The script shows the form, because it needs the script. */
function searchForm({ certificate, suite }: Page): Html {
  const judged = verdicts.filter((verdict) =>
    certificate.requirements.some(({ cases }) => cases.some((entry) => entry.verdict === verdict)),
  );
  const answers = [...new Set(certificate.questions.flatMap((entry) => listMarks(entry)))];
  const option = (value: string) => html`<option value="${value}">${value}</option>`;
  return html`<form id="search" role="search" aria-label="Cases and questions" hidden>
<label>Search<input type="search" name="text" autocomplete="off"></label>
<label>Verdict or answer<select name="is"><option value="">any</option><optgroup label="Cases">${judged.map(option)}</optgroup><optgroup label="Questions">${answers.map(option)}</optgroup></select></label>
<label>Part or group<select name="group"><option value="">any</option><optgroup label="Requirements">${listParts(certificate.requirements).map(option)}</optgroup><optgroup label="Questions">${listGroups(suite).map(option)}</optgroup></select></label>
<button type="reset">Clear</button><button type="button" id="open-all">Open all</button><button type="button" id="close-all">Close all</button>
<output id="shown"></output>
</form>
<p id="nothing" hidden>Nothing here has all these words. The suite may not ask this.</p>
`;
}

/** @param milliseconds of a run or a case */
function renderDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

function requirementBlock({ id, part, statement, verdict, cases }: RequirementEntry, page: Page): Html {
  return html`<section class="block" id="${id}" data-text="${id} ${statement}"><div class="lead"><h4>${statement}</h4>${renderVerdictBadge(verdict)}</div><code class="id">${id}</code>
${sortByUrgency(cases).map((entry, n) => requirementCase(entry, part, n === 0, page))}</section>
`;
}

/** @param isFirst whether it is the first case of its requirement, which is open if it fails */
function requirementCase({ id, verdict, reason }: CaseEntry, part: string, isFirst: boolean, page: Page): Html {
  const testCase = page.suite.cases.find((each) => each.id === id);
  const result = page.results.get(id);
  return html`<details class="item" id="${id}" data-is="${verdict}" data-group="${part}"${verdict === 'fail' && isFirst ? rawHtml(' open') : noHtml}><summary>${verdict === 'pass' ? noHtml : html`${renderVerdictBadge(verdict)} `}${testCase?.title ?? id} <small><code>${id}</code>${verdict === 'pass' ? ' pass' : noHtml}${result === undefined || result.durationMs === 0 ? '' : `, ${renderDuration(result.durationMs)}`}</small></summary><div class="inside">
${verdict === 'fail' || verdict === 'error' ? noHtml : reasonMarkup(reason, page.shared)}${page.renderCase(testCase, result)}</div></details>
`;
}

function reasonMarkup(reason: string, shared: SharedReasons): Html {
  if (reason === '') return noHtml;
  return isSharedReason(reason, shared)
    ? html`<p>Not judged, for the reason <a href="#attention">at the top</a>.</p>`
    : html`<p>${reason}</p>`;
}

function questionsChapter(page: Page): Html {
  const entries = new Map(page.certificate.questions.map((entry) => [entry.id, entry]));
  return html`<section id="questions" class="chapter">
<h2>Questions</h2>
<p>What the documentation leaves open, and what this target does. Answers do not change the verdict.</p>
${listGroups(page.suite).map(
  (group) => html`<section class="group" id="${createAnchor(group)}"><h3>${group}</h3>
${page.suite.contract.questions
  .filter((question) => question.group === group)
  .map((question) => questionBlock(question, entries.get(question.id), page))}</section>
`,
)}
</section>
`;
}

/** Lists the values by which the filter finds a question. */
function listMarks({ outcome, warning, drift }: QuestionEntry): string[] {
  const answer = outcome === null ? 'no answer' : outcome === undetermined ? undetermined : 'answered';
  return [answer, ...(warning ? ['warning'] : []), ...(drift ? ['drift'] : [])].map((mark) => mark.replace(' ', '-'));
}

function questionBlock(question: Question, entry: QuestionEntry | undefined, page: Page): Html {
  if (entry === undefined) return noHtml;
  const { id, open, group, part, answer } = question;
  const testCase = page.suite.cases.find((each) => each.id === id);
  const { outcome, warning, drift, reason } = entry;
  const answered = renderOutcome(question, outcome, page);
  return html`<div class="block question" data-text="${id} ${open}"><details class="item" id="${id}" data-is="${listMarks(entry).join(' ')}" data-group="${group}"><summary><span class="asked">${renderSentence(renderQuestion(open))}</span> ${warning ? html`<span class="badge warning">warning</span> ` : noHtml}${drift ? html`<span class="badge drift">drift</span> ` : noHtml}<span class="answer">${renderSentence(answered)} ${outcome === null || answer.kind === 'value' ? noHtml : html`<code class="badge outcome">${outcome}</code>`}</span><small><code>${id}</code></small></summary><div class="inside">
${reasonMarkup(reason ?? '', page.shared)}${outcomeList(question, outcome)}<p><small>${testCase === undefined ? '' : `${testCase.title}. `}Left open in: ${part}.</small></p>${page.renderCase(testCase, page.results.get(id))}</div></details></div>
`;
}

function renderOutcome(question: Question, outcome: string | null, page: Page): string {
  return outcome === null ? 'No answer.' : renderAnswer(question, outcome, page.results.get(question.id)?.exchange);
}

/** Renders what the documentation does not say, as a headline. */
function renderQuestion(open: string): string {
  const asked = open.replace(/^The documentation does not say /, '');
  return asked.charAt(0).toUpperCase() + asked.slice(1);
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

function byCase(
  id: string,
  heading: string,
  words: string,
  entries: readonly { readonly case: string; readonly text: string }[],
): Html {
  if (entries.length === 0) return noHtml;
  const groups = [...groupBy(entries, (entry) => entry.case)];
  return html`<section id="${id}" class="chapter"><h2>${heading}</h2><p>${words}</p>
${groups.map(
  ([
    each,
    own,
  ]) => html`<div class="card"><h3><a href="#${each}">${each}</a></h3>${own.map(({ text }) => renderPreformatted(text))}</div>
`,
)}</section>
`;
}

function exclusions({ suite }: Page): Html {
  return html`<section id="not-verified" class="chapter"><h2>Statements without a test</h2>
<p>Other statements of the documentation, and why the suite sends nothing for them.</p>
${suite.contract.exclusions.map(
  ({
    part,
    statement,
    reason,
  }) => html`<div class="card"><h3>${statement}</h3><p>${reason} <small>${part}</small></p></div>
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
${fact('Version', target.version)}${fact('Contact', target.contact)}${fact('Requests', renderRequestCounts(certificate))}${fact('Started', started_at)}${fact('Duration', renderDuration(duration_ms))}${fact('Suite', html`${suite.name} ${suite.version}<br><code>${suite.digest}</code>`)}${fact('Share', 'Send this file as it is: it loads nothing from elsewhere, and the credentials are not in it.')}${fact('Compare', html`<code>npx conformance compare earlier/certificate.json certificate.json --html changes.html</code> shows what has changed since an earlier run.`)}
</dl></div>
</section>
`;
}

function responseTimes({ certificate: { response_times: times } }: Page): Html {
  if (times === undefined) return noHtml;
  return html`<section id="response-times" class="chapter"><h2>Response times</h2>
<p>${describeTimes(times)}</p>
<div class="card">${renderTable(timesHeadings, listTimesRows(times))}</div>
</section>
`;
}
