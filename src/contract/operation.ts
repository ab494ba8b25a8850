import type { Credentials } from '../http/connection-options.js';
import type { Secret } from '../http/redactor.js';
import { decodePercent } from '../http/request-content.js';

/** The headers that identify a client. */
export const credentialHeaders = {
  applicationId: 'X-Client-Application-Id',
  token: 'X-Client-Token',
} as const satisfies Credentials;

/** Replace the credentials in requests and in all output. The client sends the real ones. */
export const credentialPlaceholders = {
  applicationId: '$CLIENT_APPLICATION_ID',
  token: '$CLIENT_TOKEN',
} as const satisfies Credentials;

/** The operation as documented. No other file spells its method, path, headers or query parameters. */
export const documentedOperation = {
  method: 'GET',
  path: '/v1/promotions/validation',
  headers: {
    [credentialHeaders.applicationId]: credentialPlaceholders.applicationId,
    [credentialHeaders.token]: credentialPlaceholders.token,
    'Content-Type': 'application/json',
  },
} as const;

/** Lists the credentials as secrets, each with its placeholder and its header. */
export function listCredentialSecrets(credentials: Credentials): Secret[] {
  return (['token', 'applicationId'] as const).map((each) => ({
    value: credentials[each],
    placeholder: credentialPlaceholders[each],
    name: credentialHeaders[each],
    isOwnWord: isOwnWord(credentials[each]),
  }));
}

/** Names of the operation in requests, and the media types of common responses. */
const ownTexts = [
  JSON.stringify(documentedOperation),
  'customer order items product_id sku_id quantity metadata options expand category audienceRulesOnly filters',
  'promotion_id conditions application/problem+json text/plain text/html charset=utf-8',
]
  .join(' ')
  .toLowerCase();

/** Whether a secret is a part of the suite's own requests. Redaction would rewrite these. */
export function isOwnWord(secret: string): boolean {
  return ownTexts.includes(secret.trim().toLowerCase());
}

/** A query parameter that the documentation shows in one sample, without its effect. */
export const audienceParameter = 'audienceRulesOnly';

/** The field that a documented filter compares. */
export type FilterSubject = { readonly on: 'campaign' } | { readonly on: 'metadata'; readonly key: string };

const metadataFilter = /^\[filters\]\[metadata\.([^[\]]+)\]\[conditions\]\[\$is\]$/;

/**
 * Renders the query parameter of a documented filter as it goes over the wire. Of a key, only characters that a query
 * cannot contain are percent-encoded (RFC 3986).
 */
export function renderFilterParameter(subject: FilterSubject): string {
  const field =
    subject.on === 'campaign' ? 'promotion_id' : `metadata.${subject.key.replace(reserved, encodeURIComponent)}`;
  return `[filters][${field}][conditions][$is]`;
}

const reserved = /[^A-Za-z0-9\-._~:@!$'()*,;/?]/gu;

/** Parses a query parameter; undefined if it is not a documented filter. */
export function parseFilterParameter(parameter: string): FilterSubject | undefined {
  if (parameter === renderFilterParameter({ on: 'campaign' })) return { on: 'campaign' };
  const key = metadataFilter.exec(parameter)?.[1];
  return key === undefined ? undefined : { on: 'metadata', key: decodePercent(key) };
}
