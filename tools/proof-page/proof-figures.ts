import { type FleetRecord, readFleetRecords, readGrades } from '../fleets/fleet-records.js';
import { listDecisionFamilies } from '../proof/fault-domain.js';
import type { MutantFate } from '../proof/judge-mutant.js';
import { faultsWithStories } from '../proof/list-faults.js';
import { type RecordedRun, readRecordedRuns } from '../proxies/recorded-runs.js';
import { sum } from './markdown.js';
import type { FaultCount, ProofData } from './proof-data.js';

/** The grades of a fleet beside what was found of it. */
export interface FleetFigures extends FleetRecord {
  readonly name: string;
  readonly graded: number;
  readonly right: number;
  readonly wider: number;
  readonly silent: number;
  readonly wrong: number;
  readonly triggers: number;
  /** The mistakes at which the run said that it could not judge. */
  readonly incomplete: readonly string[];
  /** The mistakes that a question leaves open. */
  readonly open: readonly string[];
  /** The mistakes that no run found, and for which there is no excuse. */
  readonly missed: readonly string[];
}

export function listFleetFigures(): FleetFigures[] {
  return Object.entries(readFleetRecords()).map(([name, record]) => {
    const grades = readGrades(name);
    const count = (wanted: string) => grades.filter(({ grade }) => grade === wanted).length;
    const listUnfound = (isMeant: (why: string) => boolean) =>
      Object.entries(record.unfound).flatMap(([id, why]) => (isMeant(why) ? id : []));
    return {
      ...record,
      name,
      graded: grades.length,
      right: count('right'),
      wider: count('wider'),
      silent: count('silent'),
      wrong: count('wrong'),
      triggers: grades.filter(({ trigger_shown }) => trigger_shown).length,
      incomplete: listUnfound((why) => why === 'incomplete'),
      open: listUnfound((why) => why !== 'incomplete' && why !== 'missed'),
      missed: listUnfound((why) => why === 'missed'),
    };
  });
}

export function countAll(counts: Readonly<Record<string, FaultCount>>): FaultCount {
  const all = Object.values(counts);
  return { faults: sum(all.map(({ faults }) => faults)), found: sum(all.map(({ found }) => found)) };
}

/** All faults: those with a story, and each way of each decision. */
export function countDomain() {
  const decisions = listDecisionFamilies().flatMap((family) => family.decisions);
  const total = (member: 'ways' | 'visible' | 'open' | 'equivalent' | 'unasked') =>
    sum(decisions.map((decision) => decision[member]));
  return {
    withStory: faultsWithStories.length,
    decisions: decisions.length,
    ways: total('ways'),
    visible: total('visible'),
    open: total('open'),
    equivalent: total('equivalent'),
    unasked: total('unasked'),
  };
}

export function countMutants({ code }: ProofData): Readonly<Record<MutantFate, number>> {
  const files = Object.values(code.byFile);
  const count = (fate: MutantFate) => sum(files.map((file) => file[fate] ?? 0));
  return {
    found: count('found'),
    incomplete: count('incomplete'),
    open: count('open'),
    equal: count('equal'),
    unreached: count('unreached'),
    hidden: count('hidden'),
  };
}

export function countConforming({ conforming }: ProofData) {
  return {
    runs: sum(conforming.kinds.map(({ runs }) => runs)),
    conforms: sum(conforming.kinds.map(({ conforms }) => conforms)),
    incomplete: sum(conforming.kinds.map(({ incomplete }) => incomplete)),
    failed: sum(conforming.kinds.map(({ failed }) => failed.length)),
  };
}

/** Runs through software, by whether a conforming deployment conforms through it. */
export function countProxies(runs: readonly RecordedRun[] = readRecordedRuns()) {
  const forwarding = runs.filter(({ expected }) => expected === 'conforms');
  return {
    runs: runs.length,
    forwarding: forwarding.length,
    conforming: forwarding.filter(({ verdict }) => verdict === 'conforms').length,
    right: runs.filter(({ isRight }) => isRight).length,
    measured: runs.map(({ measured }) => measured).toSorted(),
  };
}
