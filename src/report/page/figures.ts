import type { Suite } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import type { ExplorationFinding } from '../../contract/contract.js';
import { parseFilterParameter } from '../../contract/operation.js';
import { parseRequest } from '../../http/request-content.js';
import { windowSize } from '../../world/named-world.js';
import type { Picture } from '../diagnosis/cause.js';
import { type CaseExchange, type ExchangeIndex, readTogether } from '../exchange-index.js';
import { type Html, html, noHtml } from '../markup.js';

import { hasVaryingQuantities, readQuantities, renderQuantityFigures } from './quantity-figure.js';
import {
  type ChartAxis,
  type ChartedExchange,
  type ChartRow,
  chartLegend,
  createChartAxis,
  getRowTitle,
  groupEqualRows,
  isAnyOff,
  markPhrases,
  renderChartScale,
  renderWindowChart,
} from './window-chart.js';

type CaseFilter = (testCase: TestCase) => boolean;

const filterFindings: readonly (readonly [ExplorationFinding, title: string])[] = [
  ['campaign-filter-wrong', 'The filter by promotion_id'],
  ['metadata-filter-wrong', 'The filter by tier metadata'],
];

/** A chart of what was returned, with the same in words. */
export interface Figure {
  readonly picture: Picture;
  /** The requirement of a filter. */
  readonly requirement?: string;
  readonly figure: Html;
  /** Whether something in it is wrong. */
  readonly isOff: boolean;
}

/**
 * Renders charts of what was returned: window, filters, quantities. Their cases are those whose requirements list a
 * finding of exploration, and those with varied quantities.
 */
export function renderFigures(suite: Suite, evidence: ExchangeIndex, statedPatterns?: readonly string[]): Figure[] {
  const chart = (isIncluded: CaseFilter, isShown: (exchange: CaseExchange) => boolean) =>
    suite.cases.filter(isIncluded).flatMap((testCase): ChartedExchange[] => {
      // A repeated request shows the same, or its case is listed as unstable.
      const exchanges = evidence.listByCase(testCase.id).filter(({ attempt }) => attempt === 1);
      const read = readTogether(exchanges, evidence, statedPatterns);
      return read.filter(isShown).map((each) => ({ ...each, testCase }));
    });
  const listRequirements = (finding: ExplorationFinding) =>
    suite.contract.requirements.filter(({ findings }) => findings.includes(finding)).map(({ id }) => id);
  const verifies = (ids: readonly string[]): CaseFilter => {
    return (testCase) => testCase.kind === 'requirement' && ids.includes(testCase.verifies);
  };
  const inWindow = chart(verifies(listRequirements('older-returned')), (each) => !isFiltered(each));
  const quantities = chart(
    ({ rows }) => rows.some(({ requests }) => hasVaryingQuantities([...requests.values()])),
    ({ exchange }) => readQuantities(exchange.request).length > 0,
  );
  const figures: Figure[] = [
    { picture: 'window', figure: windowFigure(inWindow, suite), isOff: isAnyOff(inWindow, suite) },
    ...filterFindings.flatMap(([finding, title]) =>
      listRequirements(finding).map((requirement): Figure => {
        const seen = chart(verifies([requirement]), isFiltered);
        const figure = filterFigure(title, requirement, seen, suite);
        return { picture: 'filters', requirement, figure, isOff: isAnyOff(seen, suite) };
      }),
    ),
    ...renderQuantityFigures(quantities, suite).map((each): Figure => ({ picture: 'quantities', ...each })),
  ];
  return figures.filter(({ figure }) => figure.text !== '');
}

function isFiltered({ exchange }: CaseExchange): boolean {
  return parseRequest(exchange.request).query.some(([name]) => parseFilterParameter(name) !== undefined);
}

/** So many charts are shown at once. */
const maxCharts = 3;

function windowFigure(exchanges: readonly ChartedExchange[], suite: Suite): Html {
  if (exchanges.length === 0) return noHtml;
  const charts = groupEqualRows(exchanges, suite);
  const sizeOf = ({ marks }: ChartRow) => markPhrases.reduce((sum, [mark]) => sum + (marks.get(mark)?.length ?? 0), 0);
  const inOrder = charts.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  const axis = createChartAxis(suite.world.tiers, suite);
  const rendered = inOrder.map(({ each, marks, words, alike }) => {
    const { id, title } = each.testCase;
    const row = getRowTitle(each);
    const more = alike.length > 1 ? `, and ${alike.length - 1} more alike` : '';
    return html`<div class="one"><p><a href="#${id}">${title}</a> <small>${row}${more}</small></p>${renderWindowChart(axis, marks, words)}${renderChartScale(axis)}<p>${words}</p></div>
`;
  });
  const rest = rendered.slice(maxCharts);
  return html`<figure id="picture-window">
<figcaption><h3>The window</h3><p>Every promotion tier from the newest to the oldest. Those right of the line, older than the newest ${windowSize}, should not be returned.</p></figcaption>
${rendered.slice(0, maxCharts)}${rest.length === 0 ? noHtml : html`<details><summary>${rest.length} more</summary>${rest}</details>`}
${chartLegend}
</figure>
`;
}

function filterFigure(title: string, requirement: string, exchanges: readonly ChartedExchange[], suite: Suite): Html {
  if (exchanges.length === 0) return noHtml;
  const rows = groupEqualRows(exchanges, suite, ({ id }) => id);
  const shown = new Set(rows.flatMap(({ marks }) => [...marks.values()].flatMap((some) => some.map(({ id }) => id))));
  const tiers = suite.world.tiers.filter(({ id }) => shown.has(id));
  const axis = createChartAxis(tiers, suite);
  const cases = [...new Set(rows.map(({ each }) => each.testCase))];
  return html`<figure id="picture-${requirement}">
<figcaption><h3>${title}</h3><p>A row for each request with the filter, a column for each of the ${tiers.length} tiers that any of them returned or should have, from the newest to the oldest. Right of the line are those older than the newest ${windowSize}.</p></figcaption>
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

function filterRow({ each, marks, words, alike }: ChartRow, axis: ChartAxis): Html {
  const more = alike.length > 1 ? `, and ${alike.length - 1} more alike` : '';
  const off = markPhrases.flatMap(([mark]) => (marks.has(mark) ? [`${marks.get(mark)?.length} ${mark}`] : []));
  const returned = each.result === undefined ? words : `${each.result.returned.length} returned`;
  return html`<tr><th scope="row">${getRowTitle(each)}${more}</th><td>${renderWindowChart(axis, marks, words)}</td><td>${returned}${off.length === 0 ? noHtml : html`, <strong>${off.join(', ')}</strong>`}</td></tr>
`;
}
