import { type CaseSelection, selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { moved } from '../contract/relocation.js';
import { serializeRequest } from '../http/exchange.js';
import { findExclusionReason, type RunScope } from './case-exclusion.js';
import { isSerial, listRequests } from './case-sender.js';
import type { Exploration } from './explore.js';
import { listSampleCases } from './sample.js';

/** One of several machines that share a run. */
export interface Shard {
  /** Counted from 1. */
  readonly current: number;
  readonly total: number;
}

/** What is to be divided: the cases that are selected, all unless given, and how far random requests go beyond them. */
export interface ShardScope {
  readonly only?: readonly string[];
  readonly exploration?: Exploration;
}

/** Reads `1/3`. @returns undefined for anything else */
export function parseShard(text: string): Shard | undefined {
  const [, current = 0, total = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  return current >= 1 && current <= total ? { current, total } : undefined;
}

export function renderShard({ current, total }: Shard): string {
  return `${current}/${total}`;
}

/** What is done by one machine, whichever that is. */
interface Unit {
  readonly ids: readonly string[];
  /** Requests that are sent once for all cases of a machine. */
  readonly shared: ReadonlySet<string>;
  /** How many more are sent. */
  readonly own: number;
  readonly explores: boolean;
}

interface Share {
  readonly units: Unit[];
  readonly requests: Set<string>;
  load: number;
}

/**
 * The share of one machine. Equal requests are sent once by each machine, so what is divided evenly is the number of
 * requests that differ, and cases that have requests in common go together as far as that allows. Every machine divides
 * alike: the shares have no case in common, and all cases are in one. The cases that are sent once more at the end of a
 * run stay together, so that one machine does that, and so do random requests.
 *
 * Cases go one after another, those with many requests first, to where they bring the fewest new requests, unless that
 * machine has its part of all requests already.
 *
 * @param scope with what is selected of the suite
 */
export function selectShard(
  suite: Suite,
  scope: RunScope & ShardScope & CaseSelection,
  { current, total }: Shard,
): ShardScope {
  const { exploration } = scope;
  const units = unitsOf(selectFromSuite(suite, scope), scope);
  const all = new Set(units.flatMap(({ shared }) => [...shared])).size;
  const even = Math.ceil((all + units.reduce((sum, { own }) => sum + own, 0)) / total);
  const shares = Array.from({ length: total }, (): Share => ({ units: [], requests: new Set(), load: 0 }));
  const sizeOf = ({ shared, own }: Unit) => shared.size + own;
  for (const unit of units.toSorted((one, other) => sizeOf(other) - sizeOf(one))) {
    const choices = shares.map((share) => ({ share, added: addedBy(unit, share) }));
    const within = choices.filter(({ share, added }) => share.load + added <= even);
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

/** How many requests a machine would send more. */
function addedBy({ shared, own }: Unit, { requests }: Share): number {
  return own + [...shared].filter((request) => !requests.has(request)).length;
}

function unitsOf(suite: Suite, scope: RunScope & ShardScope): Unit[] {
  const { operation = {} } = scope.target;
  const sentFor = (testCase: TestCase) =>
    findExclusionReason(testCase, scope) === undefined
      ? listRequests(testCase).map((request) => serializeRequest(moved(request, operation)))
      : [];
  const together = listSampleCases(suite);
  const again = together.flatMap(sentFor);
  const unitOf = (testCase: TestCase): Unit => {
    const requests = sentFor(testCase);
    const isApart = isSerial(testCase);
    return {
      ids: [testCase.id],
      shared: new Set(isApart ? [] : requests),
      own: isApart ? requests.length : 0,
      explores: false,
    };
  };
  const { exploration } = scope;
  return [
    ...(together.length === 0
      ? []
      : [{ ids: together.map(({ id }) => id), shared: new Set(again), own: again.length, explores: false }]),
    ...(exploration === undefined
      ? []
      : [{ ids: [], shared: new Set<string>(), own: exploration.requests, explores: true }]),
    ...suite.cases.filter((testCase) => !together.includes(testCase)).map(unitOf),
  ];
}
