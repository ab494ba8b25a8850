import { type CaseEntry, isFailure, renderFailure } from '../../certificate/case-entry.js';
import type { CaseExchange } from '../../certificate/exchange-index.js';
import { type Exchange, getHeaderValues } from '../../http/exchange.js';
import { cutBodies } from '../../run/sanitize-result.js';
import { type Html, html, noHtml, renderPreformatted } from '../../support/markup.js';
import { formatLocation } from '../../support/problem.js';
import type { RunView } from '../run-view.js';
import { listExchangeLines } from '../test-texts.js';

/** Renders a case without its verdict. @param entry what the certificate says of it; undefined for a question */
export type CaseRenderer = (id: string, entry?: CaseEntry) => Html;

/** Characters of a shown body. `evidence.har` has all of it. */
const maxBody = 1_000;

/**
 * Creates a renderer that shows why a case fails, and the rows that do not pass with their exchanges. Of a question it shows
 * the exchange that answers it.
 */
export function createCaseRenderer({ certificate, results, exchanges }: RunView): CaseRenderer {
  const resultsById = new Map(results.map((result) => [result.id, result]));
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
    const uses = exchanges?.listByCase(caseId) ?? [];
    const location = html`<p><small>${formatLocation(result.at)}</small></p>`;
    if (entry === undefined)
      return html`${uses.filter(({ id }) => id === result.exchangeId).map(renderUse)}${location}`;
    const rows = result.rows.map(({ title, verdict, reason }, n) => {
      if (verdict === 'pass' || verdict === 'not-applicable') return noHtml;
      const heading = title === '' ? noHtml : html`<h5>${verdict}: ${title}</h5><p>${reason}</p>`;
      const ofRow = uses.filter(({ row, attempt }) => row === n && attempt === 1);
      return html`<div class="row">${heading}${ofRow.map(renderUse)}</div>`;
    });
    const failure = isFailure(entry.verdict) ? renderPreformatted(renderFailure(entry)) : noHtml;
    return html`${failure}${rows}${location}`;
  };
}

function describeResponse(exchange: Exchange): string {
  if (!('response' in exchange)) return `→ ${exchange.transportError}`;
  const { status, headers } = exchange.response;
  return `→ ${status} ${getHeaderValues(headers, 'content-type')[0] ?? ''}`;
}
