import type { Tier } from '../../src/contract/world.js';
import { EarlyResponse } from '../deployment/early-response.js';
import type { ParsedRequest } from '../deployment/parsed-request.js';

/** Finds tiers. That a filter leaves none is a result, too, and not the end of the request. */
export function orNothing(find: (request: ParsedRequest) => readonly Tier[]): typeof find {
  return (request) => {
    try {
      return find(request);
    } catch (early) {
      if (early instanceof EarlyResponse && early.content === 'no-promotions') return [];
      throw early;
    }
  };
}
