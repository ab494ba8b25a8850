/**
 * Sends the cases as client-side SDKs of the vendor do: GET under /client/v1, everything in the query, no body. `judge` takes
 * `restoreRequest` for recorded traffic of these callers. README.md names the sources. It never ran against the vendor.
 */

import { isDeepStrictEqual } from 'node:util';
import { UnsupportedRequestError } from 'promotion-validation-conformance';

const operation = '/v1/promotions/validation';
const spelledOperation = `/client${operation}`;
const json = 'application/json';

/** @typedef {import('promotion-validation-conformance').TransportRequest} Request */
/** The value is percent-encoded as it was sent: deployments differ in what they decode. */
/** @typedef {readonly [name: string, value: string]} Parameter */

/** @type {import('promotion-validation-conformance').Transport} */
export default async function sendInQuery(request, { send }) {
  return await send(spellRequest(request));
}

/**
 * A query has no types, and nothing that is empty: an empty list or object and none are the same there. A request is sent only
 * if its query loses nothing else.
 *
 * @param {Request} request documented
 * @returns {Request}
 */
function spellRequest(request) {
  const { method, path, headers, body } = request;
  if (method !== 'GET' || path.split('?')[0] !== operation)
    throw new UnsupportedRequestError('another method, or another path');
  if (
    headers
      .filter(isContentType)
      .map(([, type]) => type)
      .join() !== json
  )
    throw new UnsupportedRequestError('another content type: there is no body');
  const parameters = [...listBodyParameters(parseBody(body)), ...readQuery(path).map(spellFilter)];
  const spelled = { method, path: addQuery(spelledOperation, parameters), headers };
  const restored = restoreRequest(spelled);
  const [before, after] = [body, restored.body].map((text) => leaveOutEmpty(parseBody(text)));
  if (restored.path !== path || !isDeepStrictEqual(before, after))
    throw new UnsupportedRequestError('a type or a spelling that a query cannot have');
  return spelled;
}

/** @type {import('promotion-validation-conformance').RequestRestorer} */
export function restoreRequest({ method, path, headers }) {
  if (method !== 'GET' || path.split('?')[0] !== spelledOperation)
    throw new UnsupportedRequestError(`not GET ${spelledOperation}`);
  // What has no value cannot be in a query, so its absence says the same.
  const body = { order: { items: [], metadata: {} }, options: {}, metadata: {} };
  const parameters = readQuery(path);
  if (new Set(parameters.map(([name]) => name)).size < parameters.length)
    throw new UnsupportedRequestError('a parameter that occurs twice');
  const filters = parameters.flatMap((parameter) => restoreParameter(body, parameter));
  const kept = headers.filter((header) => !isContentType(header));
  return {
    method,
    path: addQuery(operation, filters),
    headers: [...kept, ['Content-Type', json]],
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
  if (typeof value !== 'object') return [[name, encode(String(value))]];
  return Object.entries(value).flatMap(([key, member]) => listParameters(`${name}[${key}]`, member));
}

/**
 * Puts one parameter into the body. What the documentation does not have gets there, too: then the request is undocumented.
 *
 * @param {object} body
 * @param {Parameter} parameter
 * @returns {Parameter[]} the parameters that stay in the query
 */
function restoreParameter(body, [name, encoded]) {
  if (name === 'audienceRulesOnly') return [[name, encoded]];
  if (/^(filters|\[filters\])\[/.test(name)) return [[name.replace(/^filters/, '[filters]'), encoded]];
  const value = decode(encoded);
  const member = findMember(name);
  const isQuantity = member[1] === 'items' && member.at(-1) === 'quantity';
  setValue(body, member, isQuantity && /^-?\d{1,15}$/.test(value) ? Number(value) : value);
  return [];
}

/**
 * A key of metadata may have brackets of its own, so it ends at the last one.
 *
 * @param {string} name of a parameter
 * @returns {(string | number)[]} where its value is in the body; a number is a place in a list
 */
function findMember(name) {
  const [, number, member = ''] = /^(?:items?|order\[items\])\[(\d{1,4})\]\[(\w+)\]$/.exec(name) ?? [];
  if (number !== undefined) return ['order', 'items', Number(number), member];
  const [, list, place] = /^options\[(\w+)\]\[(\d{1,4})\]$/.exec(name) ?? [];
  if (list !== undefined) return ['options', list, Number(place)];
  const [, key, at] = /^order\[metadata\]\[(.+?)\](?:\[(\d{1,4})\])?$/s.exec(name) ?? [];
  if (key !== undefined) return ['order', 'metadata', key, ...(at === undefined ? [] : [Number(at)])];
  const [, top, inner] = /^(\w+)(?:\[(.+)\])?$/s.exec(name) ?? [];
  if (top === undefined) throw new UnsupportedRequestError('a parameter that is no member of the body');
  return inner === undefined ? [top] : [top, inner];
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

/** @param {unknown} value @returns {unknown} */
function leaveOutEmpty(value) {
  if (Array.isArray(value)) return value.map(leaveOutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => /** @type {const} */ ([key, leaveOutEmpty(member)]));
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

/** @param {unknown} value */
function isEmpty(value) {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
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
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return pair === '' ? [] : [/** @type {const} */ ([decode(name), value])];
  });
}

/** @param {string} path @param {readonly Parameter[]} parameters */
function addQuery(path, parameters) {
  const query = parameters.map(([name, value]) => `${encode(name)}=${value}`).join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** Encodes as the documented requests do. @param {string} text */
function encode(text) {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')).replaceAll(
    /[!'()~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** @param {readonly [name: string, value: string]} header */
function isContentType([name]) {
  return name.toLowerCase() === 'content-type';
}

/** A + is a space, as in HTML forms. @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new UnsupportedRequestError('a query that is not UTF-8');
  }
}
