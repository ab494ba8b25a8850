import { tierNames } from '../assertions/result-claim.js';
import type { TestCase } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { filterSubject } from '../contract/documented-request.js';
import type { Finding } from '../contract/ledger.js';
import { oracleFor } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import { contentOf } from '../http/request-content.js';
import { readingOf } from '../recognition/reading.js';
import { type Result, resultOf } from '../recognition/result.js';
import { memberOf } from '../support/json.js';
import { windowSize } from '../world/named-world.js';
import { namesById } from '../world/rule-text.js';
import type { Tier } from '../world/world.js';
import type { CaseExchange, ShownEvidence } from './evidence.js';
import { html, type Markup, nothing, raw } from './markup.js';

/** One exchange of a case, with what it returned; without a result where it was not answered with success. */
interface Seen {
  readonly testCase: TestCase;
  readonly exchange: CaseExchange;
  readonly result?: Result;
}

type IsMeant = (testCase: TestCase) => boolean;

/** Which cases each picture is of. */
interface Subjects {
  readonly window: IsMeant;
  readonly filters: readonly { readonly requirement: string; readonly isMeant: IsMeant }[];
  readonly quantity: IsMeant;
}

/** By what random requests find broken of a requirement, and by what the requests of a case differ in. */
function subjectsOf({ ledger }: Suite): Subjects {
  const idsWith = (finding: Finding) =>
    ledger.requirements.filter(({ findings }) => findings.includes(finding)).map(({ id }) => id);
  const verifies = (ids: readonly string[]): IsMeant => {
    return (testCase) => testCase.kind === 'requirement' && ids.includes(testCase.verifies);
  };
  return {
    window: verifies(idsWith('older-returned')),
    filters: [...idsWith('campaign-filter-wrong'), ...idsWith('metadata-filter-wrong')].map((requirement) => ({
      requirement,
      isMeant: verifies([requirement]),
    })),
    quantity: ({ rows }) => rows.some(({ requests }) => variesQuantity([...requests.values()])),
  };
}

/** Whether the same thing is ordered in several quantities. */
function variesQuantity(requests: readonly HttpRequest[]): boolean {
  const sent = requests.flatMap(quantitiesOf);
  return sent.some(({ of, texts }) => sent.some((other) => other.of === of && other.texts.join() !== texts.join()));
}

/** The ids of all cases that are pictured: for those it has to be read what their responses returned. */
export function picturedCases(suite: Suite): ReadonlySet<string> {
  const { window, filters, quantity } = subjectsOf(suite);
  const isPictured = [window, ...filters.map(({ isMeant }) => isMeant), quantity];
  return new Set(suite.cases.filter((each) => isPictured.some((isMeant) => isMeant(each))).map(({ id }) => id));
}

/** The exchanges of some cases that are shown, each with what it returned, read as the judge reads it. */
function seenIn(
  { cases }: Suite,
  { of, calibration }: ShownEvidence,
  statedPatterns: readonly string[] | undefined,
  isMeant: IsMeant,
  isShown: (exchange: CaseExchange) => boolean,
): Seen[] {
  return cases.filter(isMeant).flatMap((testCase) => {
    // What was sent again shows the same, or is listed as unstable.
    const exchanges = of(testCase.id).filter(({ attempt }) => attempt === 1);
    const reading = readingOf([...calibration, ...exchanges.flatMap(({ naming }) => naming ?? [])], statedPatterns);
    return exchanges.filter(isShown).map((exchange): Seen => {
      const { naming } = exchange;
      return { testCase, exchange, ...(naming === undefined ? {} : { result: resultOf(naming, reading) }) };
    });
  });
}

/**
 * Pictures of what was returned, each with the same in words: of the window, of each filter, and of the quantities.
 *
 * @param evidence in which the {@link picturedCases} are read
 * @param statedPatterns as the target file states them, where it does
 */
