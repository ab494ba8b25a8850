import type { Certificate } from '../certificate.js';
import { groupBy } from '../group-by.js';
import { type Html, html, noHtml, renderPageHead, renderTable } from '../markup.js';
import { pageStyle } from '../page/page-style.js';
import type { ComparedCell, ComparedRow, Comparison } from './compare-certificates.js';

type LinkedCertificate = Certificate & { readonly link: string };

/** Renders certificates side by side as a page for people. It has no script and loads nothing from elsewhere. */
export function renderComparisonPage(comparison: Comparison<LinkedCertificate>): string {
  const { rows, certificates, times, remarks, isOverTime } = comparison;
  const differing = rows.filter(({ differs }) => differs);
  const agreeing = rows.filter(({ differs }) => !differs);
  const names = [...new Set(certificates.map(({ target }) => target.name))];
  return html`${renderPageHead(`Comparison of ${names.join(', ')}`, pageStyle + style)}
<body>
<div class="comparison">
<header>
<p class="kicker">${isOverTime ? `${certificates.length} runs of ${names.join()}` : `${certificates.length} deployments side by side`}</p>
<h1>Differences: ${differing.length} of ${rows.length} requirements and questions</h1>
${remarks.map((each) => html`<p>${each}</p>\n`)}</header>
<main>
<ul class="runs">
${certificates.map((certificate, n) => renderRun(certificate, comparison.headings[n] ?? ''))}</ul>
${differing.length === 0 ? noHtml : html`<p>${isOverTime ? 'Each run is compared with the one before it.' : `The others are compared with ${comparison.headings[0] ?? ''}.`}</p>\n`}${renderChapter('Requirements that differ', 'requirement', differing, comparison)}${renderChapter('Questions that differ', 'question', differing, comparison)}${
  agreeing.length === 0
    ? noHtml
    : html`<details class="chapter"><summary>${agreeing.length} requirements and questions without a difference</summary>
${agreeing.map((row) => renderRow(row, comparison))}</details>
`
}${
  times === undefined
    ? noHtml
    : html`<section class="chapter">
<h2>${times.title}</h2>
${renderTable(['', ...comparison.headings], times.rows)}</section>
`
}</main>
</div>
</body>
</html>
`.text;
}

function renderRun({ target, verdict, suite, started_at, link }: LinkedCertificate, heading: string): Html {
  const version = target.version === undefined ? '' : `Version ${target.version}. `;
  return html`<li class="card"><div class="lead"><h2><a href="${link}">${heading}</a></h2><span class="badge ${verdict}">${verdict}</span></div><p><small>${version}${target.base_url}<br><time datetime="${started_at}">${started_at.slice(0, 16).replace('T', ' ')} UTC</time>, suite ${suite.version}</small></p></li>
`;
}

function renderChapter(
  title: string,
  kind: ComparedRow['kind'],
  rows: readonly ComparedRow[],
  comparison: Comparison<LinkedCertificate>,
): Html {
  const own = rows.filter((row) => row.kind === kind);
  if (own.length === 0) return noHtml;
  return html`<section class="chapter">
<h2>${title}: ${own.length}</h2>
${own.map((row) => renderRow(row, comparison))}</section>
`;
}

function renderRow(row: ComparedRow, comparison: Comparison<LinkedCertificate>): Html {
  const { id, statement, differs, kind } = row;
  return html`<article class="block ${differs ? 'differs' : 'same'}" id="${id}"><h3>${statement === '' ? id : statement}</h3><a class="id" href="#${id}"><code>${id}</code></a>
<ul class="answers">${groupCells(row, comparison).map((group) => renderAnswers(group, kind, id, comparison))}</ul></article>
`;
}

/** The columns with one answer. */
type AnswerGroup = readonly [readonly [column: number, ComparedCell], ...(readonly [number, ComparedCell])[]];

/** Groups equal answers: all of them, or over time those that follow one another. */
function groupCells({ cells }: ComparedRow, { isOverTime }: Comparison): AnswerGroup[] {
  const texts = cells.map(({ text }) => text);
  const countChanges = (end: number) => texts.slice(1, end + 1).filter((text, n) => text !== texts[n]).length;
  return [...groupBy(cells.entries(), ([n, { text }]) => (isOverTime ? countChanges(n) : text)).values()];
}

function renderAnswers(
  group: AnswerGroup,
  kind: ComparedRow['kind'],
  id: string,
  { headings, certificates, isOverTime }: Comparison<LinkedCertificate>,
): Html {
  const [[, { text, explanation, isOther }]] = group;
  // A verdict is a word of the suite. An outcome may be any text.
  const isVerdict = kind === 'requirement' || text === 'not-run';
  const badge = isVerdict
    ? html`<span class="badge ${text.replaceAll(' ', '-')}">${text}</span>`
    : html`<code class="badge outcome">${text}</code>`;
  const links = group.map(
    ([n], at) => html`${at === 0 ? '' : ', '}<a href="${certificates[n]?.link ?? ''}#${id}">${headings[n] ?? ''}</a>`,
  );
  return html`<li class="${isOther ? 'other' : 'like'}">${badge} ${isOther ? html`<em>${isOverTime ? 'changed' : 'differs'}</em> ` : noHtml}<span>${links}</span>${explanation === '' ? noHtml : html`<p>${explanation}</p>`}</li>`;
}

/** In addition to the style of the certificate's page. */
const style = `
.runs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .7rem; list-style: none; margin-bottom: 1.2rem; }
.runs .card { margin: 0; } .runs h2 { font-size: 1.05rem; flex: 1 1 8rem; }
.answers { list-style: none; margin-top: .6rem; display: grid; gap: .45rem; }
.answers li { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .8rem; font-size: .9rem; } .answers li.other { border-left-color: var(--open); } .answers em { font-style: normal; font-weight: 600; color: var(--open); }
.answers p { color: var(--soft); }
details.chapter > summary { font-weight: 620; padding: .4rem 0; } details.chapter[open] > summary { margin-bottom: .6rem; }
`;
