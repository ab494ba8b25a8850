import { renderTierNames } from '../../assertions/judge-result.js';
import type { Suite } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import { parseFilterParameter } from '../../contract/operation.js';
import { createOracle } from '../../contract/oracle.js';
import { parseRequest } from '../../http/request-content.js';
import { type ReturnedTiers, readReturnedTiers } from '../../recognition/returned-tiers.js';
import { determineReading } from '../../recognition/tier-reading.js';
import { windowSize } from '../../world/named-world.js';
import type { Tier } from '../../world/world.js';
import type { CauseKind } from '../diagnosis/cause.js';
import type { CaseExchange, ExchangeIndex } from '../exchange-index.js';
import { type Html, html, noHtml, rawHtml } from '../markup.js';

/** The causes that a picture of the window shows best. */
export const windowCauses: readonly CauseKind[] = [
  'window-missing',
  'window-size',
  'window-oldest-first',
  'window-shifted',
  'window-order',
  'window-after-rules',
  'page',
  'everything-returned',
];

/** Lists the ids of the cases about the window. */
export function listWindowCases({ contract, cases }: Suite): ReadonlySet<string> {
  const { id } = contract.requirements.find(({ findings }) => findings.includes('older-returned')) ?? {};
  return new Set(cases.filter((each) => each.kind === 'requirement' && each.verifies === id).map((each) => each.id));
}

/** So many charts are shown at once. */
const maxCharts = 3;

/** Renders charts of which tiers were returned, from the newest to the oldest. `isOff`: something in them is wrong. */
export function renderWindowFigure(
  suite: Suite,
  evidence: ExchangeIndex,
  statedPatterns?: readonly string[],
): { readonly figure: Html; readonly isOff: boolean } | undefined {
  const charts = groupEqualCharts(
    chartExchanges(suite, evidence, statedPatterns).map((each) => readChart(each, suite)),
  );
  if (charts.length === 0) return undefined;
  const sizeOf = ({ marks }: Chart) => markPhrases.reduce((sum, [mark]) => sum + (marks.get(mark)?.length ?? 0), 0);
  const rendered = charts
    .toSorted((one, other) => sizeOf(other) - sizeOf(one))
    .map(({ charted: { testCase, exchange }, marks, words, count }) => {
      const row = testCase.rows[exchange.row]?.title || exchange.request;
      const more = count > 1 ? `, and ${count - 1} more alike` : '';
      return html`<div class="one"><p><a href="#${testCase.id}">${testCase.title}</a> <small>${row}${more}</small></p>${renderStrip(marks, words, suite)}${renderScale(suite)}<p>${words}</p></div>
`;
    });
  const rest = rendered.slice(maxCharts);
  const figure = html`<figure id="picture-window">
<figcaption><h3>The window</h3><p>Every promotion tier from the newest to the oldest. Those right of the line, older than the newest ${windowSize}, should not be returned.</p></figcaption>
${rendered.slice(0, maxCharts)}${rest.length === 0 ? noHtml : html`<details><summary>${rest.length} more</summary>${rest}</details>`}
${legend}
</figure>
`;
  return { figure, isOff: charts.some(({ marks }) => marks.has('wrong') || marks.has('absent')) };
}

/** An exchange of a case, with the tiers that it returned if the response is a success. */
interface ChartedExchange {
  readonly testCase: TestCase;
  readonly exchange: CaseExchange;
  readonly result?: ReturnedTiers;
}

/** Finds what the exchanges without a filter returned, read as the judge reads it. */
function chartExchanges(
  suite: Suite,
  { listByCase, calibration }: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
): ChartedExchange[] {
  const wanted = listWindowCases(suite);
  return suite.cases
    .filter(({ id }) => wanted.has(id))
    .flatMap((testCase) => {
      // A repeated request shows the same, or its case is listed as unstable.
      const exchanges = listByCase(testCase.id).filter(({ attempt }) => attempt === 1);
      const reading = determineReading(
        [...calibration, ...exchanges.flatMap(({ mentions }) => mentions ?? [])],
        statedPatterns,
      );
      return exchanges
        .filter((each) => !isFiltered(each))
        .map((exchange): ChartedExchange => {
          const { mentions } = exchange;
          return { testCase, exchange, ...(mentions && { result: readReturnedTiers(mentions, reading) }) };
        });
    });
}

function isFiltered({ exchange }: CaseExchange): boolean {
  return parseRequest(exchange.request).query.some(([name]) => parseFilterParameter(name) !== undefined);
}

/** What one response shows about a tier. A tier that is neither returned nor required has no mark. */
type TierMark = 'returned' | 'returned-open' | 'wrong' | 'absent' | 'unclear';

interface Chart {
  readonly charted: ChartedExchange;
  readonly marks: ReadonlyMap<TierMark, readonly Tier[]>;
  readonly words: string;
  /** How many exchanges show the same. */
  readonly count: number;
}

