import { findVolatilePaths } from '../assertions/stable-body.js';
import type { TestCase } from '../cases/test-case.js';
import { documentedOperation } from '../contract/operation.js';
import { type Exchange, getHeaderValues, type HttpRequest, serializeWithoutRepetition } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { getMember, isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { createRowEvidence, type RowExchanges, type TargetContext } from './judge-case.js';
import { createTemplate, type ResponseTemplate } from './response-template.js';

/** How a deployment answers: a template per kind of answer, for a mock in the same shape. */
export interface ResponseTemplates {
  /** A result. */
  readonly list?: ResponseTemplate;
  /** A result where something was to be expanded. */
  readonly expanded?: ResponseTemplate;
  readonly error?: { readonly media_type: string; readonly body: ResponseTemplate };
}

/**
 * How a deployment answered in a case, where that shows it: in one that sends a request twice, so that what is volatile
 * is known, or that asks for the shape of errors.
 *
 * @param redact what is secret in a body, before a template is taken
 */
export function extractTemplates(
  testCase: TestCase,
  exchanges: RowExchanges,
  background: TargetContext,
  redact: (text: string) => string,
): ResponseTemplates | undefined {
  const [evidence] = createRowEvidence(exchanges, background);
  if (evidence === undefined || testCase.kind !== 'question') return undefined;
  const { exchanges: row } = evidence;
  const { answer } = testCase;
  if (answer.kind === 'value') {
    const error = answer.take.part === 'error-shape' ? row.get(answer.of) : undefined;
    return error === undefined ? undefined : errorIn(error, redact);
  }
  const requests = [...row.values()].map(({ request }) => serializeWithoutRepetition(request));
  if (new Set(requests).size === requests.length) return undefined;
  const { world, recognizer } = background;
  const volatile = findVolatilePaths(evidence);
  const taken = (wantsExpanded: boolean): ResponseTemplate | undefined => {
    const shown = [...row.values()].find((each) => isResult(each) && expands(each.request) === wantsExpanded);
    if (shown === undefined || !('response' in shown)) return undefined;
    const returned = new Set(
      readReturnedTiers(recognizer.findMentions(shown.response.body), evidence.reading).returned,
    );
    if (returned.size < 2) return undefined;
    return createTemplate({ body: redact(shown.response.body), world, ids: recognizer.ids, returned, volatile });
  };
  const [list, expanded] = [taken(false), taken(true)];
  if (list === undefined) return undefined;
  return { list, ...omitUndefined({ expanded }) };
}

function isResult(exchange: Exchange): boolean {
  return (
    'response' in exchange && exchange.request.method === documentedOperation.method && isSuccessful(exchange.response)
  );
}

/** Whether a request asks for something to be expanded, as the documentation shows it. */
function expands({ body = '' }: HttpRequest): boolean {
  const expand = getMember(getMember(parseJson(body), 'options'), 'expand');
  return Array.isArray(expand) && expand.length > 0;
}

function errorIn(exchange: Exchange, redact: (text: string) => string): ResponseTemplates | undefined {
  if (!('response' in exchange) || isSuccessful(exchange.response)) return undefined;
  const body = parseJson(redact(exchange.response.body));
  if (body === undefined) return undefined;
  const [type = 'application/json'] = getHeaderValues(exchange.response.headers, 'content-type');
  return { error: { media_type: redact(type), body: steady(body) } };
}

/** An error without what is its own: the time, and the identifier of its request. */
function steady(value: unknown): unknown {
  if (typeof value === 'string') return individual.test(value) ? '…' : value;
  if (Array.isArray(value)) return value.map(steady);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, steady(part)]));
}

const individual = /^(?:\d{4}-\d{2}-\d{2}T[\d:.]\S*|(?=\S*\d)[A-Za-z0-9_-]{12,})$/;

/** The answers of two cases together; what the first shows stays. */
export function mergeTemplates(answers: ResponseTemplates | undefined, others: ResponseTemplates): ResponseTemplates {
  // The result and the expanded one are of the same case, so that they differ in nothing else.
  const results = answers?.list === undefined || (answers.expanded === undefined && others.expanded !== undefined);
  return results ? { ...answers, ...others } : { ...others, ...answers };
}
