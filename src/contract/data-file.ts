import { createHash } from 'node:crypto';
import path from 'node:path';
import { maxProblems, type Problem, UnusableInput } from '../support/problem.js';
import { sizeLimits } from '../support/read-bytes.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { readTextFile } from '../support/text-file.js';
import { type DataSource, type LocatedFile, parseJsonOrYaml, type YamlPath } from '../support/yaml-file.js';
import { listNames, type NamedWorld, type ThingKind, type Tier, thingKinds, type World, windowSize } from './world.js';

const readFiles = new Map<string, { readonly digest: string; readonly world: NamedWorld }>();

/** Reads and checks a data file. Its ids are its names. @throws UnusableInput with every problem of the file */
export function readDataFile(file: string) {
  const text = readTextFile(file, 'Name a data file: see docs/own-data.md.', { limit: sizeLimits.json });
  // Git may change the line ends of a committed file. Nothing in it means anything else then.
  const digest = `sha256:${createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')}`;
  const key = `${digest} ${file}`;
  const read = readFiles.get(key) ?? { digest, world: parseData(text, file) };
  readFiles.set(key, read);
  return read;
}

function parseData(text: string, file: string): NamedWorld {
  const source = parseJsonOrYaml(text, path.relative('', file) || file);
  const problems: Problem[] = findSchemaProblems('data', source);
  if (problems.length > 0) throw new UnusableInput(problems);
  const world = source.value as World;
  const flaws = findFlaws(world);
  if (flaws.length > 0) throw new UnusableInput(locateFlaws(flaws, source));
  const tiers = world.tiers.map((tier, n) => ({ ...tier, metadata: keepDigits(tier.metadata, n, source) }));
  const ids = thingKinds.map((kind) => [kind, new Map(world[listNames[kind]].map(({ id }) => [id, id]))]);
  return { ...world, tiers, ids: Object.fromEntries(ids), unavailable: new Map(), hasOwnIds: true, isDataFile: true };
}

/** Keeps the digits of numbers: a filter with another number would match nothing. */
function keepDigits(metadata: Tier['metadata'], tier: number, { getNumber }: DataSource): Tier['metadata'] {
  const entries = Object.entries(metadata);
  if (!entries.some(([, entry]) => typeof entry === 'number')) return metadata;
  const kept = entries.map(([key, entry]) => {
    const number = typeof entry === 'number' ? getNumber(['tiers', tier, 'metadata', key]) : undefined;
    return [key, number ?? entry];
  });
  return Object.fromEntries(kept);
}

/** To find a place takes time, so only the first ones are located. */
function locateFlaws(flaws: readonly Flaw[], { locate }: LocatedFile): Problem[] {
  const first = locate([]);
  return flaws.map(({ at, ...problem }, n) => ({ ...problem, at: n < maxProblems ? locate(at) : first }));
}

type Flaw = Omit<Problem, 'at'> & { readonly at: YamlPath };

/** Finds what no schema can say: double ids, ids of nothing, tiers that are not in their order. */
function findFlaws(world: World): Flaw[] {
  const flaws: Flaw[] = [];
  const known = new Map<ThingKind, ReadonlySet<string>>();
  for (const kind of thingKinds) {
    const seen = new Set<string>();
    for (const [n, { id }] of world[listNames[kind]].entries()) {
      const at = [listNames[kind], n, 'id'];
      if (seen.has(id)) flaws.push({ at, message: `two ${listNames[kind]} have the id '${id}'`, hint: 'Keep one.' });
      seen.add(id);
    }
    known.set(kind, seen);
  }
  // Lists of customers are long, and few ids are wrong.
  const check = (kind: ThingKind, id: string, locate: () => YamlPath) => {
    if (known.get(kind)?.has(id) === true) return;
    const hint = `Add it to '${listNames[kind]}', or correct the id.`;
    flaws.push({ at: locate(), message: `there is no ${kind} '${id}'`, hint });
  };
  for (const [n, { product_id }] of world.skus.entries()) check('product', product_id, () => ['skus', n, 'product_id']);
  for (const [n, { category_ids }] of world.campaigns.entries())
    for (const [m, id] of category_ids.entries()) check('category', id, () => ['campaigns', n, 'category_ids', m]);
  const times = world.tiers.map(({ created_at }) => Date.parse(created_at));
  for (const [n, { campaign_id, rules }] of world.tiers.entries()) {
    check('campaign', campaign_id, () => ['tiers', n, 'campaign_id']);
    for (const [m, rule] of rules.entries()) {
      if (rule.kind === 'customer')
        for (const [k, id] of rule.any_of.entries()) check('customer', id, () => ['tiers', n, 'rules', m, 'any_of', k]);
      if ('id' in rule) check(rule.kind, rule.id, () => ['tiers', n, 'rules', m, 'id']);
    }
    const [before = Number.POSITIVE_INFINITY, time = 0] = [times[n - 1], times[n]];
    const at = ['tiers', n, 'created_at'];
    if (time > before)
      flaws.push({ at, message: 'the tier is newer than the one before it', hint: 'Sort the tiers, newest first.' });
    if (time === before && n === windowSize) {
      const hint = 'Then no request can show which of them is checked. Remove one, or export a finer time.';
      flaws.push({ at, message: `tiers ${n} and ${n + 1} were created at the same time`, hint });
    }
  }
  return flaws;
}
