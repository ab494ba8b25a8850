/**
 * Proves a structural mistake that few responses of a run show, by asking. In: the mistakes that may be, and what each predicts.
 * Out: the one that all further responses bear out; each of them could have contradicted it. Pure (see `symptom-inquiry.ts`).
 */

import { listAvailableTiers, type TargetWorld, type Tier, windowSize } from '../contract/world.js';
import { type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import { getDocumentedResult, type UnpassedRow } from './observation.js';
import type { Predict } from './prediction.js';
import type { SuspectedMistake } from './prove-causes.js';
import type { PlainRequestHead } from './request-components.js';
import { readReturnedTiersForTarget } from './symptom.js';
import type { RequestAllowance, RequestGenerator } from './symptom-inquiry.js';
import { isTierWrong, minMendedResponses } from './wrong-results.js';

/** A mistake that further requests bear out. */
export interface AskedMistake {
  readonly id: string;
  readonly sentence: string;
  readonly rows: ReadonlySet<UnpassedRow>;
  /** A response that is wrong, as the mistake predicts. */
  readonly wrong: Exchange;
}

/** How many mistakes are asked about, and how many requests tell of one. */
const [maxSuspected, maxRequests] = [3, 8];
/** Fewer further responses prove nothing. */
const minAsked = 4;

export function* askSuspected(
  suspected: readonly SuspectedMistake[],
  plain: PlainRequestHead,
  target: TargetContext,
  allowance: RequestAllowance,
): RequestGenerator<AskedMistake | undefined> {
  for (const suspect of suspected.slice(0, maxSuspected)) {
    const asked = yield* askAbout(suspect, plain, target, allowance);
    if (asked !== undefined) return asked;
  }
  return undefined;
}

function* askAbout(
  { mistake, predict, mended, rows }: SuspectedMistake,
  plain: PlainRequestHead,
  target: TargetContext,
  allowance: RequestAllowance,
): RequestGenerator<AskedMistake | undefined> {
  const telling = chooseTelling(predict, plain, target.world);
  const needed = Math.max(minAsked, minMendedResponses - mended);
  if (telling.length < needed) return undefined;
  const answered: Exchange[] = [];
  for (const request of telling) {
    if (allowance.left <= 0) break;
    allowance.left -= 1;
    const [exchange] = yield [request];
    if (exchange === undefined || !agrees(exchange, predict, target)) return undefined;
    answered.push(exchange);
  }
  const [wrong] = answered;
  if (wrong === undefined || answered.length < needed) return undefined;
  const sentence = `${mistake.sentence} ${mended} wrong responses of the run show it, and so do ${answered.length} further requests that were sent to check it.`;
  return { id: mistake.id, sentence, rows, wrong };
}

/** Whether a response is as a mistake predicts. */
function agrees(exchange: Exchange, predict: Predict, target: TargetContext): boolean {
  if (!('response' in exchange) || !isSuccessful(exchange.response)) return false;
  const { request } = exchange;
  const { documented } = getDocumentedResult(target.world)(request);
  const prediction = predict({ request, documented });
  const result = readReturnedTiersForTarget(exchange, target);
  const tiers = listAvailableTiers(target.world);
  const returned = tiers.map(({ id }) => result.returned.includes(id));
  return tiers.every(({ id }, position) => result.unclear.has(id) || !isTierWrong({ returned }, position, prediction));
}

/** Chooses requests, each about another promotion tier, for which a mistake predicts another result than the documentation. */
function chooseTelling(predict: Predict, plain: PlainRequestHead, world: TargetWorld): HttpRequest[] {
  const tiers = listAvailableTiers(world);
  const telling = new Map<string, HttpRequest>();
  for (const tier of world.tiers.slice(0, windowSize)) {
    if (telling.size === maxRequests) break;
    const position = tiers.indexOf(tier);
    const request = createRequests(tier, plain, world).find((candidate) => {
      const { documented } = getDocumentedResult(world)(candidate);
      const [stated, predicted] = [documented[position], predict({ request: candidate, documented })(position)];
      return stated !== 'open' && predicted !== 'open' && stated !== predicted;
    });
    if (request !== undefined) telling.set(serializeRequest(request), request);
  }
  return [...telling.values()];
}

/** Creates requests that meet all rules of a tier, and all but one. */
function createRequests(tier: Tier, plain: PlainRequestHead, world: TargetWorld): HttpRequest[] {
  const { rules } = tier;
  const subsets = [rules, ...rules.map((left) => rules.filter((rule) => rule !== left))];
  const named = new Set(rules.flatMap((rule) => ('id' in rule ? rule.id : [])));
  const isUnrelated = (id: string) =>
    !named.has(id) && !world.skus.some((sku) => sku.product_id === id && named.has(sku.id));
  const unrelated = world.products.find(({ id }) => isUnrelated(id))?.id;
  return unrelated === undefined ? [] : subsets.map((met) => createRequest(met, unrelated, plain, world));
}

/** @param unrelated a product for an order that is not to be empty: the effect of an empty one is open */
function createRequest(
  met: Tier['rules'],
  unrelated: string,
  { method, headers, path }: PlainRequestHead,
  world: TargetWorld,
): HttpRequest {
  const customers = met.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of.slice(0, 1) : []));
  const items = met.flatMap((rule) => {
    if (rule.kind === 'product') return { product_id: rule.id, quantity: rule.at_least };
    return rule.kind === 'sku' ? { sku_id: rule.id, quantity: rule.at_least } : [];
  });
  const orderMetadata = met.flatMap((rule) =>
    rule.kind === 'order_metadata' ? [[rule.key, [rule.includes]] as const] : [],
  );
  const metadata = met.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
  const body = {
    customer: { id: customers[0] ?? world.customers[0]?.id },
    order: {
      items: items.length === 0 ? [{ product_id: unrelated, quantity: 1 }] : items,
      metadata: Object.fromEntries(orderMetadata),
    },
    options: {},
    metadata: Object.fromEntries(metadata),
  };
  return { method, headers, path: path.replace(/\?.*$/s, ''), body: JSON.stringify(body) };
}
