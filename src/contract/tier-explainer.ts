import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import { shortenPair } from '../support/untrusted-text.js';
import { type NamedWorld, windowSize } from './named-world.js';
import { createOracle, type DocumentedBody, type ObligationReason } from './oracle.js';
import { createNameLookup } from './render-rule.js';
import type { Tier } from './world.js';

/**
 * Creates a function that explains why a tier must or must not be returned. It compares the tier with the request: "asks
 * for 10 of product mug; the order has 2". The explanation is the first reason against the tier, or else all reasons for
 * it. It is empty for a tier without rules and a request without filters.
 */
export function createTierExplainer(request: HttpRequest, world: NamedWorld): (tier: Tier) => string {
  const { listReasons } = createOracle(request, world);
  const nameOf = createNameLookup(world);
  const body = parseRequest(request).body as DocumentedBody;
  return (tier) => {
    const all = listReasons(tier);
    const against = all.filter(({ obligation }) => obligation === 'forbidden');
    const decisive = against.length > 0 ? against.slice(0, 1) : all.filter(({ is }) => is !== 'rank');
    return decisive.map((reason) => renderReason(reason, tier, body, nameOf)).join(', ');
  };
}

function renderReason(
  reason: ObligationReason,
  tier: Tier,
  { customer, order, metadata = {} }: DocumentedBody,
  nameOf: (id: string) => string,
): string {
  const named = (value: unknown) => (value === undefined ? 'none' : nameOf(String(value)));
  if (reason.is === 'rank') return `is older than the newest ${windowSize}`;
  if (reason.is === 'filter') {
    const { subject } = reason;
    if (subject.on === 'metadata') {
      const [own, wanted] = shortenPair(named(tier.metadata[subject.key]), reason.value);
      return `has the metadata ${subject.key} = ${own}; the filter asks for ${wanted}`;
    }
    const [own, wanted] = shortenPair(nameOf(tier.campaign_id), nameOf(reason.value));
    return `is of campaign ${own}; the filter asks for ${wanted}`;
  }
  const { rule } = reason;
  switch (rule.kind) {
    case 'customer': {
      const [own, sent] = shortenPair(rule.any_of.map(nameOf).join(' or '), named(customer?.id));
      return `is for customer ${own}; the customer is ${sent}`;
    }
    case 'product':
    case 'sku': {
      const items = (order?.items ?? []).filter((item) => item[`${rule.kind}_id`] === rule.id);
      const ordered = items.map(({ quantity = 1 }) => quantity).join(' + ') || 'none';
      return `asks for ${rule.at_least} of ${rule.kind} ${nameOf(rule.id)}; the order has ${ordered}`;
    }
    case 'metadata': {
      const [own, sent] = shortenPair(rule.is, named(metadata[rule.key]));
      return `asks for the metadata ${rule.key} = ${own}; the request has ${sent}`;
    }
    case 'order_metadata':
      return `asks for the order metadata ${rule.key} = ${rule.includes}`;
  }
}
