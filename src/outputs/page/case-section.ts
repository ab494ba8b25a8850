import { describeAssertion } from '../../assertions/registry.js';
import { isDataCase } from '../../cases/data-cases.js';
import type { RequirementRow, Row } from '../../cases/test-case.js';
import type { CaseEntry } from '../../certificate/case-entry.js';
import type { CaseExchange } from '../../certificate/exchange-index.js';
import type { NamedWorld } from '../../contract/named-world.js';
import { type Exchange, getHeaderValues } from '../../http/exchange.js';
import type { Verdict } from '../../judge/verdict.js';
import { cutBodies } from '../../run/sanitize-result.js';
import { type Html, html, noHtml, renderPreformatted } from '../../support/markup.js';
import { formatLocation } from '../../support/problem.js';
import { listExchangeLines } from '../exchange-texts.js';
import type { RunView } from '../run-view.js';

/** Renders a case without its verdict. @param entry what the certificate says of it; undefined for a question */
export type CaseRenderer = (id: string, entry?: CaseEntry) => Html;

/** Characters of a shown body. `evidence.har` has all of it. */
const maxBody = 1_000;

/**
 * Creates a renderer that shows why a case fails, what its rows expect, and the exchanges of the rows that do not pass. Of
 * a question it shows the exchange that answers it.
 */
export function createCaseRenderer({ suite, certificate, results, exchanges }: RunView): CaseRenderer {
  const resultsById = new Map(results.map((result) => [result.id, result]));
  const cases = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  // Drawn rows are many, and those that pass say nothing.
  const isLeftOut = (id: string, verdict?: Verdict) =>
    isDataCase({ id }) && /^(pass|not-applicable)$/.test(verdict ?? '');
  // Cases share exchanges.
  const rendered = new Map<string, Html>();
  const renderUse = ({ id, request, exchange }: CaseExchange): Html => {
    const lines = () => listExchangeLines(cutBodies(exchange, maxBody), certificate.target.base_url);
    const content = rendered.get(id) ?? renderPreformatted(lines().join('\n'));
    rendered.set(id, content);
    return html`<details class="exchange"><summary><b>${request}</b> ${describeResponse(exchange)}</summary>${content}</details>`;
  };
  return (caseId, entry) => {
    const result = resultsById.get(caseId);
    if (result === undefined) return noHtml;
    const isShown = ({ id, row, attempt }: CaseExchange) =>
      entry === undefined ? id === result.exchangeId : attempt === 1 && result.rows[row]?.verdict !== 'pass';
    const shown = exchanges?.listByCase(caseId).filter(isShown) ?? [];
    const all: readonly (Row | RequirementRow)[] = isLeftOut(caseId, result.verdict)
      ? []
      : (cases.get(caseId)?.rows ?? []);
    const rows = all.map((row, n, { length }) => {
      const { verdict, reason = '' } = result.rows[n] ?? {};
      if (isLeftOut(caseId, verdict)) return noHtml;
      const title =
        length === 1 || verdict === undefined ? noHtml : html`<h5>${verdict}: ${row.title}</h5><p>${reason}</p>`;
      const uses = shown.filter((use) => use.row === n).map(renderUse);
      return html`<div class="row">${title}${renderExpectations(row, suite.world)}${uses}</div>`;
    });
    const failure = entry === undefined ? noHtml : renderFailure(entry);
    return html`${failure}${rows}<p><small>${formatLocation(result.at)}</small></p>`;
  };
}

function renderFailure({ verdict, reason, expected, received, repeat_with: command }: CaseEntry): Html {
  if (verdict !== 'fail' && verdict !== 'error') return noHtml;
  const sections = { Why: reason, Expected: expected, Received: received, 'Send it again with': command };
  return html`<div class="failure">${Object.entries(sections).map(([heading, text]) => (text === undefined ? noHtml : html`<h5>${heading}</h5>${renderPreformatted(text)}`))}</div>`;
}

/** Renders what a row expects, in words. */
function renderExpectations(row: Row | RequirementRow, world: NamedWorld): Html {
  const list = (heading: string, assertions: Row['given']) =>
    assertions.length === 0
      ? noHtml
      : html`<h5>${heading}</h5><ul class="assertions">${assertions.map((assertion) => html`<li>${describeAssertion(assertion, world)}</li>`)}</ul>`;
  return html`${list('Given that', row.given)}${list('It is expected that', 'expect' in row ? row.expect : [])}`;
}

function describeResponse(exchange: Exchange): string {
  const time = exchange.timing === undefined ? '' : ` in ${Math.round(exchange.timing.durationMs)} ms`;
  if (!('response' in exchange)) return `→ ${exchange.transportError}${time}`;
  const { status, headers } = exchange.response;
  return `→ ${status} ${getHeaderValues(headers, 'content-type')[0] ?? ''}${time}`;
}
