import path from 'node:path';
import { applyEdits, format } from 'jsonc-parser';
import { describeAssertion } from '../../assertions/registry.js';
import type { Suite } from '../../cases/suite.js';
import type { RequirementRow, Row, TestCase } from '../../cases/test-case.js';
import { type CaseEntry, explainFailure } from '../../certificate/case-entry.js';
import { type CaseExchange, maxShownBody, type ReadExchange, readTogether } from '../../certificate/exchange-index.js';
import { renderCurlCommand } from '../../http/curl-command.js';
import { type Exchange, getHeaderValues } from '../../http/exchange.js';
import type { Verdict } from '../../judge/verdict.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
import { type Html, html, noHtml, rawHtml, renderPreformatted } from '../../support/markup.js';
import { packageRoot } from '../../support/package-root.js';
import { formatLocation } from '../../support/problem.js';
import { truncate } from '../../support/untrusted-text.js';
import { extractEntry, readLines } from '../code-frame.js';
import { sortByUrgency } from '../counts.js';
import type { RunView } from '../run-view.js';
import { renderQuantities, renderStrip } from './pictures.js';

/** Renders a case without its verdict: expected and received, exchanges, lines of the case file. */
export type CaseRenderer = (id: string, entry?: CaseEntry) => Html;

/** Characters of a command before it is cut: one request sends an order of hundreds of items. */
const maxCommand = 4_000;
/** Characters of all bodies together, so that a page stays small, and the least of one body. */
const maxBodies = 300_000;
const minBody = 300;

export function createCaseRenderer({ suite, certificate, results, exchanges, tierPatterns }: RunView): CaseRenderer {
  const baseUrl = certificate.target.base_url;
  const listExchanges = (caseId: string) => exchanges?.listByCase(caseId) ?? listOwnExchange(results, caseId);
  // An exchange that several cases share is shown in the most urgent one.
  const owners = new Map<string, { readonly caseId: string; readonly anchor: string }>();
  for (const { id: caseId } of sortByUrgency(results))
    for (const { id } of listExchanges(caseId))
      if (!owners.has(id)) owners.set(id, { caseId, anchor: `exchange-${owners.size + 1}` });
  const bodyLimit = Math.max(minBody, Math.min(maxShownBody, Math.floor(maxBodies / Math.max(1, owners.size))));
  const shown = new Set<string>();
  const renderExchange: ExchangeRenderer = (caseId, { id, request, attempt, exchange }, isOpen) => {
    const { caseId: owner = caseId, anchor = '' } = owners.get(id) ?? {};
    const label = attempt > 1 ? `${request}, sent again (${attempt})` : request;
    const summary = html`<b>${label}</b> ${describeResponse(exchange)}`;
    if (owner !== caseId || shown.has(id))
      return html`<p class="elsewhere">${summary} <a href="#${anchor}">shown in ${owner}</a></p>`;
    shown.add(id);
    return html`<details class="exchange" id="${anchor}"${isOpen ? rawHtml(' open') : noHtml}><summary>${summary}</summary>${attempt > 1 ? html`<p>The request is the same as the first time.</p>` : requestSection(exchange, baseUrl)}${responseSection(exchange, bodyLimit)}</details>`;
  };
  return (caseId, entry) => {
    const result = results.find(({ id }) => id === caseId);
    if (result === undefined) return noHtml;
    // Some results are of no single case.
    const testCase = suite.cases.find(({ id }) => id === caseId);
    const own = listExchanges(caseId);
    // A repeated request shows the same, or the case is unstable.
    const first = result.verdict === 'fail' ? own.filter(({ attempt }) => attempt === 1) : [];
    const read = exchanges === undefined ? [] : readTogether(first, exchanges, tierPatterns);
    const rows = testCase && rowSections(testCase, result, suite, own, read, renderExchange);
    return html`${entry === undefined ? noHtml : failureSection(entry)}${renderQuantities(read, suite.world)}${rows ?? noHtml}${testCase === undefined ? noHtml : caseFileSection(testCase, result)}`;
  };
}

/** Lists the exchange that a result itself has. */
function listOwnExchange(results: readonly ResultWithExchanges[], caseId: string): CaseExchange[] {
  const { exchange, exchangeId: id = caseId } = results.find((result) => result.id === caseId) ?? {};
  return exchange === undefined ? [] : [{ id, row: 0, request: 'request', attempt: 1, exchange }];
}

/** Lines that say why a case fails: the number of failing rows, and the first of them. */
const maxWhy = 4;

function failureSection(entry: CaseEntry): Html {
  const { verdict, expected, received, repeat_with: command } = entry;
  if (verdict !== 'fail' && verdict !== 'error') return noHtml;
  const why = explainFailure(entry);
  // The rows follow with their reasons.
  const shown =
    why.length <= maxWhy ? why : [...why.slice(0, maxWhy), `  … and ${why.length - maxWhy} more, see the rows below`];
  return html`<div class="failure"><div class="prose">${part('Why', shown.join('\n'))}${part('Expected', expected)}</div>${part('Received', received)}${part('Send it again with', command)}</div>`;
}

