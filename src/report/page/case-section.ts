import path from 'node:path';
import { describeAssertion } from '../../assertions/describe-assertion.js';
import type { Suite } from '../../cases/suite.js';
import type { RequirementRow, Row, TestCase } from '../../cases/test-case.js';
import type { ShownResult } from '../../engine/case-result.js';
import { renderCurlCommand } from '../../http/curl-command.js';
import { type Exchange, getHeaderValues, serializeWithoutRepetition } from '../../http/exchange.js';
import type { Verdict } from '../../judge/verdict.js';
import { packageRoot } from '../../support/package-root.js';
import { formatLocation } from '../../support/problem.js';
import { truncate } from '../../support/untrusted-text.js';
import { extractEntryLines, readLines } from '../code-frame.js';
import { createResponseRenderer, type ResponseRenderer } from '../exchange-text.js';
import { createFailureSections } from '../failure-text.js';
import { html, type Markup, noMarkup, rawMarkup, renderPreformatted } from '../markup.js';
import { type CaseExchange, maxShownBody, type ShownEvidence } from '../shown-evidence.js';

/** Shows what lies behind the verdict of a case. */
export interface CaseRenderer {
  /**
   * All of a case but its verdict and its reason: what was expected and received, its exchanges and its lines in the
   * case file.
   *
   * @param testCase undefined for what is of no case of the suite
   */
  body(testCase: TestCase | undefined, result: ShownResult | undefined): Markup;
}

/** Of a command, in characters, before it is cut short: one request sends an order of hundreds of items. */
const maxOfCommand = 6_000;
/** Of the bodies of all responses together, in characters, so that a page stays small however many there are. */
const maxOfBodies = 600_000;
/** Of one of them, however many there are. */
const minOfBody = 300;

/**
 * Prepares the cases of one page.
 *
 * @param order ids of the cases, those first that need attention: what several share is shown in the first of them
 * @param evidence all exchanges, where they were kept; otherwise the one of each result is shown
 */
export function createCaseRenderer(
  suite: Suite,
  results: readonly ShownResult[],
  baseUrl: string,
  order: readonly string[],
  evidence: Pick<ShownEvidence, 'of'> = evidenceOf(results),
): CaseRenderer {
  const known = new Map(order.map((caseId) => [caseId, evidence.of(caseId)]));
  const places = new Map<string, { readonly caseId: string; readonly anchor: string }>();
  for (const caseId of order)
    for (const { id } of known.get(caseId) ?? [])
      if (!places.has(id)) places.set(id, { caseId, anchor: `exchange-${places.size + 1}` });
  const bodyLimit = Math.max(minOfBody, Math.min(maxShownBody, Math.floor(maxOfBodies / Math.max(1, places.size))));
  const responseText = createResponseRenderer(suite.world);
  const files = new Map<string, readonly string[]>();
  const fileLines = (file: string) => {
    const known = files.get(file) ?? readLines(path.resolve(packageRoot, file));
    files.set(file, known);
    return known;
  };
  const shown = new Set<string>();
  const exchangeMarkup = (caseId: string, { id, request, attempt, exchange }: CaseExchange, isTelling: boolean) => {
    const { caseId: owner = caseId, anchor = '' } = places.get(id) ?? {};
    const label = attempt > 1 ? `${request}, sent again (${attempt})` : request;
    if (owner !== caseId || shown.has(id))
      return html`<p class="elsewhere"><b>${label}</b> ${cameBack(exchange)} <a href="#${anchor}">shown ${owner === caseId ? 'above' : `in ${owner}`}</a></p>`;
    shown.add(id);
    return html`<details class="exchange" id="${anchor}"${isTelling ? rawMarkup(' open') : noMarkup}><summary><b>${label}</b> ${cameBack(exchange)}</summary>${attempt > 1 ? html`<p>The request is that of the first time.</p>` : requestMarkup(exchange, baseUrl)}${responseMarkup(exchange, bodyLimit)}</details>`;
  };
  return {
    body(testCase, result) {
      const id = testCase?.id ?? result?.id ?? '';
      return html`${result === undefined ? noMarkup : verdictSections(result, baseUrl, responseText)}
${testCase === undefined ? noMarkup : rowsMarkup(testCase, result, suite, known.get(id) ?? [], exchangeMarkup)}
${testCase === undefined ? noMarkup : yamlMarkup(testCase, result, fileLines(testCase.at.file))}`;
    },
  };
}

/** What was kept in the results themselves, where nothing else was: the exchange that shows the verdict. */
function evidenceOf(results: readonly ShownResult[]): Pick<ShownEvidence, 'of'> {
  const byCase = new Map(results.map((result) => [result.id, result]));
  return {
    of(caseId) {
      const { exchange: evidence } = byCase.get(caseId) ?? {};
      return evidence === undefined ? [] : [{ id: caseId, row: 0, request: 'request', attempt: 1, exchange: evidence }];
    },
  };
}

