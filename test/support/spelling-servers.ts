/**
 * Deployments that read one other spelling of the operation: as the transports of examples/voucherify/spellings send it. They
 * share no code with the transports.
 */

import type { HttpResponse } from '../../src/http/exchange.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';

const operation = '/v1/promotions/validation';

const refuse = (status: number, message: string): HttpResponse => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ message }),
});

/** Reads POST with the server-side keys alone. @param answer to the documented request */
export function createPostDeployment(answer: Answer): Answer {
  return (request) => {
    if (request.method !== 'POST') return refuse(405, `${request.method} is not allowed`);
    const names = new Map([
      ['x-app-id', 'X-Client-Application-Id'],
      ['x-app-token', 'X-Client-Token'],
    ]);
    const isClientKey = (name: string) => name.toLowerCase().startsWith('x-client-');
    const headers = request.headers
      .filter(([name]) => !isClientKey(name))
      .map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value] as const);
    return answer({ ...request, method: 'GET', headers });
  };
}

/** Reads GET under /client/v1 without a body, with everything in the query. @param answer to the documented request */
export function createQueryDeployment(answer: Answer): Answer {
  return ({ method, path, headers, body = '' }) => {
    const [address = '', query = ''] = path.split(/\?(.*)/s);
    if (method !== 'GET' || address !== `/client${operation}`) return refuse(404, `${method} ${address}`);
    if (body !== '') return refuse(400, 'a body is not allowed');
    const parameters = query === '' ? [] : query.split('&').map((pair) => pair.split(/=(.*)/s));
    const inQuery = ([name = '']: string[]) => /^filters%5B|^audienceRulesOnly$/.test(name);
    const kept = parameters
      .filter(inQuery)
      .map(([name, value]) => `${name?.replace(/^filters/, '%5Bfilters%5D')}=${value}`);
    const parsed = readBody(parameters.filter((pair) => !inQuery(pair)).map((pair) => pair.map(decodeURIComponent)));
    const whole = kept.length === 0 ? operation : `${operation}?${kept.join('&')}`;
    const others = headers.filter(([name]) => name.toLowerCase() !== 'content-type');
    return answer({
      method,
      path: whole,
      headers: [...others, ['Content-Type', 'application/json']],
      body: JSON.stringify(parsed),
    });
  };
}

type Json = Record<string, unknown>;

/** What is in no parameter is empty. A value without a place of its own stays at the top. */
function readBody(parameters: readonly (readonly string[])[]): Json {
  const [order, metadata, options]: Json[] = [{}, {}, {}];
  const others: Json = {};
  const items: Json[] = [];
  for (const [name = '', value = ''] of parameters) {
    const [, member = name, inner = ''] = /^(\w+)\[(.*)\]$/s.exec(name) ?? [];
    if (member === 'item') addToItem(items, inner, value);
    else if (member === 'order') addToOrder(order as Json, inner, value);
    else if (member === 'options') addToList(options as Json, 'expand', value);
    else if (member === 'metadata') define(metadata as Json, inner, value);
    else if (inner === '') define(others, member, value);
    else define(others, member, { ...(others[member] as Json), [inner]: value });
  }
  return { ...others, order: { items, metadata: order }, options, metadata };
}

/** @param inner such as `0][product_id` */
function addToItem(items: Json[], inner: string, value: string): void {
  const [n = '', member = ''] = inner.split('][');
  items[Number(n)] = { ...items[Number(n)], [member]: member === 'quantity' ? Number(value) : value };
}

/** @param inner such as `metadata][payment_mean][0`, or without the number for a text */
function addToOrder(metadata: Json, inner: string, value: string): void {
  const [, key = '', number] = /^metadata\]\[(.*?)(\]\[\d+)?$/s.exec(inner) ?? [];
  if (number === undefined) define(metadata, key, value);
  else addToList(metadata, key, value);
}

function addToList(target: Json, key: string, value: string): void {
  define(target, key, [...(Object.getOwnPropertyDescriptor(target, key)?.value ?? []), value]);
}

/** A key may be `__proto__`. */
function define(target: Json, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
