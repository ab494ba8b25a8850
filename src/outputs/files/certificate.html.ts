import { type CaseDifference, type CaseEntry, renderDifference } from '../../certificate/case-entry.js';
import {
  type Certificate,
  findDecisive,
  isKnownFailure,
  type KnownEntry,
  type RequirementEntry,
} from '../../certificate/certificate.js';
import type { Cause } from '../../certificate/diagnosis/cause.js';
import { groupDrift } from '../../certificate/drift-entry.js';
import { replayEndNotice } from '../../certificate/notices.js';
import { getStatus, renderAnswer } from '../../certificate/render-answer.js';
import { describeSharedReasons, findSharedReasons } from '../../certificate/shared-reasons.js';
import type { KnownDeviation } from '../../record/known-deviations.js';
import { groupBy } from '../../support/group-by.js';
import { type Html, html, noHtml, rawHtml, renderPageHead, renderPreformatted } from '../../support/markup.js';
import {
  describeAnswers,
  describeCounts,
  describeFurtherCount,
  describeKnownDeviation,
  describeKnownEntry,
  describeNotCompared,
  explainDrift,
  renderVerdict,
  sortByUrgency,
} from '../counts.js';
import type { Output } from '../output.js';
import { type CaseRenderer, createCaseRenderer } from '../page/case-section.js';
import { pageStyle } from '../page/page-style.js';
import type { QuestionAnswer, RunView } from '../run-view.js';

interface Page extends RunView {
  readonly renderCase: CaseRenderer;
  readonly titles: ReadonlyMap<string, string>;
  /** Reasons that the top of the page shows once. */
  readonly shared: ReturnType<typeof findSharedReasons>;
}

/**
 * Renders the certificate as one page for people, which loads nothing from elsewhere and runs no script, whatever a
 * deployment wrote. Browsers open what is folded when a link or a search (Ctrl-F) leads there.
 */
