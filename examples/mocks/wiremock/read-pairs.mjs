// The pairs of WireMock: files of its folder `mappings`, or what GET /__admin/mappings returns.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { addQuery, completeBody, listHeaders, writeBody } from '../pairs.mjs';

/** @typedef {import('../pairs.mjs').Pair} Pair */

/** @param {any} document @param {string} file @returns {Pair[]} */
export function readPairs(document, file) {
  const mappings = document.mappings ?? [document].flat();
  return mappings.map((/** @type {any} */ mapping, /** @type {number} */ n) => {
    const { id, name = id ?? `mapping ${n + 1} of ${path.basename(file)}`, request, response } = mapping;
    const unread = explainUnreadRequest(request) ?? explainUnreadResponse(response);
    return unread ? { name, unread } : { name, ...readRequest(request), response: readResponse(response, file) };
  });
}

/** @param {any} request */
function explainUnreadRequest({ url, urlPath, queryParameters = {}, headers = {}, bodyPatterns = [] }) {
  if ((url ?? urlPath) === undefined) return 'its URL is a pattern';
  if (!Object.values(queryParameters).every(({ equalTo }) => equalTo !== undefined)) return 'a parameter is a pattern';
  // The header that the documentation shows matches such a pattern.
  const isKnown = (/** @type {any} */ { equalTo, contains, matches }) => (equalTo ?? contains ?? matches) !== undefined;
  if (!Object.values(headers).every(isKnown)) return 'a header must be absent, or have another value';
  const isWhole = bodyPatterns.every((/** @type {any} */ { equalToJson, equalTo }) => equalToJson ?? equalTo);
  if (bodyPatterns.length > 1 || !isWhole) return 'its body is a pattern';
  return JSON.stringify(bodyPatterns).includes('${json-unit') ? 'its body has placeholders' : undefined;
}

/** @param {any} response */
function explainUnreadResponse({ transformers = [], proxyBaseUrl, fault, base64Body }) {
  if (transformers.length > 0) return 'its response is a template';
  return (proxyBaseUrl ?? fault ?? base64Body) === undefined ? undefined : 'its response is not in the file as a text';
}

/** @param {any} request */
function readRequest({
  method = 'ANY',
  url,
  urlPath,
  queryParameters = {},
  headers = {},
  bodyPatterns: [pattern] = [],
}) {
  const { body, isPartial } = readBody(pattern ?? {});
  const sent = listEqual(headers);
  const address = addQuery(url ?? urlPath, listEqual(queryParameters));
  const request = { method: method === 'ANY' ? 'GET' : method, url: address, headers: sent, ...(body && { body }) };
  return { request, isPartial };
}

/** @param {Record<string, any>} matchers @returns {(readonly [name: string, value: string])[]} */
function listEqual(matchers) {
  return Object.entries(matchers).flatMap(([name, { equalTo }]) =>
    equalTo === undefined ? [] : [/** @type {const} */ ([name, equalTo])],
  );
}

/** @param {any} pattern */
function readBody({ equalToJson, equalTo, ignoreExtraElements = false }) {
  if (equalToJson === undefined || !ignoreExtraElements)
    return { body: writeBody(equalToJson ?? equalTo), isPartial: false };
  const known = typeof equalToJson === 'string' ? JSON.parse(equalToJson) : equalToJson;
  return { body: completeBody(known), isPartial: true };
}

/** @param {any} response @param {string} file */
function readResponse({ status = 200, headers, body, jsonBody, bodyFileName }, file) {
  const read = () => readFileSync(path.join(path.dirname(file), '..', '__files', bodyFileName), 'utf8');
  return { status, headers: listHeaders(headers), body: bodyFileName ? read() : writeBody(jsonBody ?? body) };
}
