/**
 * Mistakes of an index that has one promotion tier for each key, where it should have all of them: by the metadata or the campaign
 * that a filter asks for, or by what rules are about. They are proved like those of the reference deployment. Pure.
 */

import type { Catalogue } from '../../reference/deployment/catalogue.js';
import type { Change, Handlers } from '../../reference/deployment/handlers.js';
import { type ParsedRequest, type Waivable, waived } from '../../reference/deployment/parsed-request.js';
import { createFilterMistake, createLossMistake, type StructuralMistake } from '../../reference/faults/model.js';
import { type Tier, type TierRule, windowSize } from '../contract/world.js';
import { cacheByObject } from '../support/caches.js';

/** The tier that an index has of several with one key, which come newest first. */
const choices: readonly (readonly [id: string, words: string, sort: (tiers: readonly Tier[]) => readonly Tier[]])[] = [
  ['newest', 'the newest', (tiers) => tiers],
  ['oldest', 'the oldest', (tiers) => tiers.toReversed()],
  ['oldest-of-window', `the oldest of the newest ${windowSize}`, (tiers) => tiers.slice(0, windowSize).toReversed()],
];

type TierIndex = ReadonlyMap<string, Tier>;

/** What an index is made of, and what a deployment does that finds tiers by it. */
interface IndexUse {
  readonly id: string;
  /** Continues with the tier that is found. */
  readonly words: string;
  /** What a filter is about that uses the index. */
  readonly field?: 'promotion_id' | 'metadata';
  readonly listKeys: (tier: Tier) => readonly string[];
  readonly change: (getIndex: () => TierIndex, handlers: Handlers) => Partial<Handlers>;
}

function joinEntry(key: string, value: unknown): string {
  return JSON.stringify([key, String(value)]);
}

const filterUses: readonly IndexUse[] = [
  {
    id: 'metadata-filter-finds',
    words: 'Of the promotion tiers with one key and value of metadata, a filter finds only',
    field: 'metadata',
    listKeys: ({ metadata }) => Object.entries(metadata).map(([key, value]) => joinEntry(key, value)),
    change: (getIndex, handlers) => ({
      hasMetadata: (tier, key, value) =>
        getIndex().get(joinEntry(key, value)) === tier && handlers.hasMetadata(tier, key, value),
    }),
  },
  {
    id: 'metadata-filter-by-key-finds',
    words: 'Of the promotion tiers with one key of metadata, a filter finds only',
    field: 'metadata',
    listKeys: ({ metadata }) => Object.keys(metadata),
    change: (getIndex, handlers) => ({
      hasMetadata: (tier, key, value) => getIndex().get(key) === tier && handlers.hasMetadata(tier, key, value),
    }),
  },
  {
    id: 'campaign-filter-finds',
    words: 'Of the promotion tiers of one campaign, a filter by promotion_id finds only',
    field: 'promotion_id',
    listKeys: ({ campaign_id }) => [campaign_id],
    change: (getIndex, handlers) => ({
      inCampaign: (tier, id) => getIndex().get(id) === tier && handlers.inCampaign(tier, id),
    }),
  },
];

/** A part of requests by which an index finds the tiers with a rule about it. */
interface RuleKey {
  readonly id: string;
  readonly words: string;
  readonly readRule: (rule: TierRule) => readonly string[];
  readonly listSent: (request: ParsedRequest) => Waivable<readonly string[]>;
}

const ruleKeys: readonly RuleKey[] = [
  {
    id: 'customer',
    words: 'one customer',
    readRule: (rule) => (rule.kind === 'customer' ? rule.any_of : []),
    listSent: ({ customer }) => (customer === waived ? waived : [customer ?? []].flat()),
  },
  ...(['product', 'sku'] as const).map(
    (kind): RuleKey => ({
      id: kind,
      words: kind === 'sku' ? 'one SKU' : 'one product',
      readRule: (rule) => (rule.kind === kind ? [rule.id] : []),
      listSent: ({ lines, tally }) =>
        tally === waived ? waived : lines.filter(({ as }) => as === kind).map(({ id }) => id),
    }),
  ),
  {
    id: 'metadata',
    words: 'one entry of metadata',
    readRule: (rule) => (rule.kind === 'metadata' ? [joinEntry(rule.key, rule.is)] : []),
    listSent: ({ metadata }) =>
      metadata === waived ? waived : Object.entries(metadata).map(([key, value]) => joinEntry(key, value)),
  },
  {
    id: 'metadata-key',
    words: 'one key of metadata',
    readRule: (rule) => (rule.kind === 'metadata' ? [rule.key] : []),
    listSent: ({ metadata }) => (metadata === waived ? waived : Object.keys(metadata)),
  },
];

const ruleUses = ruleKeys.map(({ id, words, readRule, listSent }): IndexUse => {
  const listKeys = ({ rules }: Tier) => rules.flatMap(readRule);
  return {
    id: `${id}-rules-find`,
    words: `Of the promotion tiers with a rule about ${words}, only one is found:`,
    listKeys,
    change: (getIndex, handlers) => ({
      validity(request) {
        const sent = listSent(request);
        const found = new Set(sent === waived ? [] : sent.map((key) => getIndex().get(key)));
        const isValid = handlers.validity(request);
        return (tier) => (sent === waived || found.has(tier) || listKeys(tier).length === 0) && isValid(tier);
      },
    }),
  };
});

/** Creates an index of tiers by their keys. The first tier with a key stays. */
function createIndex(tiers: readonly Tier[], listKeys: IndexUse['listKeys']): TierIndex {
  return new Map(tiers.toReversed().flatMap((tier) => listKeys(tier).map((key) => [key, tier] as const)));
}

/** An index that has no tier at all. What it would have is not shown where nothing is found. */
const findsNothingSuffix = '-finds-nothing';

const emptyIndexMistakes: readonly StructuralMistake[] = [
  createFilterMistake(
    `campaign-filter${findsNothingSuffix}`,
    'A filter by promotion_id finds nothing.',
    'promotion_id',
    () => ({
      inCampaign: () => false,
    }),
  ),
  createFilterMistake(
    `metadata-filter${findsNothingSuffix}`,
    'A filter by tier metadata finds nothing.',
    'metadata',
    () => ({
      hasMetadata: () => false,
    }),
  ),
];

export function isOfEmptyIndex({ id }: StructuralMistake): boolean {
  return id.endsWith(findsNothingSuffix);
}

export const singleTierMistakes: readonly StructuralMistake[] = [
  ...emptyIndexMistakes,
  ...[...filterUses, ...ruleUses].flatMap(({ id, words, field, listKeys, change }) =>
    choices.map(([choice, chosen, sort]): StructuralMistake => {
      const getIndex = cacheByObject(({ tiers }: Catalogue) => createIndex(sort(tiers), listKeys));
      const ofChoice: Change = (handlers, { catalogue }) => change(() => getIndex(catalogue), handlers);
      const [mistakeId, sentence] = [`${id}-the-${choice}`, `${words} ${chosen}.`];
      return field === undefined
        ? createLossMistake(mistakeId, sentence, ofChoice)
        : createFilterMistake(mistakeId, sentence, field, ofChoice);
    }),
  ),
];
