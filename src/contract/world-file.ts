import path from 'node:path';
import { findHiddenCharacters } from '../support/hidden-characters.js';
import { parseJson } from '../support/json.js';
import { packageRoot } from '../support/package-root.js';
import { formatProblem, type Location, type Problem, suggestName, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml, type YamlFile } from '../support/yaml-file.js';
import { type EntityKind, entityKinds, type TargetWorld } from './world.js';
import { createId } from './world-ids.js';
import { findRepeatedTexts, type TextDocument, WorldTexts } from './world-texts.js';
import { type FindId, readTiers, type TierDraft, type TierEntry, type WorldContext } from './world-tiers.js';

/** By a name, the name with whose id its own begins. */
type LongerIds = Readonly<Record<string, string>>;

interface WorldDocument extends TextDocument {
  readonly customers: readonly string[];
  readonly products: readonly string[];
  readonly skus: Readonly<Record<string, string>>;
  readonly categories: readonly string[];
  readonly campaigns: Readonly<Record<string, readonly string[]>>;
  /** Not of tiers: their ids are looked for in responses. */
  readonly ids_that_begin_with?: Partial<Record<'customer' | 'product' | 'campaign', LongerIds>>;
  readonly newest: string;
  readonly hours_apart: number;
  readonly tiers: readonly TierEntry[];
}

export function loadWorld(): TargetWorld {
  return expandWorld(readYaml(path.join(packageRoot, 'cases', 'world.yaml')));
}

/** Checks and expands a parsed world file. @throws UnusableInput with every problem of the file */
export function expandWorld(file: YamlFile): TargetWorld {
  const document = validateFile('world', file) as WorldDocument;
  const problems = [...findHiddenCharacters(file.text, file.file), ...findRepeatedTexts(file, document)];
  const texts = new WorldTexts(document, file, (problem) => problems.push(problem));
  const { ids_that_begin_with: longerIds = {} } = document;
  const createIds = (kind: EntityKind, names: readonly string[], longer: LongerIds = {}) =>
    new Map(names.map((name) => [name, createId(kind, name, longer[name])]));
  const ids = {
    customer: createIds('customer', document.customers, longerIds.customer),
    product: createIds('product', document.products, longerIds.product),
    sku: createIds('sku', Object.keys(document.skus)),
    category: createIds('category', document.categories),
    campaign: createIds('campaign', Object.keys(document.campaigns), longerIds.campaign),
  };
  const findId: FindId = (kind, name, ...at) => {
    const id = ids[kind].get(name);
    const hint = suggestName(name, [...ids[kind].keys()]);
    if (id === undefined) problems.push({ at: file.locate(at), message: `there is no ${kind} '${name}'`, hint });
    return id ?? name;
  };
  for (const kind of ['customer', 'product', 'campaign'] as const)
    for (const [longerName, shorterName] of Object.entries(longerIds[kind] ?? {})) {
      findId(kind, longerName, 'ids_that_begin_with', kind, longerName);
      findId(kind, shorterName, 'ids_that_begin_with', kind, longerName);
    }
  const listThings = (kind: 'customer' | 'product' | 'category') => [...ids[kind]].map(([name, id]) => ({ id, name }));
  const context = { file, texts, problems, findId };
  const drafts = document.tiers.flatMap((entry, n) => readTiers(entry, ['tiers', n], context));
  const createdAt = (n: number): number =>
    drafts[n]?.created === undefined
      ? Date.parse(document.newest) - n * document.hours_apart * 60 * 60 * 1000
      : createdAt(n + 1) + 200;
  const named: TargetWorld = {
    customers: listThings('customer'),
    products: listThings('product'),
    skus: Object.entries(document.skus).map(([name, product]) => ({
      id: findId('sku', name, 'skus', name),
      product_id: findId('product', product, 'skus', name),
      name,
    })),
    categories: listThings('category'),
    campaigns: Object.entries(document.campaigns).map(([name, categories]) => ({
      id: findId('campaign', name, 'campaigns', name),
      name,
      category_ids: categories.map((category, n) => findId('category', category, 'campaigns', name, n)),
    })),
    tiers: drafts.map(({ tier }, n) => ({ ...tier, created_at: new Date(createdAt(n)).toISOString() })),
    ids: { ...ids, tier: indexTierIds(drafts, context) },
    unavailable: new Map(),
  };
  texts.reportUnused();
  if (problems.length > 0) throw new UnusableInput(removeRepeated(problems));
  return named;
}

/** An entry that stands for several tiers has its problem once for each. */
function removeRepeated(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

/** Indexes the ids of tiers by their names. Reports names that two tiers have, and ids. */
function indexTierIds(drafts: readonly TierDraft[], { file, problems }: WorldContext): Map<string, string> {
  const ids = new Map<string, string>();
  const namesByIdOf = new Map<string, string>();
  for (const { key, idOf, at, tier } of drafts) {
    const earlier = namesByIdOf.get(idOf);
    const hint = 'Rename one of them. The name of a repeated tier must contain {n}, or a name of a list.';
    if (ids.has(key))
      problems.push({ at: file.locate([...at, 'name']), message: `there are two tiers '${key}'`, hint });
    else if (earlier !== undefined)
      problems.push({
        at: file.locate([...at, 'name']),
        message: `the tiers '${earlier}' and '${key}' have the id of '${idOf}'`,
        hint: "Change 'id_of' of one of them.",
      });
    ids.set(key, tier.id);
    namesByIdOf.set(idOf, key);
  }
  return ids;
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
