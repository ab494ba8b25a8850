import { markdownTable } from 'markdown-table';
import type { NamedWorld, ThingKind } from './named-world.js';
import { createNameLookup, renderRule } from './render-rule.js';
import type { Tier, World } from './world.js';

/** The formats in which the world can be printed. */
export const worldFormats = {
  json: (named: NamedWorld) => `${JSON.stringify(createNamedExport(named), null, 2)}\n`,
  markdown: renderMarkdown,
} as const;

export type WorldFormat = keyof typeof worldFormats;

/** Leaves out what is not part of the data: names as keys, and what the deployment lacks. */
export function createNamedExport({ customers, products, skus, categories, campaigns, tiers }: NamedWorld): World {
  return { customers, products, skus, categories, campaigns, tiers };
}

/** Renders tables for people who enter the data by hand. */
function renderMarkdown(named: NamedWorld): string {
  const { ids, skus, campaigns, tiers } = named;
  const nameOf = createNameLookup(named);
  const table = (head: string[], rows: string[][]) => `${markdownTable([head, ...rows], { alignDelimiters: false })}\n`;
  const listOf = (kind: ThingKind, title: string, own: (id: string) => string[] = () => [], head: string[] = []) =>
    `## ${title}\n\n${table(
      ['name', 'id', ...head],
      [...ids[kind]].map(([name, id]) => [name, `\`${id}\``, ...own(id)]),
    )}`;
  const tierRow = (tier: Tier, index: number): string[] => [
    String(index + 1),
    tier.name,
    `\`${tier.id}\``,
    nameOf(tier.campaign_id),
    Object.entries(tier.metadata)
      .map(([key, value]) => `\`${key}: ${JSON.stringify(value)}\``)
      .join(', '),
    tier.rules.map((rule) => renderRule(rule, nameOf)).join('; ') || 'valid for everybody',
    tier.created_at,
  ];
  return [
    '# World\n',
    listOf('customer', 'Customers'),
    listOf('product', 'Products'),
    listOf('sku', 'SKUs', (id) => skus.filter((sku) => sku.id === id).map((sku) => nameOf(sku.product_id)), [
      'of product',
    ]),
    listOf('category', 'Categories'),
    listOf(
      'campaign',
      'Campaigns',
      (id) => [campaigns.flatMap((each) => (each.id === id ? each.category_ids.map(nameOf) : [])).join(', ')],
      ['categories'],
    ),
    `## Promotion tiers, newest first\n\nCreate them from the last to the first. All rules of a tier must hold.\n\n${table(
      ['rank', 'name', 'id', 'campaign', 'tier metadata', 'valid when', 'created'],
      tiers.map(tierRow),
    )}`,
  ].join('\n');
}
