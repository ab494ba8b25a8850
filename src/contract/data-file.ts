import { computeTextDigest } from '../support/digest.js';
import { renderPath } from '../support/paths.js';
import { maxProblems, type Problem, UnusableInput } from '../support/problem.js';
import { fileSizeLimits } from '../support/read-bytes.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { readTextFile } from '../support/text-file.js';
import { type JsonOrYamlFile, type ParsedFile, parseJsonOrYaml, type YamlPath } from '../support/yaml-file.js';
import {
  type EntityKind,
  entityKinds,
  type TargetWorld,
  type Tier,
  type TierRule,
  type World,
  windowSize,
  worldListNames,
} from './world.js';

const readFiles = new Map<string, { readonly digest: string; readonly world: TargetWorld }>();

/**
 * Reads and checks a data file. Its ids are its names. A file that was read before and has not changed is not read again.
 *
 * @throws UnusableInput with every problem of the file
 */
export function readDataFile(file: string) {
  const text = readTextFile(file, 'Name a data file: see docs/own-data.md.', { limit: fileSizeLimits.json });
  // Git may change the line ends of a committed file, which change nothing that the file means.
  const digest = computeTextDigest(text);
  const key = `${digest} ${file}`;
  const read = readFiles.get(key) ?? { digest, world: parseData(text, file) };
  readFiles.set(key, read);
  return read;
}

function parseData(text: string, file: string): TargetWorld {
  const source = parseJsonOrYaml(text, renderPath(file));
  const problems: Problem[] = findSchemaProblems('data', source);
  if (problems.length > 0) throw new UnusableInput(problems);
  const world = source.value as World;
  const flaws = findFlaws(world);
  if (flaws.length > 0) throw new UnusableInput(locateFlaws(flaws, source));
  const tiers = world.tiers.map((tier, n) => ({ ...tier, metadata: keepDigits(tier.metadata, n, source) }));
  const ids = entityKinds.map((kind) => [kind, new Map(world[worldListNames[kind]].map(({ id }) => [id, id]))]);
  return { ...world, tiers, ids: Object.fromEntries(ids), unavailable: new Map(), hasOwnIds: true, isDataFile: true };
}

/** Keeps the digits of numbers: a filter with another number would match nothing. */
function keepDigits(metadata: Tier['metadata'], tier: number, { getNumber }: JsonOrYamlFile): Tier['metadata'] {
  const entries = Object.entries(metadata);
  if (!entries.some(([, entry]) => typeof entry === 'number')) return metadata;
  const kept = entries.map(([key, entry]) => {
    const number = typeof entry === 'number' ? getNumber(['tiers', tier, 'metadata', key]) : undefined;
    return [key, number ?? entry];
  });
  return Object.fromEntries(kept);
}

/** Locates the flaws that are printed. The others get the start of the file: to find a place takes time. */
function locateFlaws(flaws: readonly Flaw[], { locate }: ParsedFile): Problem[] {
  const first = locate([]);
  return flaws.map(({ at, ...problem }, n) => ({ ...problem, at: n < maxProblems ? locate(at) : first }));
}

type Flaw = Omit<Problem, 'at'> & { readonly at: YamlPath };

type IdFinders = ReadonlyMap<EntityKind, ReadonlySet<string>>;

/** Finds what no schema can say: double ids, ids of nothing, tiers that are not in their order. */
function findFlaws(world: World): Flaw[] {
  const { skus, campaigns, tiers } = world;
  const known: IdFinders = new Map(
    entityKinds.map((kind) => [kind, new Set(world[worldListNames[kind]].map(({ id }) => id))] as const),
  );
  return [
    ...entityKinds.flatMap((kind) => findDoubleIds(kind, world)),
    ...skus.flatMap(({ product_id }, n) =>
      findUnknownIds('product', [product_id], known, () => ['skus', n, 'product_id']),
    ),
    ...campaigns.flatMap(({ category_ids }, n) =>
      findUnknownIds('category', category_ids, known, (m) => ['campaigns', n, 'category_ids', m]),
    ),
    ...tiers.flatMap((tier, n) => [
      ...findUnknownIds('campaign', [tier.campaign_id], known, () => ['tiers', n, 'campaign_id']),
      ...tier.rules.flatMap((rule, m) => findRuleFlaws(rule, known, ['tiers', n, 'rules', m])),
      ...findOrderFlaws(tier, tiers[n - 1], n),
    ]),
  ];
}

function findDoubleIds(kind: EntityKind, world: World): Flaw[] {
  const list = worldListNames[kind];
  const seen = new Set<string>();
  const flaws: Flaw[] = [];
  for (const [n, { id }] of world[list].entries()) {
    if (seen.has(id))
      flaws.push({ at: [list, n, 'id'], message: `two ${list} have the id '${id}'`, hint: 'Keep one.' });
    seen.add(id);
  }
  return flaws;
}

/** @param locate returns the path of the nth id. Lists of customers are long and few ids are wrong, so few paths are made */
function findUnknownIds(
  kind: EntityKind,
  ids: readonly string[],
  known: IdFinders,
  locate: (n: number) => YamlPath,
): Flaw[] {
  const hint = `Add it to '${worldListNames[kind]}', or correct the id.`;
  return ids.flatMap((id, n) =>
    known.get(kind)?.has(id) === true ? [] : [{ at: locate(n), message: `there is no ${kind} '${id}'`, hint }],
  );
}

function findRuleFlaws(rule: TierRule, known: IdFinders, at: YamlPath): Flaw[] {
  if (rule.kind === 'customer') return findUnknownIds('customer', rule.any_of, known, (n) => [...at, 'any_of', n]);
  return 'id' in rule ? findUnknownIds(rule.kind, [rule.id], known, () => [...at, 'id']) : [];
}

/** Compares a tier with the one before it, which must be newer. @param n the position of the tier, from 0 */
function findOrderFlaws({ created_at }: Tier, before: Tier | undefined, n: number): Flaw[] {
  if (before === undefined) return [];
  const [time, timeBefore] = [Date.parse(created_at), Date.parse(before.created_at)];
  const at = ['tiers', n, 'created_at'];
  if (time > timeBefore)
    return [{ at, message: 'the tier is newer than the one before it', hint: 'Sort the tiers, newest first.' }];
  // Equal times matter only where the window ends.
  if (time !== timeBefore || n !== windowSize) return [];
  const hint = 'Then no request can show which of them is checked. Remove one, or export a finer time.';
  return [{ at, message: `tiers ${n} and ${n + 1} were created at the same time`, hint }];
}
