/**
 * A template of a response: placeholders replace everything about promotions, and the rest is unchanged. A mock fills it
 * with other promotions, so its responses have the same shape.
 *
 * A template is JSON. Texts such as `<tier id>` are placeholders for values of a tier. An object with the single member
 * `<promotions>` is a placeholder for a list, and contains the template of one entry.
 */

import { isDeepStrictEqual } from 'node:util';
import type { KnownIds } from '../recognition/known-ids.js';
import { areIndices, parseNestedJson } from '../recognition/walk-texts.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { Campaign, Tier, World } from '../world/world.js';

/** JSON with the placeholders below. */
export type ResponseTemplate = unknown;

/** Placeholders for lists and for objects with one member per entry. The value is the template of one entry. */
const each = {
  promotions: '<promotions>',
  promotionsById: '<promotions by id>',
  promotionsByIndex: '<promotions by index>',
  campaigns: '<campaigns>',
  campaignsById: '<campaigns by id>',
  categories: '<categories>',
  /** A text that contains JSON. */
  packed: '<json>',
} as const;

/** Placeholders for single values. */
const one = {
  count: '<count>',
  metadata: '<tier metadata>',
  volatile: '<volatile>',
  number: '<volatile number>',
} as const;

export interface TemplateSource {
  readonly body: string;
  readonly world: World;
  readonly ids: KnownIds;
  /** The ids of the returned tiers. */
  readonly returned: ReadonlySet<string>;
  /** The path patterns of values that differ between responses to the same request. */
  readonly volatile: ReadonlySet<string>;
}

/** The entry that is being read or filled. */
interface Context {
  readonly tier?: Tier;
  readonly campaign?: Campaign;
  readonly category?: World['categories'][number];
}

/**
 * Creates a template from a response. Returns undefined if the response is not JSON, or if promotions are not in lists,
 * as in a tree: the template would still name them.
 */
export function createTemplate(source: TemplateSource): ResponseTemplate | undefined {
  const template = replaceValues(parseJson(source.body), '', {}, source);
  return listTiers(template, source).size > 0 ? undefined : template;
}

function replaceValues(value: unknown, path: string, context: Context, source: TemplateSource): ResponseTemplate {
  if (path !== '' && source.volatile.has(path)) {
    if (typeof value === 'number') return one.number;
    return typeof value === 'string' ? one.volatile : value;
  }
  if (typeof value === 'string') return replaceText(value, path, context, source);
  if (typeof value === 'number') return replaceNumber(value, context, source);
  if (Array.isArray(value)) return replaceList(value, path, context, source);
  return isJsonObject(value) ? replaceObject(value, path, context, source) : value;
}

function replaceText(text: string, path: string, context: Context, source: TemplateSource): ResponseTemplate {
  const packed = parseNestedJson(text);
  if (listTiers(packed, source).size > 0) return { [each.packed]: replaceValues(packed, path, context, source) };
  return placeholders.reduce((rest, { placeholder, readValue, isId = false }) => {
    const value = readValue(context);
    if (value === undefined) return rest;
    if (rest === value) return placeholder;
    return isId && value !== '' ? rest.replaceAll(value, placeholder) : rest;
  }, text);
}

/** Replaces a number that is certainly the number of promotions. */
function replaceNumber(value: number, { tier }: Context, { returned }: TemplateSource): ResponseTemplate {
  return tier === undefined && returned.size > 1 && value === returned.size ? one.count : value;
}

function replaceList(
  list: readonly unknown[],
  path: string,
  context: Context,
  source: TemplateSource,
): ResponseTemplate {
  const below = `${path}/*`;
  const named = list.map((entry) => listTiers(entry, source));
  const all = new Set(named.flatMap((tiers) => [...tiers]));
  if (context.tier === undefined && all.size > 0) {
    // A list of promotions that were not returned, such as skipped ones, is unknown for other requests.
    if ([...all].every((id) => !source.returned.has(id))) return [];
    if (named.every(({ size }) => size === 1) && all.size === list.length) {
      const entry = findLongest(list);
      return { [each.promotions]: replaceValues(entry, below, findContext(entry, source), source) };
    }
    const campaigns = named.map((tiers) => new Set([...tiers].map((id) => findTier(id, source)?.campaign_id)));
    if (context.campaign === undefined && campaigns.every(({ size }) => size === 1)) {
      const entry = findLongest(list);
      const { campaign } = findContext(entry, source);
      return { [each.campaigns]: replaceValues(entry, below, omitUndefined({ campaign }), source) };
    }
  }
  const categories = listCategories(context.campaign, source.world);
  const listed = list.map((entry) => categories.find(({ id, name }) => mentions(entry, id) || mentions(entry, name)));
  const [category] = listed;
  if (context.category === undefined && category !== undefined && listed.every((found) => found !== undefined))
    return { [each.categories]: replaceValues(list[0], below, { ...context, category }, source) };
  return list.map((entry) => replaceValues(entry, below, context, source));
}

function replaceObject(
  members: Readonly<Record<string, unknown>>,
  path: string,
  context: Context,
  source: TemplateSource,
): ResponseTemplate {
  const { tier } = context;
  if (tier !== undefined && Object.keys(tier.metadata).length > 0 && isDeepStrictEqual(members, tier.metadata))
    return one.metadata;
  const entries = Object.entries(members);
  if (areIndices(Object.keys(members))) {
    const list = replaceList(Object.values(members), path, context, source);
    if (isJsonObject(list) && each.promotions in list) return { [each.promotionsByIndex]: list[each.promotions] };
  }
  if (entries.length > 0 && tier === undefined) {
    const [longest, value] = findLongest(entries);
    const replace = (inner: Context) => replaceValues(value, `${path}/${longest}`, inner, source);
    if (entries.every(([key]) => source.returned.has(key)))
      return { [each.promotionsById]: replace(findContext(longest, source)) };
    const campaigns = new Map(source.world.campaigns.map((campaign) => [campaign.id, campaign]));
    if (context.campaign === undefined && entries.every(([key]) => campaigns.has(key)))
      return { [each.campaignsById]: replace(omitUndefined({ campaign: campaigns.get(longest) })) };
  }
  return Object.fromEntries(
    entries.map(([key, value]) => [key, replaceValues(value, `${path}/${key}`, context, source)]),
  );
}

