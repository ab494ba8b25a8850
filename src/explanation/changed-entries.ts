/** Lists what the entry of a promotion in a data file may be in the deployment, from the requests that returned the promotion. */

import { parseFilterParameter } from '../contract/operation.js';
import type { DocumentedRequestBody } from '../contract/oracle.js';
import type { Tier, TierRule } from '../contract/world.js';
import type { DecodedRequest } from '../http/decoded-request.js';

export interface EntryChange {
  readonly entry: Tier;
  /** What differs from the entry in the data file: "one more rule of the kind sku". */
  readonly words: readonly string[];
}

/**
 * Lists entries with changes, those with the fewest first. The first one has none: with fewer promotions in the deployment, more of
 * the file are among the newest.
 *
 * @param returning the requests that returned the promotion
 */
export function listChangedEntries(tier: Tier, returning: readonly DecodedRequest[]): EntryChange[] {
  const kept: EntryChange = { entry: tier, words: [] };
  const ofRules = [kept, ...listWithFewerRules(tier)].flatMap((change) => [change, ...addRules(change, returning)]);
  const changed = [...ofRules, ...listWithOtherFilterTexts(tier, returning)];
  return changed.toSorted((left, right) => left.words.length - right.words.length);
}

/** More rules are left out alone, and all at once: the number of combinations doubles with each. */
const maxCombined = 4;

function listWithFewerRules(tier: Tier): EntryChange[] {
  const { rules } = tier;
  const alone = rules.map((rule) => [rule]);
  const combinations = rules.length > maxCombined ? [...alone, rules] : listCombinations(rules);
  return combinations.map((left) => ({
    entry: { ...tier, rules: rules.filter((rule) => !left.includes(rule)) },
    words: left.map(describeLess),
  }));
}

/** Lists all selections of at least one rule. */
function listCombinations(rules: readonly TierRule[]): TierRule[][] {
  const [first, ...others] = rules;
  if (first === undefined) return [];
  const ofOthers = listCombinations(others);
  return [[first], ...ofOthers, ...ofOthers.map((left) => [first, ...left])];
}

function addRules({ entry, words }: EntryChange, returning: readonly DecodedRequest[]): EntryChange[] {
  return listMetRules(returning).map((rule) => {
    const isReplaced = words.length === 1 && words[0] === describeLess(rule);
    return {
      entry: { ...entry, rules: [...entry.rules, rule] },
      words: isReplaced
        ? [`another rule of the kind ${rule.kind}`]
        : [...words, `one more rule of the kind ${rule.kind}`],
    };
  });
}

function describeLess({ kind }: TierRule): string {
  return `one rule of the kind ${kind} less`;
}

/** Lists the strictest rules that all requests meet which returned the promotion. */
function listMetRules(returning: readonly DecodedRequest[]): TierRule[] {
  const bodies = returning.map(({ body }) => (body ?? {}) as DocumentedRequestBody);
  const customers = new Set(bodies.flatMap(({ customer }) => customer?.id ?? []));
  const entries = listShared(bodies.map(({ metadata = {} }) => Object.entries(metadata)));
  const ofItems = (kind: 'product' | 'sku'): TierRule[] => {
    const orders = bodies.map(({ order }) =>
      (order?.items ?? []).flatMap((item): [string, number][] => {
        const id = kind === 'product' ? item.product_id : item.sku_id;
        return id === undefined ? [] : [[id, item.quantity ?? 1]];
      }),
    );
    const ids = listShared(orders.map((items) => items.map(([id]) => id)));
    return ids.map((id) => {
      const totals = orders.map((items) => sumQuantities(items.filter(([ordered]) => ordered === id)));
      return { kind, id, at_least: Math.min(...totals) };
    });
  };
  return [
    ...(customers.size === 0 ? [] : [{ kind: 'customer' as const, any_of: [...customers] }]),
    ...ofItems('product'),
    ...ofItems('sku'),
    ...entries.map(([key, is]): TierRule => ({ kind: 'metadata', key, is })),
  ];
}

function sumQuantities(items: readonly (readonly [id: string, quantity: number])[]): number {
  return items.reduce((sum, [, quantity]) => sum + quantity, 0);
}

/** Lists what is in all lists. */
function listShared<T>(lists: readonly (readonly T[])[]): T[] {
  const [first = [], ...others] = lists.map((list) => new Map(list.map((value) => [JSON.stringify(value), value])));
  return [...new Map(first)].flatMap(([key, value]) => (others.every((other) => other.has(key)) ? [value] : []));
}

/** Lists entries with the metadata, or of the campaign, that filters asked for which returned the promotion. */
function listWithOtherFilterTexts(tier: Tier, returning: readonly DecodedRequest[]): EntryChange[] {
  const filters = returning.flatMap(({ query }) =>
    query.flatMap(([name, value]) => {
      const subject = parseFilterParameter(name);
      return subject === undefined ? [] : [{ subject, value }];
    }),
  );
  const changes = filters.map(({ subject, value }): EntryChange => {
    if (subject.on === 'campaign') return { entry: { ...tier, campaign_id: value }, words: ['another campaign'] };
    const metadata = { ...tier.metadata, [subject.key]: value };
    return { entry: { ...tier, metadata }, words: [`another value of the metadata '${subject.key}'`] };
  });
  const lacking = Object.keys(tier.metadata).map((key): EntryChange => {
    const metadata = Object.fromEntries(Object.entries(tier.metadata).filter(([name]) => name !== key));
    return { entry: { ...tier, metadata }, words: [`no metadata '${key}'`] };
  });
  const elsewhere: EntryChange = { entry: { ...tier, campaign_id: '' }, words: ['another campaign'] };
  const byEntry = new Map([...changes, ...lacking, elsewhere].map((change) => [JSON.stringify(change.entry), change]));
  byEntry.delete(JSON.stringify(tier));
  return [...byEntry.values()];
}
