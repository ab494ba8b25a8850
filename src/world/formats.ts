import type { Rule, Tier } from './world.js';
import { type Kind, kinds, type NamedWorld } from './world-file.js';

/** Ways to print the world. The shape of the JSON is fixed; the others also have the names by which cases speak. */
export const worldFormats = {
  json: ({ world }: NamedWorld) => `${JSON.stringify(world, null, 2)}\n`,
  csv: asCsv,
  markdown: asMarkdown,
} as const;

export type WorldFormat = keyof typeof worldFormats;

/** One line per thing (RFC 4180); what is a list or an object stands as JSON. */
function asCsv(named: NamedWorld): string {
  const columns = ['product_id', 'category_ids', 'campaign_id', 'created_at', 'metadata', 'rules'] as const;
  const rows = thingsOf(named).map(({ kind, name, thing }) => [
    kind,
    name,
    thing.id,
    ...columns.map((column) => {
      const value: unknown = Object.hasOwn(thing, column) ? Reflect.get(thing, column) : '';
      return typeof value === 'string' ? value : JSON.stringify(value);
    }),
  ]);
  const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return [['kind', 'name', 'id', ...columns], ...rows].map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/** For people who enter it by hand. */
function asMarkdown(named: NamedWorld): string {
  const { world, ids } = named;
  const names = new Map(kinds.flatMap((kind) => [...ids[kind]].map(([name, id]) => [id, name] as const)));
  const nameOf = (id: string) => names.get(id) ?? id;
  const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
    [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  const listOf = (kind: Kind, title: string, own: (id: string) => string[], head: string[] = []) =>
    `## ${title}\n\n${table(
      ['name', 'id', ...head],
      [...ids[kind]].map(([name, id]) => [name, `\`${id}\``, ...own(id)]),
    )}`;
  const ruleText = (rule: Rule): string => {
    switch (rule.kind) {
      case 'customer':
        return `the customer is ${rule.any_of.map(nameOf).join(' or ')}`;
      case 'product':
      case 'sku':
        return `an order item has ${rule.kind} ${nameOf(rule.id)}, quantity ${rule.at_least} or more`;
      case 'order_metadata':
        return `order metadata ${rule.key} includes ${rule.includes}`;
      case 'metadata':
        return `metadata ${rule.key} is ${rule.is}`;
    }
  };
  const tierRow = (tier: Tier, index: number): string[] => [
    String(index + 1),
    tier.name,
    `\`${tier.id}\``,
    nameOf(tier.campaign_id),
    Object.entries(tier.metadata)
      .map(([key, value]) => `\`${key}: ${JSON.stringify(value)}\``)
      .join(', '),
    tier.rules.map(ruleText).join('; ') || 'valid for everybody',
    tier.created_at,
  ];
  const none = () => [];
  return [
    '# World\n',
    listOf('customer', 'Customers', none),
    listOf('product', 'Products', none),
    listOf('sku', 'SKUs', (id) => world.skus.filter((sku) => sku.id === id).map((sku) => nameOf(sku.product_id)), [
      'of product',
    ]),
    listOf('category', 'Categories', none),
    listOf(
      'campaign',
      'Campaigns',
      (id) => [world.campaigns.flatMap((each) => (each.id === id ? each.category_ids.map(nameOf) : [])).join(', ')],
      ['categories'],
    ),
    `## Promotion tiers, newest first\n\nCreate them from the last to the first. All rules of a tier must hold.\n\n${table(
      ['rank', 'name', 'id', 'campaign', 'tier metadata', 'valid when', 'created'],
      world.tiers.map(tierRow),
    )}`,
  ].join('\n');
}

interface Thing {
  readonly kind: Kind;
  readonly name: string;
  readonly thing: { readonly id: string };
}

function thingsOf({ world, ids }: NamedWorld): Thing[] {
  const all = [world.customers, world.products, world.skus, world.categories, world.campaigns, world.tiers].flat();
  const byId = new Map<string, { readonly id: string }>(all.map((thing) => [thing.id, thing]));
  return kinds.flatMap((kind) => [...ids[kind]].map(([name, id]) => ({ kind, name, thing: byId.get(id) ?? { id } })));
}
