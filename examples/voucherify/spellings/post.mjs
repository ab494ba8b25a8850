/**
 * Sends the cases as server-side SDKs of the vendor do: POST in place of GET, with the server-side keys. `judge` takes
 * `restoreRequest` for recorded traffic of these callers. README.md names the sources. It never ran against the vendor.
 */

import { UnsupportedRequestError } from 'promotion-validation-conformance';

const operation = '/v1/promotions/validation';
/** The headers of the server-side keys, by those of the documentation. @type {Readonly<Record<string, string>>} */
const keyHeaders = { 'X-Client-Application-Id': 'X-App-Id', 'X-Client-Token': 'X-App-Token' };
const documentedHeaders = Object.fromEntries(
  Object.entries(keyHeaders).map(([documented, sent]) => [sent, documented]),
);

/** @type {import('promotion-validation-conformance').Transport} */
export default async function sendAsPost(request, { send }) {
  checkAddress(request, 'GET');
  return await send({ ...request, method: 'POST', headers: renameHeaders(request.headers, keyHeaders) });
}

/** @type {import('promotion-validation-conformance').RequestRestorer} */
export function restoreRequest(sent) {
  checkAddress(sent, 'POST');
  const headers = renameHeaders(sent.headers, documentedHeaders);
  return { ...sent, method: 'GET', headers: headers.map(leaveOutCharset) };
}

/**
 * @param {import('promotion-validation-conformance').TransportRequest} request
 * @param {string} method
 */
function checkAddress(request, method) {
  if (request.method !== method) throw new UnsupportedRequestError(`the method is ${request.method}, not ${method}`);
  if (request.path.split('?')[0] !== operation) throw new UnsupportedRequestError(`another path than ${operation}`);
}

/**
 * @param {import('promotion-validation-conformance').Headers} headers
 * @param {Readonly<Record<string, string>>} names
 */
function renameHeaders(headers, names) {
  const known = new Map(Object.entries(names).map(([from, to]) => [from.toLowerCase(), to]));
  return headers.map(([name, value]) => /** @type {const} */ ([known.get(name.toLowerCase()) ?? name, value]));
}

/**
 * Many HTTP libraries add the charset, which changes nothing: JSON is UTF-8 (RFC 8259).
 *
 * @param {readonly [name: string, value: string]} header
 */
function leaveOutCharset([name, value]) {
  const isContentType = name.toLowerCase() === 'content-type';
  const plain = value.replace(/^(application\/json)\s*;\s*charset="?utf-8"?$/i, '$1');
  return /** @type {const} */ ([
    name,
    isContentType ? plain.replace(/^application\/json$/i, 'application/json') : value,
  ]);
}
