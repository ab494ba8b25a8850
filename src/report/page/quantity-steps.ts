import type { Suite } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember } from '../../support/json.js';
import { windowSize } from '../../world/named-world.js';
import { createNameLookup } from '../../world/render-rule.js';
import { groupBy } from '../group-by.js';
import { type Html, html } from '../markup.js';
import { countMistakes, legend, type Mark, type MarkedExchange } from './tier-marks.js';

/** The quantities of one thing in an order. */
interface Quantities {
  readonly thing: string;
  /** As they are written, item by item. */
  readonly text: string;
  readonly sum: number;
}

/** Whether a row of a case orders the same thing in several quantities. */
export function sendsSeveralQuantities({ rows }: TestCase): boolean {
  return rows.some(({ requests }) => {
    const texts = groupBy([...requests.values()].flatMap(readQuantities), ({ thing }) => thing);
    return [...texts.values()].some((some) => some.some(({ text }) => text !== some[0].text));
  });
}

/** Reads the quantities of each thing in an order; none if the request has a query, which may decide, too. */
function readQuantities(request: HttpRequest): Quantities[] {
  const { body, query } = parseRequest(request);
  const items: unknown = getMember(getMember(body, 'order'), 'items');
  if (!Array.isArray(items) || query.length > 0) return [];
  // JSON.parse reads several spellings as one number.
  const literals = [...(request.body ?? '').matchAll(/"quantity"\s*:\s*(-?\d[\d.eE+-]*|"(?:[^"\\]|\\.)*"|null)/g)];
  const read = items.map((item, n) => {
    const value = getMember(item, 'quantity');
    const literal = literals.length === items.length ? literals[n]?.[1] : undefined;
    const text = value === undefined ? 'left out' : (literal ?? JSON.stringify(value));
    return { thing: getMember(item, 'product_id') ?? getMember(item, 'sku_id'), value, text };
  });
  return [...groupBy(read, ({ thing }) => thing)].flatMap(([thing, own]) => {
    if (typeof thing !== 'string') return [];
    const more = own.length > maxItems ? ` … (${own.length} items)` : '';
    const texts = own.slice(0, maxItems).map(({ text }) => text);
    // What is no number comes last.
    const sum = own.reduce((total, { value }) => total + (typeof value === 'number' ? value : 1e9), 0);
    return [{ thing, text: `${texts.join(' + ')}${more}`, sum }];
  });
}

/** More items of one thing are not shown. */
const maxItems = 6;

/** Renders a table for each thing: a row for each quantity that was sent, a column for each threshold. */
export function renderQuantitySteps(
  seen: readonly MarkedExchange[],
  suite: Suite,
): { figure: Html; hasMistake: boolean }[] {
  const sent = seen.flatMap((each) => readQuantities(each.exchange.request).map((own) => ({ ...each, ...own })));
  return [...groupBy(sent, ({ thing }) => thing)].flatMap(([thing, ofThing]) => {
    const thresholds = findThresholds(thing, suite);
    const mistakesOf = ({ marks }: MarkedExchange) => countMistakes(thresholds.map(({ position }) => marks[position]));
    // Of several exchanges with one quantity, the one with the most mistakes.
    const worstFirst = ofThing.toSorted((one, other) => mistakesOf(other) - mistakesOf(one));
    const worst = [...groupBy(worstFirst, ({ text }) => text).values()].map(([first]) => first);
    if (thresholds.length < 2 || worst.length < 2) return [];
    worst.sort((one, other) => one.sum - other.sum);
    const name = createNameLookup(suite.world)(thing);
    const figure = html`<figure id="picture-quantity-${name}">
<figcaption><h3>Quantities of ${name}</h3><p>A row for each quantity that was sent, a column for each promotion by the quantity that it asks for: filled where it was returned.</p></figcaption>
<table class="steps">
<thead><tr><th scope="col">Sent</th>${thresholds.map(({ atLeast }) => html`<th scope="col">asks for ${atLeast}</th>`)}<th scope="col">Case</th></tr></thead>
<tbody>${worst.map(
      ({ text, exchange, result, marks, testCase: { id } }) => html`<tr><th scope="row"><code>${text}</code></th>${
        result === undefined
          ? html`<td class="none" colspan="${thresholds.length}">${'response' in exchange ? `answered ${exchange.response.status}` : exchange.message}</td>`
          : thresholds.map(({ position }) => renderStep(marks[position]))
      }<td class="case"><a href="#${id}">${id}</a></td></tr>
`,
    )}</tbody>
</table>
${legend}
</figure>
`;
    return [{ figure, hasMistake: worst.some((each) => mistakesOf(each) > 0) }];
  });
}

/** Finds the tiers whose only rule is a quantity of one thing, ordered by that quantity. */
function findThresholds(thing: string, { world }: Suite): { readonly position: number; readonly atLeast: number }[] {
  const thresholds = world.tiers.slice(0, windowSize).flatMap(({ rules: [rule, ...others] }, position) => {
    if ((rule?.kind !== 'product' && rule?.kind !== 'sku') || rule.id !== thing || others.length > 0) return [];
    return [{ position, atLeast: rule.at_least }];
  });
  return thresholds.toSorted((one, other) => one.atLeast - other.atLeast);
}

/** Renders a cell. A right one has a colour and a text for screen readers; another one has a visible text. */
function renderStep(mark: Mark | undefined): Html {
  if (mark === 'wrong' || mark === 'absent' || mark === 'unclear') return html`<td class="${mark}">${mark}</td>`;
  return html`<td class="${mark ?? 'none'}"><span class="unseen">${mark === undefined ? 'not returned' : 'returned'}</span></td>`;
}
