/**
 * Lists what is against a promotion tier in a request: its rank, a filter, and rules that do not hold. A promotion that is not
 * returned for a further reason shows nothing about the first one. In: requests and a tier. Out: whether one request has more
 * against the tier than another. Pure.
 */

import { parseFilterParameter } from '../contract/operation.js';
import { createOracle, type DocumentedRequestBody } from '../contract/oracle.js';
import { findProductIdOfSku, type TargetWorld, type Tier, type TierRule } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';

interface Obstacles {
  readonly others: readonly string[];
  readonly rules: readonly TierRule[];
}

/**
 * Whether no more is against a promotion tier in one request than in another one.
 *
 * @param mayLackRules whether further rules may not hold, if rules alone are against the tier in the other request, too
 */
export function isNoMoreForbidden(
  tier: Tier,
  [request, than]: readonly [HttpRequest, HttpRequest],
  world: TargetWorld,
  mayLackRules: boolean,
): boolean {
  const [now, before] = [listObstacles(request, tier, world), listObstacles(than, tier, world)];
  if (!now.others.every((name) => before.others.includes(name))) return false;
  return now.rules.every((rule) => before.rules.includes(rule)) || (mayLackRules && before.others.length === 0);
}

/** What is open, such as the effect of an order without items, does not fulfil a rule. */
function listObstacles(request: HttpRequest, tier: Tier, world: TargetWorld): Obstacles {
  const { query, body } = parseRequest(request);
  const isTooOld = createOracle(request, world).checked(tier) === 'forbidden';
  return {
    others: [
      ...(isTooOld ? ['rank'] : []),
      ...(query.every((parameter) => isMatch(parameter, tier)) ? [] : ['filter']),
    ],
    rules: tier.rules.filter((rule) => !mayHold(rule, body as DocumentedRequestBody, world)),
  };
}

function isMatch([name, value]: readonly [string, string], { campaign_id: campaign, metadata }: Tier): boolean {
  const subject = parseFilterParameter(name);
  if (subject === undefined) return true;
  return subject.on === 'campaign' ? campaign === value : hasEntry(metadata, subject.key, value);
}

/** Letter case may not count. */
function hasEntry(metadata: Readonly<Record<string, unknown>>, key: string, value: string): boolean {
  return Object.entries(metadata).some(
    ([name, entry]) => name.toLowerCase() === key.toLowerCase() && String(entry).toLowerCase() === value.toLowerCase(),
  );
}

/** How equal items add up is open, and so is whether an SKU counts as its product. */
function mayHold(
  rule: TierRule,
  { customer, order, metadata = {} }: DocumentedRequestBody,
  { skus }: TargetWorld,
): boolean {
  switch (rule.kind) {
    case 'customer':
      return customer?.id === undefined || rule.any_of.includes(customer.id);
    case 'product':
    case 'sku': {
      const items = (order?.items ?? []).filter(
        ({ product_id: product, sku_id: sku }) =>
          [product, sku].includes(rule.id) || (sku !== undefined && findProductIdOfSku(skus, sku) === rule.id),
      );
      return items.reduce((sum, { quantity = 1 }) => sum + quantity, 0) >= rule.at_least;
    }
    case 'metadata':
      return hasEntry(metadata, rule.key, rule.is);
    case 'order_metadata':
      return order?.metadata?.[rule.key]?.includes(rule.includes) === true;
    case 'other':
      return true;
  }
}
