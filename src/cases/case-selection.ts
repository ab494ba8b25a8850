import { UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import type { Suite } from './suite.js';
import { getSubjectId, type TestCase, tag } from './test-case.js';

/**
 * The ids of the cases that a user names: by the id of a case, a requirement or a question; or several of them together,
 * by a tag, the group of a question, or a part of a requirement's id, such as `quantity` of `order.quantity`.
 *
 * @param flag by which they are named, for messages
 * @throws UnusableInput with every name that names nothing, and what may have been meant
 */
export function findCasesByName(names: readonly string[], suite: Suite, flag: string): string[] {
  const groups = new Map(suite.contract.questions.map(({ id, group }) => [id, group]));
  const known = suite.cases.map((testCase) => ({ testCase, ...namesOf(testCase, groups) }));
  const found = names.map((name) => {
    const itself = known.filter(({ own }) => own.includes(name));
    if (itself.length > 0) return itself;
    return known.filter(({ shared }) => shared.some((each) => each.toLowerCase() === name.toLowerCase()));
  });
  const unknown = names.filter((_, n) => found[n]?.length === 0);
  if (unknown.length > 0) {
    const all = [...new Set(known.flatMap(({ own, shared }) => [...own, ...shared]))];
    const message = (name: string) => `'${name}' names no case, requirement, question, tag or group`;
    throw new UnusableInput(
      unknown.map((name) => ({ at: { setting: flag }, message: message(name), hint: suggest(name, all) })),
    );
  }
  const wanted = new Set(found.flat().map(({ testCase }) => testCase.id));
  return suite.cases.map(({ id }) => id).filter((id) => wanted.has(id));
}

/** @returns its own names, and those that it shares with other cases */
function namesOf(testCase: TestCase, groups: ReadonlyMap<string, string>): { own: string[]; shared: string[] } {
  const subject = getSubjectId(testCase);
  const group = groups.get(subject);
  const words = testCase.kind === 'requirement' ? subject.split('.') : [];
  return {
    own: [testCase.id, subject],
    shared: [...testCase.tags, ...words, ...(group === undefined ? [] : [group])],
  };
}

/** What of a suite is to be run; all of it, unless something is said. */
export interface CaseSelection {
  /** The ids of cases. */
  readonly only?: readonly string[];
  /** The titles of rows, by the id of their case. */
  readonly profile?: { readonly rows: ReadonlyMap<string, ReadonlySet<string>> };
}

/** A suite of what is selected alone. Where rows are, requests count, so that nothing is sent once more at the end. */
export function selectFromSuite<S extends Pick<Suite, 'cases'>>(suite: S, { only, profile }: CaseSelection): S {
  const wanted = only && new Set(only);
  const ofCases = wanted === undefined ? suite.cases : suite.cases.filter(({ id }) => wanted.has(id));
  if (profile === undefined) return { ...suite, cases: ofCases };
  return { ...suite, cases: ofCases.flatMap((testCase) => withRows(testCase, profile.rows.get(testCase.id))) };
}

/** A case with some of its rows, in their order; nothing where none is wanted. */
function withRows(testCase: TestCase, titles: ReadonlySet<string> = new Set()): TestCase[] {
  const tags = testCase.tags.filter((each) => each !== tag.sample);
  if (testCase.kind === 'question') return titles.has(testCase.rows[0].title) ? [{ ...testCase, tags }] : [];
  const rows = testCase.rows.filter(({ title }) => titles.has(title));
  return rows.length === 0 ? [] : [{ ...testCase, tags, rows }];
}