/** Compares what a response returned with what the documentation says about its request. */
function readChart(charted: ChartedExchange, suite: Suite): Chart {
  const { exchange, result } = charted;
  const marks = new Map<TierMark, Tier[]>();
  if (result !== undefined) {
    const oracle = createOracle(exchange.exchange.request, suite.world);
    const returned = new Set(result.returned);
    for (const tier of suite.world.tiers) {
      const mark = determineMark(returned.has(tier.id), result.unclear.has(tier.id), oracle.returned(tier));
      if (mark !== undefined) marks.set(mark, [...(marks.get(mark) ?? []), tier]);
    }
  }
  return { charted, marks, words: describeMarks(charted, marks, suite), count: 1 };
}

function determineMark(isReturned: boolean, isUnclear: boolean, obligation: string): TierMark | undefined {
  if (isUnclear) return 'unclear';
  if (isReturned) return obligation === 'forbidden' ? 'wrong' : obligation === 'open' ? 'returned-open' : 'returned';
  return obligation === 'required' ? 'absent' : undefined;
}

const markPhrases: readonly (readonly [TierMark, string])[] = [
  ['wrong', 'returned, but should not be'],
  ['absent', 'not returned, but should be'],
  ['unclear', 'not clear whether returned'],
];

/** Describes in words what a chart shows. */
function describeMarks(
  { exchange: { exchange }, result }: ChartedExchange,
  marks: Chart['marks'],
  { world }: Suite,
): string {
  if (!('response' in exchange)) return exchange.message;
  if (result === undefined) return `Answered ${exchange.response.status}, so nothing can be shown.`;
  const older = new Set(world.tiers.slice(windowSize).map(({ id }) => id));
  const beyond = result.returned.filter((id) => older.has(id)).length;
  const rest = markPhrases.flatMap(([mark, phrase]) => {
    const ids = (marks.get(mark) ?? []).map(({ id }) => id);
    return ids.length === 0 ? [] : [` ${ids.length} ${phrase}: ${renderTierNames(ids, world)}.`];
  });
  return `${result.returned.length - beyond} of the newest ${windowSize} returned, ${beyond === 0 ? 'none' : beyond} older.${rest.join('')}`;
}

function groupEqualCharts(charts: readonly Chart[]): Chart[] {
  const groups = new Map<string, Chart>();
  for (const chart of charts) {
    const key = `${chart.words} ${chart.charted.result?.returned.join(' ')}`;
    const first = groups.get(key) ?? { ...chart, count: 0 };
    groups.set(key, { ...first, count: first.count + 1 });
  }
  return [...groups.values()];
}

/** Wrong marks also differ in form, for readers who do not see the colour. */
const extents: Readonly<Record<TierMark, readonly [from: number, height: number]>> = {
  returned: [2, 8],
  'returned-open': [2, 8],
  wrong: [0, 12],
  absent: [7, 5],
  unclear: [4, 4],
};

/** Renders a cell for each tier, with a line at the end of the window. */
function renderStrip(marks: Chart['marks'], words: string, { world: { tiers } }: Suite): Html {
  const paths = [...marks].map(([kind, marked]) => {
    const columns = marked.map((tier) => tiers.indexOf(tier));
    return html`<path class="${kind}" d="${rawHtml(renderCells(columns, extents[kind]))}"/>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${tiers.length} 12" preserveAspectRatio="none" role="img" aria-label="${words}"><rect class="field" y="2" width="${tiers.length}" height="8"/>${paths}<path class="limit" d="M${windowSize} 0v12"/></svg>`;
}

/** Neighbours become one cell: between two cells, browsers leave a gap. */
function renderCells(columns: readonly number[], [from, height]: readonly [number, number]): string {
  const runs: [start: number, length: number][] = [];
  for (const column of columns) {
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === column) last[1] += 1;
    else runs.push([column, 1]);
  }
  return runs.map(([start, length]) => `M${start} ${from}h${length}v${height}h-${length}z`).join('');
}

function renderScale({ world: { tiers } }: Suite): Html {
  const at = ((100 * windowSize) / tiers.length).toFixed(1);
  return html`<svg class="scale" aria-hidden="true"><text x="0" y="12">newest</text><text x="${at}%" y="12" text-anchor="middle">${windowSize}</text><text x="100%" y="12" text-anchor="end">oldest</text></svg>`;
}

const legendEntries: readonly (readonly [TierMark, string])[] = [
  ['returned', 'returned'],
  ['returned-open', 'returned, where the documentation leaves it open'],
  ['wrong', 'wrong: returned, but should not be'],
  ['absent', 'absent: not returned, but should be'],
];

const legend: Html = html`<ul class="legend">${legendEntries.map(
  ([kind, words]) =>
    html`<li><svg viewBox="0 0 12 12" aria-hidden="true"><path class="${kind}" d="M0 ${extents[kind][0]}h12v${extents[kind][1]}h-12z"/></svg>${words}</li>`,
)}</ul>`;
