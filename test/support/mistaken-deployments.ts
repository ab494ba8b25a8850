/** Mistakes of deployments, chosen before it was known which of them requests that are drawn from data find. */

import type { Tier, TierRule, World } from '../../src/contract/world.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { isJsonObject, parseJson } from '../../src/support/json.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import { createIndependentDeployment, type Traits } from './independent-deployment.js';

export type Mistake = (world: World) => Answer;

type Json = Record<string, unknown>;
type Item = { product_id?: string; sku_id?: string; quantity?: number };

const withTiers =
  (change: (tiers: readonly Tier[], world: World) => readonly Tier[], traits?: Traits): Mistake =>
  (world) =>
    createIndependentDeployment({ ...world, tiers: change(world.tiers, world) }, traits);
const withRules = (change: (rules: readonly TierRule[]) => readonly TierRule[]): Mistake =>
  withTiers((tiers) => tiers.map((tier) => ({ ...tier, rules: change(tier.rules) })));
const withoutRules = (kind: TierRule['kind']) => withRules((rules) => rules.filter((rule) => rule.kind !== kind));
const withTraits =
  (traits: Traits): Mistake =>
  (world) =>
    createIndependentDeployment(world, traits);
const withRequest =
  (change: (request: HttpRequest) => HttpRequest): Mistake =>
  (world) => {
    const answer = createIndependentDeployment(world);
    return (request) => answer(change(request));
  };
const withBody = (change: (body: Json) => Json): Mistake =>
  withRequest((request) => {
    const body = parseJson(request.body ?? '');
    return isJsonObject(body) ? { ...request, body: JSON.stringify(change(body)) } : request;
  });
const withItems = (change: (items: readonly Item[]) => readonly Item[]): Mistake =>
  withBody((body) => {
    const { order } = body;
    if (!isJsonObject(order) || !Array.isArray(order.items)) return body;
    return { ...body, order: { ...order, items: change(order.items as Item[]) } };
  });
const withQuery = (change: (query: string) => string): Mistake =>
  withRequest((request) => {
    const [path = '', query] = request.path.split(/\?(.*)/s);
    return query === undefined ? request : { ...request, path: `${path}?${change(query)}` };
  });
const refusing =
  (status: number, isRefused: (request: HttpRequest) => boolean): Mistake =>
  (world) => {
    const answer = createIndependentDeployment(world);
    return (request) => (isRefused(request) ? { status, headers: [], body: '{}' } : answer(request));
  };
/** Changes the tiers that a response lists. */
const withResult =
  (change: (records: readonly { id: string }[], world: World, request: HttpRequest) => readonly unknown[]): Mistake =>
  (world) => {
    const answer = createIndependentDeployment(world);
    return (request) => {
      const response = answer(request);
      const body = parseJson(response.body);
      if (!isJsonObject(body) || !Array.isArray(body.data)) return response;
      return { ...response, body: JSON.stringify({ data: change(body.data as { id: string }[], world, request) }) };
    };
  };
const cached =
  (keyOf: (request: HttpRequest, body: Json) => unknown): Mistake =>
  (world) => {
    const answer = createIndependentDeployment(world);
    const kept = new Map<string, ReturnType<Answer>>();
    return (request) => {
      const body = parseJson(request.body ?? '');
      const key = JSON.stringify(keyOf(request, isJsonObject(body) ? body : {}));
      const response = kept.get(key) ?? answer(request);
      kept.set(key, response);
      return response;
    };
  };
const metadataRule = (holds: (sent: Json, key: string, is: string) => boolean) =>
  withTraits({
    mistakenRules: {
      metadata: ({ key, is }, body) => holds(isJsonObject(body.metadata) ? (body.metadata as Json) : {}, key, is),
    },
  });
const bodyOf = ({ body = '' }: HttpRequest) => body;

