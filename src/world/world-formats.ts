import { markdownTable } from 'markdown-table';
import { listNames, type NamedWorld, type ThingKind, thingKinds } from './named-world.js';
import { createNameLookup, renderRule } from './render-rule.js';
import type { Thing, Tier, World } from './world.js';

/** Formats in which the world is printed, all with the names by which cases speak. */
export const worldFormats = {
  json: (named: NamedWorld) => `${JSON.stringify(createNamedExport(named), null, 2)}\n`,
  csv: asCsv,
  markdown: asMarkdown,
} as const;

export type WorldFormat = keyof typeof worldFormats;

/** The world as it is printed and loaded: each thing with its name, so that bindings can be written beside it. */
export function createNamedExport(named: NamedWorld): World {
  const { categories, campaigns, tiers } = named;
  const withNames = <T extends Thing>(kind: ThingKind, things: readonly T[]) => {
    const names = new Map([...named.ids[kind]].map(([name, id]) => [id, name] as const));
    return things.map((thing) => ({ ...thing, name: names.get(thing.id) ?? thing.id }));
  };
  return {
    customers: withNames('customer', named.customers),
    products: withNames('product', named.products),
    skus: withNames('sku', named.skus),
    categories,
    campaigns,
    tiers,
  };
}

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
  const { ids, skus, campaigns, tiers } = named;
  const nameOf = createNameLookup(named);
  const table = (head: string[], rows: string[][]) => `${markdownTable([head, ...rows], { alignDelimiters: false })}\n`;
  const listOf = (kind: ThingKind, title: string, own: (id: string) => string[], head: string[] = []) =>
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
  const none = () => [];
  return [
    '# World\n',
    listOf('customer', 'Customers', none),
    listOf('product', 'Products', none),
    listOf('sku', 'SKUs', (id) => skus.filter((sku) => sku.id === id).map((sku) => nameOf(sku.product_id)), [
      'of product',
    ]),
    listOf('category', 'Categories', none),
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

interface Listed {
  readonly kind: ThingKind;
  readonly name: string;
  readonly thing: { readonly id: string; readonly name?: string };
}

function thingsOf(named: NamedWorld): Listed[] {
  return thingKinds.flatMap((kind) => {
    const byId = new Map(named[listNames[kind]].map((thing) => [thing.id, thing] as const));
    return [...named.ids[kind]].map(([name, id]) => {
      const thing: Listed['thing'] = byId.get(id) ?? { id };
      // Two tiers may bear one name, by which cases could not tell them apart.
      return { kind, name: thing.name ?? name, thing };
    });
  });
}
