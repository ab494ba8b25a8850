/** Renders a comparison of two targets: what changes for callers who go from one to the other. */

import { renderShortList } from '../../support/render-short-list.js';
import { joinMarkdown, type Markdown, markdown, renderCodeBlock, renderMarkdownTable, tableCode } from '../markdown.js';
import { type Html, html, noHtml, renderPageHead, renderPreformatted, renderTable } from '../markup.js';
import { pageStyle } from '../page/page-style.js';
import type { JudgedDifference, JudgedDifferences } from './accepted-differences.js';
import { type AnswerDifference, type Relation, type RunComparison, relations } from './compare-runs.js';
import { type RequestKind, requestKinds } from './request-kind.js';

/** A comparison with what the user accepts, and the names of model and other target. */
export interface MigrationReport extends JudgedDifferences {
  readonly comparison: RunComparison;
  readonly names: readonly [model: string, other: string];
}

const words: Readonly<Record<Relation, string>> = {
  narrower: 'it returns fewer promotions',
  wider: 'it returns more promotions',
  refused: 'it refuses',
  different: 'it returns others, or another status',
};

/** Renders the result as one sentence. */
export function renderMigrationSentence({ comparison, names: [model, other], accepted }: MigrationReport): string {
  const { compared, differences, notCompared } = comparison;
  const count = (some: readonly AnswerDifference[]) => some.reduce((sum, { requests }) => sum + requests, 0);
  const differing = count(differences);
  const same = `Of ${compared} requests, ${other} returns the same promotions as ${model} for ${compared - differing}`;
  const missing = notCompared.length === 0 ? '' : ` Requests that could not be compared: ${notCompared.length}.`;
  if (differing === 0) return `${same}.${missing}`;
  const causes = relations.flatMap((relation) => {
    const some = differences.filter((each) => each.relation === relation);
    const kinds = some.map(({ kind }) => kind).join(', ');
    return some.length === 0 ? [] : [`${words[relation]} for ${count(some)} (${kinds})`];
  });
  const agreed = accepted.length === 0 ? '' : ` Of these, ${count(accepted)} are accepted.`;
  const list = new Intl.ListFormat('en').format(causes);
  return `${same}; ${differing} differ, because ${list}.${agreed}${missing}`;
}

/** Lists the rows of the table: for each kind of request, a number for each of the headings. */
function countByKind({ comparedByKind, differences, notCompared }: RunComparison): [RequestKind, number[]][] {
  return (Object.keys(requestKinds) as RequestKind[]).flatMap((kind): [RequestKind, number[]][] => {
    const ofKind = differences.filter((each) => each.kind === kind);
    const counts = relations.map((relation) => ofKind.find((each) => each.relation === relation)?.requests ?? 0);
    const missing = notCompared.filter((each) => each.kind === kind).length;
    const compared = comparedByKind.get(kind) ?? 0;
    const same = counts.reduce((left, count) => left - count, compared);
    return compared + missing === 0 ? [] : [[kind, [same, ...counts, missing]]];
  });
}

const headings = ['same', ...relations, 'not compared'];

function describeDifference({ statuses, only }: AnswerDifference, names: readonly string[]): string[] {
  const [one, two] = statuses;
  return [
    ...(one === two ? [] : [`${names[0]} answers ${one}, ${names[1]} ${two}`]),
    ...names.flatMap((name, n) => {
      const tiers = only[n] ?? [];
      return tiers.length === 0 ? [] : [`only ${name} returns ${renderShortList(tiers)}`];
    }),
  ];
}

/** Renders the report as `differences.md`. */
export function renderMigrationMarkdown(report: MigrationReport): Markdown {
  const { comparison, names, counted, accepted, outdated } = report;
  const [model, other] = names;
  const rows = countByKind(comparison).map(([kind, counts]) => [tableCode(kind), requestKinds[kind], ...counts]);
  const list = (items: readonly string[]) => {
    const lines = items.map((item) => markdown`- ${item}`);
    return joinMarkdown(lines, '\n');
  };
  const renderOne = (each: JudgedDifference): Markdown[] => [
    markdown`## ${each.kind}: ${each.relation}`,
    ...(each.reason === undefined ? [] : [markdown`Accepted: ${renderAcceptance(each)}`]),
    markdown`Requests: ${each.requests}. The smallest is in ${each.places[0] ?? ''}:`,
    list(describeDifference(each, names)),
    ...each.commands.flatMap((command, n) => [markdown`Sent to ${names[n] ?? ''}:`, renderCodeBlock('sh', command)]),
    ...(each.places.length > 1
      ? [markdown`Other cases that send such requests: ${renderShortList(each.places.slice(1))}`]
      : []),
  ];
  const { notCompared } = comparison;
  const blocks = [
    markdown`# ${other} compared with ${model}`,
    markdown`${renderMigrationSentence(report)}`,
    renderMarkdownTable(['kind', 'requests', ...headings], rows),
    ...(outdated.length === 0 ? [] : [list(outdated)]),
    ...[...counted, ...accepted].flatMap(renderOne),
    ...(notCompared.length === 0
      ? []
      : [markdown`## Not compared`, list(notCompared.map(({ place, reason }) => `${place}. ${reason}`))]),
  ];
  return markdown`${joinMarkdown(blocks)}\n`;
}

function renderAcceptance({ reason = '', until }: JudgedDifference): string {
  return `${reason}${until === undefined ? '' : ` (until ${until})`}`;
}

/** Renders the report as `differences.html`. It has no script and loads nothing from elsewhere. */
export function renderMigrationPage(report: MigrationReport): Html {
  const { comparison, names, counted, accepted, outdated } = report;
  const [model, other] = names;
  const { notCompared } = comparison;
  const renderOne = (each: JudgedDifference): Html =>
    html`<section class="chapter"><h2>${each.kind}: ${each.relation}</h2>${each.reason === undefined ? noHtml : html`<p><b>Accepted:</b> ${renderAcceptance(each)}</p>`}
<p>Requests: ${each.requests}. The smallest is in <code>${each.places[0] ?? ''}</code>:</p>
<ul class="plain">${describeDifference(each, names).map((line) => html`<li>${line}</li>`)}</ul>
${each.commands.map((command, n) => html`<details><summary>Sent to ${names[n] ?? ''}</summary>${renderPreformatted(command)}</details>`)}</section>
`;
  const rows = countByKind(comparison).map(([kind, counts]) => [`${kind}: ${requestKinds[kind]}`, ...counts]);
  return html`${renderPageHead(`${other} compared with ${model}`, pageStyle)}
<body>
<main class="comparison">
<header>
<h1>${other} compared with ${model}</h1>
<p>${renderMigrationSentence(report)}</p>
</header>
${outdated.map((text) => html`<p><b>${text}</b></p>`)}
${renderTable(['Requests', ...headings], rows)}${[...counted, ...accepted].map(renderOne)}
${
  notCompared.length === 0
    ? noHtml
    : html`<section class="chapter"><h2>Not compared</h2><ul class="plain">${notCompared.map(({ place, reason }) => html`<li><code>${place}</code> ${reason}</li>`)}</ul></section>`
}
</main>
</body>
</html>
`;
}
