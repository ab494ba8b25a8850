import { credentialHeaders, credentialPlaceholders } from '../http/credentials.js';
import { decodePercent, type RequestContent } from '../http/request-content.js';
import { loadValidator } from '../support/schema-validation.js';

/** The operation as the documentation describes it: where it is, and which headers every request carries. */
export const documentedOperation = {
  method: 'GET',
  path: '/v1/promotions/validation',
  headers: {
    [credentialHeaders.applicationId]: credentialPlaceholders.applicationId,
    [credentialHeaders.token]: credentialPlaceholders.token,
    'Content-Type': 'application/json',
  },
} as const;

/** What a documented filter restricts the result to. */
export type FilterSubject = { readonly on: 'campaign' } | { readonly on: 'metadata'; readonly key: string };

const metadataFilter = /^\[filters\]\[metadata\.([^[\]]+)\]\[conditions\]\[\$is\]$/;

/**
 * The query parameter of a documented filter, as it goes over the wire: of a key, only what cannot stand in a query is
 * percent-encoded (RFC 3986).
 */
export function renderFilterParameter(subject: FilterSubject): string {
  const field =
    subject.on === 'campaign' ? 'promotion_id' : `metadata.${subject.key.replace(unfit, encodeURIComponent)}`;
  return `[filters][${field}][conditions][$is]`;
}

const unfit = /[^A-Za-z0-9\-._~:@!$'()*,;/?]/gu;

/** The filter that a query parameter is; undefined for any other parameter. */
export function parseFilterParameter(parameter: string): FilterSubject | undefined {
  if (parameter === renderFilterParameter({ on: 'campaign' })) return { on: 'campaign' };
  const key = metadataFilter.exec(parameter)?.[1];
  return key === undefined ? undefined : { on: 'metadata', key: decodePercent(key) };
}

/** Why a request is not one that the documentation describes (`schemas/request.schema.json`), if so. */
export function explainUndocumented(content: RequestContent): string | undefined {
  const validate = loadValidator('request');
  const query: Record<string, string[]> = {};
  for (const [name, value] of content.query) query[name] = [...(query[name] ?? []), value];
  if (validate({ ...content, query })) return undefined;
  const error = validate.errors?.find(({ keyword }) => keyword !== 'oneOf') ?? validate.errors?.[0];
  const extra: unknown = error?.params.additionalProperty ?? error?.params.missingProperty;
  const where = `${error?.instancePath || 'the request'}${typeof extra === 'string' ? ` (${extra})` : ''}`;
  return `the documentation does not describe it: ${where} ${error?.message ?? ''}`;
}
