import type { Certificate } from '../certificate.js';
import { type Html, html, rawHtml, renderPageHead } from '../markup.js';
import { agreementText, type ComparedCell, type ComparedRow } from './compare-certificates.js';

/** Renders certificates side by side as a page for people. It has no script and loads nothing from elsewhere. */
export function renderComparisonPage(certificates: readonly Certificate[], compared: readonly ComparedRow[]): string {
  const names = certificates.map(({ target }) => target.name);
  const count = compared.filter(({ differs }) => differs).length;
  return html`${renderPageHead(`Comparison of ${names.join(', ')}`, style)}
<body>
<header>
<h1>${count === 0 ? agreementText : `${count} of ${compared.length} requirements and questions differ`}</h1>
${
  count === 0
    ? ''
    : html`<p>Cells that differ from the first certificate are marked with <span class="mark">≠</span>.</p>
<p><label><input type="checkbox" id="only" checked> Only what differs</label></p>`
}
${new Set(certificates.map(({ suite }) => suite.digest)).size > 1 ? html`<p>The certificates are of suites with different cases.</p>` : ''}
</header>
<main class="table" tabindex="0" role="region" aria-label="Comparison">
<table>
<thead><tr><th scope="col">Requirement or question</th>${certificates.map(columnHead)}</tr></thead>
${section(
  'Requirements',
  compared.filter(({ kind }) => kind === 'requirement'),
  names,
)}
${section(
  'Questions',
  compared.filter(({ kind }) => kind === 'question'),
  names,
)}
</table>
</main>
</body>
</html>
`.text;
}

function columnHead({ target, verdict, suite, started_at }: Certificate): Html {
  return html`<th scope="col"><span class="name">${target.name}</span>${target.version === undefined ? '' : ` ${target.version}`}<br><span class="${verdict}">${verdict}</span><br><small>${target.base_url}<br>${suite.version}, ${started_at.replace(/T(\d+:\d+).*/, ' $1')}</small></th>`;
}

function section(title: string, rows: readonly ComparedRow[], names: readonly string[]): Html {
  if (rows.length === 0) return html``;
  const differing = rows.filter(({ differs }) => differs).length;
  return html`<tbody>
<tr class="section"><th scope="rowgroup">${title}: ${differing} of ${rows.length} differ</th><td colspan="${names.length}"></td></tr>
${rows.map(
  ({
    id,
    statement,
    cells,
    differs,
    kind,
  }) => html`<tr class="${differs ? 'differs' : 'same'}" id="${id}"><th scope="row"><a href="#${id}"><code>${id}</code></a><br><small>${statement}</small></th>${cells.map((cell) => cellOf(cell, kind, names[0] ?? ''))}</tr>
`,
)}</tbody>`;
}

function cellOf({ text, explanation, isOther }: ComparedCell, kind: ComparedRow['kind'], first: string): Html {
  // A verdict is a word of the suite. An outcome may be any text.
  const value =
    kind === 'requirement'
      ? html`<span class="${text.replaceAll(' ', '-')}">${text}</span>`
      : html`<code>${text}</code>`;
  const mark = isOther
    ? html`<span class="mark" title="Differs from ${first}" aria-label="Differs from ${first}:" role="img">≠</span> `
    : '';
  return html`<td${isOther ? rawHtml(' class="other"') : ''}>${mark}${value}${explanation === '' ? '' : html`<br><small>${explanation}</small>`}</td>`;
}

const style = `
:root { color-scheme: light dark; --page: #fff; --text: #1f2328; --line: #d1d9e0; --soft: #59636e; --marked: #fff8c5; --pass: #116329; --fail: #b31d28; --open: #7d4e00; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --text: #e6edf3; --line: #3d444d; --soft: #9198a1; --marked: #3b2e08; --pass: #3fb950; --fail: #ff7b72; --open: #d29922; } }
body { margin: 0; padding: 1rem; background: var(--page); color: var(--text); font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: .5rem 0; } p { margin: .5rem 0; }
a { color: inherit; } code { font: .875em/1.4 ui-monospace, monospace; } small { color: var(--soft); }
.table { overflow: auto; max-height: 88vh; border: 1px solid var(--line); border-radius: 6px; }
.table:focus { outline: 2px solid; outline-offset: 2px; }
table { border-collapse: separate; border-spacing: 0; }
th, td { text-align: left; vertical-align: top; font-weight: 400; padding: .4rem .6rem; border-bottom: 1px solid var(--line); min-width: 8rem; max-width: 20rem; overflow-wrap: anywhere; }
th:first-child { position: sticky; left: 0; z-index: 1; background: var(--page); border-right: 1px solid var(--line); min-width: 17rem; }
thead th { position: sticky; top: 0; z-index: 2; background: var(--page); } thead th:first-child { z-index: 3; }
.name, .section th { font-weight: 600; } tr:target th { box-shadow: inset 3px 0; }
.other { background: var(--marked); } .mark { font-weight: 700; }
.pass, .conforms { color: var(--pass); } .fail, .error, .does-not-conform { color: var(--fail); } .inconclusive, .incomplete { color: var(--open); }
body:has(#only:checked) .same { display: none; }
@media (max-width: 40rem) { th:first-child { min-width: 8rem; max-width: 9rem; } th:first-child small { display: none; } }
@media print { @page { size: landscape; } .table { overflow: initial; max-height: none; border: 0; } th:first-child, thead th { position: static; } table { width: 100%; table-layout: fixed; } th, td, th:first-child { min-width: 0; padding: .15rem .3rem; font-size: .6rem; } label { display: none; } tr { break-inside: avoid; } }
`;
