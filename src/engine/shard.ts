import { type CaseSelection, selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { relocateRequest } from '../contract/relocation.js';
import { serializeRequest } from '../http/exchange.js';
import { findExclusionReason, type RunScope } from './case-exclusion.js';
import { isSerial, listRequests } from './case-sender.js';
import type { Exploration } from './request-values.js';
import { listSampleCases } from './sample.js';
import { countExplorationRequests } from './thorough-requests.js';

/** One of several machines that share a run. */
export interface Shard {
  /** Counted from 1. */
  readonly current: number;
  readonly total: number;
}

/** What shards divide: the selected cases (all unless given) and the random requests. */
export interface ShardScope {
  readonly only?: readonly string[];
  readonly exploration?: Exploration;
}

/** Parses `1/3`. @returns undefined for anything else */
export function parseShard(text: string): Shard | undefined {
  const [, current = 0, total = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  return current >= 1 && current <= total ? { current, total } : undefined;
}

export function renderShard({ current, total }: Shard): string {
  return `${current}/${total}`;
}

/** Work that cannot be divided. */
interface Unit {
  readonly ids: readonly string[];
  /** Requests that a shard sends once for all of its cases. */
  readonly shared: ReadonlySet<string>;
  /** The number of other requests. */
  readonly own: number;
  readonly explores: boolean;
}

interface Share {
  readonly units: Unit[];
  readonly requests: Set<string>;
  load: number;
}

/**
 * Selects the part of one shard. Each shard sends equal requests once, so the algorithm balances the number of different
 * requests and keeps cases with equal requests together. It places the largest units first, each where it adds the fewest
 * requests, unless that shard has its part already. It is deterministic, so that every case belongs to exactly one shard.
 * All sample cases belong to one shard, and so do all random requests.
 */
export function selectShard(
  suite: Suite,
  scope: RunScope & ShardScope & CaseSelection,
  { current, total }: Shard,
): ShardScope {
  const { exploration } = scope;
  const units = createUnits(selectFromSuite(suite, scope), scope);
  const sharedCount = new Set(units.flatMap(({ shared }) => [...shared])).size;
  const evenLoad = Math.ceil((sharedCount + units.reduce((sum, { own }) => sum + own, 0)) / total);
  const shares = Array.from({ length: total }, (): Share => ({ units: [], requests: new Set(), load: 0 }));
  const getSize = ({ shared, own }: Unit) => shared.size + own;
  for (const unit of units.toSorted((one, other) => getSize(other) - getSize(one))) {
    const choices = shares.map((share) => ({ share, added: countNewRequests(unit, share) }));
    const within = choices.filter(({ share, added }) => share.load + added <= evenLoad);
    const [chosen] =
      within.length > 0
        ? within.sort((one, other) => one.added - other.added || one.share.load - other.share.load)
        : choices.sort((one, other) => one.share.load + one.added - other.share.load - other.added);
    if (chosen === undefined) continue;
    chosen.share.load += chosen.added;
    chosen.share.units.push(unit);
    for (const request of unit.shared) chosen.share.requests.add(request);
  }
  const own = shares[current - 1]?.units ?? [];
  const ids = new Set(own.flatMap((unit) => unit.ids));
  const explores = own.some((unit) => unit.explores);
  return {
    only: suite.cases.map(({ id }) => id).filter((id) => ids.has(id)),
    ...(explores && exploration !== undefined ? { exploration } : {}),
  };
}

/** Counts the requests that a unit adds to a share. */
function countNewRequests({ shared, own }: Unit, { requests }: Share): number {
  return own + [...shared].filter((request) => !requests.has(request)).length;
}

function createUnits(suite: Suite, scope: RunScope & ShardScope): Unit[] {
  const { operation = {} } = scope.target;
  const listSent = (testCase: TestCase) =>
    findExclusionReason(testCase, scope) === undefined
      ? listRequests(testCase).map((request) => serializeRequest(relocateRequest(request, operation)))
      : [];
  const createUnit = (testCase: TestCase): Unit => {
    const requests = listSent(testCase);
    const counts = isSerial(testCase) ? { shared: [], own: requests.length } : { shared: requests, own: 0 };
    return { ids: [testCase.id], shared: new Set(counts.shared), own: counts.own, explores: false };
  };
  const samples = listSampleCases(suite);
  const repeated = samples.flatMap(listSent);
  return [
    { ids: samples.map(({ id }) => id), shared: new Set(repeated), own: repeated.length, explores: false },
    { ids: [], shared: new Set(), own: countExplorationRequests(scope.exploration, suite.world), explores: true },
    ...suite.cases.filter((testCase) => !samples.includes(testCase)).map(createUnit),
  ];
}
