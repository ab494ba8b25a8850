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

/** The cases need six tiers that are older than the newest 150. */
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

/** A user's own additions to the world. */
type OwnWorldDocument = Partial<Omit<WorldDocument, 'newest' | 'hours_apart'>>;

/** A file and its content. */
interface Source {
  readonly file: YamlFile;
  readonly document: OwnWorldDocument;
}

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
 * @throws UnusableInput with every problem of the file
 */
export function loadWorld(file = path.join(packageRoot, 'cases', 'world.yaml'), additions?: string): NamedWorld {
  return expandWorld(readYaml(file), additions === undefined ? undefined : readYaml(additions));
}

/**
 * Expands a parsed world file; see `loadWorld`.
 *
 * @param additions a parsed file of a user's own things. Each own tier replaces a spare one, so the ranks, creation times
 *   and ids of all other tiers stay the same.
 */
export function expandWorld(file: YamlFile, additions?: YamlFile): NamedWorld {
  const problems = [
    ...findSchemaProblems('world', file),
    ...(additions === undefined ? [] : findSchemaProblems('own-world', additions)),
  ];
  if (problems.length > 0) throw new UnusableInput(problems);
  const document = file.value as WorldDocument;
  const sources: Source[] = [
    { file, document },
    ...(additions === undefined ? [] : [{ file: additions, document: additions.value as OwnWorldDocument }]),
  ];
  const entries = <T>(pick: (document: OwnWorldDocument) => Readonly<Record<string, T>> | undefined) =>
    sources.flatMap((source) =>
      Object.entries(pick(source.document) ?? {}).map(([name, stated]) => ({ name, stated, source })),
    );
  const customers = entries(({ customers }) => customers && mapToSelf(customers));
  const products = entries(({ products }) => products && mapToSelf(products));
  const skus = entries(({ skus }) => skus);
  const categories = entries(({ categories }) => categories && mapToSelf(categories));
  const campaigns = entries(({ campaigns }) => campaigns);

  const ids: Record<ThingKind, ReadonlyMap<string, string>> = {
    customer: createIds('customer', customers),
    product: createIds('product', products),
    sku: createIds('sku', skus),
    category: createIds('category', categories),
    campaign: createIds('campaign', campaigns),
    tier: new Map(),
  };
  /** Finds the id of a name. Reports a problem and returns the name if there is none. */
  const idOf = (kind: ThingKind, name: string, source: YamlFile, at: YamlPath): string => {
    const id = ids[kind].get(name);
    if (id !== undefined) return id;
    problems.push({
      at: source.locate(at),
      message: `there is no ${kind} '${name}'`,
      hint: suggest(name, [...ids[kind].keys()]),
    });
    return name;
  };
  const drafts = readTiers(sources[0] as Source, idOf, problems);
  const added = sources.slice(1).flatMap((source) => readTiers(source, idOf, problems));
  problems.push(...findOwnTierProblems(added, additions));
  const placed = insertOwnTiers(drafts, added, (message, hint) =>
    problems.push({ at: (additions ?? file).locate(['tiers']), message, hint }),
  );

  const newest = Date.parse(document.newest);
  const apart = document.hours_apart * 60 * 60 * 1000;
  const createdAt = (n: number): number =>
    placed[n]?.entry.created === undefined ? newest - n * apart : createdAt(n + 1) + 200;
  const tiers = placed.map(({ tier }, n): Tier => ({ ...tier, created_at: new Date(createdAt(n)).toISOString() }));
  const named: NamedWorld = {
    customers: customers.map(({ name }) => ({ id: createId('customer', name) })),
    products: products.map(({ name }) => ({ id: createId('product', name) })),
    skus: skus.map(({ name, stated, source }) => ({
      id: createId('sku', name),
      product_id: idOf('product', stated, source.file, ['skus', name]),
    })),
    categories: categories.map(({ name }) => ({ id: createId('category', name), name })),
    campaigns: campaigns.map(({ name, stated, source }) => ({
      id: createId('campaign', name),
      name,
      category_ids: stated.map((category, n) => idOf('category', category, source.file, ['campaigns', name, n])),
    })),
    tiers,
    ids: { ...ids, tier: new Map(placed.map(({ key, tier }) => [key, tier.id])) },
    unavailable: new Map(),
  };
  problems.push(...findWindowProblems(tiers, file));
  if (problems.length > 0) throw new UnusableInput(problems);
  return named;
}

