import type { Oracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Tier } from '../world/world.js';
import { type NamedWorld, windowSize } from '../world/world-file.js';
import type { Check } from './case.js';

/** What a row, or a question, asks and claims. */
interface Claiming {
  readonly requests: ReadonlyMap<string, HttpRequest>;
  readonly checks: readonly Check[];
  readonly promises: ReadonlyMap<string, Oracle>;
  /** A question asks for whatever comes; a requirement rests on what is promised. */
  readonly mode: 'requirement' | 'question';
}

/**
 * What a row needs of the world and the deployment does not hold: what its requests name, the tiers that its checks
 * name, and whatever else must be there for its checks to be sound. Each by kind and name, as in `customer ann`.
 */
export function missingFor(claiming: Claiming, { world, unavailable }: NamedWorld): string[] {
  if (unavailable.size === 0) return [];
  const { requests, checks, promises, mode } = claiming;
  const isLacked = (id: string) => (unavailable.get(id)?.lacking.length ?? 0) > 0;
  const byId = new Map(world.tiers.map((tier, index) => [tier.id, { tier, rank: index + 1 }]));
  const newest = world.tiers.slice(0, windowSize);
  const everything = world.tiers.filter(({ id }) => !isLacked(id));

  /** Where only its age speaks against a tier, the deployment must hold as many newer ones as the document says. */
  const restsOnWindow = (id: string, promised: Oracle | undefined): boolean => {
    const found = byId.get(id);
    if (found === undefined || promised === undefined || found.rank <= windowSize) return false;
    return promised.valid(found.tier) !== 'no' && promised.matching(found.tier) !== 'no';
  };
  const named = (ids: readonly string[], promised: Oracle | undefined): Tier[] => [
    ...ids.flatMap((id) => byId.get(id)?.tier ?? []),
    ...(ids.some((id) => restsOnWindow(id, promised)) ? newest : []),
  ];
  const neededBy = (check: Check): Tier[] => {
    if (check.claim === 'any-of') return check.alternatives.flat().flatMap(neededBy);
    const promised = promises.get(check.of);
    switch (check.claim) {
      case 'include':
        return named(check.tiers, promised);
      case 'exclude': {
        // What a deployment cannot hold is certainly not returned, so the others show as much without it.
        const possible = check.tiers.filter((id) => !isLacked(id));
        return named(possible.length > 0 ? possible : check.tiers, promised);
      }
      case 'exactly':
        return world.tiers.filter(({ id }) => !check.may.has(id));
      case 'status': {
        if (mode === 'question') return [];
        // That a request is accepted rests on there being something to return.
        const something = world.tiers.filter((tier) => promised?.returned(tier) === 'yes');
        if (something.some(({ id }) => !unavailable.has(id))) return [];
        return something.length > 0 ? something : everything;
      }
      case 'differs-from': {
        const other = promises.get(check.other);
        const telling = world.tiers.filter((tier) => {
          const both = [promised?.returned(tier), other?.returned(tier)];
          return both.includes('yes') && both.includes('no');
        });
        return mode === 'requirement' && telling.length > 0 ? telling : everything;
      }
      case 'same-as':
      case 'within':
      case 'something':
      case 'nothing':
      case 'at-most':
      case 'ordered':
        return everything;
      default:
        return [];
    }
  };
  const texts = JSON.stringify([[...requests.values()], mentionedIn(checks)]);
  const tiers = new Set(checks.flatMap(neededBy).map(({ id }) => id));
  return [...unavailable]
    .filter(([id]) => tiers.has(id) || texts.includes(id))
    .map(([, { kind, name }]) => `${kind} ${name}`);
}

function mentionedIn(checks: readonly Check[]): string[] {
  return checks.flatMap((check) => {
    if (check.claim === 'any-of') return mentionedIn(check.alternatives.flat());
    return check.claim === 'mentions' || check.claim === 'mentions-not' ? check.texts : [];
  });
}
