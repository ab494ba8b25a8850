/**
 * A response as a template: what it says of promotions is left open, and the rest stays as it was seen. Filled again, it
 * answers in the shape of the deployment that it was taken from.
 *
 * A template is JSON. Texts such as `<tier id>` stand for what a promotion tier has; an object with the single member
 * `<promotions>` stands for a list, of which it holds the template of one entry.
 */

import { isDeepStrictEqual } from 'node:util';
import type { KnownIds } from '../recognition/known-ids.js';
import { parseEncodedJson } from '../recognition/tier-mentions.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { Campaign, Tier, World } from '../world/world.js';

/** JSON with the words below in it. */
export type ResponseTemplate = unknown;

/** What stands for a list, or for an object with a member for each; its only member is the template of one. */
const each = {
  promotions: '<promotions>',
  promotionsById: '<promotions by id>',
  campaigns: '<campaigns>',
  campaignsById: '<campaigns by id>',
  categories: '<categories>',
  /** Of JSON within a text. */
  packed: '<json>',
} as const;

/** What stands for one value. */
const one = {
  count: '<count>',
  metadata: '<tier metadata>',
  volatile: '<volatile>',
  number: '<volatile number>',
} as const;

/** What a template is taken from. */
export interface TemplateSource {
  readonly body: string;
  readonly world: World;
  readonly ids: KnownIds;
  /** The tiers that it returns. */
  readonly returned: ReadonlySet<string>;
  /** The places, as patterns, whose values differ between responses to the same request. */
  readonly volatile: ReadonlySet<string>;
}

/** What is meant where a template is filled, or taken. */
interface Context {
  readonly tier?: Tier;
  readonly campaign?: Campaign;
  readonly category?: World['categories'][number];
}

/**
 * Takes a template from a response; undefined where it is no JSON, or where promotions stand otherwise than in lists, as
 * in a tree: filled for other promotions, it would still name these.
 */
export function createTemplate(seen: TemplateSource): ResponseTemplate | undefined {
  const template = taken(parseJson(seen.body), '', {}, seen);
  return tiersIn(template, seen).size > 0 ? undefined : template;
}

function taken(value: unknown, path: string, context: Context, seen: TemplateSource): ResponseTemplate {
  if (path !== '' && seen.volatile.has(path)) {
    if (typeof value === 'number') return one.number;
    return typeof value === 'string' ? one.volatile : value;
  }
  if (typeof value === 'string') return takenText(value, path, context, seen);
  if (typeof value === 'number') return takenNumber(value, context, seen);
  if (Array.isArray(value)) return takenList(value, path, context, seen);
  return isJsonObject(value) ? takenObject(value, path, context, seen) : value;
}

function takenText(text: string, path: string, context: Context, seen: TemplateSource): ResponseTemplate {
  const packed = parseEncodedJson(text);
  if (tiersIn(packed, seen).size > 0) return { [each.packed]: taken(packed, path, context, seen) };
  return wordsFor(context).reduce((rest, [word, meant, isId]) => {
    if (rest === meant) return word;
    return isId && meant !== '' ? rest.replaceAll(meant, word) : rest;
  }, text);
}

/** A number of entries, where it is certainly that. */
function takenNumber(value: number, { tier }: Context, { returned }: TemplateSource): ResponseTemplate {
  return tier === undefined && returned.size > 1 && value === returned.size ? one.count : value;
}

function takenList(list: readonly unknown[], path: string, context: Context, seen: TemplateSource): ResponseTemplate {
  const below = `${path}/*`;
  const named = list.map((entry) => tiersIn(entry, seen));
  const all = new Set(named.flatMap((tiers) => [...tiers]));
  if (context.tier === undefined && all.size > 0) {
    // What is listed and not returned, such as promotions that were skipped, is not known for other requests.
    if ([...all].every((id) => !seen.returned.has(id))) return [];
    if (named.every(({ size }) => size === 1) && all.size === list.length) {
      const entry = richest(list);
      return { [each.promotions]: taken(entry, below, contextOf(entry, seen), seen) };
    }
    const campaigns = named.map((tiers) => new Set([...tiers].map((id) => tierOf(id, seen)?.campaign_id)));
    if (context.campaign === undefined && campaigns.every(({ size }) => size === 1)) {
      const entry = richest(list);
      const { campaign } = contextOf(entry, seen);
      return { [each.campaigns]: taken(entry, below, omitUndefined({ campaign }), seen) };
    }
  }
  const categories = categoriesOf(context.campaign, seen.world);
  const listed = list.map((entry) => categories.find(({ id, name }) => mentions(entry, id) || mentions(entry, name)));
  const [category] = listed;
  if (context.category === undefined && category !== undefined && listed.every((found) => found !== undefined))
    return { [each.categories]: taken(list[0], below, { ...context, category }, seen) };
  return list.map((entry) => taken(entry, below, context, seen));
}

