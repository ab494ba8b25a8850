// The pairs of Mockoon: the file of an environment. A pair is a response with its rules.
import { addQuery, completeBody } from '../pairs.mjs';

/** @typedef {import('../pairs.mjs').Pair} Pair */

/** @param {any} environment @returns {Pair[]} */
export function readPairs({ routes = [], endpointPrefix = '' }) {
  return routes.flatMap((/** @type {any} */ { method, endpoint, responses, responseMode }) => {
    const url = ['', endpointPrefix, endpoint].join('/').replaceAll(/\/+/g, '/');
    return responses.map((/** @type {any} */ response) => {
      const name = response.label || response.uuid;
      const unread = explainUnread(response, responseMode);
      if (unread) return { name, unread };
      return { name, ...readRequest(method, url, response.rules), response: readResponse(response) };
    });
  });
}

/** @param {any} response @param {string | null} responseMode */
function explainUnread({ rules, rulesOperator, body, bodyType = 'INLINE', disableTemplating }, responseMode) {
  if (responseMode) return `the mode of its route is ${responseMode}`;
  if (rules.length > 1 && rulesOperator !== 'AND') return 'one of its rules is enough';
  const isEqual = (/** @type {any} */ { operator, invert, target, modifier }) =>
    operator === 'equals' && !invert && ['body', 'query', 'header'].includes(target) && !modifier.startsWith('$');
  if (!rules.every(isEqual)) return 'a rule is no comparison with a text';
  if (bodyType !== 'INLINE') return 'its response is not in the file';
  return disableTemplating || !body.includes('{{') ? undefined : 'its response is a template';
}

/** @param {string} method @param {string} url @param {any[]} rules */
function readRequest(method, url, rules) {
  const select = (/** @type {string} */ target) => rules.filter((rule) => rule.target === target);
  const parameters = select('query').map(({ modifier, value }) => /** @type {const} */ ([writeName(modifier), value]));
  const headers = select('header').map(({ modifier, value }) => /** @type {const} */ ([modifier, value]));
  const bodyRules = select('body');
  const whole = bodyRules.find(({ modifier }) => modifier === '');
  const body = whole ? whole.value : bodyRules.length > 0 ? completeBody(buildBody(bodyRules)) : undefined;
  const request = { method: method.toUpperCase(), url: addQuery(url, parameters), headers, ...(body && { body }) };
  return { request, isPartial: whole === undefined };
}

/** A path of an object: `filters.metadata\.level` has two names. @param {string} modifier */
function splitPath(modifier) {
  return modifier.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
}

/**
 * Writes the name of a query parameter whose value is at this path: Mockoon reads brackets as objects within objects.
 *
 * @param {string} modifier
 */
function writeName(modifier) {
  const [first = '', ...others] = splitPath(modifier);
  const beginning = first === 'filters' ? '[filters]' : first;
  return beginning + others.map((name) => `[${name}]`).join('');
}

/** @param {{ modifier: string, value: string }[]} rules about members of the body */
function buildBody(rules) {
  const body = {};
  for (const { modifier, value } of rules) {
    const names = splitPath(modifier);
    setMember(body, names, readValue(names, value));
  }
  return body;
}

/**
 * A rule compares texts, and a list with each of its members. The documentation says which members are numbers and lists.
 *
 * @param {readonly string[]} names
 * @param {string} value
 */
function readValue(names, value) {
  const isListed = /^(options\/expand|order\/metadata\/[^/]+)$/.test(names.join('/'));
  return isListed ? [value] : names.at(-1) === 'quantity' && names[1] === 'items' ? Number(value) : value;
}

/** @param {any} place @param {readonly string[]} names @param {unknown} value */
function setMember(place, [name = '', ...others], value) {
  place[name] ??= /^\d+$/.test(others[0] ?? '') ? [] : {};
  if (others.length === 0) place[name] = value;
  else setMember(place[name], others, value);
}

/** @param {any} response */
function readResponse({ statusCode, headers, body }) {
  const sent = headers.map((/** @type {any} */ { key, value }) => /** @type {const} */ ([key, value]));
  return { status: statusCode, headers: sent, body };
}
