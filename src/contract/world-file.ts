import { createHash } from 'node:crypto';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { suggest, UnusableInput } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import { type NamedWorld, ownPrefix, type Rule, type ThingKind, type Tier, windowSize } from './world.js';

const prefixes: Record<ThingKind, string> = {
  customer: 'cust',
  product: 'prod',
  sku: 'sku',
  category: 'cat',
  campaign: 'camp',
  tier: 'promo',
};

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

type OwnWorldDocument = Partial<Omit<WorldDocument, 'newest' | 'hours_apart'>>;

interface TierEntry {
  name: string;
  called?: string;
  repeat?: number;
  spare?: number;
  campaign: string | string[];
  created?: 'a-fifth-of-a-second-after-the-next';
  metadata?: Record<string, string | number | boolean>;
  rules?: RuleEntry[];
}

type RuleEntry =
  | { customer: string[] }
  | { product: string; at_least: number }
  | { sku: string; at_least: number }
  | { order_metadata: string; includes: string }
  | { metadata: string; is: string };

/** Loads the world of the suite. @param additions the path of a file of a user's own things @throws like `expandWorld` */
export function loadWorld(additions?: string): NamedWorld {
  const file = path.join(packageRoot, 'cases', 'world.yaml');
  return expandWorld(readYaml(file), additions === undefined ? undefined : readYaml(additions));
}

/**
 * Checks and expands a parsed world file. Each own tier replaces a spare one, so the ranks, creation times and ids of all
 * other tiers stay the same.
 *
 * @throws UnusableInput with every problem of the files
 */
export function expandWorld(file: YamlFile, additions?: YamlFile): NamedWorld {
  const sources = additions === undefined ? [file] : [file, additions];
  const problems = sources.flatMap((source) => findSchemaProblems(source === file ? 'world' : 'own-world', source));
  if (problems.length > 0) throw new UnusableInput(problems);
  const documents = sources.map((source) => ({ source, document: source.value as OwnWorldDocument }));
  const report = (source: YamlFile, at: YamlPath, message: string, hint: string) =>
    problems.push({ at: source.locate(at), message, hint });

  const createIds = (kind: ThingKind, listNames: (document: OwnWorldDocument) => readonly string[]) =>
    new Map(documents.flatMap(({ document }) => listNames(document)).map((name) => [name, createId(kind, name)]));
  const ids = {
    customer: createIds('customer', ({ customers = [] }) => customers),
    product: createIds('product', ({ products = [] }) => products),
    sku: createIds('sku', ({ skus = {} }) => Object.keys(skus)),
    category: createIds('category', ({ categories = [] }) => categories),
    campaign: createIds('campaign', ({ campaigns = {} }) => Object.keys(campaigns)),
  };
  const findId: FindId = (kind, name, source, at) => {
    const id = ids[kind].get(name);
    if (id === undefined) report(source, at, `there is no ${kind} '${name}'`, suggest(name, [...ids[kind].keys()]));
    return id ?? name;
  };
  const listThings = (kind: 'customer' | 'product' | 'category') => [...ids[kind]].map(([name, id]) => ({ id, name }));
  const [drafts = [], ownTiers = []] = sources.map((source) => readTiers(source, findId));
  for (const all of [drafts, ownTiers]) {
    const hint = 'Rename one of them. The name of a repeated tier must contain {n}.';
    for (const [n, { key, source, at }] of all.entries())
      if (all.findIndex((earlier) => earlier.key === key) < n)
        report(source, [...at, 'name'], `there are two tiers '${key}'`, hint);
  }
  // Own tiers must not change the results of the suite's requests, so they must not be valid for its customers.
  for (const { key, source, at, entry } of ownTiers) {
    const hint = `Its results would change the suite's own requests. Add a rule such as { customer: [${ownPrefix}somebody] }.`;
    const isForOwn = (rule: RuleEntry) =>
      'customer' in rule && rule.customer.every((name) => name.startsWith(ownPrefix));
    if (!entry.rules?.some(isForOwn))
      report(source, [...at, 'name'], `tier '${key}' is not restricted to your own customers`, hint);
  }
  const spares = drafts.filter(({ isSpare }) => isSpare);
  if (additions !== undefined && ownTiers.length > spares.length) {
    const hint = `At most ${spares.length} are possible among the newest ${windowSize}.`;
    report(additions, ['tiers'], `there are ${ownTiers.length} tiers`, hint);
  }
  const replaced = spares.slice(spares.length - ownTiers.length);
  const placed = drafts.map((draft) => ownTiers[replaced.indexOf(draft)] ?? draft);

  const { newest, hours_apart } = file.value as WorldDocument;
  const newestTime = Date.parse(newest);
  const createdAt = (n: number): number =>
    placed[n]?.entry.created === undefined ? newestTime - n * hours_apart * 60 * 60 * 1000 : createdAt(n + 1) + 200;
  const named: NamedWorld = {
    customers: listThings('customer'),
    products: listThings('product'),
    skus: documents.flatMap(({ source, document: { skus = {} } }) =>
      Object.entries(skus).map(([name, product]) => ({
        id: createId('sku', name),
        product_id: findId('product', product, source, ['skus', name]),
        name,
      })),
    ),
    categories: listThings('category'),
    campaigns: documents.flatMap(({ source, document: { campaigns = {} } }) =>
      Object.entries(campaigns).map(([name, categories]) => ({
        id: createId('campaign', name),
        name,
        category_ids: categories.map((category, n) => findId('category', category, source, ['campaigns', name, n])),
      })),
    ),
    tiers: placed.map(({ tier }, n) => ({ ...tier, created_at: new Date(createdAt(n)).toISOString() })),
    ids: { ...ids, tier: new Map(placed.map(({ key, tier }) => [key, tier.id])) },
    unavailable: new Map(),
  };
  if (problems.length > 0) throw new UnusableInput(problems);
  return named;
}

