/**
 * Responses may name promotions under several paths that disagree, such as a list and the best of it. If only one path agrees
 * with the documentation in all first responses of a run, it names what was returned. The requests of the cases decide
 * nothing: otherwise each case could choose the path by which it passes.
 */

import { createOracle } from '../contract/oracle.js';
import { listAvailableTiers, type TargetWorld } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { mergeNestingLevels } from '../recognition/path-normalization.js';
import {
  type AmbiguousTierPaths,
  doPatternsNameSameTiers,
  type ReturnedTierPaths,
} from '../recognition/returned-tier-paths.js';
import type { TierMentions } from '../recognition/tier-mentions.js';
import { catchAllPath } from '../recognition/walk-texts.js';
import { cacheByObject } from '../support/caches.js';

/** A successful response, by what it names. */
export interface RequestWithMentions {
  readonly request: HttpRequest;
  readonly mentions: TierMentions;
}

/** How a path agrees with the documentation in all first responses. */
interface Comparison {
  readonly namesAny: boolean;
  readonly lacksRequired: boolean;
  readonly namesForbidden: boolean;
}

/**
 * Returns undefined if no path agrees, or several that name different tiers.
 *
 * @param first the first responses of the run @param all those that were read, with the first ones
 */
export function proveReturnedTierPaths(
  found: AmbiguousTierPaths,
  first: readonly RequestWithMentions[],
  all: readonly TierMentions[],
  world: TargetWorld,
): ReturnedTierPaths | undefined {
  const { patterns, nestedPaths = new Map<string, string>(), hasIdsInTexts, mayFoldCase } = found;
  if (patterns.includes(catchAllPath)) return undefined;
  const merged = first.map(({ request, mentions }) => ({
    ...getDocumented(world)(request),
    named: mergeNestingLevels(mentions.idsByPattern, nestedPaths),
  }));
  const compared = patterns.map((pattern) => ({ pattern, ...comparePath(pattern, merged) }));
  const fitting = compared.filter((path) => path.namesAny && !path.lacksRequired && !path.namesForbidden);
  const agreeing = fitting.map(({ pattern }) => pattern);
  const bodies = all.map(({ idsByPattern }) => idsByPattern);
  if (agreeing.length === 0 || !doPatternsNameSameTiers(agreeing, bodies, nestedPaths)) return undefined;
  // What fits no better for lack of mentions is not refuted.
  const others = compared.filter(({ pattern }) => !agreeing.includes(pattern));
  if (others.some(({ lacksRequired, namesForbidden }) => !lacksRequired && !namesForbidden)) return undefined;
  const list = (refuted: readonly { readonly pattern: string }[]) => new Set(refuted.map(({ pattern }) => pattern));
  return {
    kind: 'agreed',
    patterns: agreeing,
    refuted: {
      incomplete: list(others.filter((path) => !path.namesForbidden)),
      wrong: list(others.filter((path) => path.namesForbidden)),
    },
    nestedPaths: found.nestedPaths,
    hasIdsInTexts,
    mayFoldCase,
  };
}

type DocumentedResponse = ReturnType<ReturnType<typeof getDocumented>> & {
  readonly named: ReadonlyMap<string, readonly string[]>;
};

function comparePath(pattern: string, responses: readonly DocumentedResponse[]): Comparison {
  const named = responses.map((response) => ({ ...response, ids: new Set(response.named.get(pattern)) }));
  return {
    namesAny: named.some(({ ids }) => ids.size > 0),
    lacksRequired: named.some(({ ids, required }) => required.some((id) => !ids.has(id))),
    namesForbidden: named.some(({ ids, forbidden }) => [...ids].some((id) => forbidden.has(id))),
  };
}

/** Every case has the same first requests. */
const getDocumented = cacheByObject((world: TargetWorld) => {
  const tiers = listAvailableTiers(world);
  return cacheByObject((request: HttpRequest) => {
    const { returned } = createOracle(request, world);
    const list = (wanted: string) => tiers.flatMap((tier) => (returned(tier) === wanted ? tier.id : []));
    return { required: list('required'), forbidden: new Set(list('forbidden')) };
  });
});