export default ((view) => {
  const { certificate, suite } = view;
  const { target, summary, questions } = certificate;
  const page: Page = {
    ...view,
    renderCase: createCaseRenderer(view),
    titles: new Map(suite.cases.map(({ id, title }) => [id, title])),
    shared: findSharedReasons(certificate),
  };
  const chapters = listChapters(page).filter(([, , content]) => content.length > 0);
  const verdict = capitalize(renderVerdict(certificate).replaceAll('-', ' '));
  const warnings = questions.filter(({ warning }) => warning).length;
  const answers = `${describeAnswers(questions)}${describeFurtherCount(warnings, warnings === 1 ? 'warning' : 'warnings')}`;
  const version = target.version === undefined ? [] : [html`<p>${target.version}</p>\n`];
  const seconds = (certificate.duration_ms / 1_000).toFixed(1);
  return html`${renderPageHead(`${target.name}: ${verdict}`, pageStyle)}
<body>
<header>
<p>Conformance certificate of <code>${target.base_url}</code></p>
<h1>${target.name}</h1>
<p class="verdict ${certificate.verdict}">${verdict}</p>
<p>Requirements: ${describeCounts(summary)}. Questions: ${answers}.</p>
${version}<p>Started ${certificate.started_at}, took ${seconds} s. Requests: ${certificate.requests_sent}; evidence.har has all exchanges.</p>
<p>${certificate.suite.name} ${certificate.suite.version}, <code>${certificate.suite.digest}</code></p>
${certificate.is_replay ? html`<p>${replayEndNotice}</p>` : noHtml}
</header>
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
  const { certificate, suite, answers } = page;
  const { compared_with = 'the target file was written' } = certificate;
  const parts = renderGroups(
    sortByUrgency(certificate.requirements),
    ({ part }) => part,
    (entry) => renderRequirement(entry, page),
  );
  const groups = renderGroups(
    answers,
    ({ question }) => question.group,
    (answer) => renderQuestion(answer, page),
  );
  const exclusions = suite.contract.exclusions.map(({ statement, reason, part }) =>
    renderCard(statement, html`<p>${reason} <small>${part}</small></p>`),
  );
  return [
    ['attention', 'What needs attention', listAttentionCards(page)],
    [
      'drift',
      `What changed since ${compared_with}`,
      [
        ...explainDrift(certificate).map((reason) => html`<p>${reason}</p>\n`),
        ...groupDrift(certificate.drift).map(renderDifferenceCard),
      ],
    ],
    [
      'unstable',
      'Unstable: failed once and passed once',
      certificate.unstable.map((entry) => renderDifferenceCard([entry])),
    ],
    ['requirements', 'Requirements: what the documentation states', parts],
    ['questions', 'Questions: what the documentation leaves open', groups],
    ['not-verified', 'Statements without a test', exclusions],
  ];
}

function renderGroups<T>(entries: readonly T[], headingOf: (entry: T) => string, render: (entry: T) => Html): Html[] {
  return [...groupBy(entries, headingOf)].map(
    ([heading, members]) => html`<section class="group"><h3>${heading}</h3>\n${members.map(render)}</section>\n`,
  );
}

/** Lists what needs attention: causes, requirements that belong to none, notes and warnings. */
function listAttentionCards(page: Page): Html[] {
  const { certificate, shared, answers } = page;
  const { requirements, notes, causes = [] } = certificate;
  const covered = new Set(causes.flatMap((cause) => [...cause.requirements, ...cause.follows]));
  // A shared reason is shown once, below.
  const unpassed = sortByUrgency(requirements).filter(
    (entry) =>
      entry.verdict !== 'pass' &&
      !covered.has(entry.id) &&
      !shared.has(findDecisive(entry)?.reason ?? '') &&
      !isKnownFailure(entry),
  );
  const warnings = answers.filter(({ entry }) => entry.warning);
  const cards = [
    ...causes.map((cause) => renderCause(cause, page)),
    ...unpassed.map((entry) => renderUnpassed(entry, findDecisive(entry))),
    ...renderListCard(
      'Known deviations',
      (certificate.known_deviations?.entries ?? []).map((entry) => renderKnownEntry(entry, certificate)),
    ),
    ...renderListCard('Not judged', describeSharedReasons(certificate)),
    ...renderListCard('Notes', [...notes, ...describeNotCompared(certificate, (ids) => ids.join(', '))]),
    ...renderListCard(
      'Warnings: the documentation leaves this open, and callers may not expect it',
      warnings.map(
        (answer) =>
          html`${renderLinks([answer.question.id], renderAnswerText(answer))} <small>${answer.question.open}</small>`,
      ),
    ),
  ];
  const isCalm = cards.length === 0 && certificate.drift.length === 0;
  return isCalm ? [renderCard('Nothing. Every requirement passes.', noHtml)] : cards;
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

/** Renders links to cases, questions or requirements. @param text if it is not the id */
function renderLinks(ids: readonly string[], text?: string): Html[] {
  return ids.map((id, n) => html`${n === 0 ? '' : ', '}<a href="#${id}">${text ?? id}</a>`);
}

/** Renders a verdict, or another mark, as a coloured word. */
function renderBadge(mark: string): Html {
  return html`<span class="badge ${mark}">${mark}</span>`;
}

function renderCause({ sentence, evidence, example, requirements, cases, follows }: Cause, page: Page): Html {
  const entries = page.certificate.requirements.filter(({ id }) => requirements.includes(id));
  const verdict = entries.length > 0 ? 'fail' : 'inconclusive';
  const failing = entries.map((entry) => {
    const shown = entry.cases.filter(({ id }) => cases.includes(id)).map(({ id }) => id);
    return html`${renderLinks([entry.id], entry.statement)} <code class="id">${entry.id}</code> <small>${renderLinks(shown)}</small>`;
  });
  const best = html`${renderLinks([example.case], page.titles.get(example.case))}${example.row === undefined ? '' : `, ${example.row}`}`;
  return renderCard(
    html`${sentence} ${renderBadge(verdict)}`,
    html`${evidence.map((fact) => html`<p>${fact}</p>`)}<p>Best seen in ${best}${example.shows === '' ? '.' : html`: <b>${example.shows}</b>`}</p>
${failing.length === 0 ? noHtml : html`<p>Requirements that fail: ${failing.length}</p>${renderList(failing)}`}${follows.length === 0 ? noHtml : html`<p><small>Not judged for this reason: ${renderLinks(follows)}.</small></p>`}`,
    verdict,
  );
}

function renderUnpassed({ id, statement, verdict }: RequirementEntry, decisive: CaseEntry | undefined): Html {
  const shown = decisive && html`<p>${decisive.reason} <small>${renderLinks([decisive.id])}</small></p>`;
  const heading = html`${renderLinks([id], statement)} ${renderBadge(verdict)}`;
  return renderCard(heading, html`<p><code class="id">${id}</code></p>${shown ?? noHtml}`, verdict);
}

/** Renders an entry of the file of known deviations. */
function renderKnownEntry(entry: KnownEntry, certificate: Certificate): Html {
  const { requirement, cause = '', state } = entry;
  return html`${renderLinks([requirement])} <code>${cause}</code> ${renderBadge(state)} ${describeKnownEntry(entry, certificate) ?? ''} ${renderKnown(entry)}`;
}

/** Renders a known deviation, with a link if its issue has one. */
function renderKnown({ issue = '', ...deviation }: KnownDeviation): Html {
  const link = /^https?:\/\/\S+$/.test(issue) ? html` <a href="${issue}">${issue}</a>` : html` ${issue}`;
  return html`${describeKnownDeviation(deviation)}${issue === '' ? noHtml : link}`;
}

/** Renders a change or an unstable case. @param others answers that changed in the same way */
function renderDifferenceCard([entry, ...others]: readonly [CaseDifference, ...CaseDifference[]]): Html {
  const same = others.map(({ case: id, text }) => html`${renderLinks([id], text)}`);
  const shown = html`${renderPreformatted(renderDifference(entry))}${renderListCard('The same change', same)}`;
  return renderCard(html`${renderLinks([entry.case])}`, shown);
}

function renderRequirement({ id, statement, verdict, known = [], cases }: RequirementEntry, page: Page): Html {
  const items = sortByUrgency(cases).map((entry, n) => {
    const isFailing = entry.verdict === 'fail' || entry.verdict === 'error';
    const badge = entry.verdict === 'pass' ? noHtml : html`${renderBadge(entry.verdict)} `;
    return renderItem(
      entry.id,
      html`${badge}${page.titles.get(entry.id) ?? entry.id} <small><code>${entry.id}</code>${entry.verdict === 'pass' ? ' pass' : ''}</small>`,
      html`${isFailing ? noHtml : renderReason(entry.reason, page)}${page.renderCase(entry.id, entry)}`,
      isFailing && n === 0,
    );
  });
  return html`<section class="block" id="${id}"><h4>${statement} ${renderBadge(verdict)}</h4><code class="id">${id}</code>
${known.map((deviation) => html`<p>Known: ${renderKnown(deviation)}</p>\n`)}${items}</section>
`;
}

/** Renders something folded. The id is inside, because browsers open what is around the target of a link. */
function renderItem(id: string, summary: Html, content: Html, isOpen = false): Html {
  return html`<details class="item"${isOpen ? rawHtml(' open') : noHtml}><summary>${summary}</summary><div class="inside" id="${id}">
${content}</div></details>
`;
}

function renderReason(reason: string, { shared }: Page): Html {
  if (reason === '') return noHtml;
  if (shared.has(reason)) return html`<p>Not judged, for the reason <a href="#attention">at the top</a>.</p>`;
  return html`<p>${reason}</p>`;
}

function renderAnswerText({ question, entry, result }: QuestionAnswer): string {
  return entry.outcome === null ? 'No answer.' : renderAnswer(question, entry.outcome, getStatus(result?.exchange));
}

/** Renders a question with its answer and all named outcomes. The observed one is marked. */
function renderQuestion(answer: QuestionAnswer, page: Page): Html {
  const { id, open, part, answer: possible } = answer.question;
  const { outcome, reason = '', warning, drift } = answer.entry;
  const outcomes = possible.kind === 'value' ? [] : [...possible.outcomes];
  const badges = [warning ? ['warning'] : [], drift ? ['drift'] : []].flat();
  const item = renderItem(
    id,
    html`${renderSentence(capitalize(open.replace(/^The documentation does not say /, '')))} ${badges.map((mark) => html`${renderBadge(mark)} `)}<b class="answer">${renderSentence(renderAnswerText(answer))}${outcome === null || outcomes.length === 0 ? noHtml : html` <code class="badge outcome">${outcome}</code>`}</b> <small><code>${id}</code></small>`,
    html`${renderReason(reason, page)}<ul class="outcomes">${outcomes.map(([name, words]) => html`<li>${name === outcome ? '● ' : '○ '}${renderSentence(words)} <code>${name}</code></li>`)}</ul><p><small>Left open in: ${part}.</small></p>${page.renderCase(id)}`,
  );
  return html`<div class="block question">${item}</div>
`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Renders a sentence of the contract, with code between backticks. */
function renderSentence(sentence: string): Html[] {
  return sentence.split('`').map((text, n) => (n % 2 === 0 ? html`${text}` : html`<code>${text}</code>`));
}
