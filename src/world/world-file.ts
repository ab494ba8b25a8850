import { createHash } from 'node:crypto';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import { type NamedWorld, ownPrefix, type ThingKind, thingKinds, windowSize } from './named-world.js';
import type { Rule, Tier } from './world.js';

/** What ids of a kind begin with. */
const prefixes: Record<ThingKind, string> = {
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

/** What somebody adds to a world. */
type OwnWorldDocument = Partial<Omit<WorldDocument, 'newest' | 'hours_apart'>>;

/** A file, and what it says. */
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
 * @param additions a parsed file of what somebody adds to it for cases of their own: each of their tiers takes the place
 *   of a spare one, so that all others keep their ranks, their times of creation and their ids
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
  const customers = entries(({ customers }) => customers && asKeys(customers));
  const products = entries(({ products }) => products && asKeys(products));
  const skus = entries(({ skus }) => skus);
  const categories = entries(({ categories }) => categories && asKeys(categories));
  const campaigns = entries(({ campaigns }) => campaigns);

  const ids: Record<ThingKind, ReadonlyMap<string, string>> = {
    customer: idsFor('customer', customers),
    product: idsFor('product', products),
    sku: idsFor('sku', skus),
    category: idsFor('category', categories),
    campaign: idsFor('campaign', campaigns),
    tier: new Map(),
  };
  /** The id of a name; a problem, and a stand-in, when there is none. */
  const idOf = (kind: ThingKind, name: string, place: YamlFile, at: YamlPath): string => {
    const id = ids[kind].get(name);
    if (id !== undefined) return id;
    problems.push({
      at: place.locate(at),
      message: `there is no ${kind} '${name}'`,
      hint: suggest(name, [...ids[kind].keys()]),
    });
    return name;
  };
  const drafts = tiersIn(sources[0] as Source, idOf, problems);
  const added = sources.slice(1).flatMap((source) => tiersIn(source, idOf, problems));
  problems.push(...ownTierProblems(added, additions));
  const placed = withAdded(drafts, added, (message, hint) =>
    problems.push({ at: (additions ?? file).locate(['tiers']), message, hint }),
  );

  const newest = Date.parse(document.newest);
  const apart = document.hours_apart * 60 * 60 * 1000;
  const tiers = placed.map(
    ({ tier }, n): Tier => ({ ...tier, created_at: new Date(newest - n * apart).toISOString() }),
  );
  const named: NamedWorld = {
    customers: customers.map(({ name }) => ({ id: makeId('customer', name) })),
    products: products.map(({ name }) => ({ id: makeId('product', name) })),
    skus: skus.map(({ name, stated, source }) => ({
      id: makeId('sku', name),
      product_id: idOf('product', stated, source.file, ['skus', name]),
    })),
    categories: categories.map(({ name }) => ({ id: makeId('category', name), name })),
    campaigns: campaigns.map(({ name, stated, source }) => ({
      id: makeId('campaign', name),
      name,
      category_ids: stated.map((category, n) => idOf('category', category, source.file, ['campaigns', name, n])),
    })),
    tiers,
    ids: { ...ids, tier: new Map(placed.map(({ key, tier }) => [key, tier.id])) },
    unavailable: new Map(),
  };
  problems.push(...windowProblems(tiers, file), ...idProblems(named, file));
  if (problems.length > 0) throw new UnusableInput(problems);
  return named;
}

