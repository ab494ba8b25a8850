import { type Asked, type Filter, waived } from './asked.js';
import { decider } from './decide.js';
import type { Parts, Setting, TierTest } from './parts.js';
import { returnNothing } from './stop.js';

/** So many of the newest tiers are checked. */
const windowSize = 150;

type Eligibility = Pick<
  Parts,
  | 'newest'
  | 'restriction'
  | 'campaignTest'
  | 'metadataTest'
  | 'inCampaign'
  | 'hasMetadata'
  | 'candidates'
  | 'audience'
  | 'isValid'
  | 'holds'
  | 'customerRule'
  | 'productRule'
  | 'skuRule'
  | 'orderMetadataRule'
  | 'metadataRule'
  | 'isEnough'
  | 'select'
>;

/** The parts that find out which tiers a request is to be answered with. */
export function eligibility(parts: Parts, { catalogue, behaviours }: Setting): Eligibility {
  const inQuery = decider(behaviours, 'invalid_query_params');

  return {
    newest: (tiers) => tiers.slice(0, windowSize),

    restriction({ filters }) {
      const byCampaign = filters.filter((filter) => filter.field === 'promotion_id');
      const byMetadata = filters.filter((filter) => filter.field === 'metadata');
      const campaignTests = () => testOfAll(byCampaign, 'filter-repeated', parts.campaignTest);
      const metadataTests = () => testOfAll(byMetadata, 'filter-two-metadata-keys', parts.metadataTest);
      if (byMetadata.length === 0) return campaignTests();
      if (byCampaign.length === 0) return metadataTests();
      switch (inQuery('filter-combination', 'filters')) {
        case 'intersection':
          return joined([campaignTests(), metadataTests()], 'every');
        case 'union':
          return joined([campaignTests(), metadataTests()], 'some');
        case 'promotion-id-wins':
          return campaignTests();
        case 'metadata-wins':
          return metadataTests();
      }
    },

    campaignTest({ operator, value }) {
      if (value === '') {
        inQuery('filter-empty-value', 'promotion_id');
        return undefined;
      }
      if (catalogue.campaigns.has(value)) return when(operator, (tier) => parts.inCampaign(tier, value));
      const campaign = catalogue.campaignOfTier.get(value);
      if (campaign === undefined) {
        inQuery('filter-unknown-campaign', 'promotion_id');
        return undefined;
      }
      switch (inQuery('filter-tier-id-as-promotion-id', 'promotion_id')) {
        case 'that-tier':
          return when(operator, (tier) => tier.id === value);
        case 'its-campaign':
          return when(operator, (tier) => parts.inCampaign(tier, campaign));
        case 'ignored':
          return undefined;
      }
    },

    metadataTest({ key, operator, value }) {
      if (value === '') {
        inQuery('filter-empty-value', `metadata.${key}`);
        return undefined;
      }
      const entries = entriesCalled(key, value);
      if (entries === undefined) return undefined;
      return when(operator, (tier) => entries.some((entry) => parts.hasMetadata(tier, ...entry)));
    },

    inCampaign: (tier, id) => tier.campaign_id === id,

    hasMetadata(tier, key, asked) {
      const entry = tier.metadata[key];
      return isComparable(typeof entry) && String(entry) === asked;
    },

    candidates(asked) {
      const test = parts.restriction(asked);
      if (test === undefined) return parts.newest(catalogue.tiers);
      if (behaviours['filter-beyond-window'] === 'filter-first') return parts.newest(catalogue.tiers.filter(test));
      const found = parts.newest(catalogue.tiers).filter(test);
      if (found.length === 0 && catalogue.tiers.some(test)) {
        inQuery('filter-beyond-window', 'filters');
        returnNothing();
      }
      return found;
    },

    audience(asked) {
      if (!asked.audienceRulesOnly) return { asked, admits: always };
      const waiving: Asked = { ...asked, tally: waived, orderMetadata: waived, metadata: waived };
      switch (inQuery('audience-rules-only-effect', 'audienceRulesOnly')) {
        case 'skips-order-rules':
          return { asked: waiving, admits: always };
        case 'skips-all-rules':
          return { asked: { ...waiving, customer: waived }, admits: always };
        case 'audience-tiers-only':
          return { asked: waiving, admits: ({ rules }) => rules.some(({ kind }) => kind === 'customer') };
        case 'no-effect':
          return { asked, admits: always };
      }
    },

    isValid: (tier, asked) => tier.rules.every((rule) => parts.holds(rule, asked)),

    holds(rule, asked) {
      switch (rule.kind) {
        case 'customer':
          return parts.customerRule(rule, asked);
        case 'product':
          return parts.productRule(rule, asked);
        case 'sku':
          return parts.skuRule(rule, asked);
        case 'order_metadata':
          return parts.orderMetadataRule(rule, asked);
        case 'metadata':
          return parts.metadataRule(rule, asked);
      }
    },

    customerRule: ({ any_of }, { customer }) =>
      customer.kind === 'waived' || (customer.value !== undefined && any_of.includes(customer.value)),

    productRule: ({ id, at_least }, { tally }) =>
      tally.kind === 'waived' || parts.isEnough(tally.value.product.get(id) ?? 0, at_least),

    skuRule: ({ id, at_least }, { tally }) =>
      tally.kind === 'waived' || parts.isEnough(tally.value.sku.get(id) ?? 0, at_least),

    orderMetadataRule({ key, includes }, { orderMetadata, turn }) {
      if (orderMetadata.kind === 'waived') return true;
      const values = orderMetadata.value[key];
      const holds = {
        applied: Array.isArray(values) && values.includes(includes),
        ignored: true,
        'never-satisfied': false,
      }[behaviours['order-metadata-rules']];
      // What these rules do is not documented, so a deployment may waver here without breaking a requirement.
      return turn === 'second' && behaviours.repeatability === 'different-promotions' ? !holds : holds;
    },

    metadataRule: ({ key, is }, { metadata }) => metadata.kind === 'waived' || metadata.value[key] === is,

    isEnough: (held, atLeast) => held >= atLeast,

    select(asked) {
      const audience = parts.audience(asked);
      return parts.candidates(asked).filter((tier) => audience.admits(tier) && parts.isValid(tier, audience.asked));
    },
  };

  /** Several filters of one field as one test. */
  function testOfAll<F extends Filter>(
    filters: readonly F[],
    question: 'filter-repeated' | 'filter-two-metadata-keys',
    testOf: (filter: F) => TierTest | undefined,
  ): TierTest | undefined {
    const different = [...new Map(filters.map((filter) => [JSON.stringify(filter), filter])).values()];
    if (different.length < 2) return joined(different.map(testOf), 'every');
    switch (inQuery(question, 'filters')) {
      case 'intersection':
        return joined(different.map(testOf), 'every');
      case 'union':
        return joined(different.map(testOf), 'some');
      case 'first-wins':
        return joined(different.slice(0, 1).map(testOf), 'every');
      case 'last-wins':
        return joined(different.slice(-1).map(testOf), 'every');
      case 'ignored':
        return undefined;
    }
  }

  /** The metadata entries that a filter means; `undefined` when it is to be ignored. */
  function entriesCalled(key: string, value: string): readonly Entry[] | undefined {
    const types = catalogue.metadata.get(key)?.get(value);
    if (types !== undefined) {
      if (types.has('boolean') || types.has('number')) inQuery('filter-metadata-typing', `metadata.${key}`);
      if (![...types].some(isComparable)) returnNothing();
      return [[key, value]];
    }
    const spellings = entriesSpelledLike(key, value);
    // Letter case is looked at only where nothing is spelled exactly so: what is asked for must never be mixed up.
    if (spellings.length > 0) {
      const folding = inQuery('filter-letter-case', `metadata.${key}`);
      const meant = spellings.filter(
        ([otherKey, otherValue]) =>
          (otherKey === key || folding === 'ignored-in-both' || folding === 'ignored-in-key') &&
          (otherValue === value || folding === 'ignored-in-both' || folding === 'ignored-in-value'),
      );
      if (meant.length === 0) returnNothing();
      return meant;
    }
    if (catalogue.metadata.has(key)) return [[key, value]];
    inQuery('filter-unknown-metadata-key', `metadata.${key}`);
    return undefined;
  }

  function entriesSpelledLike(key: string, value: string): Entry[] {
    return [...catalogue.metadata]
      .filter(([otherKey]) => isSameFolded(otherKey, key))
      .flatMap(([otherKey, texts]) =>
        [...texts.keys()].filter((text) => isSameFolded(text, value)).map((text): Entry => [otherKey, text]),
      );
  }

  /** Whether an entry of this type compares with the text of a filter. */
  function isComparable(type: string): boolean {
    const typing = behaviours['filter-metadata-typing'];
    if (type === 'boolean') return typing === 'by-text' || typing === 'booleans-only';
    if (type === 'number') return typing === 'by-text' || typing === 'numbers-only';
    return type === 'string';
  }
}

type Entry = readonly [key: string, text: string];

const always = (): boolean => true;

function when(operator: Filter['operator'], test: TierTest): TierTest {
  return operator === '$is' ? test : (tier) => !test(tier);
}

/** Several tests as one; what is ignored restricts nothing. */
function joined(tests: readonly (TierTest | undefined)[], how: 'every' | 'some'): TierTest | undefined {
  const restricting = tests.filter((test) => test !== undefined);
  return restricting.length === 0 ? undefined : (tier) => restricting[how]((test) => test(tier));
}

function isSameFolded(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
