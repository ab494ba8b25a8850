import { caseTags, type RequirementCase, type RequirementRow, type TestCase } from '../cases/test-case.js';
import { createOracle } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import { findRefusableEncoding, serializeRequest } from '../http/exchange.js';

/**
 * Gives each case that is about every request a row for each documented request of the other requirement cases. They share
 * the exchanges, so nothing more is sent.
 */
export function expandEveryRequestCases(cases: readonly TestCase[], world: World): TestCase[] {
  return cases.map((testCase) => {
    if (testCase.kind !== 'requirement' || !testCase.tags.includes(caseTags.everyRequest)) return testCase;
    const rows = listEveryRow(testCase, cases, world);
    return rows.length === 0 ? testCase : { ...testCase, rows };
  });
}

function listEveryRow({ rows: [stated] }: RequirementCase, cases: readonly TestCase[], world: World): RequirementRow[] {
  const [name] = stated?.requests.keys() ?? [];
  if (stated === undefined || name === undefined) return [];
  const sent = cases.flatMap((testCase) => (isShared(testCase) ? listSent(testCase) : []));
  // The first case that sends a request gives the row its title.
  const distinct = new Map(
    sent.toReversed().map(({ title, request }) => [serializeRequest(request), { title, request }]),
  );
  return [...distinct.values()].toReversed().flatMap(({ title, request }) => {
    const isAccepted = createOracle(request, world).accepted && findRefusableEncoding(request) === undefined;
    return isAccepted ? [{ ...stated, title, requests: new Map([[name, request]]) }] : [];
  });
}

/** The requests of a serial case are sent for it alone. */
function isShared({ kind, tags }: TestCase): boolean {
  return (
    kind === 'requirement' &&
    ![caseTags.serial, caseTags.own, caseTags.everyRequest].some((name) => tags.includes(name))
  );
}

function listSent({ id, rows }: TestCase) {
  return rows.flatMap(({ title, requests, unavailable }) => {
    if (unavailable.length > 0) return [];
    return [...requests].map(([name, request]) => ({ title: [id, title, name].filter(Boolean).join(', '), request }));
  });
}
