/** Requests in words: what they contain, what a gateway may refuse in them, and why a tier is valid for them or not. */

import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import { getMember, isJsonObject } from '../support/json.js';
import { shorten, shortenPair } from '../support/untrusted-text.js';
import { type NamedWorld, thingKinds, windowSize } from './named-world.js';
import { documentedOperation, parseFilterParameter } from './operation.js';
import { createOracle, type DocumentedBody, type Obligation, type ObligationReason } from './oracle.js';
import type { Tier } from './world.js';

/** Creates a function that finds the name of an id. It returns unknown ids unchanged. */
export function createNameLookup({ ids, isDataFile }: NamedWorld): (id: string) => string {
  if (isDataFile) return (id) => id;
  return (wanted) => {
    for (const kind of thingKinds) for (const [name, id] of ids[kind]) if (id === wanted) return name;
    return wanted;
  };
}

/** The length of a value in characters, and the number of items that are named. */
const [maxText, maxItems] = [30, 10];

/** Describes a request by its customer, items, other members and query: "customer ann, 1 mug, filter campaign spring". */
export function describeRequest(request: HttpRequest, world: NamedWorld): string {
  const nameOf = createNameLookup(world);
  const { method, path, query, body } = parseRequest(request);
  const { method: usualMethod, path: usualPath } = documentedOperation;
  const customer = getMember(getMember(body, 'customer'), 'id');
  const order = getMember(body, 'order');
  const items = getMember(order, 'items');
  const listEntries = (what: string, value: unknown) =>
    Object.entries(isJsonObject(value) ? value : {}).map(
      ([key, entry]) => `${what} ${key}=${shorten(String(entry), maxText)}`,
    );
  return [
    ...(method === usualMethod && path === usualPath ? [] : [`${method} ${path}`]),
    ...(body === undefined ? [request.body === undefined ? 'no body' : 'a body that is not JSON'] : []),
    typeof customer === 'string' ? `customer ${nameOf(customer)}` : 'no customer',
    describeItems(Array.isArray(items) ? items : [], nameOf),
    ...listEntries('order metadata', getMember(order, 'metadata')),
    ...listEntries('metadata', getMember(body, 'metadata')),
    ...listEntries('option', getMember(body, 'options')),
    ...query.map(([name, value]) => {
      const subject = parseFilterParameter(name);
      if (subject?.on === 'campaign') return `filter campaign ${nameOf(value)}`;
      return subject === undefined ? `${name}=${value}` : `filter ${subject.key}=${shorten(value, maxText)}`;
    }),
    ...(request.sent === undefined ? [] : [`sent ${request.sent}`]),
  ].join(', ');
}

function describeItems(items: readonly unknown[], nameOf: (id: string) => string): string {
  if (items.length === 0 || items.length > maxItems) return `${items.length === 0 ? 'no' : items.length} items`;
  const described = items.map((item) => {
    const id = getMember(item, 'product_id') ?? getMember(item, 'sku_id');
    const quantity = getMember(item, 'quantity');
    const amount = quantity === undefined ? 'without quantity' : JSON.stringify(quantity);
    return `${amount} ${typeof id === 'string' ? nameOf(id) : 'without id'}`;
  });
  return described.join(' + ');
}

/** Lists what a gateway may refuse in a request, most peculiar first. */
export function listPeculiarities(request: HttpRequest): string[] {
  const { path, sent } = request;
  const { query, body } = parseRequest(request);
  return [
    ...query.map(([name]) => {
      const subject = parseFilterParameter(name);
      return subject === undefined ? `the query parameter '${name}'` : `a ${subject.on} filter`;
    }),
    ...(path.includes('[') ? ['brackets in the query'] : []),
    ...(/%[0-9a-f]{2}/i.test(path) ? ['percent-encoding in the query'] : []),
    ...(sent === undefined ? [] : [`a body or headers sent ${sent.replaceAll('-', ' ')}`]),
    ...(typeof body === 'object' && body !== null ? Object.keys(body).map((key) => `the member '${key}'`) : []),
    ...(/[^\x20-\x7e\s]/.test(request.body ?? '') ? ['letters beyond ASCII in the body'] : []),
  ].filter((feature, n, all) => all.indexOf(feature) === n);
}

/**
 * Creates a function that explains why a tier must or must not be returned. It compares the tier with the request: "asks
 * for 10 of product mug; the order has 2". The explanation is the first reason against the tier, or else all reasons for
 * it. It is empty for a tier without rules and a request without filters. With an obligation, it is the first reason for
 * that obligation.
 */
export function createTierExplainer(
  request: HttpRequest,
  world: NamedWorld,
): (tier: Tier, obligation?: Obligation) => string {
  const oracle = createOracle(request, world);
  const { whenReturning = oracle } = oracle;
  const nameOf = createNameLookup(world);
  const body = parseRequest(request).body as DocumentedBody;
  return (tier, obligation) => {
    const all = (obligation === undefined ? whenReturning : oracle).listReasons(tier);
    const [first] = all.filter((reason) => reason.obligation === (obligation ?? 'forbidden'));
    const shown =
      first === undefined && obligation === undefined ? all.filter(({ is }) => is !== 'rank') : [first ?? []].flat();
    return shown.map((reason) => renderReason(reason, tier, body, nameOf)).join(', ');
  };
}

function renderReason(
  reason: ObligationReason,
  tier: Tier,
  { customer, order, metadata = {} }: DocumentedBody,
  nameOf: (id: string) => string,
): string {
  const named = (value: unknown) => (value === undefined ? 'none' : nameOf(String(value)));
  const isOpen = reason.obligation === 'open';
  if (reason.is === 'rank')
    return `is older than the newest ${windowSize}${isOpen ? ', and the filter may come first' : ''}`;
  if (reason.is === 'filter') {
    const { subject } = reason;
    if (subject.on === 'metadata') {
      const [held, wanted] = shortenPair(named(tier.metadata[subject.key]), reason.value);
      return `has the metadata ${subject.key} = ${held}; the filter asks for ${wanted}`;
    }
    const [held, wanted] = shortenPair(nameOf(tier.campaign_id), nameOf(reason.value));
    return `is of campaign ${held}; the filter asks for ${wanted}`;
  }
  const { rule } = reason;
  switch (rule.kind) {
    case 'customer': {
      const [held, sent] = shortenPair(rule.any_of.map(nameOf).join(' or '), named(customer?.id));
      return `is for customer ${held}; the customer is ${sent}`;
    }
    case 'product':
    case 'sku': {
      const items = (order?.items ?? []).filter((item) => item[`${rule.kind}_id`] === rule.id);
      const ordered = items.map(({ quantity = 1 }) => quantity).join(' + ') || 'none';
      return `asks for ${rule.at_least} of ${rule.kind} ${nameOf(rule.id)}; the order has ${ordered}`;
    }
    case 'metadata': {
      const [held, sent] = shortenPair(rule.is, named(metadata[rule.key]));
      return `asks for the metadata ${rule.key} = ${held}; the request has ${sent}`;
    }
    case 'order_metadata':
      return `asks for the order metadata ${rule.key} = ${rule.includes}`;
    case 'other':
      return shorten(rule.description, maxText);
  }
}
