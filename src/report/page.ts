import type { Suite } from '../cases/suite.js';
import type { CaseEntry, Certificate, QuestionEntry, RequirementEntry } from './certificate.js';
import { escaped } from './markup.js';
import { isShared, type SharedReasons, sharedReasons, sharedReasonTexts } from './shared-reasons.js';

/** The certificate as one page for people: no script, nothing loaded from elsewhere. */
export function certificatePage(certificate: Certificate, suite: Suite): string {
  const {
    verdict,
    target,
    requirements,
    questions,
    drift,
    unstable,
    notes,
    incomplete_because,
    requests_sent,
    exchanges_judged,
    started_at,
  } = certificate;
  const whyNot = incomplete_because ?? sharedReasonTexts(certificate);
  const shared = sharedReasons(certificate);
  const groups = [...new Set(suite.ledger.questions.map(({ group }) => group))];
  const open = new Map(suite.ledger.questions.map((question) => [question.id, question]));
  const inGroup = (group: string) => questions.filter(({ id }) => open.get(id)?.group === group);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${target.name}: ${verdict}</title>
<style>${raw(style)}</style>
</head>
<body>
<header>
<p class="verdict ${verdict}">${verdict}</p>
<h1>${target.name}</h1>
<dl>
<dt>Base URL</dt><dd>${target.base_url}</dd>
${target.version === undefined ? '' : html`<dt>Version</dt><dd>${target.version}</dd>`}
${target.contact === undefined ? '' : html`<dt>Contact</dt><dd>${target.contact}</dd>`}
<dt>Suite</dt><dd>${certificate.suite.name} ${certificate.suite.version}<br><code>${certificate.suite.digest}</code></dd>
<dt>Requests</dt><dd>${String(requests_sent)}, for ${String(exchanges_judged)} exchanges judged</dd>
<dt>Started</dt><dd>${started_at}</dd>
</dl>
${notes.map((note) => html`<p>${note}</p>`)}
</header>
<main>
${whyNot.length === 0 ? '' : html`<section><h2>${verdict === 'incomplete' ? 'Why it is incomplete' : 'Not judged'}</h2><ul>${whyNot.map((line) => html`<li>${line}</li>`)}</ul></section>`}
${byCase('Drift', drift)}
${byCase('Unstable', unstable)}
<section>
<h2>Requirements</h2>
<table>
<thead><tr><th>Verdict</th><th>Requirement</th><th>What must hold</th></tr></thead>
<tbody>${requirements.map((entry) => requirementRow(entry, shared))}</tbody>
</table>
</section>
<section>
<h2>Questions</h2>
<p>What the documentation leaves open, and what this target does. None of it changes the verdict.</p>
${groups.map(
  (group) => html`<h3>${group}</h3>
<table>
<thead><tr><th>Answer</th><th>Question</th><th>What is left open</th></tr></thead>
<tbody>${inGroup(group).map((entry) => questionRow(entry, open.get(entry.id)?.open ?? '', shared))}</tbody>
</table>`,
)}
</section>
<section>
<h2>Not verified</h2>
<p>What the documentation says beside that, and why nothing is sent for it.</p>
<table>
<thead><tr><th>Part</th><th>Statement</th><th>Why not</th></tr></thead>
<tbody>${suite.ledger.exclusions.map(
    ({ part, statement, reason }) => html`<tr><td>${part}</td><td>${statement}</td><td>${reason}</td></tr>
`,
  )}</tbody>
</table>
</section>
</main>
</body>
</html>
`.text;
}

/** @param shared reasons that stand at the top, and are not repeated */
function requirementRow({ id, part, statement, verdict, cases }: RequirementEntry, shared: SharedReasons): Markup {
  const telling = cases.filter((entry) => entry.verdict !== 'pass' && !isShared(entry.reason, shared));
  const others = cases.filter(({ reason }) => isShared(reason, shared)).map((entry) => entry.id);
  const rest =
    others.length === 0 ? '' : html`<br><small>Not judged, as is said at the top: ${others.join(', ')}</small>`;
  return html`<tr><td><span class="verdict ${verdict}">${verdict}</span></td><td><code>${id}</code></td><td>${statement} <small>${part}</small>${telling.map(caseDetails)}${rest}</td></tr>
`;
}

function caseDetails({ id, verdict, reason, at, rows = [], failure, repeat_with, as_case }: CaseEntry): Markup {
  return html`<details${verdict === 'fail' ? raw(' open') : ''}><summary><code>${id}</code> ${verdict}: ${reason}</summary>
${at === undefined ? '' : html`<p><code>${at}</code></p>`}
${failure === undefined ? unjudgedDetails(rows, [repeat_with, as_case]) : preformatted(failure)}</details>`;
}

function unjudgedDetails(rows: NonNullable<CaseEntry['rows']>, texts: readonly (string | undefined)[]): Markup {
  return html`${rows.length === 0 ? '' : html`<ul>${rows.map((row) => html`<li>${row.title}: ${row.verdict}. ${row.reason}</li>`)}</ul>`}
${texts.map((text) => (text === undefined ? html`` : preformatted(text)))}`;
}

function questionRow(
  { id, part, outcome, reason, warning, drift }: QuestionEntry,
  open: string,
  shared: SharedReasons,
): Markup {
  const isReported = reason === undefined || isShared(reason, shared);
  const mark = drift ? 'fail' : warning ? 'inconclusive' : 'plain';
  const answer = outcome === null ? 'no answer' : outcome;
  return html`<tr><td><span class="outcome ${mark}">${answer}</span>${warning ? ' warning' : ''}${drift ? ' drift' : ''}</td><td><code>${id}</code></td><td>${open} <small>${part}</small>${isReported ? '' : html`<br><small>${reason}</small>`}</td></tr>
`;
}

/** A section of texts, those of a case together; nothing where there is none. */
function byCase(title: string, entries: readonly { readonly case: string; readonly text: string }[]): Markup {
  if (entries.length === 0) return html``;
  const texts = (id: string) => entries.filter((entry) => entry.case === id).map(({ text }) => preformatted(text));
  const ids = [...new Set(entries.map((entry) => entry.case))];
  return html`<section><h2>${title}</h2>${ids.map((id) => html`<h3>${id}</h3>${texts(id)}`)}</section>`;
}

/** A text of several lines, none of which a stranger began. */
function preformatted(text: string): Markup {
  const lines = text.split('\n').map((line) => html`${line}`.text);
  return html`<pre>${raw(lines.join('\n'))}</pre>`;
}

/** Text that is HTML already; anything else is escaped, and one line. */
interface Markup {
  readonly text: string;
}

function raw(text: string): Markup {
  return { text };
}

function html(literals: TemplateStringsArray, ...values: readonly (string | Markup | readonly Markup[])[]): Markup {
  const texts = values.map((value) => {
    if (typeof value === 'string') return escaped(value);
    return 'text' in value ? value.text : value.map(({ text }) => text).join('');
  });
  return { text: literals.map((literal, n) => literal + (texts[n] ?? '')).join('') };
}

const style = `
:root { color-scheme: light dark; --line: #8884; --pass: #1a7f37; --fail: #cf222e; --open: #9a6700; --none: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --pass: #3fb950; --fail: #ff7b72; --open: #d29922; --none: #9198a1; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { margin: .5rem 0; } h2 { margin-top: 2.5rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; } dt { color: var(--none); } dd { margin: 0; }
code, pre { font: .875em/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow: clip; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); overflow: clip; }
th:nth-child(1) { width: 12rem; } th:nth-child(2) { width: 17rem; } thead th { border-top: 0; color: var(--none); font-weight: 500; }
summary { cursor: pointer; } details { margin-top: .4rem; }
.verdict { font-weight: 600; } header > .verdict { font-size: 1.5rem; text-transform: uppercase; letter-spacing: .04em; margin: 0; }
.pass, .conforms { color: var(--pass); } .fail, .error, .does-not-conform { color: var(--fail); }
.inconclusive, .incomplete { color: var(--open); } .not-applicable { color: var(--none); }
.outcome { font-weight: 600; }
@media (max-width: 45rem) { table, tbody, tr, td { display: block; } thead { display: none; } td { border: 0; padding: 0; } tr { border-top: 1px solid var(--line); padding: .5rem 0; display: block; } }
`;
