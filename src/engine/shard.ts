import { type CaseSelection, findExclusionReason, type RunScope, selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { serializeRequest } from '../http/exchange.js';
import { explorationCaseId } from './case-result.js';
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

/** Cases and random requests, or those that one shard has so far. */
interface Share {
  readonly ids: Set<string>;
  /** Keys of requests. Equal ones are sent once. */
  readonly requests: Set<string>;
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
  const evenLoad = Math.ceil(new Set(units.flatMap(({ requests }) => [...requests])).size / total);
  const shares = Array.from({ length: total }, (): Share => ({ ids: new Set(), requests: new Set() }));
  for (const unit of units.toSorted((one, other) => other.requests.size - one.requests.size)) {
    const choices = shares.map((share) => {
      const load = new Set([...share.requests, ...unit.requests]).size;
      return { share, load, added: load - share.requests.size };
    });
    const within = choices.filter(({ load }) => load <= evenLoad);
    const [chosen] =
      within.length > 0
        ? within.sort((one, other) => one.added - other.added || one.load - other.load)
        : choices.sort((one, other) => one.load - other.load);
    for (const id of unit.ids) chosen?.share.ids.add(id);
    for (const request of unit.requests) chosen?.share.requests.add(request);
  }
  const ids = shares[current - 1]?.ids ?? new Set();
  return {
    only: suite.cases.map(({ id }) => id).filter((id) => ids.has(id)),
    ...(ids.has(explorationCaseId) && exploration !== undefined ? { exploration } : {}),
  };
}

/** Creates what cannot be divided. */
function createUnits(suite: Suite, scope: RunScope & ShardScope): Share[] {
  const createUnit = (id: string, requests: readonly string[]) => ({ ids: new Set([id]), requests: new Set(requests) });
  const listKeys = (testCase: TestCase): string[] => {
    if (findExclusionReason(testCase, scope) !== undefined) return [];
    const keys = listRequests(testCase).map(serializeRequest);
    return isSerial(testCase) ? keys.map((key) => `${testCase.id} ${key}`) : keys;
  };
  const samples = listSampleCases(suite);
  const sampled = samples.flatMap(listKeys);
  const random = Array.from(
    { length: countExplorationRequests(scope.exploration, suite.world) },
    (_, n) => `random ${n}`,
  );
  return [
    {
      ids: new Set(samples.map(({ id }) => id)),
      requests: new Set([...sampled, ...sampled.map((key) => `again ${key}`)]),
    },
    createUnit(explorationCaseId, random),
    ...suite.cases.filter((each) => !samples.includes(each)).map((each) => createUnit(each.id, listKeys(each))),
  ];
}
