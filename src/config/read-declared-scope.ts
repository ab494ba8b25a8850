import type { Contract } from '../contract/contract.js';
import { type ScopeEntry, scopeKey } from '../record/declared-scope.js';
import { formatLocation, type Problem, suggestName, UnusableInput } from '../support/problem.js';
import type { TargetFile } from './target-file.js';

/**
 * Reads which requirements a target file declares not to apply; undefined if none.
 *
 * @throws UnusableInput for unknown requirements, and for those that are listed twice
 */
export function readDeclaredScope(
  { document, locate }: TargetFile,
  { requirements }: Pick<Contract, 'requirements'>,
): ScopeEntry[] | undefined {
  const stated = document[scopeKey] ?? [];
  const ids = requirements.map(({ id }) => id);
  const problems = stated.flatMap(({ requirement }, n): Problem[] => {
    const at = locate(scopeKey, String(n), 'requirement');
    if (!ids.includes(requirement))
      return [{ at, message: `unknown requirement '${requirement}'`, hint: suggestName(requirement, ids) }];
    const isTwice = stated.findIndex((entry) => entry.requirement === requirement) < n;
    return isTwice ? [{ at, message: `'${requirement}' is listed twice`, hint: 'Remove one of the entries.' }] : [];
  });
  if (problems.length > 0) throw new UnusableInput(problems);
  if (stated.length === 0) return undefined;
  return stated.map((entry, n) => ({ ...entry, at: formatLocation(locate(scopeKey, String(n))) }));
}