/** Forty. */
export const mistakes: Readonly<Record<string, Mistake>> = {
  'customer rules are ignored': withoutRules('customer'),
  'only the first customer of a list counts': withRules((rules) =>
    rules.map((rule) => (rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.slice(0, 1) } : rule)),
  ),
  'the last customer of a list is lost': withRules((rules) =>
    rules.map((rule) =>
      rule.kind === 'customer' && rule.any_of.length > 1 ? { ...rule, any_of: rule.any_of.slice(0, -1) } : rule,
    ),
  ),
  'customers are compared by their first letters': withTraits({
    mistakenRules: {
      customer: ({ any_of }, { customer }) =>
        any_of.some((id) => isJsonObject(customer) && String(customer.id).startsWith(id)),
    },
  }),
  'product rules are ignored': withoutRules('product'),
  'SKU rules are ignored': withoutRules('sku'),
  'thresholds are ignored': withRules((rules) =>
    rules.map((rule) => ('at_least' in rule ? { ...rule, at_least: 1 } : rule)),
  ),
  'more than the threshold is needed': withRules((rules) =>
    rules.map((rule) => ('at_least' in rule ? { ...rule, at_least: rule.at_least + 1 } : rule)),
  ),
  'one less than the threshold is enough': withRules((rules) =>
    rules.map((rule) => ('at_least' in rule ? { ...rule, at_least: Math.max(1, rule.at_least - 1) } : rule)),
  ),
  'metadata rules are ignored': withoutRules('metadata'),
  'the first rule decides': withRules((rules) => rules.slice(0, 1)),
  'the last rule decides': withRules((rules) => rules.slice(-1)),
  'one rule is enough': withTiers((tiers) =>
    tiers.flatMap((tier) => (tier.rules.length < 2 ? [tier] : tier.rules.map((rule) => ({ ...tier, rules: [rule] })))),
  ),
  'the window has 149 tiers': withTraits({ mistakenWindow: 149 }),
  'the window has 151 tiers': withTraits({ mistakenWindow: 151 }),
  'the window has 100 tiers': withTraits({ mistakenWindow: 100 }),
  'there is no window': withTraits({ mistakenWindow: 1_000_000 }),
  'the oldest tiers are taken': withTiers((tiers) =>
    tiers.map((tier, n) => ({ ...tier, created_at: tiers.at(-1 - n)?.created_at ?? '' })),
  ),
  'the campaign filter is ignored': withQuery((query) =>
    query
      .split('&')
      .filter((pair) => !pair.includes('promotion_id'))
      .join('&'),
  ),
  'metadata filters are ignored': withQuery((query) =>
    query
      .split('&')
      .filter((pair) => !pair.includes('metadata.'))
      .join('&'),
  ),
  'values of filters are trimmed': withQuery((query) =>
    query.replaceAll(/=(?:%20)+|(?:%20)+$/g, (text) => (text.startsWith('=') ? '=' : '')),
  ),
  'a percent-encoded query is decoded twice': withQuery((query) => query.replaceAll(/%25(?=[2-7][\dA-F])/g, '%')),
  'a plus sign in a filter is a space': withQuery((query) => query.replaceAll('%2B', '%20')),
  'only the first item counts': withItems((items) => items.slice(0, 1)),
  'the last of several items is lost': withItems((items) => (items.length > 1 ? items.slice(0, -1) : items)),
  'more than ten items are cut off': withItems((items) => items.slice(0, 10)),
  'the quantity is that of the whole order': withItems((items) => {
    const total = items.reduce((sum, { quantity = 1 }) => sum + Number(quantity), 0);
    return items.map((item) => ({ ...item, quantity: total }));
  }),
  'a repeated product is refused': refusing(400, (request) => {
    const ids = [...bodyOf(request).matchAll(/"product_id":("(?:[^"\\]|\\.)*")/g)].map(([, id]) => id);
    return new Set(ids).size < ids.length;
  }),
  'an item with a SKU counts as its product only': withItems((items) =>
    items.filter(({ sku_id }) => sku_id === undefined),
  ),
  'values of metadata are trimmed': metadataRule((sent, key, is) => String(sent[key] ?? '').trim() === is.trim()),
  'the beginning of a value is enough': metadataRule((sent, key, is) => String(sent[key] ?? '').startsWith(is)),
  'a value may stand under any key': metadataRule((sent, _, is) => Object.values(sent).includes(is)),
  'a key is enough': metadataRule((sent, key) => Object.hasOwn(sent, key)),
  'order metadata counts as metadata': withBody((body) => {
    const order = isJsonObject(body.order) ? body.order : {};
    const flat = Object.entries(isJsonObject(order.metadata) ? order.metadata : {}).map(([key, value]) => [
      key,
      [value].flat()[0],
    ]);
    return {
      ...body,
      metadata: { ...Object.fromEntries(flat), ...(isJsonObject(body.metadata) ? body.metadata : {}) },
    };
  }),
  'options.expand is refused': refusing(400, (request) => bodyOf(request).includes('"expand"')),
  'order metadata is refused': refusing(422, (request) => /"items":.*\],"metadata":\{"/.test(bodyOf(request))),
  'audienceRulesOnly is refused': refusing(400, ({ path }) => path.includes('audienceRulesOnly')),
  'a result has at most 20 promotions': withResult((records) => records.slice(0, 20)),
  'each campaign has one promotion in a result': withResult((records, { tiers }) => {
    const campaigns = new Map(tiers.map(({ id, campaign_id }) => [id, campaign_id]));
    return records.filter(
      ({ id }, n) => records.findIndex((record) => campaigns.get(record.id) === campaigns.get(id)) === n,
    );
  }),
  'results are cached by customer and path': cached(({ path }, { customer }) => [path, customer]),
};
