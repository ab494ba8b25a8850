/**
 * The scope of a target: which requirements it declares not to have, and what a run shows of that. A declaration excuses a
 * requirement if the target lacks what its cases need, and nothing else.
 */

import type { Contract } from '../contract/contract.js';
import { type EntityKind, type TargetWorld, worldListNames } from '../contract/world.js';
import { lackingCode, type Verdict } from '../judge/verdict.js';
import type { ScopeEntry } from '../record/declared-scope.js';
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

export function judgeScopeEntry(stated: ScopeEntry, requirements: readonly JudgedRequirement[]): JudgedScopeEntry {
  const entry = { ...stated, reason: toOneLine(stated.reason), at: toOneLine(stated.at) };
  const requirement = requirements.find(({ id }) => id === entry.requirement);
  if (requirement !== undefined && isLacking(requirement)) return { ...entry, state: 'out-of-scope' };
  const isStale = requirement?.verdict === 'pass' || requirement?.verdict === 'fail';
  return { ...entry, state: isStale ? 'stale' : 'not-judged' };
}

/** Whether the target lacks what all cases of a requirement need. Cases that are excluded for another reason do not count. */
export function isLacking({ verdict, cases }: JudgedRequirement): boolean {
  return verdict === 'not-applicable' && cases.length > 0 && cases.every(({ code }) => code === lackingCode);
}

/**
 * Lists the kinds of things that a target does not have at all, by the requirements that it is without. Cases of other
 * requirements may need such things, too.
 */
export function listAbsentKinds(
  outOfScope: ReadonlySet<string>,
  { requirements }: Pick<Contract, 'requirements'>,
  world: TargetWorld,
): ReadonlySet<EntityKind> {
  const kinds = requirements.flatMap(({ id, needs }) => (needs !== undefined && outOfScope.has(id) ? [needs] : []));
  const isAbsent = (kind: EntityKind) => {
    const missing = [...world.unavailable.values()].filter((thing) => thing.kind === kind);
    return missing.length === world[worldListNames[kind]].length;
  };
  return new Set(kinds.filter(isAbsent));
}
