import type { Assertion } from '../assertions/assertion.js';
import { findResponseKind } from '../assertions/registry.js';
import type { NamedWorld } from '../contract/named-world.js';
import { documentedOperation, parseFilterParameter } from '../contract/operation.js';
import { createNameLookup } from '../contract/render-rule.js';
import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import { getMember, isJsonObject } from '../support/json.js';
import { shorten } from '../support/untrusted-text.js';
import type { RequirementRow, Row } from './test-case.js';

/** The number of promotions that a sentence names; of more, only the first. */
const maxNames = 4;
/** The length of a value in characters. */
const maxText = 30;

/** Describes a row in one sentence: the requests that the case is about, and what is expected of their responses. */
export function describeRow(row: Row | RequirementRow, world: NamedWorld): string {
  const expected = 'expect' in row ? row.expect : [];
  const names = expected.length === 0 ? [...row.requests.keys()] : [...new Set(expected.flatMap(listRequestNames))];
  const clauses = names.map((name) => {
    const request = row.requests.get(name) as HttpRequest;
    const claims = expected.flatMap((each) => ('of' in each && each.of === name ? [describeClaim(each, world)] : []));
    const subject = `'${name}' (${describeContent(request, world)})`;
    return claims.length === 0 ? `${subject} is sent` : `${subject} ${claims.join(', and ')}`;
  });
  return `${clauses.join('; ')}.`;
}

function listRequestNames(assertion: Assertion): string[] {
  return 'lists' in assertion ? assertion.lists.flat().flatMap(listRequestNames) : [assertion.of];
}

function describeClaim(assertion: Exclude<Assertion, { lists: unknown }>, { tiers }: NamedWorld): string {
  const nameTiers = (ids: readonly string[]) => {
    const names = ids.map((id) => `'${tiers.find((tier) => tier.id === id)?.name}'`);
    return names.length <= maxNames ? names.join(', ') : `${names[0]} and ${names.length - 1} more`;
  };
  return findResponseKind(assertion).describe(assertion.data, nameTiers);
}

/** Describes a request by its customer, items, other members and query: "customer ann, 1 mug, filter campaign spring". */
export function describeContent(request: HttpRequest, world: NamedWorld): string {
  const nameOf = createNameLookup(world);
  const { method, path, query, body } = parseRequest(request);
  const { method: usualMethod, path: usualPath } = documentedOperation;
  const customer = getMember(getMember(body, 'customer'), 'id');
  const order = getMember(body, 'order');
  const items = getMember(order, 'items');
  const listEntries = (what: string, value: unknown) =>
    Object.entries(isJsonObject(value) ? value : {}).map(
      ([key, each]) => `${what} ${key}=${shorten(String(each), maxText)}`,
    );
  return [
    ...(method === usualMethod && path === usualPath ? [] : [`${method} ${path}`]),
    ...(body === undefined ? [request.body === undefined ? 'no body' : 'a body that is not JSON'] : []),
    ...(typeof customer === 'string' ? [`customer ${nameOf(customer)}`] : ['no customer']),
    ...(Array.isArray(items) ? [describeItems(items, nameOf)] : ['no items']),
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
  const maxItems = 10;
  if (items.length === 0 || items.length > maxItems) return `${items.length === 0 ? 'no' : items.length} items`;
  const described = items.map((item) => {
    const id = getMember(item, 'product_id') ?? getMember(item, 'sku_id');
    const quantity = getMember(item, 'quantity');
    const amount = quantity === undefined ? 'without quantity' : JSON.stringify(quantity);
    return `${amount} ${typeof id === 'string' ? nameOf(id) : 'without id'}`;
  });
  return described.join(' + ');
}
