import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import { getMember, isJsonObject } from '../support/json.js';
import { type NamedWorld, windowSize } from '../world/named-world.js';
import { createNameLookup } from '../world/render-rule.js';
import type { Tier } from '../world/world.js';
import { parseFilterParameter } from './operation.js';
import { createOracle, type ObligationReason } from './oracle.js';

/** The members of a body that rules speak of, as far as they are there. */
interface Said {
  readonly customer: unknown;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Says why a request decides of a tier as it does: what the tier asks for beside what the request has, as in "asks for 10
 * of product mug; the order has 2". What speaks against the tier, if anything does; otherwise what speaks for it. Empty
 * where it has no rules and no filter asks for it.
 */
export function createTierExplainer(request: HttpRequest, world: NamedWorld): (tier: Tier) => string {
  const { listReasons: grounds } = createOracle(request, world);
  const nameOf = createNameLookup(world);
  const said = saidIn(request);
  return (tier) => {
    const all = grounds(tier);
    const against = all.filter(({ obligation }) => obligation === 'forbidden');
    const telling = against.length > 0 ? against.slice(0, 1) : all.filter(({ is }) => is !== 'rank');
    return telling.map((ground) => groundText(ground, tier, said, nameOf)).join(', ');
  };
}

function saidIn(request: HttpRequest): Said {
  const { body } = parseRequest(request);
  const items = getMember(getMember(body, 'order'), 'items');
  const metadata = getMember(body, 'metadata');
  return {
    customer: getMember(getMember(body, 'customer'), 'id'),
    items: Array.isArray(items) ? items.filter(isJsonObject) : [],
    metadata: isJsonObject(metadata) ? metadata : {},
  };
}

function groundText(ground: ObligationReason, tier: Tier, said: Said, nameOf: (id: string) => string): string {
  const named = (value: unknown) => (value === undefined ? 'none' : nameOf(String(value)));
  if (ground.is === 'rank') return `is older than the newest ${windowSize}`;
  if (ground.is === 'filter') {
    const subject = parseFilterParameter(ground.parameter);
    if (subject?.on === 'metadata')
      return `has the metadata ${subject.key} = ${named(tier.metadata[subject.key])}; the filter asks for ${ground.value}`;
    return `is of campaign ${nameOf(tier.campaign_id)}; the filter asks for ${nameOf(ground.value)}`;
  }
  const { rule } = ground;
  switch (rule.kind) {
    case 'customer':
      return `is for customer ${rule.any_of.map(nameOf).join(' or ')}; the customer is ${named(said.customer)}`;
    case 'product':
    case 'sku': {
      const items = said.items.filter((item) => item[`${rule.kind}_id`] === rule.id);
      const ordered = items.map(({ quantity = 1 }) => quantity).join(' + ') || 'none';
      return `asks for ${rule.at_least} of ${rule.kind} ${nameOf(rule.id)}; the order has ${ordered}`;
    }
    case 'metadata':
      return `asks for the metadata ${rule.key} = ${rule.is}; the request has ${named(said.metadata[rule.key])}`;
    case 'order_metadata':
      return `asks for the order metadata ${rule.key} = ${rule.includes}`;
  }
}
