/** Exchanges of real callers, from an HTTP Archive (HAR) 1.2 of a browser, a proxy or a gateway. */

import type { Entry, Har, Header } from 'har-format';
import type { AnsweredExchange } from '../assertions/row-evidence.js';
import { explainUndocumented } from '../contract/explain-undocumented.js';
import {
  credentialHeaders,
  credentialPlaceholders,
  documentedOperation,
  listCredentialSecrets,
} from '../contract/operation.js';
import { getHeaderValues, type Headers, type HttpRequest, mapExchangeTexts } from '../http/exchange.js';
import { createRedactor } from '../http/redactor.js';
import { omitUndefined, renderCounts, renderShortList } from '../support/collections.js';
import { getMember, isJsonObject, parseJson } from '../support/json.js';
import { refuse } from '../support/problem.js';
import { shorten, toOneLine } from '../support/untrusted-text.js';

/** Whether a file is an HTTP Archive that no run of this suite wrote. */
export function isTraffic(content: Buffer): boolean {
  const log = getMember(parseJson(content.toString('utf8')), 'log');
  return Array.isArray(getMember(log, 'entries')) && getMember(log, '_origin') === undefined;
}

/**
 * Reads the documented exchanges with the operation. Credentials are replaced.
 *
 * @param stated the base URL of the deployment; undefined if the file is about one only
 * @throws UnusableInput if the file has no exchange with the operation, or those of several deployments
 */
export function readTraffic(content: Buffer, file: string, stated: string | undefined) {
  const { entries } = (parseJson(content.toString('utf8')) as Har).log;
  const places = entries.map((entry) => locateRequest(entry?.request?.url));
  const baseUrls = [...new Set(places.flatMap((place) => place?.baseUrl ?? []))];
  const wanted = stated && (locateRequest(stated + documentedOperation.path)?.baseUrl ?? stated);
  const [baseUrl, ...others] = wanted === undefined ? baseUrls : baseUrls.filter((url) => url === wanted);
  if (baseUrl === undefined || others.length > 0) {
    const message = `must have exchanges with one deployment, ${wanted ?? 'whichever it is'}`;
    throw refuse(file, message, `Name one with --base-url. The file has: ${renderShortList(baseUrls) || 'none'}.`);
  }
  const addressed = entries.flatMap((entry, n) => {
    const place = places[n];
    if (place?.baseUrl !== baseUrl) return [];
    const { request, response } = readEntry(entry, place.path);
    const isEmpty = response.status === 204 || entry.response?.content?.size === 0;
    const headers = request.headers.map(
      ([name, value]) => [name, placeholders.get(name.toLowerCase()) ?? value] as const,
    );
    const reason = explainUndocumented({ ...request, headers });
    return [{ id: `entry ${n + 1}`, request, headers, response, reason, body: response.body ?? (isEmpty ? '' : null) }];
  });
  const redact = createTrafficRedactor(addressed.flatMap(({ request }) => request.headers));
  const exchanges = addressed.flatMap(({ id, request, headers, response, reason, body }) => {
    if (reason !== undefined || body === null || response.status === 0) return [];
    const received = { ...response, headers: response.headers.filter(isKept), body };
    const exchange = { request: { ...request, headers: headers.filter(isKept) }, response: received };
    return [{ id, exchange: mapExchangeTexts(exchange, redact) as AnsweredExchange }];
  });
  const undocumented = addressed.flatMap(({ reason }) =>
    reason === undefined ? [] : [shorten(toOneLine(reason.replaceAll(/\/\d+/g, '/*')), maxReason)],
  );
  const unanswered = addressed.length - exchanges.length - undocumented.length;
  const notes = [
    `Real traffic: ${file} has ${addressed.length} requests to the operation, and ${entries.length - addressed.length} others. Nothing was sent.`,
    undocumented.length > 0 &&
      `The documentation does not describe ${undocumented.length} of them: ${renderCounts(undocumented)}.`,
    unanswered > 0 && `The file has no response, or no body of it, for ${unanswered} of them.`,
  ];
  return { baseUrl, exchanges, notes: notes.filter((note) => note !== false) };
}

const maxReason = 120;

/** Splits the URL of the operation, without credentials and a fragment; undefined for any other URL. */
function locateRequest(url: unknown): { readonly baseUrl: string; readonly path: string } | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { protocol, host, pathname, search } = new URL(url);
  const { path } = documentedOperation;
  if (!pathname.endsWith(path)) return undefined;
  return { baseUrl: `${protocol}//${host}${pathname.slice(0, -path.length)}`, path: path + search };
}

const credentialParts = ['applicationId', 'token'] as const;
const placeholders = new Map<string, string>(
  credentialParts.map((part) => [credentialHeaders[part].toLowerCase(), credentialPlaceholders[part]]),
);
/** Other headers may be personal, and no verdict depends on them. */
const keptHeaders = ['content-type', 'accept', 'expect', 'transfer-encoding', 'location', ...placeholders.keys()];

function isKept([name]: Headers[number]): boolean {
  return keptHeaders.includes(name.toLowerCase());
}

function createTrafficRedactor(sent: Headers): (text: string) => string {
  const secrets = credentialParts.flatMap((part) =>
    getHeaderValues(sent, credentialHeaders[part]).flatMap((value) =>
      listCredentialSecrets({ applicationId: '', token: '', [part]: value }),
    ),
  );
  return createRedactor([...new Map(secrets.map((secret) => [secret.value, secret])).values()]);
}

/** Reads an entry of any archive. Status 0 means no response. @param path of the request, below the base URL */
function readEntry({ request, response }: Partial<Entry>, path: string) {
  const { method = '', headers, postData } = request ?? {};
  const { status = 0, content } = response ?? {};
  const body = readText(postData?.text, getMember(postData, 'encoding'));
  const sent: HttpRequest = { method, path, headers: readHeaders(headers), ...omitUndefined({ body }) };
  const text = readText(content?.text, content?.encoding);
  return { request: sent, response: { status, headers: readHeaders(response?.headers), body: text } };
}

function readHeaders(headers: readonly Header[] | undefined): Headers {
  const listed = Array.isArray(headers) ? headers.filter(isJsonObject) : [];
  return listed.map(({ name, value }) => [String(name), String(value)] as const);
}

function readText(text: unknown, encoding: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
}
