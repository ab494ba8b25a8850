import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { shorten, shortenAroundDifference } from '../support/untrusted-text.js';
import { documentedOperation, parseFilterParameter } from './operation.js';
import { createOracle, type DocumentedRequestBody, type ObligationReason } from './oracle.js';
import { entityKinds, type TargetWorld, type Tier, windowSize } from './world.js';

/** Finds the name of an id in the world; the id itself if it has none, as in a data file. */
export function createNameLookup({ ids, isDataFile }: TargetWorld): (id: string) => string {
  const names = entityKinds.flatMap((kind) => (isDataFile ? [] : [...ids[kind]]));
  return (wanted) => names.find(([, id]) => id === wanted)?.[0] ?? wanted;
}

const maxText = 30;

/** Describes a request by its body and query, with names in place of ids: "{customer:{id:ann},…}, filter campaign spring". */
export function describeRequest(request: HttpRequest, world: TargetWorld): string {
  const nameOf = createNameLookup(world);
  const { method, path, query, body } = parseRequest(request);
  const { method: usualMethod, path: usualPath } = documentedOperation;
  const renderValue = (_: string, value: unknown) =>
    typeof value === 'string' ? shorten(nameOf(value), maxText) : value;
  const unread = request.body === undefined ? 'no body' : 'a body that is not JSON';
  return [
    ...(method === usualMethod && path === usualPath ? [] : [`${method} ${path}`]),
    body === undefined ? unread : JSON.stringify(body, renderValue).replaceAll('"', ''),
    ...query.map(([name, value]) => {
      const subject = parseFilterParameter(name);
      if (subject?.on === 'campaign') return `filter campaign ${nameOf(value)}`;
      return subject === undefined ? `${name}=${value}` : `filter ${subject.key}=${shorten(value, maxText)}`;
    }),
    ...(request.sent === undefined ? [] : [`sent ${request.sent}`]),
  ].join(', ');
}

/**
 * Creates a function that explains why a tier must or must not be returned: "asks for 10 of product mug; the order has 2".
 * It gives the first reason against the tier, or else all that leave it open, or else all for it.
 */
export function createObligationExplainer(request: HttpRequest, world: TargetWorld) {
  const oracle = createOracle(request, world);
  const { listReasons } = oracle.whenReturning ?? oracle;
  const nameOf = createNameLookup(world);
  const body = parseRequest(request).body as DocumentedRequestBody;
  return (tier: Tier): string => {
    const all = listReasons(tier);
    const against = all.find(({ obligation }) => obligation === 'forbidden');
    const open = all.filter(({ obligation }) => obligation === 'open');
    const deciding = against ?? (open.length > 0 ? open : all.filter(({ is }) => is !== 'rank'));
    return [deciding]
      .flat()
      .map((reason) => renderReason(reason, tier, body, nameOf))
      .join(', ');
  };
}

function renderReason(
  reason: ObligationReason,
  tier: Tier,
  { customer, order, metadata = {} }: DocumentedRequestBody,
  nameOf: (id: string) => string,
): string {
  const compare = (what: string, held: unknown = 'none', than = '', wanted: unknown = 'none') => {
    const [shownHeld, shownWanted] = shortenAroundDifference(nameOf(String(held)), nameOf(String(wanted)));
    return `${what} ${shownHeld}; ${than} ${shownWanted}`;
  };
  if (reason.is === 'rank')
    return `is older than the newest ${windowSize}${reason.obligation === 'open' ? ', and the filter may come first' : ''}`;
  if (reason.is === 'filter') {
    const { subject, value } = reason;
    const isCampaign = subject.on === 'campaign';
    const what = isCampaign ? 'is of campaign' : `has the metadata ${subject.key} =`;
    return compare(what, isCampaign ? tier.campaign_id : tier.metadata[subject.key], 'the filter asks for', value);
  }
  const { rule } = reason;
  switch (rule.kind) {
    case 'customer':
      return compare('is for customer', rule.any_of.map(nameOf).join(' or '), 'the customer is', customer?.id);
    case 'product':
    case 'sku': {
      const items = (order?.items ?? []).filter((item) => item[`${rule.kind}_id`] === rule.id);
      const ordered = items.map(({ quantity = 1 }) => quantity).join(' + ') || 'none';
      return `asks for ${rule.at_least} of ${rule.kind} ${nameOf(rule.id)}; the order has ${ordered}`;
    }
    case 'metadata':
      return compare(`asks for the metadata ${rule.key} =`, rule.is, 'the request has', metadata[rule.key]);
    case 'order_metadata':
      return `asks for the order metadata ${rule.key} = ${rule.includes}`;
    case 'other':
      return shorten(rule.description, maxText);
  }
}
