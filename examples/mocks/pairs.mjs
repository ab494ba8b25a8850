// What the readers of mocks have in common: the pair that they return, and how a request is made that a mock answers.

/** @typedef {readonly [name: string, value: string]} Header */

/**
 * A request, and the response that it gets.
 *
 * @typedef {object} Pair
 * @property {string} name
 * @property {{ method: string, url: string, headers: readonly Header[], body?: string }} [request] `url` may be a path
 * @property {{ status: number, headers: readonly Header[], body: string }} [response]
 * @property {string} [unread] why the file does not say which response it is, or which requests get it
 * @property {boolean} [isPartial] other requests get this response, too: the mock looks at a part of a request
 */

/**
 * Completes a body of which a mock knows only some members. What it does not ask for is empty.
 *
 * @param {any} body
 */
export function completeBody({ customer, order, options = {}, metadata = {}, ...others }) {
  const whole = { order: { items: [], metadata: {}, ...order }, options, metadata, ...others };
  return JSON.stringify(customer === undefined ? whole : { customer, ...whole });
}

/**
 * Adds query parameters to a path, percent-encoded.
 *
 * @param {string} path
 * @param {readonly (readonly [name: string, value: string])[]} parameters
 */
export function addQuery(path, parameters) {
  const query = parameters.map((parameter) => parameter.map(encodeURIComponent).join('=')).join('&');
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Lists headers that are written as an object, whose values may be lists.
 *
 * @param {Record<string, unknown>} [headers]
 * @returns {Header[]}
 */
export function listHeaders(headers = {}) {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => /** @type {const} */ ([name, String(value)])),
  );
}

/** A body as it is sent. @param {unknown} body a text, or a value that is sent as JSON */
export function writeBody(body = '') {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
