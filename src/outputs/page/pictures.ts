/** The pictures of a failing case: which tiers a response returned, and which quantities met which threshold. */

import { renderTierNames } from '../../assertions/judge-result.js';
import type { ReadExchange } from '../../certificate/exchange-index.js';
import { createNameLookup } from '../../contract/describe-request.js';
import { getWindowSize, type NamedWorld, windowSize } from '../../contract/named-world.js';
import { createOracle } from '../../contract/oracle.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember } from '../../support/json.js';
import { type Html, html, noHtml, renderTable } from '../../support/markup.js';
import { shorten } from '../../support/untrusted-text.js';

/** How a tier is drawn. Mistakes also differ in form, for readers who do not see the colour. */
const marks = {
  returned: { y: 2, height: 8, words: 'returned' },
  wrong: { y: 0, height: 12, words: 'returned, but should not be' },
  missing: { y: 7, height: 5, words: 'not returned, but should be' },
} as const;
type Mark = keyof typeof marks;
type Marks = readonly (Mark | undefined)[];

/** Compares a response with what the documentation says, tier by tier. @returns nothing if it is not a result */
function markTiers({ exchange: { request }, result }: ReadExchange, world: NamedWorld): Marks {
  if (result === undefined) return [];
  const oracle = createOracle(request, world);
  const returned = new Set(result.returned);
  return world.tiers.map((tier) => {
    const obligation = oracle.returned(tier);
    if (returned.has(tier.id)) return obligation === 'forbidden' ? 'wrong' : 'returned';
    return obligation === 'required' && !result.unclear.has(tier.id) ? 'missing' : undefined;
  });
}

const countMistakes = (some: Marks) => some.filter((mark) => mark === 'wrong' || mark === 'missing').length;

/** Renders all tiers as a strip, by the exchange with the most mistakes; nothing if there is no mistake. */
export function renderStrip(exchanges: readonly ReadExchange[], world: NamedWorld): Html {
  const drawn = exchanges.map((used) => ({ request: used.request, marked: markTiers(used, world) }));
  const [worst] = drawn.toSorted((left, right) => countMistakes(right.marked) - countMistakes(left.marked));
  if (worst === undefined || countMistakes(worst.marked) === 0) return noHtml;
  const { request, marked } = worst;
  const shown = Object.entries(marks).map(([mark, { y, height, words }]) => {
    const ids = world.tiers.filter((_, n) => marked[n] === mark).map(({ id }) => id);
    const names = mark === 'returned' ? '' : `: ${renderTierNames(ids, world)}`;
    const path = marked.map((drawnAs, n) => (drawnAs === mark ? `M${n} ${y}h1v${height}h-1z` : '')).join('');
    return {
      path: html`<path class="${mark}" d="${path}"/>`,
      line: ids.length === 0 ? noHtml : html`<li class="${mark}">${ids.length} ${words}${names}</li>`,
    };
  });
  return html`<figure><svg class="strip" viewBox="0 0 ${marked.length} 12" preserveAspectRatio="none" aria-hidden="true"><rect y="2" width="${marked.length}" height="8"/>${shown.map(({ path }) => path)}<path class="limit" d="M${getWindowSize(world)} 0v12"/></svg><figcaption>All ${marked.length} promotion tiers, from the newest to the oldest, in the response to '${request}'. The line ends the newest ${windowSize}.<ul>${shown.map(({ line }) => line)}</ul></figcaption></figure>`;
}

/** Characters: an order may have the same thing in hundreds of items. */
const maxSent = 60;

/** Renders a table for each ordered thing whose quantities met wrong thresholds. */
export function renderQuantities(exchanges: readonly ReadExchange[], world: NamedWorld): Html[] {
  const orders = exchanges.flatMap((used) => {
    const items: unknown = getMember(getMember(parseRequest(used.exchange.request).body, 'order'), 'items');
    return Array.isArray(items) && used.result !== undefined ? [{ items, marked: markTiers(used, world) }] : [];
  });
  const getThing = (item: unknown) => getMember(item, 'product_id') ?? getMember(item, 'sku_id');
  return [...new Set(orders.flatMap(({ items }) => items.map(getThing)))].map((thing) => {
    // A tier with another rule shows more than a quantity.
    const thresholds = world.tiers.slice(0, windowSize).flatMap(({ rules: [rule, ...others] }, n) => {
      const isThreshold = (rule?.kind === 'product' || rule?.kind === 'sku') && rule.id === thing;
      return isThreshold && others.length === 0 ? [{ n, atLeast: rule.at_least }] : [];
    });
    thresholds.sort((left, right) => left.atLeast - right.atLeast);
    const rows = orders.flatMap(({ items, marked }) => {
      const ordered = items.filter((item) => getThing(item) === thing);
      const sent = ordered.map((item) => JSON.stringify(getMember(item, 'quantity')) ?? 'left out').join(' + ');
      return sent === '' ? [] : [{ sent: shorten(sent, maxSent), cells: thresholds.map(({ n }) => marked[n]) }];
    });
    if (!rows.some(({ cells }) => countMistakes(cells) > 0)) return noHtml;
    const name = createNameLookup(world)(String(thing));
    return html`<h5>Quantities of ${name}, and the promotions that ask for them</h5>${renderTable(
      ['Sent', ...thresholds.map(({ atLeast }) => `asks for ${atLeast}`)],
      rows.map(({ sent, cells }) => [sent, ...cells.map((mark) => mark ?? '')]),
    )}`;
  });
}
