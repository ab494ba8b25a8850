/**
 * The scope of a target: which requirements it declares not to have, and what a run shows of that. A declaration excuses a
 * requirement if the target lacks what its cases need, and nothing else.
 */

import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import { worldListNames } from '../contract/world.js';
import { lackingCode, type Verdict } from '../judge/verdict.js';
import type { ScopeEntry } from '../record/declared-scope.js';
import type { Suite } from '../suite/suite.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { CaseEntry } from './case-entry.js';

interface JudgedRequirement {
  readonly id: string;
  readonly verdict: Verdict;
  readonly cases: readonly Pick<CaseEntry, 'code'>[];
}

export interface JudgedScopeEntry extends ScopeEntry {
  /** `stale`: the requirement has a verdict, so it applies. `not-judged`: the run does not show whether it applies. */
  readonly state: 'out-of-scope' | 'stale' | 'not-judged';
}

/** The entries of a scope whose requirements the target does not have. @param scope of a certificate */
export function listOutOfScope(
  scope: { readonly not_applicable: readonly JudgedScopeEntry[] } | undefined,
): JudgedScopeEntry[] {
  return (scope?.not_applicable ?? []).filter(({ state }) => state === 'out-of-scope');
}

/** @param lacking the ids of requirements that may be out of scope */
export function judgeScopeEntry(
  stated: ScopeEntry,
  requirements: readonly JudgedRequirement[],
  lacking: readonly string[],
): JudgedScopeEntry {
  const entry = { ...stated, reason: toOneLine(stated.reason), at: toOneLine(stated.at) };
  if (lacking.includes(entry.requirement)) return { ...entry, state: 'out-of-scope' };
  const requirement = requirements.find(({ id }) => id === entry.requirement);
  const isStale = requirement?.verdict === 'pass' || requirement?.verdict === 'fail';
  return { ...entry, state: isStale ? 'stale' : 'not-judged' };
}

/**
 * Creates a test of whether a requirement may be out of scope: the target lacks what all its cases need. Cases that are excluded
 * for another reason do not count. If the test data is loaded in part, all things of a kind must be missing.
 */
export function createScopeTest(suite: Pick<ScopedSuite, 'contract' | 'world'>) {
  const isWhole = suite.world.unavailable.size === 0;
  return ({ id, verdict, cases }: JudgedRequirement): boolean => {
    const isLacking = cases.length > 0 && cases.every(({ code }) => code === lackingCode);
    if (verdict !== 'not-applicable' || !isLacking) return false;
    return isWhole || listAbsentThings(new Set([id]), suite).size > 0;
  };
}

/** A suite without what scopes do not need. */
type ScopedSuite = Pick<Suite, 'contract' | 'world' | 'cases'>;

/**
 * Lists the things that a target has none of, by the requirements that it is without. Cases of other requirements may need
 * them, too.
 *
 * @returns each as the kind and the name, as rows name what is unavailable
 */
export function listAbsentThings(
  outOfScope: ReadonlySet<string>,
  { contract, world }: Pick<ScopedSuite, 'contract' | 'world'>,
): ReadonlySet<string> {
  const kinds = contract.requirements.flatMap(({ id, needs }) => (outOfScope.has(id) ? (needs ?? []) : []));
  const things = kinds.flatMap((kind) => {
    const missing = [...world.unavailable.values()].filter((thing) => thing.kind === kind);
    return missing.length === world[worldListNames[kind]].length ? missing : [];
  });
  return new Set(things.map(({ kind, name }) => `${kind} ${name}`));
}

/** Lists the ids of cases that do not apply because of a scope: those of its requirements, and those that need what is absent. */
export function listExcusedCases(
  outOfScope: ReadonlySet<string>,
  { cases, ...suite }: ScopedSuite,
  findEntry: (id: string) => Pick<CaseEntry, 'verdict' | 'code'>,
): ReadonlySet<string> {
  const absent = listAbsentThings(outOfScope, suite);
  const needsAbsent = ({ rows }: TestCase) =>
    rows.every(({ unavailable }) => unavailable.every((name) => absent.has(name)));
  const excused = cases.filter((testCase) => {
    const { verdict, code } = findEntry(testCase.id);
    if (verdict !== 'not-applicable' || code !== lackingCode) return false;
    // To look at the rows of a data file would draw its requests.
    return outOfScope.has(getRequirementOrQuestionId(testCase)) || (absent.size > 0 && needsAbsent(testCase));
  });
  return new Set(excused.map(({ id }) => id));
}
