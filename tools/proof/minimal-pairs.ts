import { createDeployment } from '../../reference/deployment.js';
import { keyDetails } from '../../reference/key-places.js';
import { keyMistakes, orNothing, textOf } from '../../reference/mistakes/cache-keys.js';
import { findInvisibility } from '../../reference/mistakes/find-invisibility.js';
import { type ParsedRequest, waived } from '../../reference/parsed-request.js';
import type { Suite } from '../../src/cases/suite.js';
import { createOracle } from '../../src/contract/oracle.js';
import { createPlan } from '../../src/run/plan.js';
import { inProcessCredentials } from './judge-deployment.js';
import { renderTable } from './proof.js';

/** How often the result of an earlier request is wrong for a later one that differs in one part of the request alone. */
export interface MinimalPairs {
  readonly part: string;
  /** How the key of a cache has that part, so that the requests have one key. */
  readonly mistake: string;
  /** Pairs whose earlier result has a promotion that the later one must not have. */
  readonly withMore: number;
  /** Pairs whose earlier result lacks a promotion that the later one must have. */
  readonly withLess: number;
}

/** Counts the minimal pairs of a default run, without those that no run can show. */
export function countMinimalPairs(suite: Suite): MinimalPairs[] {
  const requests = listReadRequests(suite);
  return keyDetails.flatMap(({ id, kind, rewrite }) =>
    keyMistakes[kind].flatMap((mistake): MinimalPairs[] => {
      if (findInvisibility(`cached-results-by-${id}`, mistake.id) !== undefined) return [];
      const keys = requests.map(({ read }) => textOf(rewrite({ ...read, tally: waived }, mistake.plug)));
      let [withMore, withLess] = [0, 0];
      for (const [n, { required, forbidden, text }] of requests.entries()) {
        const earlier = requests.slice(0, n).filter((request, at) => keys[at] === keys[n] && request.text !== text);
        withMore += earlier.filter(({ returned }) => returned.some((tier) => forbidden.has(tier))).length;
        withLess += earlier.filter(({ returned }) => required.some((tier) => !returned.includes(tier))).length;
      }
      return [{ part: id, mistake: mistake.id, withMore, withLess }];
    }),
  );
}

/** The requests of a default run that a deployment answers with a result, as the reference deployment reads them. */
function listReadRequests(suite: Suite) {
  const { world } = suite;
  const reads: { read: ParsedRequest; returned: readonly string[] }[] = [];
  const respond = createDeployment({
    world,
    credentials: inProcessCredentials,
    change: (handlers) => ({
      select(request) {
        const tiers = orNothing(handlers.select)(request);
        reads.push({ read: request, returned: tiers.map(({ id }) => id) });
        return tiers;
      },
    }),
  });
  const { calibration, cases } = createPlan(suite, { excludesIntrusive: false });
  return [...calibration, ...cases.flatMap((planned) => planned.requests)].flatMap((request) => {
    reads.length = 0;
    respond(request);
    const [sent] = reads;
    if (sent === undefined) return [];
    const oracle = createOracle(request, world);
    const listIds = (obligation: string) =>
      world.tiers.flatMap((tier) => (oracle.returned(tier) === obligation ? tier.id : []));
    const [required, forbidden] = [listIds('required'), new Set(listIds('forbidden'))];
    return [{ ...sent, required, forbidden, text: textOf(sent.read) }];
  });
}

export function renderMinimalPairs(pairs: readonly MinimalPairs[]): string {
  const rows = pairs.map(({ part, mistake, withMore, withLess }) => [part, mistake, `${withMore}`, `${withLess}`]);
  const head = ['part of a request', 'key of a cache', 'pairs with too much', 'pairs with too little'];
  return ['# Requests that differ in one part', '', ...renderTable(head, rows), ''].join('\n');
}
