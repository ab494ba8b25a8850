import type { Tier } from '../../src/contract/world.js';
import { rejectedCredentialsStatus } from './authentication.js';
import type { CompleteBehaviours } from './behaviours.js';
import { createDecider, findOutcomeStatus } from './decider.js';
import { EarlyResponse, refuse } from './early-response.js';
import { findHeader } from './find-header.js';
import type { BodyHandlers, DeploymentFacts, HandlerLookup } from './handlers.js';
import { isObject, type Members, parseFirstWins } from './json.js';
import { emptyBody, type ParsedBody, waived, waivingBody } from './parsed-request.js';

/** In bytes: what `body-length` is about. */
const longBody = 100 * 1024;

export function createBodyHandlers(handlers: HandlerLookup, { catalogue, behaviours }: DeploymentFacts): BodyHandlers {
  const inRequest = createDecider(behaviours, 'bad_request');
  const inBody = createDecider(behaviours, 'invalid_payload');
  const inUnreadableBody = createDecider(behaviours, 'invalid_payload', statusOfUnreadableBody(behaviours));

  /** The members that the latest request had which did not omit them. */
  const kept: { customer?: unknown; order?: unknown; metadata?: unknown } = {};

  return {
    readsMediaType(contentType = '') {
      if (contentType === '') return inRequest('content-type-absent', 'Content-Type') === 'body-read';
      const [type = '', ...parameters] = contentType.split(';');
      if (type.trim().toLowerCase() === 'application/json')
        return parameters.length === 0 || inRequest('content-type-with-charset', 'Content-Type') === 'body-read';
      return inRequest('content-type-other', 'Content-Type') === 'body-read';
    },

    readBody({ headers, body = '' }) {
      if (body === '') return { kind: 'absent' };
      if (!handlers().readsMediaType(findHeader(headers, 'content-type'))) return { kind: 'unread' };
      if (Buffer.byteLength(body) > longBody && inBody('body-length', 'body') === 'body-ignored')
        return { kind: 'unread' };
      const value = parseJson(body);
      if (value === undefined) {
        if (behaviours['credentials-before-body'] === 'body-unchecked') return { kind: 'unread' };
        inUnreadableBody('malformed-json', 'body');
        return { kind: 'unread' };
      }
      if (isObject(value)) return { kind: 'object', members: value };
      inBody('body-not-an-object', 'body');
      return { kind: 'unread' };
    },

    parseBody(body) {
      if (body.kind === 'unread') return emptyBody;
      if (body.kind === 'absent') return inBody('absent-body', 'body') === 'rules-pass' ? waivingBody : emptyBody;
      if (Object.keys(body.members).length === 0) {
        return inBody('empty-object', 'body') === 'rules-pass' ? waivingBody : emptyBody;
      }
      return parseMembers(fillFromEarlier(body.members));
    },

    customerOf({ customer }) {
      if (customer === undefined) {
        const outcome = inBody('omitted-customer', 'customer');
        if (outcome === 'as-one-customer') return findReservedCustomer(catalogue.tiers);
        return outcome === 'audience-rules-pass' ? waived : undefined;
      }
      const id = customerId(customer);
      if (typeof id !== 'string') return undefined;
      if (catalogue.customers.has(id)) return id;
      return inBody('unknown-customer', 'customer.id') === 'audience-rules-pass' ? waived : undefined;
    },

    orderMetadataOf({ order }) {
      if (!isObject(order)) return behaviours['omitted-order'] === 'order-rules-pass' ? waived : {};
      if (order.metadata === undefined) inBody('omitted-order-metadata', 'order.metadata');
      const metadata = isObject(order.metadata) ? order.metadata : {};
      if (!Object.values(metadata).every(isArrayOfStrings)) inBody('order-metadata-not-arrays', 'order.metadata');
      return metadata;
    },

    metadataOf({ metadata }) {
      if (!isObject(metadata)) {
        return inBody('omitted-metadata', 'metadata') === 'metadata-rules-pass' ? waived : {};
      }
      if (!Object.values(metadata).every((value) => typeof value === 'string')) {
        inBody('metadata-not-strings', 'metadata');
      }
      return metadata;
    },

    expandOf({ options }) {
      if (!isObject(options)) {
        inBody('omitted-options', 'options');
        return [];
      }
      const { expand = [] } = options;
      if (Array.isArray(options.expand) && options.expand.length === 0) inBody('expand-empty', 'options.expand');
      let values: unknown[] = [];
      if (Array.isArray(expand)) values = expand;
      else if (inBody('expand-not-an-array', 'options.expand') === 'as-one-value') values = [expand];
      if (values.some((value) => value !== 'category')) inBody('expand-unknown-value', 'options.expand');
      if (behaviours['expand-not-an-array'] === 'no-effect') return [];
      return values.filter((value) => value === 'category');
    },
  };

  function parseMembers(members: Members): ParsedBody {
    checkBody(members);
    const items = handlers().itemsOf(members);
    const lines = items === waived ? [] : handlers().linesOf(items);
    return {
      customer: handlers().customerOf(members),
      lines,
      tally: items === waived ? waived : handlers().tally(lines),
      orderMetadata: handlers().orderMetadataOf(members),
      metadata: handlers().metadataOf(members),
      expand: handlers().expandOf(members),
    };
  }

  /** The id of a customer, which may have any type. A customer that is no object may be its own id. */
  function customerId(customer: unknown): unknown {
    if (isObject(customer)) return customer.id;
    return inBody('customer-not-an-object', 'customer') === 'as-its-id' ? customer : undefined;
  }

  /** Fills omitted members with those of earlier requests, where the behaviours say so. */
  function fillFromEarlier(members: Members): Members {
    const keeps = (name: keyof typeof kept) => behaviours[`omitted-${name}`] === 'depends-on-earlier-requests';
    const filled: Record<string, unknown> = { ...members };
    for (const name of ['customer', 'order', 'metadata'] as const) {
      kept[name] = members[name] ?? kept[name];
      if (keeps(name) && kept[name] !== undefined) filled[name] = kept[name];
    }
    return filled;
  }

  /** Refuses members of a wrong type, and unknown members. */
  function checkBody(members: Members): void {
    for (const name of ['order', 'options', 'metadata'] as const) mustBeObject(members[name], name);
    const { customer, order = {}, options = {} } = members;
    if (isObject(customer)) mustBeString(customer.id, 'customer.id');
    if (!isObject(order) || !isObject(options)) return;
    mustBeObject(order.metadata, 'order.metadata');
    const items = Array.isArray(order.items) ? order.items : [];
    for (const item of items) mustBeItem(item);
    const isKnown =
      hasOnly(members, ['customer', 'order', 'options', 'metadata']) &&
      hasOnly(customer, ['id']) &&
      hasOnly(order, ['items', 'metadata']) &&
      hasOnly(options, ['expand']) &&
      items.every((item) => hasOnly(item, ['product_id', 'sku_id', 'quantity']));
    if (!isKnown) inBody('unknown-body-member', 'body');
  }

  /** The value of a body; `undefined` when it is not JSON. */
  function parseJson(text: string): unknown {
    const outcome = behaviours['duplicate-json-keys'];
    try {
      const value: unknown = JSON.parse(text);
      if (outcome === 'last-wins') return value;
      return parseFirstWins(text, (name) => {
        inBody('duplicate-json-keys', name);
      });
    } catch (problem) {
      if (problem instanceof EarlyResponse) throw problem;
      return undefined;
    }
  }
}

