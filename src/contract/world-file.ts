import { createHash } from 'node:crypto';
import path from 'node:path';
import { parseJson } from '../support/json.js';
import { packageRoot } from '../support/package-root.js';
import { type Location, type Problem, suggestName, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import { type EntityKind, entityKinds, type TargetWorld, type Tier, type TierRule } from './world.js';

const prefixes = { customer: 'cust', product: 'prod', sku: 'sku', category: 'cat', campaign: 'camp', tier: 'promo' };

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

interface TierEntry extends Pick<Tier, 'name'>, Partial<Pick<Tier, 'metadata' | 'rules'>> {
  called?: string;
  repeat?: number;
  campaign: string | string[];
  created?: 'a-fifth-of-a-second-after-the-next';
}

export function loadWorld(): TargetWorld {
  return expandWorld(readYaml(path.join(packageRoot, 'cases', 'world.yaml')));
}

/** Checks and expands a parsed world file. @throws UnusableInput with every problem of the file */
export function expandWorld(file: YamlFile): TargetWorld {
  const document = validateFile('world', file) as WorldDocument;
  const problems: Problem[] = [];
  const createIds = (kind: EntityKind, names: readonly string[]) =>
    new Map(names.map((name) => [name, createId(kind, name)]));
  const ids = {
    customer: createIds('customer', document.customers),
    product: createIds('product', document.products),
    sku: createIds('sku', Object.keys(document.skus)),
    category: createIds('category', document.categories),
    campaign: createIds('campaign', Object.keys(document.campaigns)),
  };
  const findId: FindId = (kind, name, ...at) => {
    const id = ids[kind].get(name);
    const hint = suggestName(name, [...ids[kind].keys()]);
    if (id === undefined) problems.push({ at: file.locate(at), message: `there is no ${kind} '${name}'`, hint });
    return id ?? name;
  };
  const listThings = (kind: 'customer' | 'product' | 'category') => [...ids[kind]].map(([name, id]) => ({ id, name }));
  const drafts = document.tiers.flatMap((entry, n) => readTiers(entry, n, findId));
  const tierIds = new Map<string, string>();
  for (const { key, tier, index } of drafts) {
    const at = file.locate(['tiers', index, 'name']);
    const hint = 'Rename one of them. The name of a repeated tier must contain {n}.';
    if (tierIds.has(key)) problems.push({ at, message: `there are two tiers '${key}'`, hint });
    tierIds.set(key, tier.id);
  }
  const createdAt = (n: number): number =>
    drafts[n]?.created === undefined
      ? Date.parse(document.newest) - n * document.hours_apart * 60 * 60 * 1000
      : createdAt(n + 1) + 200;
  const named: TargetWorld = {
    customers: listThings('customer'),
    products: listThings('product'),
    skus: Object.entries(document.skus).map(([name, product]) => ({
      id: createId('sku', name),
      product_id: findId('product', product, 'skus', name),
      name,
    })),
    categories: listThings('category'),
    campaigns: Object.entries(document.campaigns).map(([name, categories]) => ({
      id: createId('campaign', name),
      name,
      category_ids: categories.map((category, n) => findId('category', category, 'campaigns', name, n)),
    })),
    tiers: drafts.map(({ tier }, n) => ({ ...tier, created_at: new Date(createdAt(n)).toISOString() })),
    ids: { ...ids, tier: tierIds },
    unavailable: new Map(),
  };
  if (problems.length > 0) throw new UnusableInput(problems);
  return named;
}

/** Finds the id of a name. Reports a problem and returns the name if there is none. */
type FindId = (kind: Exclude<EntityKind, 'tier'>, name: string, ...at: YamlPath) => string;

/** Reads the tiers that an entry stands for. Their creation times follow from their ranks. */
function readTiers(
  { name, called, repeat = 1, metadata = {}, created, ...entry }: TierEntry,
  index: number,
  findId: FindId,
) {
  const at = ['tiers', index] as const;
  const campaigns = [entry.campaign].flat().map((campaign, n) => findId('campaign', campaign, ...at, 'campaign', n));
  const rules = (entry.rules ?? []).map((rule, n) => readRule(rule, [...at, 'rules', n], findId));
  return Array.from({ length: repeat }, (_, n) => {
    const key = name.replace('{n}', String(n + 1));
    const campaign_id = campaigns[n % campaigns.length] as string;
    const tier = { id: createId('tier', key), campaign_id, name: called ?? key, created_at: '', metadata, rules };
    return { key, index, created, tier };
  });
}

function readRule(rule: TierRule, at: YamlPath, findId: FindId): TierRule {
  if (rule.kind === 'customer')
    return { ...rule, any_of: rule.any_of.map((name, n) => findId('customer', name, ...at, 'any_of', n)) };
  return 'id' in rule ? { ...rule, id: findId(rule.kind, rule.id, ...at, 'id') } : rule;
}

/** Creates the id of a name: stable, unique and not guessable without the name. */
function createId(kind: EntityKind, name: string): string {
  return `${prefixes[kind]}_${createHash('sha256').update(`${kind} ${name}`).digest('hex').slice(0, 24)}`;
}

/** The parts of the world that a deployment has. */
export interface WorldAvailability {
  /** By ids of the world: the id in the deployment, and where it is stated. Default: it has the ids of the world. */
  readonly bindings?: Readonly<Record<string, { readonly id: string; readonly at: Location }>>;
  /** How many promotions of its own are newer than the 150th tier. Default: unknown. */
  readonly ownPromotions?: number;
  /** The data file of the deployment, whose requests are drawn from it. Default: it has the test data of the suite. */
  readonly data?: DataFileReference;
}

/** A data file as a run names it. */
export interface DataFileReference {
  readonly file: string;
  /** Where the file of a recorded run is now. */
  readonly movedTo?: string;
  /** The digest of the file in a recorded run: another content cannot be judged by its exchanges. */
  readonly digest?: string;
  readonly requests?: number;
}

/**
 * Replaces the ids of the world by those of a deployment. Things without a binding keep their unique ids.
 *
 * @throws UnusableInput for ids that are bound twice
 */
export function bindWorld(named: TargetWorld, { bindings, ownPromotions }: WorldAvailability): TargetWorld {
  const world = ownPromotions === undefined ? named : { ...named, ownPromotions };
  if (bindings === undefined) return world;
  const { ids, unavailable: _, ...rest } = world;
  const problems: Problem[] = [];
  const names = new Map<string, string>();
  const unavailable = new Map<string, { kind: EntityKind; name: string }>();
  for (const kind of entityKinds)
    for (const [name, id] of ids[kind]) {
      const bound = bindings[id];
      const key = `${kind} ${bound?.id}`;
      const message = `${kind} '${name}' has the id of ${kind} '${names.get(key)}'`;
      const hint = 'Ids must be unique. Leave out what the deployment does not have.';
      if (bound === undefined) unavailable.set(id, { kind, name });
      else if (names.has(key)) problems.push({ at: bound.at, message, hint });
      else names.set(key, name);
    }
  if (problems.length > 0) throw new UnusableInput(problems);
  const bind = (id: string) => bindings[id]?.id ?? id;
  // Ids are unique, so a text that equals one refers to it.
  const bindText = (_: string, value: unknown) => (typeof value === 'string' ? bind(value) : value);
  const bound = entityKinds.map((kind) => [kind, new Map([...ids[kind]].map(([name, id]) => [name, bind(id)]))]);
  return {
    ...(parseJson(JSON.stringify(rest), bindText) as typeof rest),
    ids: Object.fromEntries(bound) as unknown as TargetWorld['ids'],
    unavailable,
    hasOwnIds: true,
    ...findListedOrder([...ids.tier.values()].flatMap((id) => bindings[id]?.at.line ?? [])),
  };
}

/** @param lines of the tiers in the file with their ids, those of newer tiers first */
function findListedOrder(lines: readonly number[]): Pick<TargetWorld, 'listedOrder'> {
  const pairs = lines.slice(1).map((line, n) => line - (lines[n] ?? 0));
  if (pairs.length === 0) return {};
  if (pairs.every((distance) => distance > 0)) return { listedOrder: 'newest-first' };
  return pairs.every((distance) => distance < 0) ? { listedOrder: 'oldest-first' } : {};
}
