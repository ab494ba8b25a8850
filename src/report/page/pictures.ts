import type { Suite } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import type { Requirement } from '../../contract/contract.js';
import { parseFilterParameter } from '../../contract/operation.js';
import { parseRequest } from '../../http/request-content.js';
import { getWindowSize, windowSize } from '../../world/named-world.js';
import type { Cause } from '../diagnosis/cause.js';
import { readTogether } from '../exchange-index.js';
import { groupBy } from '../group-by.js';
import { type Html, html, noHtml } from '../markup.js';
import type { RunView } from '../run-view.js';
import { renderQuantitySteps, sendsSeveralQuantities } from './quantity-steps.js';
import { countMistakes, describeMarks, legend, type MarkedExchange, markTiers, renderStrip } from './tier-marks.js';

/** A picture that shows which tiers were returned. */
export interface Picture {
  /** The kinds of causes that it shows. */
  readonly kinds: RegExp;
  /** The requirement of a filter. */
  readonly requirement?: string;
  readonly figure: Html;
  readonly hasMistake: boolean;
}

const filterTitles = [
  ['filter-by-campaign', 'The filter by promotion_id'],
  ['filter-by-metadata', 'The filter by tier metadata'],
] as const;

/** Renders the window, each filter, and the quantities of each thing; nothing of what no exchange shows. */
export function renderPictures({ suite, exchanges, tierPatterns }: RunView): Picture[] {
  if (exchanges === undefined) return [];
  const read = (isIncluded: (testCase: TestCase) => boolean): MarkedExchange[] =>
    suite.cases.filter(isIncluded).flatMap((testCase) => {
      // A repeated request shows the same, or its case is listed as unstable.
      const first = exchanges.listByCase(testCase.id).filter(({ attempt }) => attempt === 1);
      const together = readTogether(first, exchanges, tierPatterns);
      return together.map((each) => ({ ...each, testCase, marks: markTiers(each, suite) }));
    });
  const listRequirements = (shown: Requirement['picture']) =>
    suite.contract.requirements.filter(({ picture }) => picture === shown).map(({ id }) => id);
  const readVerifying = (ids: readonly string[]) =>
    read((testCase) => testCase.kind === 'requirement' && ids.includes(testCase.verifies));
  const createGrid = (kinds: RegExp, id: string, title: string, seen: readonly MarkedExchange[]) => {
    const hasMistake = seen.some(({ marks }) => countMistakes(marks) > 0);
    return seen.length === 0 ? [] : [{ kinds, figure: renderGrid(id, title, seen, suite), hasMistake }];
  };
  const inWindow = readVerifying(listRequirements('window')).filter((each) => !isFiltered(each));
  const filters = filterTitles.flatMap(([picture, title]) =>
    listRequirements(picture).flatMap((requirement) => {
      const grids = createGrid(/^filter-/, requirement, title, readVerifying([requirement]).filter(isFiltered));
      return grids.map((each) => ({ ...each, requirement }));
    }),
  );
  const quantities = renderQuantitySteps(read(sendsSeveralQuantities), suite);
  return [
    ...createGrid(/^(window-|page$|everything-)/, 'window', 'The window', inWindow),
    ...filters,
    ...quantities.map((each) => ({ kinds: /^(threshold|first-item|items-|rule-)/, ...each })),
  ];
}

function isFiltered({ exchange }: MarkedExchange): boolean {
  return parseRequest(exchange.request).query.some(([name]) => parseFilterParameter(name) !== undefined);
}

/** More rows of a grid are folded. */
const maxRows = 6;

/** Renders a row for each request, those that show the most mistakes first, and a column for each tier that any of them shows. */
function renderGrid(id: string, title: string, seen: readonly MarkedExchange[], suite: Suite): Html {
  const columns = [...suite.world.tiers.keys()].filter(
    (n) => id === 'window' || seen.some(({ marks }) => marks[n] !== undefined),
  );
  const limit = columns.filter((n) => n < getWindowSize(suite.world)).length;
  const described = seen.map((each) => ({ ...each, words: describeMarks(each, suite) }));
  const alike = groupBy(described, ({ words, marks }) => `${words} ${marks.join()}`);
  const inOrder = [...alike.values()].toSorted(
    ([one], [other]) => countMistakes(other.marks) - countMistakes(one.marks),
  );
  const rows = inOrder.map(([each, ...others]) => {
    const { testCase, row, request, result, marks, words } = each;
    const shown = columns.map((n) => marks[n]);
    const mistakes = countMistakes(marks);
    const more = others.length === 0 ? '' : `, and ${others.length} more alike`;
    return html`<tr><th scope="row"><a href="#${testCase.id}">${testCase.title}</a> <small>${testCase.rows[row]?.title || request}${more}</small></th><td>${renderStrip(shown, limit, words)}</td><td>${result === undefined ? words : `${result.returned.length} returned`}${mistakes === 0 ? noHtml : html`, <strong>${mistakes} wrong</strong>`}</td></tr>
`;
  });
  const head = html`<thead><tr><th scope="col">Request</th><th scope="col">Tiers</th><th scope="col">Returned</th></tr></thead>`;
  const rest = rows.slice(maxRows);
  return html`<figure id="picture-${id}">
<figcaption><h3>${title}</h3><p>A row for each request, a column for each of ${columns.length} promotion tiers, from the newest to the oldest. Those right of the line are older than the newest ${windowSize}.</p></figcaption>
<table class="grid">${head}<tbody>${rows.slice(0, maxRows)}</tbody></table>
${rest.length === 0 ? noHtml : html`<details><summary>${rest.length} more</summary><table class="grid">${head}<tbody>${rest}</tbody></table></details>`}
${legend}
</figure>
`;
}

/** More pictures do not stand beside one cause. */
const maxBeside = 2;

/** Chooses the pictures beside each cause: those of its kind and its requirements that show a mistake. */
export function placePictures(causes: readonly Cause[], pictures: readonly Picture[]): Map<Cause, readonly Picture[]> {
  const left = new Set(pictures.filter(({ hasMistake }) => hasMistake));
  return new Map(
    causes.map((cause) => {
      const isOwn = ({ kinds, requirement }: Picture) =>
        kinds.test(cause.kind) && (requirement === undefined || cause.requirements.includes(requirement));
      const own = [...left].filter(isOwn).slice(0, maxBeside);
      for (const each of own) left.delete(each);
      return [cause, own];
    }),
  );
}
