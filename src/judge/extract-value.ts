import type { RowEvidence } from '../assertions/row-evidence.js';
import type { QuestionAnswer } from '../cases/test-case.js';
import { getHeaderValues } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { parseJson } from '../support/json.js';

/** What an open value is when there is nothing to take it from. */
const none = 'none';

/** Takes the value that answers an open-valued question out of its exchange. */
export function extractValue(
  { of, take }: Extract<QuestionAnswer, { kind: 'value' }>,
  { exchanges, reading }: RowEvidence,
): { value: string } | { because: string } {
  const exchange = exchanges.get(of);
  if (exchange === undefined) throw new Error(`There is no exchange '${of}'.`);
  if (!('response' in exchange)) return { because: exchange.message };
  const { response } = exchange;
  switch (take.part) {
    case 'status':
      return { value: String(response.status) };
    case 'media-type':
      return { value: mediaType(getHeaderValues(response.headers, 'content-type')[0]) };
    case 'shape':
      if ((reading.kind === 'stated' || reading.kind === 'agreed') && reading.patterns.length > 0)
        return { value: reading.patterns.join(' | ') };
      return { because: `Promotions are named under ${reading.patterns.join(' and ') || 'no path'}.` };
    case 'error-shape':
      return {
        value: isSuccessful(response)
          ? 'no error'
          : renderErrorShape(response.body, getHeaderValues(response.headers, 'content-type')[0]),
      };
    case 'headers':
      return { value: headersShown(response.headers, take.values, take.names) };
  }
}

function mediaType(contentType: string | undefined): string {
  return contentType?.split(';')[0]?.trim().toLowerCase() || none;
}

/** Media type and members of the body of an error, as one text; of no object, what it is instead. */
export function renderErrorShape(body: string, contentType: string | undefined): string {
  const value = parseJson(body);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const members = isObject ? Object.keys(value).sort().join(', ') : body === '' ? 'no body' : 'no object';
  return `${mediaType(contentType)}: ${members}`;
}

function headersShown(
  headers: Parameters<typeof getHeaderValues>[0],
  withValue: readonly string[],
  nameOnly: readonly string[],
): string {
  const matches = (patterns: readonly string[], name: string) =>
    patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
  const names = [...new Set(headers.map(([name]) => name.toLowerCase()))].sort();
  const shown = names.flatMap((name) => {
    if (matches(withValue, name)) return [`${name}: ${getHeaderValues(headers, name).join(', ')}`];
    return matches(nameOnly, name) ? [name] : [];
  });
  return shown.join(' | ') || none;
}
