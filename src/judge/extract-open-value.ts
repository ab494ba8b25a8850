import { findAnsweredExchange, type RowEvidence } from '../assertions/row-evidence.js';
import type { OutcomeRule } from '../cases/test-case.js';
import { getHeaderValues, type Headers, type HttpResponse } from '../http/exchange.js';
import { getMediaType, isSuccessful } from '../http/response-status.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { createReason, type Reason } from '../support/reason.js';

const none = 'none';

/** Reads the open value that a question asks for, or says why the response shows none. */
export function extractOpenValue(
  { of, take }: Extract<OutcomeRule, { kind: 'value' }>,
  evidence: RowEvidence,
): { value: string } | { reason: Reason } {
  const exchange = findAnsweredExchange(of, evidence, 'question');
  if ('reason' in exchange) return exchange;
  const { response } = exchange;
  const { reading } = evidence;
  switch (take.part) {
    case 'status':
      return { value: String(response.status) };
    case 'media-type':
      return { value: getMediaType(response) || none };
    case 'shape':
      if ((reading.kind === 'stated' || reading.kind === 'agreed') && reading.patterns.length > 0)
        return { value: reading.patterns.join(' | ') };
      return { reason: createReason('paths', { paths: reading.patterns.length > 0 ? reading.patterns : 'no path' }) };
    case 'error-shape':
      return { value: isSuccessful(response) ? 'no error' : renderErrorShape(response) };
    case 'headers':
      return { value: renderHeaders(response.headers, take.values, take.names) };
  }
}

function renderErrorShape(response: HttpResponse): string {
  const { body } = response;
  const value = parseJson(body);
  const members = isJsonObject(value) ? Object.keys(value).sort().join(', ') : body === '' ? 'no body' : 'no object';
  return `${getMediaType(response) || none}: ${members}`;
}

function renderHeaders(headers: Headers, withValue: readonly string[], nameOnly: readonly string[]): string {
  const matches = (patterns: readonly string[], name: string) =>
    patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
  const names = [...new Set(headers.map(([name]) => name.toLowerCase()))].sort();
  const shown = names.flatMap((name) => {
    if (matches(withValue, name)) return [`${name}: ${getHeaderValues(headers, name).join(', ')}`];
    return matches(nameOnly, name) ? [name] : [];
  });
  return shown.join(' | ') || none;
}