export function pictures(suite: Suite, evidence: ShownEvidence, statedPatterns?: readonly string[]): Markup {
  const { window, filters, quantity } = subjectsOf(suite);
  const seen = (isMeant: IsMeant, isShown: (exchange: CaseExchange) => boolean) =>
    seenIn(suite, evidence, statedPatterns, isMeant, isShown);
  const figures = [
    windowFigure(
      seen(window, (each) => !isFiltered(each)),
      suite,
    ),
    ...filters.map(({ requirement, isMeant }) => filterFigure(requirement, seen(isMeant, isFiltered), suite)),
    ...quantityFigures(
      seen(quantity, ({ exchange }) => quantitiesOf(exchange.request).length > 0),
      suite,
    ),
  ].filter(({ text }) => text !== '');
  if (figures.length === 0) return nothing;
  return html`<section id="pictures" class="chapter">
<h2>At a glance</h2>
${figures}
</section>
`;
}

function isFiltered({ exchange }: CaseExchange): boolean {
  return contentOf(exchange.request).query.some(([name]) => filterSubject(name) !== undefined);
}

/** How a tier came out in one response; what was neither returned nor required is left blank. */
type Mark = 'returned' | 'returned-open' | 'wrong' | 'absent' | 'unclear';

/** What a response returned, compared with what the documentation says of its request. */
function marksOf({ exchange, result }: Seen, { world }: Suite, tiers = world.tiers): Map<Mark, Tier[]> {
  const marks = new Map<Mark, Tier[]>();
  if (result === undefined) return marks;
  const oracle = oracleFor(exchange.exchange.request, world);
  const returned = new Set(result.returned);
  for (const tier of tiers) {
    const mark = markOf(returned.has(tier.id), result.unclear.has(tier.id), oracle.returned(tier));
    if (mark === undefined) continue;
    const alike = marks.get(mark);
    if (alike === undefined) marks.set(mark, [tier]);
    else alike.push(tier);
  }
  return marks;
}

function markOf(isReturned: boolean, isUnclear: boolean, obligation: string): Mark | undefined {
  if (isUnclear) return 'unclear';
  if (isReturned) return obligation === 'forbidden' ? 'wrong' : obligation === 'open' ? 'returned-open' : 'returned';
  return obligation === 'required' ? 'absent' : undefined;
}

const phrases: readonly (readonly [Mark, string])[] = [
  ['wrong', 'returned, but should not be'],
  ['absent', 'not returned, but should be'],
  ['unclear', 'not clear whether returned'],
];

/** The same as a strip shows, in words. */
function inWords(seen: Seen, marks: ReadonlyMap<Mark, readonly Tier[]>, { world }: Suite): string {
  const { exchange } = seen.exchange;
  if (!('response' in exchange)) return exchange.message;
  if (seen.result === undefined) return `Answered ${exchange.response.status}, so nothing can be shown.`;
  const { returned } = seen.result;
  const ranks = new Map(world.tiers.map(({ id }, index) => [id, index + 1]));
  const beyond = returned.filter((id) => (ranks.get(id) ?? 0) > windowSize);
  const older = beyond.length === 0 ? 'none older' : `${beyond.length} older`;
  const rest = phrases.flatMap(([mark, phrase]) => {
    const tiers = marks.get(mark) ?? [];
    return tiers.length === 0
      ? []
      : [
          ` ${tiers.length} ${phrase}: ${tierNames(
            tiers.map(({ id }) => id),
            world,
          )}.`,
        ];
  });
  return `${returned.length - beyond.length} of the newest ${windowSize} returned, ${older}.${rest.join('')}`;
}

/** Some tiers from the newest to the oldest, as the columns of a picture. */
interface Axis {
  readonly columns: ReadonlyMap<string, number>;
  /** How many of them are among the newest 150. */
  readonly limit: number;
}

function axisOf(tiers: readonly Tier[], { world }: Suite): Axis {
  const newest = new Set(world.tiers.slice(0, windowSize));
  return {
    columns: new Map(tiers.map(({ id }, n) => [id, n])),
    limit: tiers.filter((tier) => newest.has(tier)).length,
  };
}

