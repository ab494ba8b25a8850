import { listSuccesses } from '../assertions/row-evidence.js';
import { findVolatilePaths } from '../assertions/stable-body.js';
import type { TestCase } from '../cases/test-case.js';
import { documentedOperation } from '../contract/operation.js';
import { type Exchange, getHeaderValues, type HttpRequest, serializeWithoutRepetition } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { getMember, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { createRowEvidence, type RowExchanges, type TargetContext } from './judge-case.js';
import { createTemplate, type ResponseTemplate } from './response-template.js';

/** The templates of a deployment's responses, for a mock with responses of the same shape. */
export interface ResponseTemplates {
  /** A result. */
  readonly list?: ResponseTemplate;
  /** A result of a request with `expand`. */
  readonly expanded?: ResponseTemplate;
  readonly error?: { readonly media_type: string; readonly body: ResponseTemplate };
}

/**
 * Extracts templates from the responses of a case. Two kinds of cases are suitable: a case that sends a request twice,
 * which shows the volatile values, and the case about the shape of errors.
 *
 * @param redact removes secrets from a body
 */
export function extractTemplates(
  testCase: TestCase,
  exchanges: RowExchanges,
  target: TargetContext,
  redact: (text: string) => string,
): ResponseTemplates | undefined {
  const [evidence] = createRowEvidence(exchanges, target);
  if (evidence === undefined || testCase.kind !== 'question') return undefined;
  const { exchanges: row } = evidence;
  const { answer } = testCase;
  if (answer.kind === 'value') {
    const error = answer.take.part === 'error-shape' ? row.get(answer.of) : undefined;
    return error === undefined ? undefined : extractError(error, redact);
  }
  const requests = [...row.values()].map(({ request }) => serializeWithoutRepetition(request));
  if (new Set(requests).size === requests.length) return undefined;
  const { world, recognizer } = target;
  const volatile = findVolatilePaths(evidence);
  const results = listSuccesses([...row.values()]).filter(
    ({ request }) => request.method === documentedOperation.method,
  );
  const extract = (wantsExpanded: boolean): ResponseTemplate | undefined => {
    const shown = results.find(({ request }) => asksToExpand(request) === wantsExpanded);
    if (shown === undefined) return undefined;
    const returned = new Set(readReturned(shown.response.body, evidence).returned);
    if (returned.size < 2) return undefined;
    return createTemplate({ body: redact(shown.response.body), world, ids: recognizer.ids, returned, volatile });
  };
  const [list, expanded] = [extract(false), extract(true)];
  if (list === undefined) return undefined;
  return { list, ...omitUndefined({ expanded }) };
}

function asksToExpand({ body = '' }: HttpRequest): boolean {
  const expand = getMember(getMember(parseJson(body), 'options'), 'expand');
  return Array.isArray(expand) && expand.length > 0;
}

function extractError(exchange: Exchange, redact: (text: string) => string): ResponseTemplates | undefined {
  if (!('response' in exchange) || isSuccessful(exchange.response)) return undefined;
  const body = parseJson(redact(exchange.response.body), (_, value) =>
    typeof value === 'string' && individualValue.test(value) ? '…' : value,
  );
  if (body === undefined) return undefined;
  const [type = 'application/json'] = getHeaderValues(exchange.response.headers, 'content-type');
  return { error: { media_type: redact(type), body } };
}

/** The values that differ in each error: times and request ids. */
const individualValue = /^(?:\d{4}-\d{2}-\d{2}T[\d:.]\S*|(?=\S*\d)[A-Za-z0-9_-]{12,})$/;

/** Merges the response templates of two cases. The first ones win. */
export function mergeResponseTemplates(
  first: ResponseTemplates | undefined,
  others: ResponseTemplates,
): ResponseTemplates {
  // Both results must come from the same case, so that they differ only in the expanded part.
  const results = first?.list === undefined || (first.expanded === undefined && others.expanded !== undefined);
  return results ? { ...first, ...others } : { ...others, ...first };
}
