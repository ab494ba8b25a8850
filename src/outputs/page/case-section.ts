import { applyEdits, format } from 'jsonc-parser';
import { describeAssertion } from '../../assertions/registry.js';
import type { Suite } from '../../cases/suite.js';
import type { RequirementRow, Row } from '../../cases/test-case.js';
import { type CaseEntry, explainFailure } from '../../certificate/case-entry.js';
import { type CaseExchange, maxShownBody, readTogether } from '../../certificate/exchange-index.js';
import { renderCurlCommand } from '../../http/curl-command.js';
import { type Exchange, getHeaderValues } from '../../http/exchange.js';
import { type Html, html, noHtml, rawHtml, renderPreformatted } from '../../support/markup.js';
import { formatLocation } from '../../support/problem.js';
import { truncate } from '../../support/untrusted-text.js';
import { sortByUrgency } from '../counts.js';
import type { RunView } from '../run-view.js';
import { renderQuantities, renderStrip } from './pictures.js';

/** Renders a case without its verdict: expected and received, what its rows expect, exchanges. @param entry if it is known */
export type CaseRenderer = (id: string, entry?: CaseEntry) => Html;

/** Characters of a command before it is cut: one request sends an order of hundreds of items. */
const maxCommand = 4_000;
/** Characters of all bodies together, so that a page stays small, and the least of one body. */
const maxBodies = 300_000;
const minBody = 300;

export function createCaseRenderer({ suite, certificate, results, exchanges, tierPatterns }: RunView): CaseRenderer {
  const listExchanges = (caseId: string): readonly CaseExchange[] => {
    if (exchanges !== undefined) return exchanges.listByCase(caseId);
    const { exchange, exchangeId: id = caseId } = results.find((result) => result.id === caseId) ?? {};
    return exchange === undefined ? [] : [{ id, row: 0, request: 'request', attempt: 1, exchange }];
  };
  // An exchange that several cases share is shown in the most urgent one.
  const owners = new Map<string, { readonly caseId: string; readonly anchor: string }>();
  for (const { id: caseId } of sortByUrgency(results))
    for (const { id } of listExchanges(caseId))
      if (!owners.has(id)) owners.set(id, { caseId, anchor: `exchange-${owners.size + 1}` });
  const bodyLimit = Math.max(minBody, Math.min(maxShownBody, Math.floor(maxBodies / Math.max(1, owners.size))));
  const shown = new Set<string>();
  const renderExchange = (caseId: string, { id, request, attempt, exchange }: CaseExchange, isOpen: boolean): Html => {
    const { caseId: owner = caseId, anchor = '' } = owners.get(id) ?? {};
    const summary = html`<b>${request}${attempt > 1 ? `, sent again (${attempt})` : ''}</b> ${describeResponse(exchange)}`;
    if (owner !== caseId || shown.has(id))
      return html`<p class="elsewhere">${summary} <a href="#${anchor}">shown in ${owner}</a></p>`;
    shown.add(id);
    const command =
      attempt > 1 ? noHtml : renderCut(renderCurlCommand(exchange.request, certificate.target.base_url), maxCommand);
    return html`<details class="exchange" id="${anchor}"${isOpen ? rawHtml(' open') : noHtml}><summary>${summary}</summary>${command}${renderResponse(exchange, bodyLimit)}</details>`;
  };
  return (caseId, entry) => {
    const result = results.find(({ id }) => id === caseId);
    if (result === undefined) return noHtml;
    const ofCase = listExchanges(caseId);
    // A repeated request shows the same, or the case is unstable.
    const first = result.verdict === 'fail' ? ofCase.filter(({ attempt }) => attempt === 1) : [];
    const read = exchanges === undefined ? [] : readTogether(first, exchanges, tierPatterns);
    const decisive = ofCase.find(({ id }) => id === (result.exchangeId ?? result.id));
    const renderRow = (row: Row | RequirementRow, n: number, all: readonly unknown[]): Html => {
      const { verdict, reason = '' } = result.rows[n] ?? {};
      const failing = verdict === 'fail' ? read.filter((sent) => sent.row === n) : [];
      const sent = ofCase
        .filter((used) => used.row === n)
        .map((used) => renderExchange(caseId, used, used === decisive));
      const content = html`${renderStrip(failing, suite.world)}${renderWords(row, suite)}${sent}`;
      if (all.length === 1) return content;
      const isOpen = verdict === 'fail' && decisive?.row === n;
      return html`<details class="row"${isOpen ? rawHtml(' open') : noHtml}><summary>${verdict === undefined ? noHtml : renderBadge(verdict)} ${row.title}</summary>${reason === '' ? noHtml : html`<p>${reason}</p>`}${content}</details>`;
    };
    // Some results are of no single case.
    const rows: readonly (Row | RequirementRow)[] = suite.cases.find(({ id }) => id === caseId)?.rows ?? [];
    return html`${entry === undefined ? noHtml : renderFailure(entry)}${renderQuantities(read, suite.world)}${rows.map(renderRow)}<p><small>${formatLocation(result.at)}</small></p>`;
  };
}

