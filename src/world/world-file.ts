import { createHash } from 'node:crypto';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { schemaProblems } from '../support/schema.js';
import { suggest } from '../support/suggest.js';
import { type Path, readYaml, type YamlFile } from '../support/yaml-file.js';
import { type Kind, kinds, type NamedWorld, windowSize } from './named-world.js';
import type { Rule, Tier } from './world.js';

/** What ids of a kind begin with. */
const prefixes: Record<Kind, string> = {
  customer: 'cust',
  product: 'prod',
  sku: 'sku',
  category: 'cat',
  campaign: 'camp',
  tier: 'promo',
};

/** Enough tiers for six to lie beyond the newest 150. */
const minTiers = windowSize + 6;

interface WorldDocument {
  customers: string[];
  products: string[];
  skus: Record<string, string>;
  categories: string[];
  campaigns: Record<string, string[]>;
  newest: string;
  hours_apart: number;
  tiers: TierEntry[];
}

interface TierEntry {
  name: string;
  called?: string;
  repeat?: number;
  campaign: string | string[];
  metadata?: Record<string, string | number | boolean>;
  rules?: RuleEntry[];
}

type RuleEntry =
  | { customer: string[] }
  | { product: string; at_least: number }
  | { sku: string; at_least: number }
  | { order_metadata: string; includes: string }
  | { metadata: string; is: string };

/**
 * Loads, checks and expands the world file of the suite.
 *
 * @throws UnusableInput with every problem of the file
 */
export function loadWorld(file = path.join(packageRoot, 'cases', 'world.yaml')): NamedWorld {
  return expandWorld(readYaml(file));
}

/** Expands a parsed world file; see `loadWorld`. */
export function expandWorld(file: YamlFile): NamedWorld {
  const problems = schemaProblems('world', file);
  if (problems.length > 0) throw new UnusableInput(problems);
  const document = file.value as WorldDocument;

  const ids: Record<Kind, ReadonlyMap<string, string>> = {
    customer: idsFor('customer', document.customers),
    product: idsFor('product', document.products),
    sku: idsFor('sku', Object.keys(document.skus)),
    category: idsFor('category', document.categories),
    campaign: idsFor('campaign', Object.keys(document.campaigns)),
    tier: new Map(),
  };
  /** The id of a name; a problem, and a stand-in, when there is none. */
  const idOf = (kind: Kind, name: string, at: Path): string => {
    const id = ids[kind].get(name);
    if (id !== undefined) return id;
    problems.push({
      at: file.at(at),
      message: `there is no ${kind} '${name}'`,
      hint: suggest(name, [...ids[kind].keys()]),
    });
    return name;
  };
  const ruleOf = (rule: RuleEntry, at: Path): Rule => {
    if ('customer' in rule) {
      return {
        kind: 'customer',
        any_of: rule.customer.map((name, n) => idOf('customer', name, [...at, 'customer', n])),
      };
    }
    if ('product' in rule) {
      return { kind: 'product', id: idOf('product', rule.product, [...at, 'product']), at_least: rule.at_least };
    }
    if ('sku' in rule) return { kind: 'sku', id: idOf('sku', rule.sku, [...at, 'sku']), at_least: rule.at_least };
    if ('order_metadata' in rule) return { kind: 'order_metadata', key: rule.order_metadata, includes: rule.includes };
    return { kind: 'metadata', key: rule.metadata, is: rule.is };
  };

  const newest = Date.parse(document.newest);
  const apart = document.hours_apart * 60 * 60 * 1000;
  const tiers: Tier[] = [];
  const tierIds = new Map<string, string>();
  document.tiers.forEach((entry, index) => {
    const at: Path = ['tiers', index];
    if (entry.repeat !== undefined && !entry.name.includes('{n}')) {
      problems.push({
        at: file.at([...at, 'name']),
        message: 'a repeated tier needs {n} in its name',
        hint: `Write '${entry.name}-{n}'.`,
      });
    }
    const campaigns = [entry.campaign].flat().map((name, n) => idOf('campaign', name, [...at, 'campaign', n]));
    const rules = (entry.rules ?? []).map((rule, n) => ruleOf(rule, [...at, 'rules', n]));
    for (let n = 0; n < (entry.repeat ?? 1); n += 1) {
      const name = entry.name.replace('{n}', String(n + 1));
      if (tierIds.has(name)) {
        problems.push({
          at: file.at([...at, 'name']),
          message: `there are two tiers '${name}'`,
          hint: 'Rename one of them.',
        });
      }
      const id = makeId('tier', name);
      tierIds.set(name, id);
      tiers.push({
        id,
        campaign_id: campaigns[n % campaigns.length] as string,
        name: entry.called ?? name,
        created_at: new Date(newest - tiers.length * apart).toISOString(),
        metadata: entry.metadata ?? {},
        rules,
      });
    }
  });
  const named: NamedWorld = {
    customers: document.customers.map((name) => ({ id: idOf('customer', name, ['customers']) })),
    products: document.products.map((name) => ({ id: idOf('product', name, ['products']) })),
    skus: Object.entries(document.skus).map(([name, product]) => ({
      id: idOf('sku', name, ['skus']),
      product_id: idOf('product', product, ['skus', name]),
    })),
    categories: document.categories.map((name) => ({ id: idOf('category', name, ['categories']), name })),
    campaigns: Object.entries(document.campaigns).map(([name, categories]) => ({
      id: idOf('campaign', name, ['campaigns']),
      name,
      category_ids: categories.map((category, n) => idOf('category', category, ['campaigns', name, n])),
    })),
    tiers,
    ids: { ...ids, tier: tierIds },
    unavailable: new Map(),
  };
  problems.push(...windowProblems(tiers, file), ...idProblems(named, file));
  if (problems.length > 0) throw new UnusableInput(problems);
  return named;
}

function idsFor(kind: Kind, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name, makeId(kind, name)]));
}

/** An id that is always the same for a name, and that nothing but the name leads to. */
function makeId(kind: Kind, name: string): string {
  return `${prefixes[kind]}_${createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 24)}`;
}

/** What the cases about the window rest on. */
function windowProblems(tiers: readonly Tier[], file: YamlFile): Problem[] {
  const at = file.at(['tiers']);
  const problems: Problem[] = [];
  if (tiers.length < minTiers) {
    problems.push({ at, message: `there are ${tiers.length} tiers`, hint: `At least ${minTiers} are needed.` });
  }
  for (const rank of [windowSize, windowSize + 1]) {
    const tier = tiers[rank - 1];
    if (tier !== undefined && tier.rules.length > 0) {
      problems.push({
        at,
        message: `tier ${rank}, '${tier.name}', has rules`,
        hint: 'It must be valid for everybody; move or add tiers.',
      });
    }
  }
  return problems;
}

function idProblems({ ids }: NamedWorld, file: YamlFile): Problem[] {
  const all = kinds.flatMap((kind) => [...ids[kind]].map(([name, id]) => ({ kind, name, id })));
  return all.flatMap((one) =>
    all
      .filter((other) => other !== one && other.id.includes(one.id))
      .map((other) => ({
        at: file.at([]),
        message: `the id of ${one.kind} '${one.name}' is a part of the id of ${other.kind} '${other.name}'`,
        hint: 'Rename one of them.',
      })),
  );
}
