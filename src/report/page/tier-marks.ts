import { renderTierNames } from '../../assertions/judge-result.js';
import type { Suite } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import { createOracle } from '../../contract/oracle.js';
import { getWindowSize, windowSize } from '../../world/named-world.js';
import type { ReadExchange } from '../exchange-index.js';
import { type Html, html, noHtml } from '../markup.js';

/** How a strip draws what a response shows about a tier. Mistakes also differ in form, for readers who do not see the colour. */
const marks = {
  returned: { y: 2, height: 8, words: 'returned' },
  allowed: { y: 2, height: 8, words: 'returned, where the documentation leaves it open' },
  wrong: { y: 0, height: 12, words: 'returned, but should not be' },
  absent: { y: 7, height: 5, words: 'not returned, but should be' },
  unclear: { y: 4, height: 4, words: 'not clear whether returned' },
} as const;
export type Mark = keyof typeof marks;

/** An exchange of a case, with a mark for each tier of the world; none for tiers that are neither returned nor required. */
export interface MarkedExchange extends ReadExchange {
  readonly testCase: TestCase;
  readonly marks: readonly (Mark | undefined)[];
}

/** Compares what a response returned with what the documentation says about its request, tier by tier. */
export function markTiers({ exchange, result }: ReadExchange, { world }: Suite): (Mark | undefined)[] {
  if (result === undefined) return [];
  const oracle = createOracle(exchange.request, world);
  const returned = new Set(result.returned);
  return world.tiers.map((tier) => {
    if (result.unclear.has(tier.id)) return 'unclear';
    const obligation = oracle.returned(tier);
    if (!returned.has(tier.id)) return obligation === 'required' ? 'absent' : undefined;
    return obligation === 'forbidden' ? 'wrong' : obligation === 'open' ? 'allowed' : 'returned';
  });
}

export function countMistakes(some: readonly (Mark | undefined)[]): number {
  return some.filter((mark) => mark === 'wrong' || mark === 'absent').length;
}

/** Describes in words what an exchange shows. */
export function describeMarks({ exchange, result, marks: own }: MarkedExchange, { world }: Suite): string {
  if (!('response' in exchange)) return exchange.message;
  if (result === undefined) return `Answered ${exchange.response.status}, so nothing can be shown.`;
  const newest = new Set(world.tiers.slice(0, getWindowSize(world)).map(({ id }) => id));
  const older = result.returned.filter((id) => !newest.has(id)).length;
  const unexpected = (['wrong', 'absent', 'unclear'] as const).flatMap((mark) => {
    const ids = world.tiers.filter((_, n) => own[n] === mark).map(({ id }) => id);
    return ids.length === 0 ? [] : [` ${ids.length} ${marks[mark].words}: ${renderTierNames(ids, world)}.`];
  });
  return `${result.returned.length - older} of the newest ${windowSize} returned, ${older} older.${unexpected.join('')}`;
}

/** Renders a cell for each mark, with a line at the end of the window. @param limit how many of them are in the window */
export function renderStrip(some: readonly (Mark | undefined)[], limit: number, words: string): Html {
  const cells = some.map((mark, n) => {
    // Neighbours of one mark are one cell, drawn by the first of them.
    if (mark === undefined || mark === some[n - 1]) return noHtml;
    let end = n + 1;
    while (some[end] === mark) end += 1;
    return renderCell(mark, n, end - n);
  });
  return html`<svg class="strip" viewBox="0 0 ${some.length} 12" preserveAspectRatio="none" role="img" aria-label="${words}"><rect class="field" y="2" width="${some.length}" height="8"/>${cells}<path class="limit" d="M${limit} 0v12"/></svg>`;
}

function renderCell(mark: Mark, x: number, width: number): Html {
  const { y, height } = marks[mark];
  return html`<rect class="${mark}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
}

export const legend: Html = html`<ul class="legend">${(Object.keys(marks) as Mark[]).map((mark) => html`<li><svg viewBox="0 0 1 12" preserveAspectRatio="none" aria-hidden="true">${renderCell(mark, 0, 1)}</svg>${marks[mark].words}</li>`)}</ul>`;
