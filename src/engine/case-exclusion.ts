import { type TestCase, tag } from '../cases/test-case.js';
import { elsewhere, type Operation } from '../contract/relocation.js';

/** What decides which cases are not sent to a target, whatever it has of the world. */
export interface RunScope {
  /** `operation`: where the target offers the operation, if not where the documentation says. */
  readonly target: { readonly operation?: Operation };
  /** Whether cases that send bad credentials, oversized bodies or other methods are left out. */
  readonly leavesOutIntrusive: boolean;
}

/** Why a case is not sent to this target, in words for the user; undefined where it is. */
export function findExclusionReason({ tags }: TestCase, { target, leavesOutIntrusive }: RunScope): string | undefined {
  if (leavesOutIntrusive && tags.includes(tag.intrusive)) return 'Intrusive cases are left out of this run.';
  return target.operation !== undefined && tags.includes(tag.operation) ? elsewhere(target.operation) : undefined;
}
