import { NumberText } from '../support/json.js';
import type { Problem } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import type { EntityKind, Tier, TierRule } from './world.js';
import { createId } from './world-ids.js';
import { type Each, expandSeries } from './world-series.js';
import type { WorldTexts } from './world-texts.js';

/** One tier, or several: see `expandSeries`. */
export interface TierEntry {
  readonly name: string;
  /** From whose name the id is derived, where the tier has got another one. Of several tiers, the first: its number counts up. */
  readonly id_of?: string;
  readonly called?: string;
  readonly repeat?: number;
  readonly each?: Each;
  readonly campaign: string | readonly string[];
  readonly created?: '200-ms-after-the-next';
  readonly metadata?: MetadataPart | readonly MetadataPart[];
  readonly rules?: readonly RuleEntry[];
}

type MetadataPart = Tier['metadata'] | MetadataSeries;

interface MetadataSeries {
  readonly key: string;
  readonly value: string;
  readonly split_at?: string;
  readonly each: Each;
}

/** One rule, or one for each entry of metadata. The schema makes sure that a rule is of one kind. */
interface RuleEntry {
  readonly customer?: readonly string[];
  readonly product?: string;
  readonly sku?: string;
  readonly at_least?: number;
  readonly order_metadata?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Finds the id of a name. Reports a problem and returns the name if there is none. */
export type FindId = (kind: Exclude<EntityKind, 'tier'>, name: string, ...at: YamlPath) => string;

/** What the readers of a world file share. */
export interface WorldContext {
  readonly file: YamlFile;
  readonly texts: WorldTexts;
  readonly problems: Problem[];
  readonly findId: FindId;
}

/** A tier before its rank says when it was created. */
export interface TierDraft {
  /** The name that cases use. */
  readonly key: string;
  readonly idOf: string;
  readonly at: YamlPath;
  readonly created?: TierEntry['created'];
  readonly tier: Tier;
}

/** Reads the tiers that an entry stands for. Their creation times follow from their ranks. */
export function readTiers(entry: TierEntry, at: YamlPath, context: WorldContext): TierDraft[] {
  const { file, texts, problems, findId } = context;
  const campaigns = [entry.campaign].flat().map((campaign, n) => findId('campaign', campaign, ...at, 'campaign', n));
  return expandSeries(entry, (...steps) => file.locateKey([...at, ...steps]), problems).map((single, n) => {
    const key = readTierName(single.name, at, context);
    const idOf = single.id_of === undefined ? key : countUp(single.id_of, n);
    const tier = {
      id: createId('tier', idOf),
      campaign_id: campaigns[n % campaigns.length] as string,
      name: single.called === undefined ? key : texts.read(single.called, () => file.locate([...at, 'called'])),
      created_at: '',
      metadata: readMetadata(single.metadata ?? {}, [...at, 'metadata'], context),
      rules: (single.rules ?? []).flatMap((rule, m) => readRules(rule, [...at, 'rules', m], context)),
    };
    return { key, idOf, at, created: single.created, tier };
  });
}

/** Reads the name of a tier, which the schema has checked but for what `{name}` stands for. */
function readTierName(name: string, at: YamlPath, { file, problems }: WorldContext): string {
  const message = `'${name}' is no name of a tier`;
  const hint =
    "A name consists of lower-case letters, digits and hyphens; {name} stands for the values of a list of 'each'.";
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) problems.push({ at: file.locate([...at, 'name']), message, hint });
  return name;
}

/** Adds to the number at the end of a name. */
function countUp(name: string, added: number): string {
  return name.replace(/\d+$/, (number) => String(Number(number) + added));
}

/** Reads metadata of a tier. Reports a key that two entries have. */
function readMetadata(
  metadata: NonNullable<TierEntry['metadata']>,
  at: YamlPath,
  context: WorldContext,
): Tier['metadata'] {
  const entries = Array.isArray(metadata)
    ? metadata.flatMap((part, n) => readMetadataPart(part, [...at, n], context))
    : readMetadataPart(metadata as MetadataPart, at, context);
  const keys = new Set<string>();
  for (const [key] of entries) {
    const message = `the metadata has the key '${toOneLine(key)}' twice`;
    if (keys.has(key)) context.problems.push({ at: context.file.locate(at), message, hint: 'Remove one entry.' });
    keys.add(key);
  }
  return Object.fromEntries(entries);
}

type MetadataEntry = readonly [key: string, value: Tier['metadata'][string]];

function readMetadataPart(part: MetadataPart, at: YamlPath, context: WorldContext): MetadataEntry[] {
  const { file, texts, problems } = context;
  if (!isMetadataSeries(part))
    return Object.entries(part).map(([key, value]) => [
      texts.read(key, () => file.locateKey([...at, key])),
      typeof value === 'string' ? texts.read(value, () => file.locate([...at, key])) : value,
    ]);
  return expandSeries(part, (...steps) => file.locateKey([...at, ...steps]), problems).map((single) => {
    const key = texts.read(single.key, () => file.locate([...at, 'key']));
    const value = texts.read(single.value, () => file.locate([...at, 'value']));
    if (single.split_at === undefined) return [key, value];
    const message = `the key does not contain '${toOneLine(single.split_at)}'`;
    const hint = 'The key is split at the separator: choose one that it contains.';
    if (!key.includes(single.split_at)) problems.push({ at: file.locate([...at, 'split_at']), message, hint });
    return splitElsewhere(key, value, single.split_at);
  });
}

function isMetadataSeries(part: MetadataPart): part is MetadataSeries {
  return typeof part.each === 'object' && !(part.each instanceof NumberText);
}

/**
 * Makes the entry that a deployment reads if it joins key and value by a separator that the key contains, too, and then
 * splits them at the last one in the key.
 */
function splitElsewhere(key: string, value: string, separator: string): MetadataEntry {
  const end = key.lastIndexOf(separator);
  return [key.slice(0, end), key.slice(end + separator.length) + separator + value];
}

function readRules(rule: RuleEntry, at: YamlPath, context: WorldContext): TierRule[] {
  const { customer, product, sku, at_least = 1, order_metadata = {}, metadata = {} } = rule;
  const { findId } = context;
  if (customer !== undefined)
    return [{ kind: 'customer', any_of: customer.map((name, n) => findId('customer', name, ...at, 'customer', n)) }];
  if (product !== undefined) return [{ kind: 'product', id: findId('product', product, ...at, 'product'), at_least }];
  if (sku !== undefined) return [{ kind: 'sku', id: findId('sku', sku, ...at, 'sku'), at_least }];
  return [
    ...readTexts(order_metadata, [...at, 'order_metadata'], context).map(
      ([key, includes]): TierRule => ({ kind: 'order_metadata', key, includes }),
    ),
    ...readTexts(metadata, [...at, 'metadata'], context).map(([key, is]): TierRule => ({ kind: 'metadata', key, is })),
  ];
}

function readTexts(
  entries: Readonly<Record<string, string>>,
  at: YamlPath,
  { file, texts }: WorldContext,
): (readonly [key: string, value: string])[] {
  return Object.entries(entries).map(([key, value]) => [
    texts.read(key, () => file.locateKey([...at, key])),
    texts.read(value, () => file.locate([...at, key])),
  ]);
}