function mapToSelf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

type IdOf = (kind: ThingKind, name: string, file: YamlFile, at: YamlPath) => string;

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

function readTiers({ file, document }: Source, idOf: IdOf, problems: Problem[]): TierDraft[] {
  const names = new Set<string>();
  return (document.tiers ?? []).flatMap((entry, index) => {
    const at: YamlPath = ['tiers', index];
    const campaigns = [entry.campaign].flat().map((name, n) => idOf('campaign', name, file, [...at, 'campaign', n]));
    const rules = (entry.rules ?? []).map((rule, n) => readRule(rule, [...at, 'rules', n], file, idOf));
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

function readRule(rule: RuleEntry, at: YamlPath, file: YamlFile, idOf: IdOf): Rule {
  if ('customer' in rule) {
    return {
      kind: 'customer',
      any_of: rule.customer.map((name, n) => idOf('customer', name, file, [...at, 'customer', n])),
    };
  }
  if ('product' in rule) {
    return { kind: 'product', id: idOf('product', rule.product, file, [...at, 'product']), at_least: rule.at_least };
  }
  if ('sku' in rule) return { kind: 'sku', id: idOf('sku', rule.sku, file, [...at, 'sku']), at_least: rule.at_least };
  if ('order_metadata' in rule) return { kind: 'order_metadata', key: rule.order_metadata, includes: rule.includes };
  return { kind: 'metadata', key: rule.metadata, is: rule.is };
}

/** Own tiers must not change the results of the suite's requests, so they must not be valid for its customers. */
function findOwnTierProblems(added: readonly TierDraft[], additions: YamlFile | undefined): Problem[] {
  const isForOwn = (rule: RuleEntry) => 'customer' in rule && rule.customer.every((name) => name.startsWith(ownPrefix));
  return added.flatMap(({ key, entry, at }): Problem[] =>
    additions === undefined || entry.rules?.some(isForOwn)
      ? []
      : [
          {
            at: additions.locate([...at, 'name']),
            message: `tier '${key}' is not restricted to your own customers`,
            hint: `Its results would change the suite's own requests. Add a rule such as { customer: [${ownPrefix}somebody] }.`,
          },
        ],
  );
}

/** Replaces the last spare tiers by the user's own tiers. */
function insertOwnTiers(
  drafts: readonly TierDraft[],
  added: readonly TierDraft[],
  problem: (message: string, hint: string) => void,
): TierDraft[] {
  const spares = drafts.flatMap(({ isSpare }, n) => (isSpare ? [n] : []));
  if (added.length > spares.length) {
    problem(`there are ${added.length} tiers`, `At most ${spares.length} are possible among the newest ${windowSize}.`);
    return [...drafts];
  }
  const replaced = spares.slice(spares.length - added.length);
  return drafts.map((draft, n) => added[replaced.indexOf(n)] ?? draft);
}

function createIds(kind: ThingKind, things: readonly { readonly name: string }[]): ReadonlyMap<string, string> {
  return new Map(things.map(({ name }) => [name, createId(kind, name)]));
}

/** Creates the id of a name: stable, unique and not guessable without the name. */
function createId(kind: ThingKind, name: string): string {
  return `${prefixes[kind]}_${createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 24)}`;
}

/** Checks the preconditions of the cases about the newest 150. */
function findWindowProblems(tiers: readonly Tier[], file: YamlFile): Problem[] {
  const at = file.locate(['tiers']);
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
        hint: 'It must be valid for everybody: move or add tiers.',
      });
    }
  }
  return problems;
}
