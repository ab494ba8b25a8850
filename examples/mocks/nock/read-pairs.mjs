// The pairs of nock: a file for `nock.load`, such as the recorder writes it with `output_objects`.
import { listHeaders, writeBody } from '../pairs.mjs';

/** @typedef {import('../pairs.mjs').Pair} Pair */

/** @param {any[]} definitions @returns {Pair[]} */
export function readPairs(definitions) {
  return definitions.map((definition, n) => {
    const {
      scope,
      method = 'GET',
      path,
      body,
      reqheaders,
      status = 200,
      response,
      rawHeaders,
      responseIsBinary,
    } = definition;
    const name = `definition ${n + 1}`;
    if (responseIsBinary || (Array.isArray(response) && typeof response[0] === 'string'))
      return { name, unread: 'its response is binary' };
    if (body === '*') return { name, unread: 'its body is a pattern' };
    const sent = writeBody(body);
    const headers = listHeaders(reqheaders);
    const request = { method: method.toUpperCase(), url: scope + path, headers, ...(sent && { body: sent }) };
    return { name, request, response: { status, headers: listRawHeaders(rawHeaders), body: writeBody(response) } };
  });
}

/** nock 13 records names and values in turn, nock 14 an object. @param {any} raw */
function listRawHeaders(raw = {}) {
  if (!Array.isArray(raw)) return listHeaders(raw);
  return raw.flatMap((name, n) => (n % 2 === 0 ? [/** @type {const} */ ([name, raw[n + 1]])] : []));
}
