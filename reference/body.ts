import { header, rejectedCredentials } from './admission.js';
import { allWaived, nothingSaid, told, waived } from './asked.js';
import type { Settled } from './behaviours.js';
import { decider, statusOf } from './decide.js';
import { isObject, parseFirstWins } from './json.js';
import type { Body, Parts, Setting } from './parts.js';
import { refuse, Stop } from './stop.js';

type BodyReading = Pick<
  Parts,
  | 'readsMediaType'
  | 'readBody'
  | 'checkBody'
  | 'understand'
  | 'customerOf'
  | 'orderMetadataOf'
  | 'metadataOf'
  | 'expandOf'
>;

/** The parts that find out what the body of a request says. */
export function bodyReading(parts: Parts, { catalogue, behaviours }: Setting): BodyReading {
  const inRequest = decider(behaviours, 'bad_request');
  const inBody = decider(behaviours, 'invalid_payload');
  const inUnreadableBody = decider(behaviours, 'invalid_payload', statusOfUnreadableBody(behaviours));

  return {
    readsMediaType(contentType = '') {
      if (contentType === '') return inRequest('content-type-absent', 'Content-Type') === 'body-read';
      const [type = ''] = contentType.split(';');
      if (type.trim().toLowerCase() === 'application/json') return true;
      return inRequest('content-type-other', 'Content-Type') === 'body-read';
    },

    readBody({ headers, body = '' }): Body {
      if (body === '') return { kind: 'absent' };
      if (!parts.readsMediaType(header(headers, 'content-type'))) return { kind: 'unread' };
      const value = parseJson(body);
      if (value === undefined) {
        inUnreadableBody('malformed-json', 'body');
        return { kind: 'unread' };
      }
      if (isObject(value)) return { kind: 'object', members: value };
      inBody('body-not-an-object', 'body');
      return { kind: 'unread' };
    },

    checkBody(members) {
      for (const name of ['order', 'options', 'metadata'] as const) mustBeObject(members[name], name);
      const { customer, order = {}, options = {} } = members;
      if (isObject(customer)) mustBeString(customer.id, 'customer.id');
      if (!isObject(order) || !isObject(options)) return;
      mustBeObject(order.metadata, 'order.metadata');
      const items = Array.isArray(order.items) ? order.items : [];
      for (const item of items) {
        if (!isObject(item)) refuse(400, 'order.items: must hold objects', 'invalid_payload');
        mustBeString(item.product_id, 'order.items.product_id');
        mustBeString(item.sku_id, 'order.items.sku_id');
      }
      const isKnown =
        hasOnly(members, ['customer', 'order', 'options', 'metadata']) &&
        hasOnly(customer, ['id']) &&
        hasOnly(order, ['items', 'metadata']) &&
        hasOnly(options, ['expand']) &&
        items.every((item) => hasOnly(item, ['product_id', 'sku_id', 'quantity']));
      if (!isKnown) inBody('unknown-body-member', 'body');
    },

    understand(body) {
      if (body.kind === 'unread') return nothingSaid;
      if (body.kind === 'absent') return inBody('absent-body', 'body') === 'rules-pass' ? allWaived : nothingSaid;
      const { members } = body;
      if (Object.keys(members).length === 0) {
        return inBody('empty-object', 'body') === 'rules-pass' ? allWaived : nothingSaid;
      }
      parts.checkBody(members);
      const items = parts.itemsOf(members);
      const lines = items.kind === 'told' ? parts.linesOf(items.value) : [];
      return {
        customer: parts.customerOf(members),
        lines,
        tally: items.kind === 'told' ? told(parts.tally(lines)) : waived,
        orderMetadata: parts.orderMetadataOf(members),
        metadata: parts.metadataOf(members),
        expand: parts.expandOf(members),
      };
    },

    customerOf({ customer }) {
      if (customer === undefined) {
        return inBody('omitted-customer', 'customer') === 'audience-rules-pass' ? waived : told(undefined);
      }
      let id = isObject(customer) ? customer.id : undefined;
      if (!isObject(customer) && inBody('customer-not-an-object', 'customer') === 'as-its-id') id = customer;
      if (typeof id !== 'string') return told(undefined);
      if (catalogue.customers.has(id)) return told(id);
      return inBody('unknown-customer', 'customer.id') === 'audience-rules-pass' ? waived : told(undefined);
    },

    orderMetadataOf({ order }) {
      if (!isObject(order)) return behaviours['omitted-order'] === 'order-rules-pass' ? waived : told({});
      const metadata = isObject(order.metadata) ? order.metadata : {};
      if (!Object.values(metadata).every(isArrayOfStrings)) inBody('order-metadata-not-arrays', 'order.metadata');
      return told(metadata);
    },

    metadataOf({ metadata }) {
      if (!isObject(metadata)) {
        return inBody('omitted-metadata', 'metadata') === 'metadata-rules-pass' ? waived : told({});
      }
      if (!Object.values(metadata).every((value) => typeof value === 'string')) {
        inBody('metadata-not-strings', 'metadata');
      }
      return told(metadata);
    },

    expandOf({ options }) {
      if (!isObject(options)) {
        inBody('omitted-options', 'options');
        return [];
      }
      const { expand = [] } = options;
      let values: unknown[] = [];
      if (Array.isArray(expand)) values = expand;
      else if (inBody('expand-not-an-array', 'options.expand') === 'as-one-value') values = [expand];
      if (values.some((value) => value !== 'category')) inBody('expand-unknown-value', 'options.expand');
      return values.filter((value) => value === 'category');
    },
  };

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
      if (problem instanceof Stop) throw problem;
      return undefined;
    }
  }
}

function statusOfUnreadableBody(behaviours: Settled): number | undefined {
  const isSame = behaviours['credentials-before-body'] === 'same-answer';
  const outcome = behaviours['credentials-wrong-token'];
  if (!isSame || outcome === 'answered' || outcome === 'server-error') return undefined;
  return outcome === 'rejected' ? rejectedCredentials : statusOf(outcome);
}

function mustBeObject(value: unknown, property: string): void {
  if (value !== undefined && !isObject(value)) refuse(400, `${property}: must be an object`, 'invalid_payload');
}

function mustBeString(value: unknown, property: string): void {
  if (value !== undefined && typeof value !== 'string') {
    refuse(400, `${property}: must be a string`, 'invalid_payload');
  }
}

function hasOnly(value: unknown, names: readonly string[]): boolean {
  return !isObject(value) || Object.keys(value).every((name) => names.includes(name));
}

function isArrayOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}
