/** Mistakes about texts: filters, and rules about metadata. */

import type { NamedWorld } from '../../contract/named-world.js';
import { requireIf } from '../../contract/oracle.js';
import type { Tier } from '../../contract/world.js';
import { type Change, decideRules, type Mistake, type ReadRequest, remember } from './prediction.js';

/** Compares what was sent with what a promotion has. */
type CompareTexts = (sent: string, held: string) => boolean;

/** How texts may be compared. The words continue "… compares wrongly:". */
const textComparisons: Readonly<Record<string, readonly [words: string, compare: CompareTexts]>> = {
  part: ['a part of the value is enough', (sent, held) => held.includes(sent)],
  'part-of-sent': ['the value may be a part of what is sent', (sent, held) => sent.includes(held)],
  prefix: ['the beginning of the value is enough', (sent, held) => held.startsWith(sent)],
  'prefix-of-sent': ['the value may be the beginning of what is sent', (sent, held) => sent.startsWith(held)],
  trimmed: ['white space at the ends does not count', (sent, held) => sent.trim() === held.trim()],
  numbers: ['numbers in other spellings are equal', (sent, held) => held !== '' && Number(sent) === Number(held)],
  'letter-case': ['letter case is ignored', (sent, held) => sent.toLowerCase() === held.toLowerCase()],
  accents: ['accents are ignored', (sent, held) => stripAccents(sent) === stripAccents(held)],
  key: ['the key alone decides, and any value matches', () => true],
};

function stripAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

const filterKinds: Readonly<Record<string, readonly [name: string, on: readonly ('campaign' | 'metadata')[]]>> = {
  'promotion-id-filter': ['The filter by promotion_id', ['campaign']],
  'tier-metadata-filter': ['The filter by tier metadata', ['metadata']],
  filter: ['Every filter', ['campaign', 'metadata']],
};

export function listFilterMistakes(world: NamedWorld): Mistake[] {
  return Object.entries(filterKinds).flatMap(([id, [name, on]]) => [
    {
      id: `${id}-ignored`,
      sentence: `${name} is ignored: promotions that do not match are returned.`,
      change: compareFilters(on, () => true, world),
    },
    {
      id: `${id}-unmet`,
      sentence: `${name} matches nothing: promotions that match are not returned.`,
      change: compareFilters(on, () => false, world),
    },
    {
      id: `${id}-inverted`,
      sentence: `${name} says what is left out: promotions that do not match are returned, and others are not.`,
      change: compareFilters(on, (sent, held) => sent !== held, world),
    },
  ]);
}

/** Mistakes about entries of metadata; one side may lack the key. */
const entryComparisons: Readonly<Record<string, readonly [words: string, compare: CompareEntry]>> = {
  ...Object.fromEntries(
    Object.entries(textComparisons).map(([id, [words, compare]]) => [
      id,
      [
        words,
        (sent: string | undefined, held: string | undefined) =>
          sent !== undefined && held !== undefined && (sent === held || compare(sent, held)),
      ],
    ]),
  ),
  value: ['the value alone decides, under any key', (_, __, isAnywhere) => isAnywhere],
  'missing-key': [
    'a missing key matches, too',
    (sent, held) => sent === undefined || held === undefined || held === sent,
  ],
};

/** @param isAnywhere whether the value is found under any key */
type CompareEntry = (sent: string | undefined, held: string | undefined, isAnywhere: boolean) => boolean;

export function listTextMistakes(world: NamedWorld): Mistake[] {
  return Object.entries(entryComparisons).flatMap(([id, [words, compare]]) => [
    {
      id: `tier-metadata-filter-compared/${id}`,
      sentence: `The filter by tier metadata compares wrongly: ${words}.`,
      change: compareFilters(['metadata'], compare, world),
    },
    {
      id: `metadata-rules-compared/${id}`,
      sentence: `Rules about metadata compare wrongly: ${words}.`,
      change: decideRules((rule, { metadata = {} }) => {
        if (rule.kind !== 'metadata') return undefined;
        const sent = metadata[rule.key];
        const isAnywhere = Object.values(metadata).includes(rule.is);
        return requireIf(compare(typeof sent === 'string' ? sent : undefined, rule.is, isAnywhere));
      }),
    },
  ]);
}

function compareFilters(
  on: readonly ('campaign' | 'metadata')[],
  compare: CompareEntry,
  { tiers }: NamedWorld,
): Change {
  // The documentation leaves some comparisons open, such as those of other letter case. A deployment may treat them apart.
  const hasOpenMatch = remember(({ oracle }: ReadRequest) => tiers.some((tier) => oracle.matching(tier) === 'open'));
  const isMatch = ({ campaign_id, metadata }: Tier, filter: ReadRequest['filters'][number]) => {
    if (filter.on === 'campaign') return compare(filter.value, campaign_id, filter.value === campaign_id);
    const held = Object.hasOwn(metadata, filter.key) ? String(metadata[filter.key]) : undefined;
    return compare(filter.value, held, Object.values(metadata).map(String).includes(filter.value));
  };
  return (before) => ({
    ...before,
    matching: (tier, request) => {
      const { filters, oracle } = request;
      const [filter] = filters.filter((sent) => on.includes(sent.on));
      if (filter === undefined) return before.matching(tier, request);
      // How several filters are combined is open.
      const isAnyMatch = () => filters.some((sent) => on.includes(sent.on) && isMatch(tier, sent));
      if (filters.length > 1) return isAnyMatch() ? 'open' : before.matching(tier, request);
      const matches = isMatch(tier, filter);
      const isOpen =
        oracle.openReason === undefined ? hasOpenMatch(request) : matches || oracle.matching(tier) === 'open';
      return isOpen ? 'open' : requireIf(matches);
    },
  });
}
