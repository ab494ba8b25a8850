/** What a test shows in the reports of Playwright. The main process does not load this: it only lists tests. */

import { createCaseEntry, isFailingVerdict, renderCaseDifference, renderFailure } from '../certificate/case-entry.js';
import { listDriftEntries } from '../certificate/drift-entry.js';
import { documentedRequestNotice } from '../certificate/notices.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { Exchange } from '../http/exchange.js';
import type { TransportIdentity } from '../http/transport.js';
import { createResponseRenderer } from '../record/exchange-text.js';
import type { CaseReport } from '../run/case-report.js';
import { type CaseResult, getVerdictApartFromKnown } from '../run/case-result.js';
import type { ExchangeLookup } from '../run/exchange-store.js';
import { sanitizeExchange } from '../run/sanitize-result.js';
import type { Suite } from '../suite/suite.js';
import { renderReason } from '../support/reason.js';
import { joinAndEscapeLines, toOneLine } from '../support/untrusted-text.js';

interface ShownTarget {
  readonly baseUrl: string;
  readonly transport?: TransportIdentity;
}

/** Renders why a case fails, is an error, or has another answer than before; undefined for others. */
export function renderFailureOrChangedAnswer(
  result: CaseResult,
  { contract, world }: Pick<Suite, 'contract' | 'world'>,
  { baseUrl, transport }: ShownTarget,
  showExchange: ExchangeLookup,
): string | undefined {
  const context = { contract, baseUrl, renderResponse: createResponseRenderer(world), showExchange };
  const commandNotice = transport && documentedRequestNotice;
  if (isFailingVerdict(getVerdictApartFromKnown(result)))
    return renderFailure(createCaseEntry(result, context), commandNotice);
  const changes = listDriftEntries([result], context).filter(({ kind }) => kind === 'answer');
  const texts = changes.map((change) => renderCaseDifference(change, commandNotice));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

const maxBody = 2_000;
/** How many exchanges are shown beside the one that decided the verdict. All are in the evidence. */
const maxOthers = 20;

/**
 * Renders the exchanges of a case, by names, the one that decided the verdict first, and the rows of a matrix unless all pass.
 * Steps would show the rows as well, but a run with steps takes a tenth longer.
 */
export function renderCaseExchanges(
  { result: { verdict, exchangeId, rows }, uses }: CaseReport,
  find: (id: string) => Exchange | undefined,
  target: ShownTarget,
): Record<string, string> {
  const used = [...new Set(uses.map(({ id }) => id))];
  const decisive = used.filter((id) => id === exchangeId);
  const others = used.filter((id) => id !== exchangeId);
  const render = (id: string) => renderExchange(id, find(id) as Exchange, target);
  const more = others.length > maxOthers ? [`and ${others.length - maxOthers} more in evidence.har`] : [];
  const lines = rows.map(({ verdict: ofRow, title, reason, known }) =>
    toOneLine(
      `${ofRow}${known ? ', as known' : ''}  ${title}${reason === undefined ? '' : `: ${renderReason(reason)}`}`,
    ),
  );
  const texts = {
    [verdict === 'fail' ? 'failing exchange' : 'deciding exchange']: decisive.map(render),
    rows: rows.length > 1 && rows.some((row) => row.verdict !== 'pass') ? [joinAndEscapeLines(lines)] : [],
    exchanges: [...others.slice(0, maxOthers).map(render), ...more],
  };
  const shown = Object.entries(texts).filter(([, parts]) => parts.length > 0);
  return Object.fromEntries(shown.map(([name, parts]) => [name, parts.join('\n\n')]));
}

/** Renders an exchange without secrets: the command that sends the request, and the response. */
export function renderExchange(id: string, exchange: Exchange, { baseUrl, transport }: ShownTarget): string {
  const shown = sanitizeExchange(exchange, maxBody);
  const asDocumented = transport === undefined ? '' : `: ${documentedRequestNotice}`;
  const sent = [`# ${id}${asDocumented}`, ...renderCurlCommand(shown.request, baseUrl).split('\n'), ''];
  if (!('response' in shown)) return joinAndEscapeLines([...sent, `No response: ${shown.message}`]);
  const { status, headers, body, bodyLength = body.length } = shown.response;
  const cut = bodyLength > body.length ? [`… (${bodyLength} characters in all)`] : [];
  const head = [String(status), ...headers.map(([name, value]) => `${name}: ${value}`)];
  return joinAndEscapeLines([...sent, ...head, '', ...body.split('\n'), ...cut]);
}