/** Finds the id of a name. Reports a problem and returns the name if there is none. */
type FindId = (kind: Exclude<ThingKind, 'tier'>, name: string, source: YamlFile, at: YamlPath) => string;

interface TierDraft {
  readonly key: string;
  /** `created_at` is empty: it follows from the rank. */
  readonly tier: Tier;
  readonly entry: TierEntry;
  readonly source: YamlFile;
  readonly at: YamlPath;
  readonly isSpare: boolean;
}

function readTiers(source: YamlFile, findId: FindId): TierDraft[] {
  return ((source.value as OwnWorldDocument).tiers ?? []).flatMap((entry, index) => {
    const at: YamlPath = ['tiers', index];
    const { name, called, repeat = 1, spare = 0, metadata = {} } = entry;
    const campaigns = [entry.campaign].flat();
    const campaignIds = campaigns.map((campaign, n) => findId('campaign', campaign, source, [...at, 'campaign', n]));
    const rules = (entry.rules ?? []).map((rule, n) => readRule(rule, source, [...at, 'rules', n], findId));
    return Array.from({ length: repeat }, (_, n): TierDraft => {
      const key = name.replace('{n}', String(n + 1));
      const campaign_id = campaignIds[n % campaignIds.length] as string;
      const tier = { id: createId('tier', key), campaign_id, name: called ?? key, created_at: '', metadata, rules };
      return { key, tier, entry, source, at, isSpare: n >= repeat - spare };
    });
  });
}

function readRule(rule: RuleEntry, source: YamlFile, at: YamlPath, findId: FindId): Rule {
  if ('customer' in rule) {
    const any_of = rule.customer.map((name, n) => findId('customer', name, source, [...at, 'customer', n]));
    return { kind: 'customer', any_of };
  }
  if ('order_metadata' in rule) return { kind: 'order_metadata', key: rule.order_metadata, includes: rule.includes };
  if ('metadata' in rule) return { kind: 'metadata', key: rule.metadata, is: rule.is };
  const [kind, name] = 'product' in rule ? (['product', rule.product] as const) : (['sku', rule.sku] as const);
  return { kind, id: findId(kind, name, source, [...at, kind]), at_least: rule.at_least };
}

/** Creates the id of a name: stable, unique and not guessable without the name. */
function createId(kind: ThingKind, name: string): string {
  return `${prefixes[kind]}_${createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 24)}`;
}