function takenObject(
  members: Readonly<Record<string, unknown>>,
  path: string,
  context: Context,
  seen: TemplateSource,
): ResponseTemplate {
  const { tier } = context;
  if (tier !== undefined && Object.keys(tier.metadata).length > 0 && isDeepStrictEqual(members, tier.metadata))
    return one.metadata;
  const entries = Object.entries(members);
  if (entries.length > 0 && tier === undefined) {
    if (entries.every(([key]) => seen.returned.has(key))) {
      const [key, value] = richest(entries);
      return { [each.promotionsById]: taken(value, `${path}/${key}`, contextOf(key, seen), seen) };
    }
    const campaigns = new Set(seen.world.campaigns.map(({ id }) => id));
    if (context.campaign === undefined && entries.every(([key]) => campaigns.has(key))) {
      const [key, value] = richest(entries);
      const campaign = seen.world.campaigns.find(({ id }) => id === key);
      return { [each.campaignsById]: taken(value, `${path}/${key}`, omitUndefined({ campaign }), seen) };
    }
  }
  return Object.fromEntries(entries.map(([key, value]) => [key, taken(value, `${path}/${key}`, context, seen)]));
}

/** The entry that says most: what others leave out, it has. */
function richest<T>(entries: readonly T[]): T {
  const length = (entry: T) => JSON.stringify(entry).length;
  return entries.reduce((most, entry) => (length(entry) > length(most) ? entry : most));
}

/** The tier that a value names, with its campaign. */
function contextOf(value: unknown, seen: TemplateSource): Context {
  const [id] = tiersIn(value, seen);
  const tier = tierOf(id, seen);
  return tier === undefined ? {} : inContext(tier, seen.world);
}

function tierOf(id: string | undefined, { world }: Pick<TemplateSource, 'world'>): Tier | undefined {
  return world.tiers.find((tier) => tier.id === id);
}

function inContext(tier: Tier, { campaigns }: World): Context {
  const campaign = campaigns.find(({ id }) => id === tier.campaign_id);
  return { tier, ...omitUndefined({ campaign }) };
}

function categoriesOf(campaign: Campaign | undefined, { categories }: World): World['categories'] {
  const ids = campaign?.category_ids ?? [];
  return ids.flatMap((id) => categories.find((category) => category.id === id) ?? []);
}

function mentions(value: unknown, text: string): boolean {
  return JSON.stringify(value)?.includes(JSON.stringify(text)) ?? false;
}

/** The tiers that a value names, as texts or keys. */
function tiersIn(value: unknown, seen: Pick<TemplateSource, 'ids'>): Set<string> {
  if (typeof value === 'string') return new Set(seen.ids.tiers.findIds(value).ids);
  if (typeof value !== 'object' || value === null) return new Set();
  const within = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  return new Set(within.flatMap((each) => [...tiersIn(each, seen)]));
}

/** What is meant by the words of one value, ids first; those are looked for within texts, too. */
function wordsFor({ tier, campaign, category }: Context): (readonly [word: string, meant: string, isId: boolean])[] {
  return [
    ...(category === undefined
      ? []
      : ([
          ['<category id>', category.id, true],
          ['<category name>', category.name, false],
        ] as const)),
    ...(tier === undefined
      ? []
      : ([
          ['<tier id>', tier.id, true],
          ['<tier name>', tier.name, false],
          ['<tier created_at>', tier.created_at, false],
        ] as const)),
    ...(campaign === undefined
      ? []
      : ([
          ['<campaign id>', campaign.id, true],
          ['<campaign name>', campaign.name, false],
        ] as const)),
  ];
}

/** What a template is filled with. */
export interface TemplateData {
  readonly world: World;
  /** In the order in which they are returned. */
  readonly tiers: readonly Tier[];
  /** In place of volatile values: another in one response than in the next, where that is how the deployment is. */
  readonly volatile: number;
}

/** A response in the shape of a template. */
export function fillTemplate(template: ResponseTemplate, filling: TemplateData, context: Context = {}): unknown {
  if (typeof template === 'string') return filledText(template, filling, context);
  if (Array.isArray(template)) return template.map((entry) => fillTemplate(entry, filling, context));
  if (!isJsonObject(template)) return template;
  const entries = Object.entries(template);
  const [[word, inner] = ['', undefined]] = entries;
  if (entries.length === 1) {
    const { tiers, world } = filling;
    const campaigns = () => world.campaigns.filter(({ id }) => tiers.some((tier) => tier.campaign_id === id));
    const within = (campaign: Campaign) => {
      const own = tiers.filter(({ campaign_id }) => campaign_id === campaign.id);
      return fillTemplate(inner, { ...filling, tiers: own }, { campaign });
    };
    switch (word) {
      case each.promotions:
        return tiers.map((tier) => fillTemplate(inner, filling, inContext(tier, world)));
      case each.promotionsById:
        return Object.fromEntries(tiers.map((tier) => [tier.id, fillTemplate(inner, filling, inContext(tier, world))]));
      case each.campaigns:
        return campaigns().map(within);
      case each.campaignsById:
        return Object.fromEntries(campaigns().map((campaign) => [campaign.id, within(campaign)]));
      case each.categories:
        return categoriesOf(context.campaign, world).map((category) =>
          fillTemplate(inner, filling, { ...context, category }),
        );
      case each.packed:
        return JSON.stringify(fillTemplate(inner, filling, context));
    }
  }
  return Object.fromEntries(entries.map(([key, value]) => [key, fillTemplate(value, filling, context)]));
}

function filledText(text: string, { tiers, volatile }: TemplateData, context: Context): unknown {
  if (text === one.count) return tiers.length;
  if (text === one.metadata) return context.tier?.metadata ?? {};
  if (text === one.volatile) return `…${volatile}`;
  if (text === one.number) return volatile;
  return wordsFor(context).reduce((rest, [word, meant]) => rest.replaceAll(word, () => meant), text);
}
