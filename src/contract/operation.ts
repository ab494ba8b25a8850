import type { Credentials } from '../http/connection-options.js';
import { decodePercent, encodeQueryText } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Secret } from '../http/redactor.js';

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

/** Whether a request of the suite has both credentials, and right ones. */
export function hasDocumentedCredentials({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return (['applicationId', 'token'] as const).every((part) => {
    const isRight = ([name, value]: readonly [string, string]) =>
      name.toLowerCase() === credentialHeaders[part].toLowerCase() && value === credentialPlaceholders[part];
    return headers.filter(isRight).length === 1;
  });
}

export function listCredentialSecrets(credentials: Credentials): Secret[] {
  return (['token', 'applicationId'] as const).map((part) => ({
    value: credentials[part],
    placeholder: credentialPlaceholders[part],
    name: credentialHeaders[part],
    occursInSuiteRequests,
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
export function occursInSuiteRequests(secret: string): boolean {
  return ownTexts.includes(secret.trim().toLowerCase());
}

/** A query parameter that the documentation shows in one sample, without its effect. */
export const audienceParameter = 'audienceRulesOnly';

export type FilterSubject =
  | { readonly on: 'campaign'; readonly key?: undefined }
  | { readonly on: 'metadata'; readonly key: string };

const metadataFilter = /^\[filters\]\[metadata\.(.+)\]\[conditions\]\[\$is\]$/s;

/** Renders the name of the query parameter of a documented filter, not percent-encoded. */
export function renderFilterParameter(subject: FilterSubject): string {
  return `[filters][${subject.on === 'campaign' ? 'promotion_id' : `metadata.${subject.key}`}][conditions][$is]`;
}

/** Parses the name of a query parameter, which is decoded; undefined if it is not a documented filter. */
export function parseFilterParameter(name: string): FilterSubject | undefined {
  if (name === renderFilterParameter({ on: 'campaign' })) return { on: 'campaign' };
  const key = metadataFilter.exec(name)?.[1];
  return key === undefined ? undefined : { on: 'metadata', key };
}

/**
 * Writes the names of filters as the samples of the documentation do, with literal brackets and a literal dollar sign: some
 * deployments read no other spelling. Keys stay percent-encoded.
 */
export function spellFiltersLiterally(request: HttpRequest): HttpRequest {
  const path = request.path.replaceAll(/(?<=[?&])[^=&]+(?==)/g, (name) => {
    const subject = parseFilterParameter(decodePercent(name));
    if (subject?.key === undefined) return subject === undefined ? name : renderFilterParameter(subject);
    return renderFilterParameter({ ...subject, key: encodeQueryText(subject.key) });
  });
  return { ...request, path };
}
