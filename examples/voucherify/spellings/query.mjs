/**
 * Sends the cases as client-side SDKs of the vendor do: GET under /client/v1, everything in the query, no body. `judge` takes
 * `restoreRequest` for recorded traffic of these callers. README.md names the sources. It never ran against the vendor.
 */

import { isDeepStrictEqual } from 'node:util';
import { UnsupportedRequestError } from 'promotion-validation-conformance';

const operation = '/v1/promotions/validation';
const spelledOperation = `/client${operation}`;
/** In characters. Many servers refuse longer heads of requests. */
const maxPath = 8_000;

/** @typedef {import('promotion-validation-conformance').TransportRequest} Request */
/** @typedef {readonly [name: string, value: string]} Parameter */

/** @type {import('promotion-validation-conformance').Transport} */
export default async function sendInQuery(request, { send }) {
  return await send(spellRequest(request));
}

/**
 * A query has no types, and nothing that is empty. So a request is sent only if it can be restored from its query, but for
 * empty lists in the metadata of the order.
 *
 * @param {Request} request documented
 * @returns {Request}
 */
function spellRequest(request) {
  const { method, path, headers, body } = request;
  if (method !== 'GET' || path.split('?')[0] !== operation)
    throw new UnsupportedRequestError('another method, or another path');
  const parameters = [...listBodyParameters(parseBody(body)), ...readQuery(path).map(spellFilter)];
  const spelled = { method, path: addQuery(spelledOperation, parameters), headers };
  if (spelled.path.length > maxPath) throw new UnsupportedRequestError(`a query of more than ${maxPath} characters`);
  const restored = restoreRequest(spelled);
  if (restored.path !== path || !isDeepStrictEqual(parseBody(restored.body), leaveOutEmptyLists(parseBody(body))))
    throw new UnsupportedRequestError('a type, an empty value or a spelling that a query cannot have');
  return spelled;
}

/** @type {import('promotion-validation-conformance').RequestRestorer} */
export function restoreRequest({ method, path, headers }) {
  if (method !== 'GET' || path.split('?')[0] !== spelledOperation)
    throw new UnsupportedRequestError(`not GET ${spelledOperation}`);
  // What has no value cannot be in a query, so its absence says the same.
  const body = { order: { items: [], metadata: {} }, options: {}, metadata: {} };
  const filters = readQuery(path).flatMap((parameter) => restoreParameter(body, parameter));
  const kept = headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  return {
    method,
    path: addQuery(operation, filters),
    headers: [...kept, ['Content-Type', 'application/json']],
    body: JSON.stringify(body),
  };
}

/**
 * Lists the parameters of all texts and numbers of a body, such as `item[0][product_id]`.
 *
 * @param {Body} body
 * @returns {Parameter[]}
 */
function listBodyParameters({ order, ...others }) {
  const named = { ...others, item: order?.items, order: { metadata: order?.metadata } };
  return Object.entries(named).flatMap(([name, value]) => listParameters(name, value));
}

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {Parameter[]}
 */
function listParameters(name, value) {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, member]) => listParameters(`${name}[${key}]`, member));
}

/**
 * Puts one parameter into the body. What the documentation does not have gets there, too: then the request is undocumented.
 *
 * @param {{ order: { items: object[], metadata: object } }} body
 * @param {Parameter} parameter
 * @returns {Parameter[]} the parameters that stay in the query
 */
function restoreParameter(body, [name, value]) {
  const item = /^item\[(\d+)\]\[(\w+)\]$/.exec(name);
  const orderMetadata = /^order\[metadata\]\[(.+)\]\[(\d+)\]$/s.exec(name);
  const member = /^(\w+)(?:\[(.+)\])?$/s.exec(name);
  if (name === 'audienceRulesOnly') return [[name, value]];
  if (name.startsWith('filters[')) return [[name.replace('filters', '[filters]'), value]];
  if (item) setValue(body, ['order', 'items', Number(item[1]), item[2] ?? ''], readItemMember(item[2], value));
  else if (orderMetadata)
    setValue(body, ['order', 'metadata', orderMetadata[1] ?? '', Number(orderMetadata[2])], value);
  else if (/^options\[expand\]\[\d+\]$/.test(name))
    setValue(body, ['options', 'expand', Number(name.slice(16, -1))], value);
  else if (member) setValue(body, member[2] === undefined ? [member[1] ?? ''] : [member[1] ?? '', member[2]], value);
  else throw new UnsupportedRequestError('a parameter that is no member of the body');
  return [];
}

/**
 * @param {string | undefined} name
 * @param {string} value
 */
function readItemMember(name, value) {
  return name === 'quantity' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

/**
 * Sets a value at a path, and creates the objects and lists on the way.
 *
 * @param {object} target
 * @param {readonly (string | number)[]} path
 * @param {unknown} value
 */
function setValue(target, [key = '', ...rest], value) {
  const existing = Object.getOwnPropertyDescriptor(target, key)?.value;
  const inner = typeof existing === 'object' ? existing : typeof rest[0] === 'number' ? [] : {};
  if (rest.length > 0) setValue(inner, rest, value);
  // A metadata key may be `__proto__`.
  const written = { value: rest.length > 0 ? inner : value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(target, key, written);
}

/** @typedef {{ order?: { items?: unknown, metadata?: unknown }, [member: string]: unknown }} Body */

/** @param {string} [body] @returns {Body} */
function parseBody(body = '') {
  const parsed = tryParse(body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed) || JSON.stringify(parsed) !== body)
    throw new UnsupportedRequestError('a body that is no JSON object, or another spelling of one');
  return /** @type {Body} */ (parsed);
}

/** @param {Body} body @returns {Body} */
function leaveOutEmptyLists({ order, ...others }) {
  const { metadata } = order ?? {};
  if (typeof metadata !== 'object' || metadata === null) return { ...others, order };
  const filled = Object.entries(metadata).filter(([, values]) => !Array.isArray(values) || values.length > 0);
  return { ...others, order: { ...order, metadata: Object.fromEntries(filled) } };
}

/** @param {string} text @returns {unknown} */
function tryParse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The documentation writes `[filters]…`. @param {Parameter} parameter @returns {Parameter} */
function spellFilter([name, value]) {
  return [name.replace(/^\[filters\]/, 'filters'), value];
}

/** @param {string} path @returns {Parameter[]} */
function readQuery(path) {
  const [, query = ''] = path.split(/\?(.*)/s);
  return query.split('&').flatMap((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s).map(decode);
    return pair === '' ? [] : [/** @type {const} */ ([name, value])];
  });
}

/** @param {string} path @param {readonly Parameter[]} parameters */
function addQuery(path, parameters) {
  const query = parameters.map((parameter) => parameter.map(encode).join('=')).join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** Encodes as the documented requests do. @param {string} text */
function encode(text) {
  return encodeURIComponent(text).replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A + is a space, as in HTML forms. @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new UnsupportedRequestError('a query that is not UTF-8');
  }
}
