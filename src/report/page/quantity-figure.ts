import type { Suite } from '../../cases/suite.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember } from '../../support/json.js';
import { windowSize } from '../../world/named-world.js';
import { createNameLookup } from '../../world/render-rule.js';
import type { Tier } from '../../world/world.js';
import { type Html, html, noHtml } from '../markup.js';

import { type ChartedExchange, chartLegend, isAnyOff, markTiers, type TierMark } from './window-chart.js';

/** Whether requests order the same thing in several quantities. */
export function hasVaryingQuantities(requests: readonly HttpRequest[]): boolean {
  const sent = requests.flatMap(readQuantities);
  return sent.some(({ of, texts }) => sent.some((other) => other.of === of && other.texts.join() !== texts.join()));
}

/** The quantities of one thing in an order, as they are written in each item. */
interface Quantities {
  readonly of: string;
  readonly texts: readonly string[];
  /** The sum of all items; undefined if one of them is not a number. */
  readonly sum?: number;
}

interface Sent {
  readonly each: ChartedExchange;
  readonly quantities: Quantities;
}

/** Reads the quantities of each thing in an order; none if the request has a query, which may decide, too. */
export function readQuantities(request: HttpRequest): Quantities[] {
  const { body, query } = parseRequest(request);
  const items: unknown = getMember(getMember(body, 'order'), 'items');
  if (!Array.isArray(items) || query.length > 0) return [];
  // JSON.parse reads several spellings as one number.
  const literals = [...(request.body ?? '').matchAll(/"quantity"\s*:\s*(-?\d[\d.eE+-]*|"(?:[^"\\]|\\.)*"|null)/g)];
  const asWritten = literals.length === items.length;
  const things = new Map<unknown, { value: unknown; text: string }[]>();
  items.forEach((item, n) => {
    const value = getMember(item, 'quantity');
    const text = value === undefined ? 'left out' : (asWritten && literals[n]?.[1]) || JSON.stringify(value);
    const thing = getMember(item, 'product_id') ?? getMember(item, 'sku_id');
    things.set(thing, [...(things.get(thing) ?? []), { value, text }]);
  });
  return [...things].flatMap(([of, values]) => {
    if (typeof of !== 'string') return [];
    const texts = values.map(({ text }) => text);
    const numbers = values.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
    const sum = numbers.reduce((total, value) => total + value, 0);
    return [{ of, texts, ...(numbers.length === values.length ? { sum } : {}) }];
  });
}

interface QuantityFigure {
  readonly figure: Html;
  readonly isOff: boolean;
}

/** Renders a figure for each thing with several quantities. */
export function renderQuantityFigures(seen: readonly ChartedExchange[], suite: Suite): QuantityFigure[] {
  const sent = seen.flatMap((each): Sent[] => {
    const { testCase, request, exchange } = each;
    const isDecisive =
      testCase.kind === 'requirement' || testCase.answer.kind !== 'first-of' || request === testCase.answer.evidence;
    return isDecisive ? readQuantities(exchange.request).map((quantities) => ({ each, quantities })) : [];
  });
  const things = [...new Set(sent.map(({ quantities }) => quantities.of))];
  return things.map((thing) => {
    const own = sent.filter(({ quantities }) => quantities.of === thing);
    return quantityFigure(thing, own, suite);
  });
}

/** Finds the tiers whose only rule is a quantity of one thing, ordered by that quantity. */
function findThresholds(thing: string, { world }: Suite): { readonly atLeast: number; readonly tier: Tier }[] {
  return world.tiers
    .slice(0, windowSize)
    .flatMap((tier) => {
      const [rule, ...others] = tier.rules;
      const isThreshold =
        (rule?.kind === 'product' || rule?.kind === 'sku') && rule.id === thing && others.length === 0;
      return isThreshold ? [{ atLeast: rule.at_least, tier }] : [];
    })
    .sort((one, other) => one.atLeast - other.atLeast);
}

function quantityFigure(thing: string, all: readonly Sent[], suite: Suite): QuantityFigure {
  const thresholds = findThresholds(thing, suite);
  const tiers = thresholds.map(({ tier }) => tier);
  const name = createNameLookup(suite.world)(thing);
  const rows = new Map<string, Sent>();
  // Of several cases that send the same, the one with the fewest rows.
  for (const one of all.toSorted((one, other) => one.each.testCase.rows.length - other.each.testCase.rows.length)) {
    const sent = renderQuantities(one.quantities);
    if (!rows.has(sent)) rows.set(sent, one);
  }
  if (thresholds.length < 2 || rows.size < 2) return { figure: noHtml, isOff: false };
  const inOrder = [...rows].sort(
    ([, { quantities: one }], [, { quantities: other }]) =>
      one.texts.length - other.texts.length || getSum(one) - getSum(other),
  );
  const figure = html`<figure id="picture-quantity-${name}">
<figcaption><h3>Quantities of ${name}</h3><p>A row for each quantity that was sent, a column for each promotion by the quantity that it asks for: filled where it was returned.</p></figcaption>
<table class="steps">
<thead><tr><th scope="col">Sent</th>${thresholds.map(({ atLeast }) => html`<th scope="col">asks for ${atLeast}</th>`)}<th scope="col">Case</th></tr></thead>
<tbody>${inOrder.map(([sent, { each }]) => quantityRow(sent, each, tiers, suite))}</tbody>
</table>
${chartLegend}
</figure>
`;
  const seen = inOrder.map(([, { each }]) => each);
  return { figure, isOff: isAnyOff(seen, suite, tiers) };
}

/** So many items are shown. */
const maxItems = 6;

function renderQuantities({ texts }: Quantities): string {
  const more = texts.length > maxItems ? ` … (${texts.length} items)` : '';
  return `${texts.slice(0, maxItems).join(' + ')}${more}`;
}

/** Returns the sum. Texts that are not numbers come last. */
function getSum({ sum = Number.MAX_VALUE }: Quantities): number {
  return sum;
}

function quantityRow(sent: string, seen: ChartedExchange, tiers: readonly Tier[], suite: Suite): Html {
  const { exchange } = seen;
  const marks = markTiers(seen, suite, tiers);
  const kindOf = (tier: Tier) => [...marks].find(([, marked]) => marked.includes(tier))?.[0];
  const answered = 'response' in exchange ? `answered ${exchange.response.status}` : exchange.message;
  const cells =
    seen.result === undefined
      ? html`<td class="none" colspan="${tiers.length}">${answered}</td>`
      : tiers.map((tier) => stepCell(kindOf(tier)));
  return html`<tr><th scope="row"><code>${sent}</code></th>${cells}<td class="case"><a href="#${seen.testCase.id}">${seen.testCase.id}</a></td></tr>
`;
}

/** Renders a cell. A right one has a colour and a text for screen readers; a wrong one has a visible text. */
function stepCell(kind: TierMark | undefined): Html {
  if (kind === 'wrong' || kind === 'absent' || kind === 'unclear') return html`<td class="${kind}">${kind}</td>`;
  return html`<td class="${kind ?? 'none'}"><span class="unseen">${kind === undefined ? 'not returned' : 'returned'}</span></td>`;
}
