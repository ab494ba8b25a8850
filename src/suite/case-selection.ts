import { caseTags, getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import { suggestName, UnusableInput } from '../support/problem.js';
import type { Suite } from './suite.js';

/**
 * Finds cases by the id of a case, a requirement or a question; or several of them by a tag, the group of a question, or
 * a part of a requirement's id, such as `quantity` of `order.quantity`. Returns ids in the order of the suite.
 */
export function matchCases(names: readonly string[], { cases, contract }: Suite) {
  const groups = new Map(contract.questions.map(({ id, group }) => [id, group]));
  const known = cases.map((testCase) => {
    const { id, kind, tags } = testCase;
    const subject = getRequirementOrQuestionId(testCase);
    const words = kind === 'requirement' ? subject.split('.') : [groups.get(subject) ?? ''];
    return { id, ids: [id, subject], shared: [...tags, ...words].map((name) => name.toLowerCase()) };
  });
  const found = names.map((name) => {
    const byId = known.filter(({ ids }) => ids.includes(name));
    return byId.length > 0 ? byId : known.filter(({ shared }) => shared.includes(name.toLowerCase()));
  });
  return {
    ids: known.filter((entry) => found.flat().includes(entry)).map(({ id }) => id),
    unknown: names.filter((_, n) => found[n]?.length === 0),
    all: [...new Set(known.flatMap(({ ids, shared }) => [...ids, ...shared]))],
  };
}

/** Finds cases as {@link matchCases}. @param flag the flag with the names @throws UnusableInput with every unknown name */
export function findCasesByName(names: readonly string[], suite: Suite, flag: string): string[] {
  const { ids, unknown, all } = matchCases(names, suite);
  if (unknown.length === 0) return ids;
  throw new UnusableInput(
    unknown.map((name) => ({
      at: { setting: flag },
      message: `unknown case, requirement, question, tag or group '${name}'`,
      hint: `${suggestName(name, all)} \`npx conformance list cases\` shows all cases.`,
    })),
  );
}

/** The cases and rows of a run; by default all. */
export interface CaseSelection {
  readonly only?: readonly string[];
  /** The titles of rows of requirement cases, by case id. */
  readonly quick?: { readonly rows: Readonly<Record<string, readonly string[]>> };
}

export function selectFromSuite<S extends Pick<Suite, 'cases' | 'isQuick'>>(suite: S, selection: CaseSelection): S {
  const isQuick = selection.quick === undefined ? {} : { isQuick: true as const };
  return { ...suite, ...isQuick, cases: selectCases(suite, selection) };
}

/** With selected rows, no case is sent again at the end. */
export function selectCases({ cases }: Pick<Suite, 'cases'>, { only, quick }: CaseSelection): readonly TestCase[] {
  return cases.flatMap((testCase): TestCase[] => {
    if (only?.includes(testCase.id) === false) return [];
    if (quick === undefined) return [testCase];
    if (testCase.kind === 'question') return [];
    const rows = testCase.rows.filter(({ title }) => quick.rows[testCase.id]?.includes(title));
    const tags = testCase.tags.filter((name) => name !== caseTags.sample);
    return rows.length === 0 ? [] : [{ ...testCase, tags, rows }];
  });
}

export interface CaseExclusionSettings {
  /** Whether cases with bad credentials, oversized bodies or other methods are excluded. */
  readonly excludesIntrusive: boolean;
}

export function findExclusionReason(
  { tags }: TestCase,
  { excludesIntrusive }: Partial<CaseExclusionSettings>,
): string | undefined {
  return excludesIntrusive && tags.includes(caseTags.intrusive)
    ? 'Intrusive cases are excluded from this run.'
    : undefined;
}
