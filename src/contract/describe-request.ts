import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { quoteText } from '../support/quote-text.js';
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
      return subject === undefined ? `${name}=${value}` : `filter ${quoteShort(subject.key)} = ${quoteShort(value)}`;
    }),
    ...(request.sent === undefined ? [] : [`sent ${request.sent}`]),
  ].join(', ');
}

/**
 * Creates a function that explains why a tier must or must not be returned: "asks for 10 of product mug, and the order has 2".
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
      .join('; ');
  };
}

function renderReason(
  reason: ObligationReason,
  tier: Tier,
  { customer, order, metadata = {} }: DocumentedRequestBody,
  nameOf: (id: string) => string,
): string {
  if (reason.is === 'rank')
    return `is older than the newest ${windowSize}${reason.obligation === 'open' ? ', and the filter may come first' : ''}`;
  if (reason.is === 'filter') {
    const { subject, value } = reason;
    if (subject.on === 'campaign')
      return `is of campaign ${nameOf(tier.campaign_id)}, and the filter asks for ${nameOf(value)}`;
    return compareTexts('has the metadata', subject.key, tier.metadata[subject.key], 'the filter asks for', value);
  }
  const { rule } = reason;
  switch (rule.kind) {
    case 'customer':
      return `is for customer ${rule.any_of.map(nameOf).join(' or ')}, and the customer is ${nameOf(customer?.id ?? 'none')}`;
    case 'product':
    case 'sku': {
      const items = (order?.items ?? []).filter((item) => item[`${rule.kind}_id`] === rule.id);
      const ordered = items.map(({ quantity = 1 }) => quantity).join(' + ') || 'none';
      return `asks for ${rule.at_least} of ${rule.kind} ${nameOf(rule.id)}, and the order has ${ordered}`;
    }
    case 'metadata':
      return compareTexts('asks for the metadata', rule.key, rule.is, 'the request has', metadata[rule.key]);
    case 'order_metadata':
      return `asks for the order metadata ${quoteShort(rule.key)} = ${quoteShort(rule.includes)}`;
    case 'other':
      return shorten(rule.description, maxText);
  }
}

/** Compares a text of a promotion tier with that of a request: `asks for the metadata "level" = "gold", and the request has none`. */
function compareTexts(what: string, key: string, ofTier: unknown, verb: string, ofRequest: unknown): string {
  const shownKey = quoteShort(key);
  if (ofTier === undefined) return `has no metadata ${shownKey}, and ${verb} ${quoteShort(ofRequest)}`;
  const stated = `${what} ${shownKey} =`;
  if (ofRequest === undefined) return `${stated} ${quoteShort(ofTier)}, and ${verb} none`;
  if (ofTier === ofRequest) return `${stated} ${quoteShort(ofTier)}, and ${verb} it`;
  const [left, right] = shortenAroundDifference(String(ofTier), String(ofRequest));
  return `${stated} ${typeof ofTier === 'string' ? quoteText(left) : left}, and ${verb} ${quoteText(right)}`;
}

function quoteShort(value: unknown): string {
  return typeof value === 'string' ? quoteText(shorten(value, maxText)) : String(value);
}
