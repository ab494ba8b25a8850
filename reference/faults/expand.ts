import type { Tier } from '../../src/contract/world.js';
import type { DeploymentFacts } from '../deployment/handlers.js';
import type { Fault } from './fault.js';

/** How many rows a tier has once it is joined with the categories of its campaign. */
function countRows({ campaign_id }: Tier, { campaigns }: DeploymentFacts['catalogue']): number {
  return campaigns.get(campaign_id)?.category_ids.length ?? 0;
}

/** What a join of tiers with categories does to the result. */
export const expandFaults: readonly Fault[] = [
  {
    id: 'expand-keeps-one-tier-per-category',
    breaks: 'options.expand-category',
    story: 'With expand, the tiers are joined with categories, and duplicates are removed by the wrong column.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const categoryOf = ({ campaign_id }: Tier) => catalogue.campaigns.get(campaign_id)?.category_ids[0];
        const tiers = handlers.select(request);
        if (request.expand.length === 0) return tiers;
        return tiers.filter((tier, n) => tiers.findIndex((found) => categoryOf(found) === categoryOf(tier)) === n);
      },
    }),
  },
  {
    id: 'expand-loses-tiers-without-category',
    breaks: 'options.expand-category',
    story: 'With expand, tiers are joined with categories, and those whose campaign has none disappear.',
    sentence: 'With expand, promotions of campaigns without a category are missing.',
    change: (handlers, { catalogue }) => ({
      select: (request) =>
        handlers.select(request).filter((tier) => request.expand.length === 0 || countRows(tier, catalogue) > 0),
    }),
  },
  {
    id: 'expand-limits-rows',
    breaks: 'options.expand-category',
    story: 'With expand, tiers are joined with categories, and the limit counts the rows of the join.',
    sentence:
      'With expand, fewer promotions are checked: the limit counts a promotion once for each of its categories.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const selected = handlers.select(request);
        if (request.expand.length === 0) return selected;
        let rows = 0;
        const checked = catalogue.tiers.filter((tier) => {
          rows += Math.max(1, countRows(tier, catalogue));
          return rows <= 150;
        });
        return selected.filter((tier) => checked.includes(tier));
      },
    }),
  },
  {
    id: 'tiers-without-category-left-out',
    breaks: 'result.all-valid',
    story: 'The query for the tiers joins categories, and campaigns without one are lost.',
    sentence: 'Promotions of campaigns without a category are missing.',
    change: (handlers, { catalogue }) => ({
      select: (request) => handlers.select(request).filter((tier) => countRows(tier, catalogue) > 0),
    }),
  },
];
