import { UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { subjectOf, type TestCase } from './case.js';
import type { Suite } from './suite.js';

/**
 * The ids of the cases that a user names: by the id of a case, a requirement or a question; or several of them together,
 * by a tag, the group of a question, or a part of a requirement's id, such as `quantity` of `order.quantity`.
 *
 * @param flag by which they are named, for messages
 * @throws UnusableInput with every name that names nothing, and what may have been meant
 */
export function casesNamed(names: readonly string[], suite: Suite, flag: string): string[] {
  const groups = new Map(suite.ledger.questions.map(({ id, group }) => [id, group]));
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
  const subject = subjectOf(testCase);
  const group = groups.get(subject);
  const words = testCase.kind === 'requirement' ? subject.split('.') : [];
  return {
    own: [testCase.id, subject],
    shared: [...testCase.tags, ...words, ...(group === undefined ? [] : [group])],
  };
}

/** A suite of the selected cases alone; the whole where none are selected. @param ids of cases */
export function selectedSuite(suite: Suite, ids: readonly string[] | undefined): Suite {
  if (ids === undefined) return suite;
  const wanted = new Set(ids);
  return { ...suite, cases: suite.cases.filter(({ id }) => wanted.has(id)) };
}
