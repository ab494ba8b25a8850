import type { Assertion, ExaminedRequest, Flaw } from '../assertions/assertion.js';
import { findResponseKind } from '../assertions/registry.js';
import { findNothingRequired } from '../assertions/requirement-flaws.js';
import { createOracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Location, Problem } from '../support/problem.js';
import type { World } from '../world/world.js';
import type { SentRow } from './row-reader.js';
import { type RequirementRow, tag } from './test-case.js';

/**
 * Finds what might fail a conforming deployment, or pass on nothing, in a row of a requirement case. Each request that an
 * assertion is about must be documented, each expectation must follow from the documentation, and each negative one needs
 * its positive control.
 */
export function findRowFlaws(
  { title, requests, given, expect }: Omit<RequirementRow, 'unavailable'>,
  at: Location,
  world: World,
): Problem[] {
  const inRow = title === '' ? '' : ` (row '${title}')`;
  const createProblem = (where: Location, { message, hint }: Flaw) => ({ at: where, message: message + inRow, hint });
  const judged = new Set([...given, ...expect].flatMap((each) => ('of' in each ? each.of : [...requests.keys()])));
  const getRequest = (name: string): ExaminedRequest => {
    judged.add(name);
    const http = requests.get(name) as HttpRequest;
    return { name, http, oracle: createOracle(http, world) };
  };
  const controls = [...given, ...expect].filter((each) => getShown(each) === 'presence');
  const findFlaws = (assertion: Assertion): Flaw[] => {
    if ('lists' in assertion)
      return [{ message: 'a requirement cannot expect alternatives', hint: 'Ask a question instead.' }];
    const context = { ...getRequest(assertion.of), getRequest, world };
    const kind = findResponseKind(assertion);
    const flaw =
      kind.findFlaw === undefined
        ? {
            message: `the documentation says nothing about '${assertion.kind}'`,
            hint: 'Expect status, accepted, records, or what is returned: include, exclude, only, differs-from.',
          }
        : kind.findFlaw(assertion.data, context);
    const mayBeEmpty = findNothingRequired(context) !== undefined;
    const isControlled = controls.some((control) => mayBeEmpty || ('of' in control && control.of === assertion.of));
    const lacksControl = getShown(assertion) === 'absence' && !isControlled;
    return [...(flaw === undefined ? [] : [flaw]), ...(lacksControl ? [createControlFlaw(mayBeEmpty)] : [])];
  };
  const expectFlaws = expect.flatMap((assertion) =>
    findFlaws(assertion).map((flaw) => createProblem(assertion.at, flaw)),
  );
  return [
    // A request that no assertion is about comes only before others, and may be one that deployments refuse.
    ...[...requests].flatMap(([name, request]) => {
      const { undocumentedReason } = createOracle(request, world);
      if (undocumentedReason === undefined || !judged.has(name)) return [];
      const message = `a requirement cannot rest on this request: ${undocumentedReason}`;
      return [createProblem(at, { message, hint: 'Correct the request, or ask a question instead.' })];
    }),
    ...expectFlaws,
    ...(expect.length === 0
      ? [createProblem(at, { message: 'the case expects nothing', hint: "Add 'expect:'." })]
      : []),
  ];
}

/** Finds two requests of a case that are equal in every row: only one of them would be sent. */
export function findEqualRequests(rows: readonly SentRow[], tags: readonly string[]): Flaw | undefined {
  if (tags.includes(tag.serial)) return undefined;
  const serialize = ({ requests }: SentRow, name: string) => JSON.stringify(requests.get(name));
  const names = [...(rows[0]?.requests.keys() ?? [])];
  for (const [n, name] of names.entries()) {
    const twin = names
      .slice(n + 1)
      .find((other) => rows.every((row) => serialize(row, name) === serialize(row, other)));
    if (twin === undefined) continue;
    return {
      message: `the requests '${name}' and '${twin}' are equal, so only one is sent`,
      hint: `Remove one of them, or add 'again: 1' to '${twin}' to send both.`,
    };
  }
  return undefined;
}

function getShown(assertion: Assertion): 'presence' | 'absence' | undefined {
  return 'lists' in assertion ? undefined : findResponseKind(assertion).shows;
}

/** @param mayBeEmpty whether the result may be empty, so that the control must be another request */
function createControlFlaw(mayBeEmpty: boolean): Flaw {
  return {
    message: 'a negative expectation needs a positive control: an empty response would satisfy it',
    hint: mayBeEmpty
      ? "Add 'given:' with 'returned: { include: … }' of a request that returns something."
      : "Add 'returned: { include: … }' of the same request.",
  };
}
