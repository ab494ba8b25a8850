import type { Assertion, ExaminedRequest, Flaw, ResponseAssertion } from '../assertions/assertion.js';
import { findResponseKind } from '../assertions/registry.js';
import { findNothingRequired } from '../assertions/requirement-flaws.js';
import type { Location, Problem } from '../support/problem.js';
import type { World } from '../world/world.js';
import type { PreparedRequest } from './row-reader.js';
import { tag } from './test-case.js';

/** What a row of a requirement case says, and of which requests. */
export interface StatedRow {
  readonly title: string;
  readonly at: Location;
  readonly requests: ReadonlyMap<string, PreparedRequest>;
  readonly given: readonly Assertion[];
  readonly expect: readonly Assertion[];
}

/**
 * Checks of a row of a requirement case before anything is sent: whether it might fail a deployment that conforms, or
 * pass on nothing. Each request must be documented, each expectation must follow from what the documentation says, and
 * each negative one must come with its positive control.
 */
export function findRowFlaws({ title, at, requests, given, expect }: StatedRow, world: World): Problem[] {
  const inRow = title === '' ? '' : ` (row '${title}')`;
  const problem = (where: Location, { message, hint }: Flaw) => ({ at: where, message: `${message}${inRow}`, hint });
  const examined = (name: string): ExaminedRequest => ({ name, ...(requests.get(name) as PreparedRequest) });
  const controls = [...given, ...expect].filter((each) => !isComposite(each) && shows(each) === 'presence');
  return [
    ...[...requests.values()].flatMap(({ oracle: { undocumentedReason: undocumented } }) =>
      undocumented === undefined ? [] : [problem(at, notDocumented(undocumented))],
    ),
    ...expect.flatMap((assertion) => {
      if (isComposite(assertion)) return [problem(assertion.at, alternatives)];
      const context = { ...examined(assertion.of), getRequest: examined, world };
      const kind = findResponseKind(assertion);
      const flaw = kind.findFlaw === undefined ? forQuestions(assertion) : kind.findFlaw(assertion.data, context);
      const mayBeEmpty = findNothingRequired(context) !== undefined;
      const isControlled = controls.some((control) => mayBeEmpty || ('of' in control && control.of === assertion.of));
      const lacksControl = shows(assertion) === 'absence' && !isControlled;
      return [flaw, lacksControl ? withoutControl(mayBeEmpty) : undefined].flatMap((each) =>
        each === undefined ? [] : [problem(assertion.at, each)],
      );
    }),
    ...(expect.length === 0 ? [problem(at, { message: 'the case expects nothing', hint: "Add 'expect:'." })] : []),
  ];
}

/**
 * Checks that a case which sends equal requests on purpose gets a response to each: otherwise one is sent for all of them.
 *
 * @param rows the requests of all rows, by name
 */
export function findEqualRequests(
  rows: readonly ReadonlyMap<string, PreparedRequest>[],
  tags: readonly string[],
): Flaw | undefined {
  const [first] = rows;
  if (first === undefined || tags.includes(tag.alone)) return undefined;
  const textOf = (row: StatedRow['requests'], name: string) => JSON.stringify(row.get(name)?.http);
  const names = [...first.keys()];
  for (const [n, name] of names.entries()) {
    const twin = names.slice(n + 1).find((other) => rows.every((row) => textOf(row, name) === textOf(row, other)));
    if (twin === undefined) continue;
    return {
      message: `the requests '${name}' and '${twin}' are equal, so one is sent for both`,
      hint: `Leave one of them out, or add 'again: 1' to '${twin}' to send both.`,
    };
  }
  return undefined;
}

function isComposite(assertion: Assertion): assertion is Extract<Assertion, { lists: unknown }> {
  return 'lists' in assertion;
}

function shows(assertion: Assertion): 'presence' | 'absence' | undefined {
  return isComposite(assertion) ? undefined : findResponseKind(assertion).shows;
}

function notDocumented(why: string): Flaw {
  return {
    message: `a requirement cannot rest on this request: ${why}`,
    hint: 'Ask a question with it instead, or correct it.',
  };
}

const alternatives: Flaw = {
  message: 'a requirement has one answer, so alternatives cannot be expected',
  hint: 'Ask a question instead.',
};

function forQuestions({ kind }: ResponseAssertion): Flaw {
  return {
    message: `the documentation says nothing about '${kind}'`,
    hint: 'Expect status, accepted, records, or what is returned: include, exclude, only, differs-from.',
  };
}

/** @param mayBeEmpty whether nothing must be returned for the request itself, so that another one is the control */
function withoutControl(mayBeEmpty: boolean): Flaw {
  return {
    message: 'a negative expectation needs its positive control, since an empty answer would satisfy it',
    hint: mayBeEmpty
      ? "Add 'given:' with 'returned: { include: … }' of a request that returns something."
      : "Add 'returned: { include: … }' of the same request.",
  };
}