function verdictSections(result: ShownResult, baseUrl: string, responseText: ResponseRenderer): Markup {
  const { verdict, exchange: evidence, asCase } = result;
  if (verdict !== 'fail' && verdict !== 'error') return asCase === undefined ? noMarkup : part('As a case', asCase);
  const { why, expected, received, command } = createFailureSections(result, baseUrl, responseText);
  return html`<div class="failure"><div class="prose">${part('Why', why.join('\n'))}${part('Expected', expected)}</div>${part('Received', received)}${part('As a case', asCase)}${evidence === undefined ? noMarkup : part('Send it again with', command)}</div>`;
}

function part(heading: string, text: string | undefined): Markup {
  return text === undefined ? noMarkup : html`<h5>${heading}</h5>${renderPreformatted(text)}`;
}

type ExchangeMarkup = (caseId: string, each: CaseExchange, isTelling: boolean) => Markup;

/** The rows of a case: what was sent and came back in each, and what was expected of it. */
function rowsMarkup(
  { id, rows }: TestCase,
  result: ShownResult | undefined,
  suite: Suite,
  exchanges: readonly CaseExchange[],
  exchangeMarkup: ExchangeMarkup,
): Markup {
  const evidence = result?.exchange;
  const telling = evidence && serializeWithoutRepetition(evidence.request);
  const tells = (each: CaseExchange) =>
    telling !== undefined && serializeWithoutRepetition(each.exchange.request) === telling;
  const first = exchanges.find(tells);
  const markups = (rows as readonly (Row | RequirementRow)[]).map((row, n) => {
    const ofRow = exchanges.filter((each) => each.row === n);
    const judged = result?.rows[n];
    const words = rowWords(row, suite);
    const sent = ofRow.map((each) => exchangeMarkup(id, each, each === first));
    if (rows.length === 1) return html`${words}${sent.length === 0 ? noMarkup : html`<h5>Exchanges</h5>${sent}`}`;
    return html`<details class="row"${judged?.verdict === 'fail' && ofRow.includes(first as CaseExchange) ? rawMarkup(' open') : noMarkup}><summary>${judged === undefined ? noMarkup : renderVerdictBadge(judged.verdict)} ${row.title}</summary>${judged === undefined || judged.reason === '' ? noMarkup : html`<p>${judged.reason}</p>`}${words}${sent}</details>`;
  });
  return html`${rows.length === 1 ? noMarkup : html`<h5>${rows.length} rows</h5>`}${markups}`;
}

function rowWords(row: Row | RequirementRow, { world }: Suite): Markup {
  const list = (heading: string, assertions: Row['given']) =>
    assertions.length === 0
      ? noMarkup
      : html`<h5>${heading}</h5><ul class="said">${assertions.map((each) => html`<li>${describeAssertion(each, world)}</li>`)}</ul>`;
  return html`${list('Given that', row.given)}${'expect' in row ? list('It is expected that', row.expect) : noMarkup}`;
}

/** A verdict, in a word and a colour. */
export function renderVerdictBadge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}">${verdict}</span>`;
}

function cameBack(exchange: Exchange): string {
  if (!('response' in exchange)) return `→ ${exchange.transportError}`;
  const { status, headers } = exchange.response;
  return `→ ${status} ${getHeaderValues(headers, 'content-type')[0] ?? ''}`;
}

function requestMarkup({ request }: Exchange, baseUrl: string): Markup {
  return html`<h6>Request</h6>${renderPreformatted(shortened(renderCurlCommand(request, baseUrl), maxOfCommand))}`;
}

function responseMarkup(exchange: Exchange, bodyLimit: number): Markup {
  if (!('response' in exchange)) return html`<h6>No response</h6><p>${exchange.message}</p>`;
  const { status, headers, body, bodyLength = body.length } = exchange.response;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return html`<h6>Response</h6>${renderPreformatted([String(status), ...lines].join('\n'))}${
    body === '' ? html`<p>(no body)</p>` : renderPreformatted(shortened(body, bodyLimit, bodyLength))
  }`;
}

function shortened(text: string, max: number, length = text.length): string {
  return length <= max ? text : `${truncate(text, max)}… (${length} characters in all)`;
}

/** In characters: a file of one line may hold many cases. */
const maxOfEntry = 20_000;

function yamlMarkup(testCase: TestCase, result: ShownResult | undefined, lines: readonly string[]): Markup {
  const { at } = testCase;
  if (lines.length === 0) return noMarkup;
  const entry = extractEntryLines(lines, at);
  const telling = result?.at.file === at.file && result.verdict !== 'pass' ? result.at.line - at.line + 1 : undefined;
  return html`<h5>In the case file <code>${formatLocation(result?.at ?? at)}</code></h5>${renderPreformatted(shortened(entry.join('\n'), maxOfEntry), telling)}`;
}
