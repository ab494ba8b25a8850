import { createDecider } from './decider.js';
import type { DeploymentFacts, FilterHandlers, HandlerLookup, TierTest } from './handlers.js';
import type { CampaignFilter, Filter, MetadataFilter } from './parsed-request.js';

export function createFilterHandlers(
  handlers: HandlerLookup,
  { catalogue, behaviours }: DeploymentFacts,
): FilterHandlers {
  const inQuery = createDecider(behaviours, 'invalid_query_params');

  return {
    restriction({ filters }) {
      const byCampaign = filters.filter((filter) => filter.field === 'promotion_id');
      const byMetadata = filters.filter((filter) => filter.field === 'metadata');
      const campaignTests = () => testOfAll(byCampaign, 'filter-repeated', campaignTest);
      const metadataTests = () => testOfAll(byMetadata, 'filter-two-metadata-keys', metadataTest);
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

    inCampaign: (tier, id) => tier.campaign_id === id,

    hasMetadata(tier, key, value) {
      const entry = tier.metadata[key];
      return isComparable(typeof entry) && String(entry) === value;
    },
  };

  /** Several filters of one field as one test. */
  function testOfAll<F extends Filter>(
    filters: readonly F[],
    question: 'filter-repeated' | 'filter-two-metadata-keys',
    testOf: (filter: F) => TierTest | undefined,
  ): TierTest | undefined {
    if (filters.length < 2) return joined(filters.map(testOf), 'every');
    switch (inQuery(question, 'filters')) {
      case 'intersection':
        return joined(filters.map(testOf), 'every');
      case 'union':
        return joined(filters.map(testOf), 'some');
      case 'first-wins':
        return joined(filters.slice(0, 1).map(testOf), 'every');
      case 'last-wins':
        return joined(filters.slice(-1).map(testOf), 'every');
      case 'ignored':
        return undefined;
    }
  }

  function campaignTest({ operator, value }: CampaignFilter): TierTest | undefined {
    if (value === '') {
      inQuery('filter-empty-value', 'promotion_id');
      return undefined;
    }
    if (catalogue.campaigns.has(value)) return when(operator, (tier) => handlers().inCampaign(tier, value));
    const campaign = catalogue.campaignOfTier.get(value);
    if (campaign === undefined) {
      inQuery('filter-unknown-campaign', 'promotion_id');
      return undefined;
    }
    switch (inQuery('filter-tier-id-as-promotion-id', 'promotion_id')) {
      case 'that-tier':
        return when(operator, (tier) => tier.id === value);
      case 'its-campaign':
        return when(operator, (tier) => handlers().inCampaign(tier, campaign));
      case 'ignored':
        return undefined;
    }
  }

  function metadataTest({ key, operator, value }: MetadataFilter): TierTest | undefined {
    if (value === '') {
      inQuery('filter-empty-value', `metadata.${key}`);
      return undefined;
    }
    const entries = entriesCalled(key, value);
    if (entries === undefined) return undefined;
    return when(operator, (tier) => entries.some((entry) => handlers().hasMetadata(tier, entry[0], entry[1])));
  }

  /** The metadata entries that a filter means; `undefined` when it is to be ignored. */
  function entriesCalled(key: string, value: string): readonly Entry[] | undefined {
    const types = catalogue.metadata.get(key)?.get(value);
    if (types !== undefined) {
      if (types.has('boolean') || types.has('number')) inQuery('filter-metadata-typing', `metadata.${key}`);
      return [[key, value]];
    }
    // Letter case matters only where no entry is spelled as the filter is: an exact entry must never be mixed up with another.
    const spellings = entriesSpelledLike(key, value);
    return spellings.length > 0 ? chooseSpellings(spellings, key, value) : entriesSpelledLikeNone(key, value);
  }

  /** The entries that a filter means if none is spelled like it; `undefined` when it is to be ignored. */
  function entriesSpelledLikeNone(key: string, value: string): readonly Entry[] | undefined {
    if (catalogue.metadata.has(key)) return [[key, value]];
    inQuery('filter-unknown-metadata-key', `metadata.${key}`);
    return undefined;
  }

  /** The entries that a filter means of those that differ from it in letter case alone; `undefined` when it is to be ignored. */
  function chooseSpellings(spellings: readonly Entry[], key: string, value: string): readonly Entry[] | undefined {
    const folding = inQuery('filter-letter-case', `metadata.${key}`);
    const ignoresKeyCase = folding === 'ignored-in-both' || folding === 'ignored-in-key';
    const ignoresValueCase = folding === 'ignored-in-both' || folding === 'ignored-in-value';
    const ofKey = spellings.filter(([otherKey]) => otherKey === key || ignoresKeyCase);
    // Where letter case matters, a key in other letters is an unknown key, and a value in other letters one that no tier has.
    if (ofKey.length === 0) return entriesSpelledLikeNone(key, value);
    const meant = ofKey.filter(([, otherValue]) => otherValue === value || ignoresValueCase);
    return meant.length > 0 ? meant : [[key, value]];
  }

  /** The entries that differ from a filter in letter case at most. */
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

function when(operator: Filter['operator'], test: TierTest): TierTest {
  return operator === '$is' ? test : (tier) => !test(tier);
}

/** Several tests as one; what is ignored restricts nothing. */
function joined(tests: readonly (TierTest | undefined)[], how: 'every' | 'some'): TierTest | undefined {
  const restricting = tests.filter((test) => test !== undefined);
  return restricting.length < 2 ? restricting[0] : (tier) => restricting[how]((test) => test(tier));
}

function isSameFolded(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