/** A cell for each column, with a line where the newest 150 end. */
function strip({ columns, limit }: Axis, marks: ReadonlyMap<Mark, readonly Tier[]>, words: string): Markup {
  const paths = [...marks].map(([kind, marked]) => {
    const cells = marked.flatMap(({ id }) => columns.get(id) ?? []);
    return html`<path class="${kind}" d="${raw(cellPath(cells, kind))}"/>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${columns.size} 12" preserveAspectRatio="none" role="img" aria-label="${words}"><rect class="field" y="2" width="${columns.size}" height="8"/>${paths}<path class="limit" d="M${limit} 0v12"/></svg>`;
}

/** Of what is wrong the form differs too, not the colour alone: it stands out of the strip, or fills half of it. */
const extents: Readonly<Record<Mark, readonly [from: number, height: number]>> = {
  returned: [2, 8],
  'returned-open': [2, 8],
  wrong: [0, 12],
  absent: [7, 5],
  unclear: [4, 4],
};

function cellPath(columns: readonly number[], kind: Mark): string {
  const [from, height] = extents[kind];
  const runs: [start: number, length: number][] = [];
  for (const column of columns) {
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === column) last[1] += 1;
    else runs.push([column, 1]);
  }
  return runs.map(([start, length]) => `M${start} ${from}h${length}v${height}h-${length}z`).join('');
}

const legend: Markup = html`<ul class="legend">${raw(
  [
    ['returned', 'returned'],
    ['returned-open', 'returned, where the documentation leaves it open'],
    ['wrong', 'wrong: returned, but should not be'],
    ['absent', 'absent: not returned, but should be'],
  ]
    .map(
      ([kind, words]) =>
        `<li><svg viewBox="0 0 12 12" aria-hidden="true">${legendCell(kind as Mark)}</svg>${words}</li>`,
    )
    .join(''),
)}</ul>`;

function legendCell(kind: Mark): string {
  const [from, height] = extents[kind];
  return `<path class="${kind}" d="M0 ${from}h12v${height}h-12z"/>`;
}

/** So many strips stand open; what is like them, or shows nothing else, does not have to. */
const maxStrips = 5;

function windowFigure(seen: readonly Seen[], suite: Suite): Markup {
  if (seen.length === 0) return nothing;
  const looks = distinct(seen, suite, ({ each, words }) => lookOf(words, each.result));
  const isOff = ({ marks }: Look) => phrases.some(([mark]) => marks.has(mark));
  const inOrder = [...looks.filter(isOff), ...looks.filter((look) => !isOff(look))];
  const axis = axisOf(suite.world.tiers, suite);
  const strips = inOrder.map(({ each, marks, words, alike }) => {
    const { id, title } = each.testCase;
    const row = rowTitle(each);
    const more = alike.length > 1 ? `, and ${alike.length - 1} more alike` : '';
    return html`<div class="one"><p><a href="#${id}">${title}</a> <small>${row}${more}</small></p>${strip(axis, marks, words)}${scale(axis)}<p>${words}</p></div>
`;
  });
  const rest = strips.slice(maxStrips);
  return html`<figure id="picture-window">
<figcaption><h3>The window</h3><p>Every promotion tier from the newest to the oldest. Those right of the line, older than the newest ${windowSize}, should not be returned.</p></figcaption>
${strips.slice(0, maxStrips)}${rest.length === 0 ? nothing : html`<details><summary>${rest.length} more</summary>${rest}</details>`}
${legend}
</figure>
`;
}

function scale({ columns, limit }: Axis): Markup {
  const at = ((100 * limit) / columns.size).toFixed(1);
  return html`<svg class="scale" aria-hidden="true"><text x="0" y="12">newest</text><text x="${at}%" y="12" text-anchor="middle">${windowSize}</text><text x="100%" y="12" text-anchor="end">oldest</text></svg>`;
}

/** What one exchange shows, for all that look the same. */
interface Look {
  readonly each: Seen;
  readonly marks: ReadonlyMap<Mark, readonly Tier[]>;
  /** The same as the picture, in words. */
  readonly words: string;
  readonly alike: readonly Seen[];
}

/** Equal for what looks alike. */
function lookOf(words: string, result: Result | undefined): string {
  return `${words} ${result?.returned.join(' ')}`;
}

/** Twenty equal strips tell no more than one. @param look equal for those that are shown as one */
function distinct(seen: readonly Seen[], suite: Suite, look: (row: Omit<Look, 'alike'>) => string): Look[] {
  const known = new Map<string, Omit<Look, 'alike' | 'each'>>();
  const looks = new Map<string, Look & { readonly alike: Seen[] }>();
  for (const each of seen) {
    // What several cases share is looked at once.
    const { id } = each.exchange;
    const marks = known.get(id)?.marks ?? marksOf(each, suite);
    const words = known.get(id)?.words ?? inWords(each, marks, suite);
    known.set(id, { marks, words });
    const key = look({ each, marks, words });
    const other = looks.get(key);
    if (other === undefined) looks.set(key, { each, marks, words, alike: [each] });
    else other.alike.push(each);
  }
  return [...looks.values()];
}

function rowTitle({ testCase, exchange }: Seen): string {
  const title = testCase.rows[exchange.row]?.title ?? '';
  return title === '' ? exchange.request : title;
}

function filterFigure(requirement: string, seen: readonly Seen[], suite: Suite): Markup {
  if (seen.length === 0) return nothing;
  const rows = distinct(seen, suite, ({ each, words }) => `${each.testCase.id} ${lookOf(words, each.result)}`);
  const shown = new Set(rows.flatMap(({ marks }) => [...marks.values()].flatMap((some) => some.map(({ id }) => id))));
  const tiers = suite.world.tiers.filter(({ id }) => shown.has(id));
  const axis = axisOf(tiers, suite);
  const cases = [...new Set(rows.map(({ each }) => each.testCase))];
  return html`<figure id="picture-${requirement}">
<figcaption><h3>The filter <code>${requirement}</code></h3><p>A row for each request with the filter, a column for each of the ${tiers.length} tiers that any of them returned or should have, from the newest to the oldest. Right of the line are those older than the newest ${windowSize}.</p></figcaption>
<table class="grid">
<thead><tr><th scope="col">Request</th><th scope="col">Tiers</th><th scope="col">Returned</th></tr></thead>
${cases.map(
  (
    testCase,
  ) => html`<tbody><tr><th scope="rowgroup" colspan="3"><a href="#${testCase.id}">${testCase.title}</a></th></tr>
${rows.filter(({ each }) => each.testCase === testCase).map((row) => filterRow(row, axis))}</tbody>
`,
)}
</table>
${legend}
</figure>
`;
}

function filterRow({ each, marks, words, alike }: Look, axis: Axis): Markup {
  const more = alike.length > 1 ? `, and ${alike.length - 1} more alike` : '';
  const off = phrases.flatMap(([mark]) => (marks.has(mark) ? [`${marks.get(mark)?.length} ${mark}`] : []));
  const returned = each.result === undefined ? words : `${each.result.returned.length} returned`;
  return html`<tr><th scope="row">${rowTitle(each)}${more}</th><td>${strip(axis, marks, words)}</td><td>${returned}${off.length === 0 ? nothing : html`, <strong>${off.join(', ')}</strong>`}</td></tr>
`;
}

/** Of one thing that an order holds: how many, in each item as it is written. */
interface Quantities {
  readonly of: string;
  readonly texts: readonly string[];
  /** Of all items together; undefined where one of them is no number. */
  readonly sum?: number;
}

/** A quantity that was sent, and what came of it. */
interface Sent {
  readonly each: Seen;
  readonly quantities: Quantities;
}

/** For each thing of the order; none where the request also asks for something that decides beside it. */
function quantitiesOf(request: HttpRequest): Quantities[] {
  const { body, query } = contentOf(request);
  const items: unknown = memberOf(memberOf(body, 'order'), 'items');
  if (!Array.isArray(items) || query.length > 0) return [];
  // What JSON.parse makes one number may be written as several.
  const literals = [...(request.body ?? '').matchAll(/"quantity"\s*:\s*(-?\d[\d.eE+-]*|"(?:[^"\\]|\\.)*"|null)/g)];
  const asWritten = literals.length === items.length;
  const things = new Map<unknown, { value: unknown; text: string }[]>();
  items.forEach((item, n) => {
    const value = memberOf(item, 'quantity');
    const text = value === undefined ? 'left out' : (asWritten && literals[n]?.[1]) || JSON.stringify(value);
    const thing = memberOf(item, 'product_id') ?? memberOf(item, 'sku_id');
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

/** A picture for each thing whose quantity was varied. */
function quantityFigures(seen: readonly Seen[], suite: Suite): Markup[] {
  const telling = seen.filter(
    ({ testCase, exchange }) =>
      testCase.kind === 'requirement' ||
      testCase.answer.kind !== 'first-of' ||
      exchange.request === testCase.answer.evidence,
  );
  const sent = telling.flatMap((each) =>
    quantitiesOf(each.exchange.exchange.request).map((quantities) => ({ each, quantities })),
  );
  const things = [...new Set(sent.map(({ quantities }) => quantities.of))];
  return things.map((thing) =>
    quantityFigure(
      thing,
      sent.filter(({ quantities }) => quantities.of === thing),
      suite,
    ),
  );
}

/** The tiers that ask for so many of one thing and for nothing else, by how many they ask for. */
function thresholdsOf(thing: string, { world }: Suite): { readonly atLeast: number; readonly tier: Tier }[] {
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

function quantityFigure(thing: string, all: readonly Sent[], suite: Suite): Markup {
  const thresholds = thresholdsOf(thing, suite);
  const name = namesById(suite.world)(thing);
  const rows = new Map<string, Sent>();
  // Of several cases that send the same, the one that is about little else.
  const byRows = [...all].sort(
    ({ each: one }, { each: other }) => one.testCase.rows.length - other.testCase.rows.length,
  );
  for (const one of byRows) {
    const sent = sentText(one.quantities);
    if (!rows.has(sent)) rows.set(sent, one);
  }
  if (thresholds.length < 2 || rows.size < 2) return nothing;
  const inOrder = [...rows].sort(
    ([, { quantities: one }], [, { quantities: other }]) =>
      one.texts.length - other.texts.length || sumOf(one) - sumOf(other),
  );
  return html`<figure id="picture-quantity-${name}">
<figcaption><h3>Quantities of ${name}</h3><p>A row for each quantity that was sent, a column for each promotion that asks for so many: filled where it was returned.</p></figcaption>
<table class="steps">
<thead><tr><th scope="col">Sent</th>${thresholds.map(({ atLeast }) => html`<th scope="col">asks for ${atLeast}</th>`)}<th scope="col">Case</th></tr></thead>
<tbody>${inOrder.map(([sent, { each }]) => quantityRow(sent, each, thresholds, suite))}</tbody>
</table>
${legend}
</figure>
`;
}

/** So many items are written out. */
const maxItems = 6;

function sentText({ texts }: Quantities): string {
  const more = texts.length > maxItems ? ` … (${texts.length} items)` : '';
  return `${texts.slice(0, maxItems).join(' + ')}${more}`;
}

/** What is no number comes last. */
function sumOf({ sum = Number.MAX_VALUE }: Quantities): number {
  return sum;
}

function quantityRow(sent: string, seen: Seen, thresholds: ReturnType<typeof thresholdsOf>, suite: Suite): Markup {
  const { exchange } = seen.exchange;
  const marks = marksOf(
    seen,
    suite,
    thresholds.map(({ tier }) => tier),
  );
  const kindOf = (tier: Tier) => [...marks].find(([, tiers]) => tiers.includes(tier))?.[0];
  const answered = 'response' in exchange ? `answered ${exchange.response.status}` : exchange.message;
  const cells =
    seen.result === undefined
      ? html`<td class="none" colspan="${thresholds.length}">${answered}</td>`
      : thresholds.map(({ tier }) => stepCell(kindOf(tier)));
  return html`<tr><th scope="row"><code>${sent}</code></th>${cells}<td class="case"><a href="#${seen.testCase.id}">${seen.testCase.id}</a></td></tr>
`;
}

/** What is as it may be shows by its colour, and is said to those who do not see it; the rest is written out. */
function stepCell(kind: Mark | undefined): Markup {
  if (kind === 'wrong' || kind === 'absent' || kind === 'unclear') return html`<td class="${kind}">${kind}</td>`;
  return html`<td class="${kind ?? 'none'}"><span class="unseen">${kind === undefined ? 'not returned' : 'returned'}</span></td>`;
}
