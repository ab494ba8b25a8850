import { createHash } from 'node:crypto';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import { type NamedWorld, ownPrefix, type ThingKind, windowSize } from './named-world.js';
import type { Rule, Tier } from './world.js';

/** The prefixes of ids. */
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

/** A user's own additions to the world. */
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

/**
 * Loads, checks and expands the world file of the suite.
 *
 * @param additions the path of a file of a user's own things
 * @throws UnusableInput with every problem of the files
 */
export function loadWorld(additions?: string): NamedWorld {
  const file = path.join(packageRoot, 'cases', 'world.yaml');
  return expandWorld(readYaml(file), additions === undefined ? undefined : readYaml(additions));
}

/**
 * Expands a parsed world file; see `loadWorld`.
 *
 * @param additions a parsed file of a user's own things. Each own tier replaces a spare one, so the ranks, creation times
 *   and ids of all other tiers stay the same.
 */
export function expandWorld(file: YamlFile, additions?: YamlFile): NamedWorld {
  const files = additions === undefined ? [file] : [file, additions];
  const problems = files.flatMap((source) => findSchemaProblems(source === file ? 'world' : 'own-world', source));
  if (problems.length > 0) throw new UnusableInput(problems);
  const documents = files.map((source) => ({ source, document: source.value as OwnWorldDocument }));

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
    if (id !== undefined) return id;
    const hint = suggest(name, [...ids[kind].keys()]);
    problems.push({ at: source.locate(at), message: `there is no ${kind} '${name}'`, hint });
    return name;
  };
  const [drafts = [], ownTiers = []] = files.map((source) => readTiers(source, findId, problems));
  if (additions !== undefined) problems.push(...findOwnTierProblems(ownTiers, drafts, additions));
  const placed = insertOwnTiers(drafts, ownTiers);

  const { newest, hours_apart } = file.value as WorldDocument;
  const newestTime = Date.parse(newest);
  const apart = hours_apart * 60 * 60 * 1000;
  const createdAt = (n: number): number =>
    placed[n]?.entry.created === undefined ? newestTime - n * apart : createdAt(n + 1) + 200;
  const named: NamedWorld = {
    customers: listThings(ids.customer),
    products: listThings(ids.product),
    skus: documents.flatMap(({ source, document: { skus = {} } }) =>
      Object.entries(skus).map(([name, product]) => ({
        id: createId('sku', name),
        product_id: findId('product', product, source, ['skus', name]),
        name,
      })),
    ),
    categories: listThings(ids.category),
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

/** A tier before its rank is known. */
interface TierDraft {
  /** The name that cases use. */
  readonly key: string;
  /** `created_at` is empty: it follows from the rank. */
  readonly tier: Tier;
  readonly entry: TierEntry;
  /** The path of the entry. */
  readonly at: YamlPath;
  readonly isSpare: boolean;
}

function readTiers(file: YamlFile, findId: FindId, problems: Problem[]): TierDraft[] {
  const names = new Set<string>();
  return ((file.value as OwnWorldDocument).tiers ?? []).flatMap((entry, index) => {
    const at: YamlPath = ['tiers', index];
    const campaigns = [entry.campaign].flat().map((name, n) => findId('campaign', name, file, [...at, 'campaign', n]));
    const rules = (entry.rules ?? []).map((rule, n) => readRule(rule, file, [...at, 'rules', n], findId));
    const { repeat = 1, spare = 0 } = entry;
    return Array.from({ length: repeat }, (_, n): TierDraft => {
      const key = entry.name.replace('{n}', String(n + 1));
      if (names.has(key)) {
        problems.push({
          at: file.locate([...at, 'name']),
          message: `there are two tiers '${key}'`,
          hint: 'Rename one of them. The name of a repeated tier must contain {n}.',
        });
      }
      names.add(key);
      const tier = {
        id: createId('tier', key),
        campaign_id: campaigns[n % campaigns.length] as string,
        name: entry.called ?? key,
        created_at: '',
        metadata: entry.metadata ?? {},
        rules,
      };
      return { key, tier, entry, at, isSpare: n >= repeat - spare };
    });
  });
}

function readRule(rule: RuleEntry, file: YamlFile, at: YamlPath, findId: FindId): Rule {
  const idOf = (kind: 'customer' | 'product' | 'sku', name: string, ...steps: number[]) =>
    findId(kind, name, file, [...at, kind, ...steps]);
  if ('customer' in rule)
    return { kind: 'customer', any_of: rule.customer.map((name, n) => idOf('customer', name, n)) };
  if ('product' in rule) return { kind: 'product', id: idOf('product', rule.product), at_least: rule.at_least };
  if ('sku' in rule) return { kind: 'sku', id: idOf('sku', rule.sku), at_least: rule.at_least };
  if ('order_metadata' in rule) return { kind: 'order_metadata', key: rule.order_metadata, includes: rule.includes };
  return { kind: 'metadata', key: rule.metadata, is: rule.is };
}

/** Own tiers must not change the results of the suite's requests, so they must not be valid for its customers. */
function findOwnTierProblems(
  ownTiers: readonly TierDraft[],
  drafts: readonly TierDraft[],
  additions: YamlFile,
): Problem[] {
  const isForOwn = (rule: RuleEntry) => 'customer' in rule && rule.customer.every((name) => name.startsWith(ownPrefix));
  const problems = ownTiers
    .filter(({ entry }) => !entry.rules?.some(isForOwn))
    .map(({ key, at }) => ({
      at: additions.locate([...at, 'name']),
      message: `tier '${key}' is not restricted to your own customers`,
      hint: `Its results would change the suite's own requests. Add a rule such as { customer: [${ownPrefix}somebody] }.`,
    }));
  const spares = drafts.filter(({ isSpare }) => isSpare).length;
  if (ownTiers.length <= spares) return problems;
  const hint = `At most ${spares} are possible among the newest ${windowSize}.`;
  return [...problems, { at: additions.locate(['tiers']), message: `there are ${ownTiers.length} tiers`, hint }];
}

/** Replaces the last spare tiers by the user's own tiers. */
function insertOwnTiers(drafts: readonly TierDraft[], ownTiers: readonly TierDraft[]): TierDraft[] {
  const spares = drafts.filter(({ isSpare }) => isSpare);
  const replaced = spares.slice(spares.length - ownTiers.length);
  return drafts.map((draft) => ownTiers[replaced.indexOf(draft)] ?? draft);
}

/** Creates the id of a name: stable, unique and not guessable without the name. */
function createId(kind: ThingKind, name: string): string {
  return `${prefixes[kind]}_${createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 24)}`;
}

function listThings(ids: ReadonlyMap<string, string>): { id: string; name: string }[] {
  return [...ids].map(([name, id]) => ({ id, name }));
}
