import { createOracle } from '../../contract/oracle.js';
import { getWindowSize, windowSize } from '../../world/named-world.js';
import type { Cause } from '../diagnosis/cause.js';
import { type ReadExchange, readTogether } from '../exchange-index.js';
import { type Html, html, noHtml } from '../markup.js';
import type { RunView } from '../run-view.js';

/** Marks of tiers. Those that show a mistake also differ in form, for readers who do not see the colour. */
const marks = {
  returned: { y: 2, height: 8, words: 'returned' },
  wrong: { y: 0, height: 12, words: 'returned, but should not be' },
  absent: { y: 7, height: 5, words: 'not returned, but should be' },
} as const;
type Mark = keyof typeof marks;

/** Renders which tiers the example of a cause returned, if the cause is about the window. */
export function renderWindowPicture(
  { kind, example }: Cause,
  { suite, exchanges, tierPatterns }: Pick<RunView, 'suite' | 'exchanges' | 'tierPatterns'>,
): Html {
  if (!/^(?:window-|page$|everything-)/.test(kind) || exchanges === undefined) return noHtml;
  const { cases, world } = suite;
  const rows = cases.find(({ id }) => id === example.case)?.rows ?? [];
  const shown = readTogether(exchanges.listByCase(example.case), exchanges, tierPatterns)
    .filter(({ row, attempt }) => attempt === 1 && (example.row === undefined || rows[row]?.title === example.row))
    .map((each) => markTiers(each, suite))
    .reduce((most, each) => (countMistakes(each) > countMistakes(most) ? each : most), []);
  if (countMistakes(shown) === 0) return noHtml;
  const limit = getWindowSize(world);
  const count = shown.length;
  return html`<figure>
<figcaption>Every promotion tier, from the newest to the oldest. Those right of the line, older than the newest ${windowSize}, should not be returned.</figcaption>
<svg class="strip" viewBox="0 0 ${count} 12" preserveAspectRatio="none" role="img" aria-label="${example.shows}"><rect class="field" y="2" width="${count}" height="8"/>${shown.map((mark, n) => (mark === undefined ? noHtml : renderMark(mark, n)))}<path class="limit" d="M${limit} 0v12"/></svg>
<ul class="legend">${(Object.keys(marks) as Mark[]).map((mark) => html`<li><svg viewBox="0 0 1 12" preserveAspectRatio="none" aria-hidden="true">${renderMark(mark, 0)}</svg>${marks[mark].words}</li>`)}</ul>
</figure>
`;
}

/** Compares what a response returned with what the documentation says about its request, tier by tier. */
function markTiers({ exchange, result }: ReadExchange, { world }: RunView['suite']): (Mark | undefined)[] {
  if (result === undefined) return [];
  const oracle = createOracle(exchange.request, world);
  const returned = new Set(result.returned);
  return world.tiers.map((tier) => {
    const obligation = oracle.returned(tier);
    if (returned.has(tier.id)) return obligation === 'forbidden' ? 'wrong' : 'returned';
    return obligation === 'required' && !result.unclear.has(tier.id) ? 'absent' : undefined;
  });
}

function countMistakes(shown: readonly (Mark | undefined)[]): number {
  return shown.filter((mark) => mark === 'wrong' || mark === 'absent').length;
}

function renderMark(mark: Mark, x: number): Html {
  const { y, height } = marks[mark];
  return html`<rect class="${mark}" x="${x}" y="${y}" width="1" height="${height}"/>`;
}
