import { type TestCase, tag } from '../cases/test-case.js';
import { describeRelocation, type Relocation } from '../contract/relocation.js';

/** The settings that exclude cases from a run. */
export interface RunScope {
  /** `operation`: the method and path of the operation, if not as documented. */
  readonly target: { readonly operation?: Relocation };
  /** Whether cases with bad credentials, oversized bodies or other methods are excluded. */
  readonly excludesIntrusive: boolean;
}

/** Explains to the user why a case is excluded; undefined if it is not. */
export function findExclusionReason({ tags }: TestCase, { target, excludesIntrusive }: RunScope): string | undefined {
  if (excludesIntrusive && tags.includes(tag.intrusive)) return 'Intrusive cases are excluded from this run.';
  return target.operation !== undefined && tags.includes(tag.operation)
    ? describeRelocation(target.operation)
    : undefined;
}
