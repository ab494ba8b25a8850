import type { Tier } from '../../src/contract/world.js';
import { refuse } from '../deployment/early-response.js';
import type { DeploymentFacts } from '../deployment/handlers.js';
import type { Members } from '../deployment/json.js';
import type { Line } from '../deployment/parsed-request.js';
import { type Fault, unlessWaived } from './fault.js';

const ofTexts: readonly Fault[] = [
  {
    id: 'metadata-keys-refused',
    breaks: 'metadata.promotion-rules',
    story: 'The body’s schema allows words as keys.',
    change: (handlers) => ({
      metadataOf(members) {
        const metadata = handlers.metadataOf(members);
        if (Object.keys(unlessWaived<Members>(metadata, {})).some((key) => /\W/.test(key)))
          refuse(400, 'metadata: not accepted', 'invalid_payload');
        return metadata;
      },
    }),
  },
  {
    id: 'metadata-filter-decoded-twice',
    breaks: 'filter.tier-metadata',
    story: 'The value is decoded once more, which crashes at a %.',
    change: (handlers) => ({
      readFilter(parameter) {
        const filter = handlers.readFilter(parameter);
        if (filter?.field === 'metadata' && /%(?![0-9a-f]{2})/i.test(filter.value)) refuse(500, parameter.name);
        return filter;
      },
    }),
  },
];

const ofRules: readonly Fault[] = [
  {
    id: 'one-rule-of-each-kind-suffices',
    breaks: 'result.valid-only',
    story: 'Of several rules of one kind, one has to hold.',
    sentence: 'Of several rules of one kind, one is enough: they are joined by "or", not by "and".',
    change: (handlers) => ({
      isValid: ({ rules }, request) =>
        rules.every(({ kind }) => rules.some((rule) => rule.kind === kind && handlers.holds(rule, request))),
    }),
  },
];

/** How many rows a tier has once it is joined with the categories of its campaign. */
function rowsOf({ campaign_id }: Tier, { campaigns }: DeploymentFacts['catalogue']): number {
  return campaigns.get(campaign_id)?.category_ids.length ?? 0;
}

const ofCampaigns: readonly Fault[] = [
  {
    id: 'expand-loses-tiers-without-category',
    breaks: 'options.expand-category',
    story: 'Tiers are joined with categories, and one whose campaign has none disappears.',
    sentence: 'With expand, promotions of campaigns without a category are missing.',
    change: (handlers, { catalogue }) => ({
      select: (request) =>
        handlers.select(request).filter((tier) => request.expand.length === 0 || rowsOf(tier, catalogue) > 0),
    }),
  },
  {
    id: 'expand-limits-rows',
    breaks: 'options.expand-category',
    story: 'Tiers are joined with categories, and the limit counts the rows of the join.',
    sentence:
      'With expand, fewer promotions are checked: the limit counts a promotion once for each of its categories.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const selected = handlers.select(request);
        if (request.expand.length === 0) return selected;
        let rows = 0;
        const checked = catalogue.tiers.filter((tier) => {
          rows += Math.max(1, rowsOf(tier, catalogue));
          return rows <= 150;
        });
        return selected.filter((tier) => checked.includes(tier));
      },
    }),
  },
  {
    id: 'tiers-without-category-left-out',
    breaks: 'result.all-valid',
    story: 'Tiers of campaigns that stand in no category are not looked for.',
    sentence: 'Promotions of campaigns without a category are missing.',
    change: (handlers, { catalogue }) => ({
      select: (request) => handlers.select(request).filter((tier) => rowsOf(tier, catalogue) > 0),
    }),
  },
];

function hasSeveralSkus({ as, id }: Line, { skus }: DeploymentFacts['catalogue']): boolean {
  return as === 'product' && [...skus.values()].filter((owner) => owner === id).length > 1;
}

const ofProducts: readonly Fault[] = [
  {
    id: 'product-as-all-of-its-skus',
    breaks: 'order.product-item',
    story: 'An item that names a product counts as one item of each SKU of this product.',
    sentence: 'An item with product_id counts as an item of each SKU of this product.',
    change: (handlers, { catalogue }) => ({
      linesOf: (items) =>
        handlers.linesOf(items).flatMap((line) => {
          if (line.as === 'sku') return [line];
          const skus = [...catalogue.skus].flatMap(([id, product]) => (product === line.id ? [id] : []));
          return [line, ...skus.map((id) => ({ ...line, as: 'sku' as const, id }))];
        }),
    }),
  },
  {
    id: 'product-without-its-sku-refused',
    breaks: 'order.product-item',
    story: 'Of a product that has several SKUs, one has to be chosen.',
    change: (handlers, { catalogue }) => ({
      linesOf(items) {
        const lines = handlers.linesOf(items);
        if (lines.some((line) => hasSeveralSkus(line, catalogue)))
          refuse(400, 'order.items: choose a SKU', 'invalid_payload');
        return lines;
      },
    }),
  },
  {
    id: 'nothing-for-products-of-skus',
    breaks: 'order.product-item',
    story:
      'What is ordered is looked up among SKUs and products without any, and an order with something else is empty.',
    sentence: 'An order with a product that has SKUs counts as empty.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const isLost = request.lines.some((line) => hasSeveralSkus(line, catalogue));
        return isLost ? [] : handlers.select(request);
      },
    }),
  },
];

/** What data that nobody thought of is done to. */
export const awkwardDataFaults: readonly Fault[] = [...ofTexts, ...ofRules, ...ofCampaigns, ...ofProducts];
