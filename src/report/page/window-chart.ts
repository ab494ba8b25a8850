import { renderTierNames } from '../../assertions/judge-result.js';
import type { Suite } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import { createOracle } from '../../contract/oracle.js';
import { getWindowSize, windowSize } from '../../world/named-world.js';
import type { Tier } from '../../world/world.js';
import type { ReadExchange } from '../exchange-index.js';
import { type Html, html, rawHtml } from '../markup.js';

export interface ChartedExchange extends ReadExchange {
  readonly testCase: TestCase;
}

/** What one response shows about a tier. A tier that is neither returned nor required has no mark. */
export type TierMark = 'returned' | 'returned-open' | 'wrong' | 'absent' | 'unclear';

/** Compares what a response returned with what the documentation says about its request. */
export function markTiers(
  { exchange, result }: ChartedExchange,
  { world }: Suite,
  tiers: readonly Tier[] = world.tiers,
): Map<TierMark, Tier[]> {
  const marks = new Map<TierMark, Tier[]>();
  if (result === undefined) return marks;
  const oracle = createOracle(exchange.request, world);
  const returned = new Set(result.returned);
  for (const tier of tiers) {
    const mark = determineMark(returned.has(tier.id), result.unclear.has(tier.id), oracle.returned(tier));
    if (mark === undefined) continue;
    const alike = marks.get(mark);
    if (alike === undefined) marks.set(mark, [tier]);
    else alike.push(tier);
  }
  return marks;
}

/** Whether something is wrong in what some exchanges returned. */
export function isAnyOff(seen: readonly ChartedExchange[], suite: Suite, tiers?: readonly Tier[]): boolean {
  const marks = seen.map((each) => markTiers(each, suite, tiers));
  return marks.some((each) => each.has('wrong') || each.has('absent'));
}

function determineMark(isReturned: boolean, isUnclear: boolean, obligation: string): TierMark | undefined {
  if (isUnclear) return 'unclear';
  if (isReturned) return obligation === 'forbidden' ? 'wrong' : obligation === 'open' ? 'returned-open' : 'returned';
  return obligation === 'required' ? 'absent' : undefined;
}

export const markPhrases: readonly (readonly [TierMark, string])[] = [
  ['wrong', 'returned, but should not be'],
  ['absent', 'not returned, but should be'],
  ['unclear', 'not clear whether returned'],
];

/** Describes in words what a chart shows. */
function describeMarks(seen: ChartedExchange, marks: ReadonlyMap<TierMark, readonly Tier[]>, { world }: Suite): string {
  const { exchange } = seen;
  if (!('response' in exchange)) return exchange.message;
  if (seen.result === undefined) return `Answered ${exchange.response.status}, so nothing can be shown.`;
  const { returned } = seen.result;
  const newest = new Set(world.tiers.slice(0, getWindowSize(world)).map(({ id }) => id));
  const beyond = returned.filter((id) => !newest.has(id));
  const older = beyond.length === 0 ? 'none older' : `${beyond.length} older`;
  const rest = markPhrases.flatMap(([mark, phrase]) => {
    const ids = (marks.get(mark) ?? []).map(({ id }) => id);
    return ids.length === 0 ? [] : [` ${ids.length} ${phrase}: ${renderTierNames(ids, world)}.`];
  });
  return `${returned.length - beyond.length} of the newest ${windowSize} returned, ${older}.${rest.join('')}`;
}

/** Tiers from the newest to the oldest, as the columns of a chart. */
export interface ChartAxis {
  readonly columns: ReadonlyMap<string, number>;
  /** How many of them are in the window. */
  readonly limit: number;
}

export function createChartAxis(tiers: readonly Tier[], { world }: Suite): ChartAxis {
  const newest = new Set(world.tiers.slice(0, getWindowSize(world)));
  return {
    columns: new Map(tiers.map(({ id }, n) => [id, n])),
    limit: tiers.filter((tier) => newest.has(tier)).length,
  };
}

/** Renders a cell for each column, with a line at the end of the window. */
export function renderWindowChart(
  { columns, limit }: ChartAxis,
  marks: ReadonlyMap<TierMark, readonly Tier[]>,
  words: string,
): Html {
  const paths = [...marks].map(([kind, marked]) => {
    const cells = marked.flatMap(({ id }) => columns.get(id) ?? []);
    return html`<path class="${kind}" d="${rawHtml(cellPath(cells, kind))}"/>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${columns.size} 12" preserveAspectRatio="none" role="img" aria-label="${words}"><rect class="field" y="2" width="${columns.size}" height="8"/>${paths}<path class="limit" d="M${limit} 0v12"/></svg>`;
}

/** Wrong marks also differ in form, for readers who do not see the colour. */
const extents: Readonly<Record<TierMark, readonly [from: number, height: number]>> = {
  returned: [2, 8],
  'returned-open': [2, 8],
  wrong: [0, 12],
  absent: [7, 5],
  unclear: [4, 4],
};

function cellPath(columns: readonly number[], kind: TierMark): string {
  const [from, height] = extents[kind];
  const runs: [start: number, length: number][] = [];
  for (const column of columns) {
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === column) last[1] += 1;
    else runs.push([column, 1]);
  }
  return runs.map(([start, length]) => `M${start} ${from}h${length}v${height}h-${length}z`).join('');
}

const legendEntries: readonly (readonly [TierMark, string])[] = [
  ['returned', 'returned'],
  ['returned-open', 'returned, where the documentation leaves it open'],
  ['wrong', 'wrong: returned, but should not be'],
  ['absent', 'absent: not returned, but should be'],
];

export const chartLegend: Html = html`<ul class="legend">${legendEntries.map(
  ([kind, words]) =>
    html`<li><svg viewBox="0 0 12 12" aria-hidden="true"><path class="${kind}" d="M0 ${extents[kind][0]}h12v${extents[kind][1]}h-12z"/></svg>${words}</li>`,
)}</ul>`;

export function renderChartScale({ columns, limit }: ChartAxis): Html {
  const at = ((100 * limit) / columns.size).toFixed(1);
  return html`<svg class="scale" aria-hidden="true"><text x="0" y="12">newest</text><text x="${at}%" y="12" text-anchor="middle">${windowSize}</text><text x="100%" y="12" text-anchor="end">oldest</text></svg>`;
}

/** What several exchanges show alike. */
export interface ChartRow {
  readonly each: ChartedExchange;
  readonly marks: ReadonlyMap<TierMark, readonly Tier[]>;
  readonly words: string;
  readonly alike: readonly ChartedExchange[];
}

/** Groups exchanges that look alike. @param separate returns the same for cases whose exchanges may be in one group */
export function groupEqualRows(
  seen: readonly ChartedExchange[],
  suite: Suite,
  separate: (testCase: TestCase) => string = () => '',
): ChartRow[] {
  const known = new Map<string, Pick<ChartRow, 'marks' | 'words'>>();
  const rows = new Map<string, ChartRow & { readonly alike: ChartedExchange[] }>();
  for (const each of seen) {
    // An exchange that several cases share is marked once.
    const { id } = each;
    const marks = known.get(id)?.marks ?? markTiers(each, suite);
    const words = known.get(id)?.words ?? describeMarks(each, marks, suite);
    known.set(id, { marks, words });
    const key = `${separate(each.testCase)} ${words} ${each.result?.returned.join(' ')}`;
    const row = rows.get(key) ?? { each, marks, words, alike: [] };
    rows.set(key, row);
    row.alike.push(each);
  }
  return [...rows.values()];
}

export function getRowTitle({ testCase, row, request }: ChartedExchange): string {
  return testCase.rows[row]?.title || request;
}
