import type { RowEvidence } from '../assertions/row-evidence.js';
import type { QuestionAnswer } from '../cases/test-case.js';
import { getHeaderValues } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { isJsonObject, parseJson } from '../support/json.js';

const none = 'none';

/** Extracts the answer to a question with an open value from its exchange. */
export function extractValue(
  { of, take }: Extract<QuestionAnswer, { kind: 'value' }>,
  { exchanges, reading }: RowEvidence,
): { value: string } | { reason: string } {
  const exchange = exchanges.get(of);
  if (exchange === undefined) throw new Error(`There is no exchange '${of}'.`);
  if (!('response' in exchange)) return { reason: exchange.message };
  const { response } = exchange;
  switch (take.part) {
    case 'status':
      return { value: String(response.status) };
    case 'media-type':
      return { value: readMediaType(getHeaderValues(response.headers, 'content-type')[0]) };
    case 'shape':
      if ((reading.kind === 'stated' || reading.kind === 'agreed') && reading.patterns.length > 0)
        return { value: reading.patterns.join(' | ') };
      return { reason: `Promotions are named under ${reading.patterns.join(' and ') || 'no path'}.` };
    case 'error-shape':
      return {
        value: isSuccessful(response)
          ? 'no error'
          : renderErrorShape(response.body, getHeaderValues(response.headers, 'content-type')[0]),
      };
    case 'headers':
      return { value: renderHeaders(response.headers, take.values, take.names) };
  }
}

function readMediaType(contentType: string | undefined): string {
  const type = contentType?.split(';')[0]?.trim() ?? '';
  // In kept evidence, a secret is a placeholder: in another letter case, it would be another answer.
  return type.replaceAll(/\$[A-Z][A-Z0-9_]*|[A-Z]+/g, (each) => (each[0] === '$' ? each : each.toLowerCase())) || none;
}

/** Renders the media type and the members of an error body. */
export function renderErrorShape(body: string, contentType: string | undefined): string {
  const value = parseJson(body);
  const members = isJsonObject(value) ? Object.keys(value).sort().join(', ') : body === '' ? 'no body' : 'no object';
  return `${readMediaType(contentType)}: ${members}`;
}

function renderHeaders(
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