/** Lines that say why a case fails: the number of failing rows, and the first of them. */
const maxWhy = 4;

function renderFailure(entry: CaseEntry): Html {
  const { verdict, expected, received, repeat_with: command } = entry;
  if (verdict !== 'fail' && verdict !== 'error') return noHtml;
  const why = explainFailure(entry);
  // The rows follow with their reasons.
  const shown =
    why.length <= maxWhy ? why : [...why.slice(0, maxWhy), `  … and ${why.length - maxWhy} more, see the rows below`];
  const sections = { Why: shown.join('\n'), Expected: expected, Received: received, 'Send it again with': command };
  return html`<div class="failure">${Object.entries(sections).map(([heading, text]) => (text === undefined ? noHtml : html`<h5>${heading}</h5>${renderPreformatted(text)}`))}</div>`;
}

/** Renders what a row expects in words. */
function renderWords(row: Row | RequirementRow, { world }: Suite): Html {
  const list = (heading: string, assertions: Row['given']) =>
    assertions.length === 0
      ? noHtml
      : html`<h5>${heading}</h5><ul class="assertions">${assertions.map((assertion) => html`<li>${describeAssertion(assertion, world)}</li>`)}</ul>`;
  return html`${list('Given that', row.given)}${'expect' in row ? list('It is expected that', row.expect) : noHtml}`;
}

/** Renders a verdict, or another mark, as a coloured word. */
export function renderBadge(mark: string): Html {
  return html`<span class="badge ${mark}">${mark}</span>`;
}

function describeResponse(exchange: Exchange): string {
  const time = exchange.timing === undefined ? '' : ` in ${Math.round(exchange.timing.durationMs)} ms`;
  if (!('response' in exchange)) return `→ ${exchange.transportError}${time}`;
  const { status, headers } = exchange.response;
  return `→ ${status} ${getHeaderValues(headers, 'content-type')[0] ?? ''}${time}`;
}

function renderResponse(exchange: Exchange, bodyLimit: number): Html {
  if (!('response' in exchange)) return html`<p>${exchange.message}</p>`;
  const { status, headers, body, bodyLength } = exchange.response;
  const head = [String(status), ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  return html`${renderPreformatted(head)}${body === '' ? html`<p>(no body)</p>` : renderCut(body, bodyLimit, bodyLength)}`;
}

/** More brackets may be as many levels, whose indentation would be far longer than the body. */
const maxBrackets = 200;

/** Renders a text up to a number of characters. JSON is indented; numbers and repeated keys stay as they were sent. */
function renderCut(text: string, max: number, length = text.length): Html {
  const begin = truncate(text, max);
  const isJson = /^\s*[[{]/.test(begin) && begin.split(/[[{]/).length <= maxBrackets;
  const shown = isJson ? applyEdits(begin, format(begin, undefined, { insertSpaces: true, tabSize: 2 })) : begin;
  return renderPreformatted(`${shown}${length <= max ? '' : `… (${length} characters in all)`}`);
}
