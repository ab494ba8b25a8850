import type { Suite } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import type { ExplorationFinding } from '../../contract/contract.js';
import { parseFilterParameter } from '../../contract/operation.js';
import { parseRequest } from '../../http/request-content.js';
import { readReturnedTiers } from '../../recognition/returned-tiers.js';
import { determineReading } from '../../recognition/tier-reading.js';
import { windowSize } from '../../world/named-world.js';
import { html, type Markup, noMarkup } from '../markup.js';
import type { CaseExchange, ShownEvidence } from '../shown-evidence.js';

import { hasVaryingQuantities, readQuantities, renderQuantityFigures } from './quantity-figure.js';
import {
  type ChartAxis,
  type ChartedExchange,
  type ChartRow,
  chartLegend,
  createChartAxis,
  getRowKey,
  getRowTitle,
  groupEqualRows,
  markPhrases,
  renderChartScale,
  renderWindowChart,
} from './window-chart.js';

type IsMeant = (testCase: TestCase) => boolean;

/** Which cases each picture is of. */
interface Subjects {
  readonly window: IsMeant;
  readonly filters: readonly { readonly requirement: string; readonly isMeant: IsMeant }[];
  readonly quantity: IsMeant;
}

/** By what random requests find broken of a requirement, and by what the requests of a case differ in. */
function subjectsOf({ contract: ledger }: Suite): Subjects {
  const idsWith = (finding: ExplorationFinding) =>
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
    quantity: ({ rows }) => rows.some(({ requests }) => hasVaryingQuantities([...requests.values()])),
  };
}

/** The ids of all cases that are pictured: for those it has to be read what their responses returned. */
export function listPicturedCases(suite: Suite): ReadonlySet<string> {
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
): ChartedExchange[] {
  return cases.filter(isMeant).flatMap((testCase) => {
    // What was sent again shows the same, or is listed as unstable.
    const exchanges = of(testCase.id).filter(({ attempt }) => attempt === 1);
    const reading = determineReading(
      [...calibration, ...exchanges.flatMap(({ naming }) => naming ?? [])],
      statedPatterns,
    );
    return exchanges.filter(isShown).map((exchange): ChartedExchange => {
      const { naming } = exchange;
      return { testCase, exchange, ...(naming === undefined ? {} : { result: readReturnedTiers(naming, reading) }) };
    });
  });
}

/**
 * Pictures of what was returned, each with the same in words: of the window, of each filter, and of the quantities.
 *
 * @param evidence in which the {@link listPicturedCases} are read
 * @param statedPatterns as the target file states them, where it does
 */
export function renderFigures(suite: Suite, evidence: ShownEvidence, statedPatterns?: readonly string[]): Markup {
  const { window, filters, quantity } = subjectsOf(suite);
  const seen = (isMeant: IsMeant, isShown: (exchange: CaseExchange) => boolean) =>
    seenIn(suite, evidence, statedPatterns, isMeant, isShown);
  const figures = [
    windowFigure(
      seen(window, (each) => !isFiltered(each)),
      suite,
    ),
    ...filters.map(({ requirement, isMeant }) => filterFigure(requirement, seen(isMeant, isFiltered), suite)),
    ...renderQuantityFigures(
      seen(quantity, ({ exchange }) => readQuantities(exchange.request).length > 0),
      suite,
    ),
  ].filter(({ text }) => text !== '');
  if (figures.length === 0) return noMarkup;
  return html`<section id="pictures" class="chapter">
<h2>At a glance</h2>
${figures}
</section>
`;
}

function isFiltered({ exchange }: CaseExchange): boolean {
  return parseRequest(exchange.request).query.some(([name]) => parseFilterParameter(name) !== undefined);
}

/** So many strips stand open; what is like them, or shows nothing else, does not have to. */
const maxStrips = 5;

function windowFigure(seen: readonly ChartedExchange[], suite: Suite): Markup {
  if (seen.length === 0) return noMarkup;
  const looks = groupEqualRows(seen, suite, ({ each, words }) => getRowKey(words, each.result));
  const isOff = ({ marks }: ChartRow) => markPhrases.some(([mark]) => marks.has(mark));
  const inOrder = [...looks.filter(isOff), ...looks.filter((look) => !isOff(look))];
  const axis = createChartAxis(suite.world.tiers, suite);
  const strips = inOrder.map(({ each, marks, words, alike }) => {
    const { id, title } = each.testCase;
    const row = getRowTitle(each);
    const more = alike.length > 1 ? `, and ${alike.length - 1} more alike` : '';
    return html`<div class="one"><p><a href="#${id}">${title}</a> <small>${row}${more}</small></p>${renderWindowChart(axis, marks, words)}${renderChartScale(axis)}<p>${words}</p></div>
`;
  });
  const rest = strips.slice(maxStrips);
  return html`<figure id="picture-window">
<figcaption><h3>The window</h3><p>Every promotion tier from the newest to the oldest. Those right of the line, older than the newest ${windowSize}, should not be returned.</p></figcaption>
${strips.slice(0, maxStrips)}${rest.length === 0 ? noMarkup : html`<details><summary>${rest.length} more</summary>${rest}</details>`}
${chartLegend}
</figure>
`;
}

function filterFigure(requirement: string, seen: readonly ChartedExchange[], suite: Suite): Markup {
  if (seen.length === 0) return noMarkup;
  const rows = groupEqualRows(seen, suite, ({ each, words }) => `${each.testCase.id} ${getRowKey(words, each.result)}`);
  const shown = new Set(rows.flatMap(({ marks }) => [...marks.values()].flatMap((some) => some.map(({ id }) => id))));
  const tiers = suite.world.tiers.filter(({ id }) => shown.has(id));
  const axis = createChartAxis(tiers, suite);
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
${chartLegend}
</figure>
`;
}

function filterRow({ each, marks, words, alike }: ChartRow, axis: ChartAxis): Markup {
  const more = alike.length > 1 ? `, and ${alike.length - 1} more alike` : '';
  const off = markPhrases.flatMap(([mark]) => (marks.has(mark) ? [`${marks.get(mark)?.length} ${mark}`] : []));
  const returned = each.result === undefined ? words : `${each.result.returned.length} returned`;
  return html`<tr><th scope="row">${getRowTitle(each)}${more}</th><td>${renderWindowChart(axis, marks, words)}</td><td>${returned}${off.length === 0 ? noMarkup : html`, <strong>${off.join(', ')}</strong>`}</td></tr>
`;
}
