/** Texts about cases that fail, are an error, or drifted. */

import { renderCurlCommand } from '../http/curl-command.js';
import type { Drift } from '../record/drift.js';
import type { ResponseRenderer } from '../record/exchange-text.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import { groupBy } from '../support/group-by.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { joinLines, quoteLines, toOneLine } from '../support/untrusted-text.js';

/** Whether a test of this case fails: it fails, is an error, or its outcome drifted. */
export function isBroken({ verdict, drift }: ResultWithExchanges): boolean {
  return verdict === 'fail' || verdict === 'error' || drift.some(({ kind }) => kind === 'outcome');
}

/** Renders a case that fails, is an error or drifted, in lines for people. */
export function renderBrokenCase(
  result: ResultWithExchanges,
  baseUrl: string,
  renderResponse: ResponseRenderer,
): string {
  const { verdict, drift } = result;
  return verdict === 'fail' || verdict === 'error'
    ? renderFailure(result, baseUrl, renderResponse)
    : drift.map((difference) => renderDrift(difference, result, renderResponse)).join('\n\n');
}

/** Creates the sections that every output shows: why a case failed, and the command that sends the request again. */
export function createFailureSections(
  { reason, rows, expected, exchange }: ResultWithExchanges,
  baseUrl: string,
  renderResponse: ResponseRenderer,
) {
  const failing = rows.filter(({ verdict }) => verdict === 'fail').map(({ title, reason }) => `  ${title}: ${reason}`);
  return {
    why: rows.length > 1 ? [`${failing.length} of ${rows.length} rows fail:`, ...failing] : [reason],
    ...omitUndefined({
      expected: expected === undefined ? undefined : toOneLine(`${expected}.`),
      received: exchange && renderResponse(exchange),
      command: exchange && renderCurlCommand(exchange.request, baseUrl),
    }),
  };
}

/** Renders why a case failed, in lines for people. */
export function renderFailure(result: ResultWithExchanges, baseUrl: string, renderResponse: ResponseRenderer): string {
  const { why, expected, received, command } = createFailureSections(result, baseUrl, renderResponse);
  const section = (heading: string, text: string | undefined) =>
    text === undefined ? [] : ['', `${heading}:`, ...text.split('\n')];
  return joinLines([
    ...why,
    ...section('Expected', expected),
    ...section('Received', received),
    ...section('Send it again with', command),
  ]).trimEnd();
}

/** Keeps each change of shape in the first case that shows it, with the number of the others. */
export function mergeShapeDrift(results: readonly ResultWithExchanges[]): ResultWithExchanges[] {
  const ofShape = results.flatMap(({ drift }) => drift.flatMap((each) => (each.kind === 'outcome' ? [] : [each])));
  const alike = groupBy(ofShape, ({ message }) => message);
  const merge = (drift: Drift): Drift[] => {
    if (drift.kind === 'outcome') return [drift];
    const [first, ...{ length: others }] = alike.get(drift.message) ?? [];
    if (drift !== first) return [];
    return [others === 0 ? drift : { ...drift, message: `${drift.message} The same in ${others} more cases.` }];
  };
  return results.map((result) => ({ ...result, drift: result.drift.flatMap(merge) }));
}

/** Renders a drift, with the responses of this run and of the record. */
export function renderDrift(drift: Drift, { exchange }: ResultWithExchanges, renderResponse: ResponseRenderer): string {
  if (drift.kind !== 'outcome') return toOneLine(drift.message);
  const { question, outcome, expected } = drift;
  return [
    toOneLine(`${question} is '${outcome}'; ${expected.statedBy} says '${expected.outcome}'.`),
    ...(exchange === undefined ? [] : ['', 'Now:', ...quoteLines(renderResponse(exchange))]),
    ...(expected.recorded === undefined ? [] : ['', 'Then:', ...quoteLines(expected.recorded)]),
  ].join('\n');
}