/** Finds the longest entry: others may lack optional members. */
function findLongest<T>(entries: readonly T[]): T {
  const length = (entry: T) => JSON.stringify(entry).length;
  return entries.reduce((most, entry) => (length(entry) > length(most) ? entry : most));
}

/** Finds the tier that a value names, and its campaign. */
function findContext(value: unknown, source: TemplateSource): Context {
  const [id] = listTiers(value, source);
  const tier = findTier(id, source);
  return tier === undefined ? {} : createContext(tier, source.world);
}

function findTier(id: string | undefined, { world }: Pick<TemplateSource, 'world'>): Tier | undefined {
  return world.tiers.find((tier) => tier.id === id);
}

function createContext(tier: Tier, { campaigns }: World): Context {
  const campaign = campaigns.find(({ id }) => id === tier.campaign_id);
  return { tier, ...omitUndefined({ campaign }) };
}

function listCategories(campaign: Campaign | undefined, { categories }: World): World['categories'] {
  const ids = campaign?.category_ids ?? [];
  return ids.flatMap((id) => categories.find((category) => category.id === id) ?? []);
}

function mentions(value: unknown, text: string): boolean {
  return JSON.stringify(value).includes(JSON.stringify(text));
}

/** Lists the tiers that a value names in texts and keys. */
function listTiers(value: unknown, source: Pick<TemplateSource, 'ids'>): Set<string> {
  if (typeof value === 'string') return new Set(source.ids.tiers.findIds(value).ids);
  if (typeof value !== 'object' || value === null) return new Set();
  const within = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  return new Set(within.flatMap((each) => [...listTiers(each, source)]));
}

interface Placeholder {
  readonly placeholder: string;
  readonly readValue: (context: Context) => string | undefined;
  /** Ids are also replaced inside longer texts. */
  readonly isId?: true;
}

const placeholders: readonly Placeholder[] = [
  { placeholder: '<category id>', readValue: ({ category }) => category?.id, isId: true },
  { placeholder: '<category name>', readValue: ({ category }) => category?.name },
  { placeholder: '<tier id>', readValue: ({ tier }) => tier?.id, isId: true },
  { placeholder: '<tier name>', readValue: ({ tier }) => tier?.name },
  { placeholder: '<tier created_at>', readValue: ({ tier }) => tier?.created_at },
  { placeholder: '<campaign id>', readValue: ({ campaign }) => campaign?.id, isId: true },
  { placeholder: '<campaign name>', readValue: ({ campaign }) => campaign?.name },
];

export interface TemplateData {
  readonly world: World;
  /** The returned tiers, in order. */
  readonly tiers: readonly Tier[];
  /** Replaces volatile values. Different in each response. */
  readonly volatile: number;
}

/** Fills a template. */
export function fillTemplate(template: ResponseTemplate, filling: TemplateData, context: Context = {}): unknown {
  if (typeof template === 'string') return fillText(template, filling, context);
  if (Array.isArray(template)) return template.map((entry) => fillTemplate(entry, filling, context));
  if (!isJsonObject(template)) return template;
  const entries = Object.entries(template);
  const [[word, inner] = ['', undefined]] = entries;
  if (entries.length === 1) {
    const { tiers, world } = filling;
    const campaigns = () => world.campaigns.filter(({ id }) => tiers.some((tier) => tier.campaign_id === id));
    const fillTier = (tier: Tier) => fillTemplate(inner, filling, createContext(tier, world));
    const fillCampaign = (campaign: Campaign) => {
      const own = tiers.filter(({ campaign_id }) => campaign_id === campaign.id);
      return fillTemplate(inner, { ...filling, tiers: own }, { campaign });
    };
    switch (word) {
      case each.promotions:
        return tiers.map(fillTier);
      case each.promotionsByIndex:
        return { ...tiers.map(fillTier) };
      case each.promotionsById:
        return Object.fromEntries(tiers.map((tier) => [tier.id, fillTier(tier)]));
      case each.campaigns:
        return campaigns().map(fillCampaign);
      case each.campaignsById:
        return Object.fromEntries(campaigns().map((campaign) => [campaign.id, fillCampaign(campaign)]));
      case each.categories:
        return listCategories(context.campaign, world).map((category) =>
          fillTemplate(inner, filling, { ...context, category }),
        );
      case each.packed:
        return JSON.stringify(fillTemplate(inner, filling, context));
    }
  }
  return Object.fromEntries(entries.map(([key, value]) => [key, fillTemplate(value, filling, context)]));
}

function fillText(text: string, { tiers, volatile }: TemplateData, context: Context): unknown {
  if (text === one.count) return tiers.length;
  if (text === one.metadata) return context.tier?.metadata ?? {};
  if (text === one.volatile) return `…${volatile}`;
  if (text === one.number) return volatile;
  return placeholders.reduce((rest, { placeholder, readValue }) => {
    const value = readValue(context);
    return value === undefined ? rest : rest.replaceAll(placeholder, () => value);
  }, text);
}