/** Lists have no keys, and yet are gone through as what has. */
function asKeys(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

type IdOf = (kind: ThingKind, name: string, file: YamlFile, at: YamlPath) => string;

/** A tier before it has its place among the others. */
interface TierDraft {
  /** By which cases name it. */
  readonly key: string;
  /** Without a time of creation, which its place gives it. */
  readonly tier: Tier;
  readonly entry: TierEntry;
  /** Of the entry. */
  readonly at: YamlPath;
  readonly isSpare: boolean;
}

function tiersIn({ file, document }: Source, idOf: IdOf, problems: Problem[]): TierDraft[] {
  const names = new Set<string>();
  return (document.tiers ?? []).flatMap((entry, index) => {
    const at: YamlPath = ['tiers', index];
    if (entry.repeat !== undefined && !entry.name.includes('{n}')) {
      problems.push({
        at: file.locate([...at, 'name']),
        message: 'a repeated tier needs {n} in its name',
        hint: `Write '${entry.name}-{n}'.`,
      });
    }
    const campaigns = [entry.campaign].flat().map((name, n) => idOf('campaign', name, file, [...at, 'campaign', n]));
    const rules = (entry.rules ?? []).map((rule, n) => ruleOf(rule, [...at, 'rules', n], file, idOf));
    const { repeat = 1, spare = 0 } = entry;
    return Array.from({ length: repeat }, (_, n): TierDraft => {
      const key = entry.name.replace('{n}', String(n + 1));
      if (names.has(key)) {
        problems.push({
          at: file.locate([...at, 'name']),
          message: `there are two tiers '${key}'`,
          hint: 'Rename one of them.',
        });
      }
      names.add(key);
      const tier = {
        id: makeId('tier', key),
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

function ruleOf(rule: RuleEntry, at: YamlPath, file: YamlFile, idOf: IdOf): Rule {
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

/** What the requests of the suite get must not change by it, so that no tier of somebody's own is valid for them. */
function ownTierProblems(added: readonly TierDraft[], additions: YamlFile | undefined): Problem[] {
  const isForOwn = (rule: RuleEntry) => 'customer' in rule && rule.customer.every((name) => name.startsWith(ownPrefix));
  return added.flatMap(({ key, entry, at }): Problem[] =>
    additions === undefined || entry.rules?.some(isForOwn)
      ? []
      : [
          {
            at: additions.locate([...at, 'name']),
            message: `tier '${key}' may be returned to customers of the suite`,
            hint: `Add a rule such as { customer: [${ownPrefix}somebody] }, of customers of yours alone.`,
          },
        ],
  );
}

/** Puts added tiers in the places of as many spare ones, the last of these. */
function withAdded(
  drafts: readonly TierDraft[],
  added: readonly TierDraft[],
  problem: (message: string, hint: string) => void,
): TierDraft[] {
  const places = drafts.flatMap(({ isSpare }, n) => (isSpare ? [n] : []));
  if (added.length > places.length) {
    problem(`there are ${added.length} tiers`, `At most ${places.length} have a place among the newest ${windowSize}.`);
    return [...drafts];
  }
  const taken = places.slice(places.length - added.length);
  return drafts.map((draft, n) => added[taken.indexOf(n)] ?? draft);
}

function idsFor(kind: ThingKind, things: readonly { readonly name: string }[]): ReadonlyMap<string, string> {
  return new Map(things.map(({ name }) => [name, makeId(kind, name)]));
}

/** An id that is always the same for a name, and that nothing but the name leads to. */
function makeId(kind: ThingKind, name: string): string {
  return `${prefixes[kind]}_${createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 24)}`;
}

/** What the cases about the window rest on. */
function windowProblems(tiers: readonly Tier[], file: YamlFile): Problem[] {
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
        hint: 'It must be valid for everybody; move or add tiers.',
      });
    }
  }
  return problems;
}

function idProblems({ ids }: NamedWorld, file: YamlFile): Problem[] {
  const all = thingKinds.flatMap((kind) => [...ids[kind]].map(([name, id]) => ({ kind, name, id })));
  return all.flatMap((one) =>
    all
      .filter((other) => other !== one && other.id.includes(one.id))
      .map((other) => ({
        at: file.locate([]),
        message: `the id of ${one.kind} '${one.name}' is a part of the id of ${other.kind} '${other.name}'`,
        hint: 'Rename one of them.',
      })),
  );
}
