import { NumberText } from '../support/json.js';
import type { Location, Problem } from '../support/problem.js';
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
  /** No two keys of the metadata may have one value. */
  readonly distinct_values?: true;
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
      metadata: readMetadata(single, [...at, 'metadata'], context),
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

/** Reads metadata of a tier. Reports a key that two entries have, and a value if the tier is to have distinct ones. */
function readMetadata(
  { metadata = {}, distinct_values }: Pick<TierEntry, 'metadata' | 'distinct_values'>,
  at: YamlPath,
  context: WorldContext,
): Tier['metadata'] {
  const entries = Array.isArray(metadata)
    ? metadata.flatMap((part, n) => readMetadataPart(part, [...at, n], context))
    : readMetadataPart(metadata as MetadataPart, at, context);
  const keys = new Set<string>();
  for (const { key } of entries) {
    const message = `the metadata has the key '${toOneLine(key)}' twice`;
    if (keys.has(key)) context.problems.push({ at: context.file.locate(at), message, hint: 'Remove one entry.' });
    keys.add(key);
  }
  if (distinct_values) context.problems.push(...findRepeatedValues(entries));
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

/** Finds the values that two keys have. Values are equal as a filter compares them: as texts. */
function findRepeatedValues(entries: readonly MetadataEntry[]): Problem[] {
  const keys = new Map<string, string>();
  return entries.flatMap(({ key, value, locate }) => {
    const earlier = keys.get(String(value));
    keys.set(String(value), earlier ?? key);
    if (earlier === undefined || earlier === key) return [];
    const message = `the keys '${toOneLine(earlier)}' and '${toOneLine(key)}' have the value '${toOneLine(String(value))}'`;
    const hint = "With 'distinct_values', each key has a value of its own: change one, or remove one entry.";
    return [{ at: locate(), message, hint }];
  });
}

interface MetadataEntry {
  readonly key: string;
  readonly value: Tier['metadata'][string];
  readonly locate: () => Location;
}

function readMetadataPart(part: MetadataPart, at: YamlPath, context: WorldContext): MetadataEntry[] {
  const { file, texts, problems } = context;
  if (!isMetadataSeries(part))
    return Object.entries(part).map(([key, value]) => {
      const locate = () => file.locate([...at, key]);
      return {
        key: texts.read(key, () => file.locateKey([...at, key])),
        value: typeof value === 'string' ? texts.read(value, locate) : value,
        locate,
      };
    });
  return expandSeries(part, (...steps) => file.locateKey([...at, ...steps]), problems).map((single) => {
    const key = texts.read(single.key, () => file.locate([...at, 'key']));
    const locate = () => file.locate([...at, 'value']);
    const value = texts.read(single.value, locate);
    if (single.split_at === undefined) return { key, value, locate };
    const message = `the key does not contain '${toOneLine(single.split_at)}'`;
    const hint = 'The key is split at the separator: choose one that it contains.';
    if (!key.includes(single.split_at)) problems.push({ at: file.locate([...at, 'split_at']), message, hint });
    return { ...splitElsewhere(key, value, single.split_at), locate };
  });
}

function isMetadataSeries(part: MetadataPart): part is MetadataSeries {
  return typeof part.each === 'object' && !(part.each instanceof NumberText);
}

/**
 * Makes the entry that a deployment reads if it joins key and value by a separator that the key contains, too, and then
 * splits them at the last one in the key.
 */
function splitElsewhere(key: string, value: string, separator: string): Omit<MetadataEntry, 'locate'> {
  const end = key.lastIndexOf(separator);
  return { key: key.slice(0, end), value: key.slice(end + separator.length) + separator + value };
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