function part(heading: string, text: string | undefined): Html {
  return text === undefined ? noHtml : html`<h5>${heading}</h5>${renderPreformatted(text)}`;
}

type ExchangeRenderer = (caseId: string, each: CaseExchange, isOpen: boolean) => Html;

function rowSections(
  { id, rows }: TestCase,
  result: ResultWithExchanges,
  suite: Suite,
  exchanges: readonly CaseExchange[],
  read: readonly ReadExchange[],
  renderExchange: ExchangeRenderer,
): Html {
  const decisive = exchanges.find(({ id }) => id === (result.exchangeId ?? result.id));
  const markups = (rows as readonly (Row | RequirementRow)[]).map((row, n) => {
    const ofRow = exchanges.filter((each) => each.row === n);
    const judged = result.rows[n];
    const words = rowWords(row, suite);
    const sent = ofRow.map((each) => renderExchange(id, each, each === decisive));
    const failing = judged?.verdict === 'fail' ? read.filter((each) => each.row === n) : [];
    const strip = renderStrip(failing, suite.world);
    if (rows.length === 1) return html`${strip}${words}${sent.length === 0 ? noHtml : html`<h5>Exchanges</h5>${sent}`}`;
    return html`<details class="row"${judged?.verdict === 'fail' && decisive?.row === n ? rawHtml(' open') : noHtml}><summary>${judged === undefined ? noHtml : renderVerdictBadge(judged.verdict)} ${row.title}</summary>${judged === undefined || judged.reason === '' ? noHtml : html`<p>${judged.reason}</p>`}${strip}${words}${sent}</details>`;
  });
  return html`${rows.length === 1 ? noHtml : html`<h5>${rows.length} rows</h5>`}${markups}`;
}

function rowWords(row: Row | RequirementRow, { world }: Suite): Html {
  const list = (heading: string, assertions: Row['given']) =>
    assertions.length === 0
      ? noHtml
      : html`<h5>${heading}</h5><ul class="assertions">${assertions.map((each) => html`<li>${describeAssertion(each, world)}</li>`)}</ul>`;
  return html`${list('Given that', row.given)}${'expect' in row ? list('It is expected that', row.expect) : noHtml}`;
}

/** Renders a verdict as a coloured word. */
export function renderVerdictBadge(verdict: Verdict): Html {
  return html`<span class="badge ${verdict}">${verdict}</span>`;
}

function describeResponse(exchange: Exchange): string {
  const time = exchange.timing === undefined ? '' : ` in ${Math.round(exchange.timing.durationMs)} ms`;
  if (!('response' in exchange)) return `→ ${exchange.transportError}${time}`;
  const { status, headers } = exchange.response;
  return `→ ${status} ${getHeaderValues(headers, 'content-type')[0] ?? ''}${time}`;
}

function requestSection({ request }: Exchange, baseUrl: string): Html {
  const command = renderCurlCommand(request, baseUrl);
  return html`<h6>Request</h6>${renderPreformatted(truncate(command, maxCommand) + describeCut(command.length, maxCommand))}`;
}

function responseSection(exchange: Exchange, bodyLimit: number): Html {
  if (!('response' in exchange)) return html`<h6>No response</h6><p>${exchange.message}</p>`;
  const { status, headers, body, bodyLength = body.length } = exchange.response;
  const head = [String(status), ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n');
  const shown = `${indentJson(truncate(body, bodyLimit))}${describeCut(bodyLength, bodyLimit)}`;
  return html`<h6>Response</h6>${renderPreformatted(head)}${body === '' ? html`<p>(no body)</p>` : renderPreformatted(shown)}`;
}

/** More brackets may be as many levels, whose indentation would be far longer than the body. */
const maxBrackets = 200;

/** Indents JSON, or the beginning of it: numbers and repeated keys stay as they were sent. Returns other text as it is. */
function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.split(/[[{]/).length > maxBrackets) return text;
  return applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2 }));
}

function describeCut(length: number, max: number): string {
  return length <= max ? '' : `… (${length} characters in all)`;
}

/** Characters: a file of one line may have many cases. */
const maxEntry = 20_000;

function caseFileSection({ at }: TestCase, result: ResultWithExchanges): Html {
  const lines = readLines(path.resolve(packageRoot, at.file));
  if (lines.length === 0) return noHtml;
  const entry = extractEntry(lines, at);
  return html`<h5>In the case file <code>${formatLocation(result.at)}</code></h5>${renderPreformatted(truncate(entry, maxEntry) + describeCut(entry.length, maxEntry))}`;
}
