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
import {
  getHeaderValues,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  mapExchangeTexts,
} from '../http/exchange.js';
import { createRedactor } from '../http/redactor.js';
import { getMember, isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { renderCounts, renderShortList } from '../support/render-short-list.js';
import { shorten, toOneLine } from '../support/untrusted-text.js';

/** What a file of traffic has about one deployment. */
export interface Traffic {
  readonly baseUrl: string;
  /** The documented requests to the operation, with their responses. */
  readonly exchanges: readonly { readonly id: string; readonly exchange: AnsweredExchange }[];
  /** What else there is, in sentences. */
  readonly notes: readonly string[];
}

/** Whether a file is an HTTP Archive that no run of this suite wrote. */
export function isTraffic(content: Buffer): boolean {
  const log = getMember(parseJson(content.toString('utf8')), 'log');
  return Array.isArray(getMember(log, 'entries')) && getMember(log, '_origin') === undefined;
}

/**
 * Reads the exchanges with the operation. Credentials are replaced.
 *
 * @param file the name of the file, for messages
 * @param stated the base URL of the deployment; undefined if the file is about one only
 * @throws UnusableInput if the file has no exchange with the operation, or those of several deployments
 */
export function readTraffic(content: Buffer, file: string, stated: string | undefined): Traffic {
  const { log } = parseJson(content.toString('utf8')) as Har;
  const located = log.entries.map((entry, n) => ({
    id: `entry ${n + 1}`,
    entry,
    place: locateRequest(entry?.request?.url),
  }));
  const baseUrls = [...new Set(located.flatMap(({ place }) => place?.baseUrl ?? []))];
  const wanted = stated && (locateRequest(stated + documentedOperation.path)?.baseUrl ?? stated);
  const [baseUrl, ...others] = wanted === undefined ? baseUrls : baseUrls.filter((url) => url === wanted);
  if (baseUrl === undefined || others.length > 0) {
    const message = `must have exchanges with one deployment, ${wanted ?? 'whichever it is'}`;
    throw refuse(file, message, `Name one with --base-url. The file has: ${renderShortList(baseUrls) || 'none'}.`);
  }
  const addressed = located.flatMap(({ id, entry, place }) =>
    place?.baseUrl === baseUrl ? [{ id, entry, path: place.path }] : [],
  );
  const redact = createTrafficRedactor(addressed.map(({ entry }) => entry));
  const exchanges: { id: string; exchange: AnsweredExchange }[] = [];
  const undocumented: string[] = [];
  for (const { id, entry, path } of addressed) {
    const request = readRequest(entry, path);
    const response = readResponse(entry);
    const reason = explainUndocumented(request)
      ?.replace(/^.*describe it: /, '')
      .replaceAll(/\/\d+/g, '/*');
    if (reason !== undefined) undocumented.push(shorten(toOneLine(reason), maxReason));
    else if (response !== undefined) {
      const exchange = { request: { ...request, headers: request.headers.filter(isKept) }, response };
      exchanges.push({ id, exchange: mapExchangeTexts(exchange, redact) as AnsweredExchange });
    }
  }
  const unanswered = addressed.length - exchanges.length - undocumented.length;
  const notes = [
    `Real traffic: ${file} has ${addressed.length} requests to the operation, and ${located.length - addressed.length} others. Nothing was sent.`,
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

/** With placeholders in place of credentials. */
function readRequest({ request }: Entry, path: string): HttpRequest {
  const { method, postData } = request;
  const body = readText(postData?.text, getMember(postData, 'encoding'));
  const headers = listHeaders(request.headers).map(
    ([name, value]) => [name, placeholders.get(name.toLowerCase()) ?? value] as const,
  );
  return { method, path, headers, ...omitUndefined({ body }) };
}

/** Undefined if the file has none, or lacks its body. */
function readResponse({ response }: Entry): HttpResponse | undefined {
  if (!isJsonObject(response) || !response.status) return undefined;
  const { status, content } = response;
  const body = readText(content?.text, content?.encoding);
  if (body === undefined && status !== 204 && content?.size !== 0) return undefined;
  return { status, headers: listHeaders(response.headers).filter(isKept), body: body ?? '' };
}

function listHeaders(headers: readonly Header[] | undefined): Headers {
  return (Array.isArray(headers) ? headers : [])
    .filter(isJsonObject)
    .map(({ name, value }) => [String(name), String(value)] as const);
}

function readText(text: unknown, encoding: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
}

/** @returns replaces the credentials of all requests in a text */
function createTrafficRedactor(entries: readonly Entry[]): (text: string) => string {
  const sent = entries.flatMap(({ request }) => listHeaders(request.headers));
  const secrets = credentialParts.flatMap((part) =>
    getHeaderValues(sent, credentialHeaders[part]).flatMap((value) =>
      listCredentialSecrets({ applicationId: '', token: '', [part]: value }),
    ),
  );
  return createRedactor([...new Map(secrets.map((secret) => [secret.value, secret])).values()]);
}