function statusOfUnreadableBody(behaviours: CompleteBehaviours): number | undefined {
  const isSame = behaviours['credentials-before-body'] === 'same-answer';
  const outcome = behaviours['credentials-wrong-token'];
  if (!isSame || outcome === 'answered' || outcome === 'server-error') return undefined;
  return outcome === 'rejected' ? rejectedCredentialsStatus : findOutcomeStatus(outcome);
}

function mustBeObject(value: unknown, property: string): void {
  if (value !== undefined && !isObject(value)) refuse(400, `${property}: must be an object`, 'invalid_payload');
}

function mustBeString(value: unknown, property: string): void {
  if (value !== undefined && typeof value !== 'string') {
    refuse(400, `${property}: must be a string`, 'invalid_payload');
  }
}

function mustBeItem(item: unknown): void {
  if (!isObject(item)) refuse(400, 'order.items: must hold objects', 'invalid_payload');
  mustBeString(item.product_id, 'order.items.product_id');
  mustBeString(item.sku_id, 'order.items.sku_id');
}

function hasOnly(value: unknown, names: readonly string[]): boolean {
  return !isObject(value) || Object.keys(value).every((name) => names.includes(name));
}

function isArrayOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

/** Finds a customer for whom a promotion tier is reserved. */
function findReservedCustomer(tiers: readonly Tier[]): string | undefined {
  return tiers.flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : [])))[0];
}
