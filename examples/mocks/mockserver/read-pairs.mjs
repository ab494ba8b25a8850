// The pairs of MockServer: its initialization file, or what PUT /mockserver/retrieve?type=ACTIVE_EXPECTATIONS returns.
import { addQuery, completeBody, listHeaders, writeBody } from '../pairs.mjs';

/** @typedef {import('../pairs.mjs').Pair} Pair */

/** @param {any} document @returns {Pair[]} */
export function readPairs(document) {
  return [document].flat().map(({ httpRequest = {}, httpResponse, ...expectation }, n) => {
    const name = expectation.id ?? `expectation ${n + 1}`;
    const unread = explainUnreadRequest(httpRequest) ?? (httpResponse ? undefined : 'its response is not in the file');
    return unread ? { name, unread } : { name, ...readRequest(httpRequest), response: readResponse(httpResponse) };
  });
}

/** @param {any} request */
function explainUnreadRequest({ method = '', path, queryStringParameters, body = {} }) {
  if (path === undefined || /[*+?()|^$]/.test(path) || `${method}${path}`.includes('!')) return 'its URL is a pattern';
  if (listMulti(queryStringParameters).some(([, value]) => /[*+?()|^$!]/.test(value)))
    return 'a parameter is a pattern';
  if (JSON.stringify(body).includes('${json-unit')) return 'its body has placeholders';
  const { type = 'JSON', not = false, subString = false } = body;
  return not || subString || !['JSON', 'STRING'].includes(type) ? 'its body is a pattern' : undefined;
}

/** @param {any} request */
function readRequest({ method, path, queryStringParameters, headers, body }) {
  const read = readBody(body);
  const exact = listMulti(headers).filter(([, value]) => !/[*+?()|^$!]/.test(value));
  const url = addQuery(path, listMulti(queryStringParameters));
  const request = { method: method || 'GET', url, headers: exact, ...(read.body && { body: read.body }) };
  return { request, isPartial: read.isPartial };
}

/**
 * A JSON body matches requests that have more members, unless its `matchType` is STRICT.
 *
 * @param {any} body
 */
function readBody(body) {
  if (body === undefined || typeof body === 'string') return { body, isPartial: false };
  const { type, json = body, string, matchType } = body;
  if (type === 'STRING') return { body: string, isPartial: false };
  const known = typeof json === 'string' ? JSON.parse(json) : json;
  if (matchType === 'STRICT') return { body: writeBody(known), isPartial: false };
  return { body: completeBody(known), isPartial: true };
}

/** @param {any} response */
function readResponse({ statusCode = 200, headers, body }) {
  const { type, json = body, string } = body ?? {};
  return { status: statusCode, headers: listMulti(headers), body: writeBody(type === 'STRING' ? string : json) };
}

/** Names with their values: an object, or a list of objects. @param {any} [values] */
function listMulti(values = {}) {
  return Array.isArray(values)
    ? values.flatMap(({ name, values: all }) => listHeaders({ [name]: all }))
    : listHeaders(values);
}
