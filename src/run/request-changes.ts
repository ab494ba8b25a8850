/**
 * How the requests of cases are changed for a deployment that does not take them as they are: the examination decides it
 * before the cases, live and when evidence is replayed. In: a case. Out: the same case with other requests, and with those
 * of its expectations that follow from the documentation for these.
 */

import type { Assertion, ExaminedRequest } from '../assertions/assertion.js';
import { findResponseKind } from '../assertions/registry.js';
import type { RequirementRow, Row, TestCase } from '../cases/test-case.js';
import { getSubjectId, tag } from '../cases/test-case.js';
import type { Contract } from '../contract/contract.js';
import { spellFiltersLiterally } from '../contract/operation.js';
import { createOracle } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { leaveOutPart, type RefusedPart } from './request-parts.js';

export interface RequestChanges {
  /** Whether filters are read only if their brackets are written literally. */
  readonly readsLiteralFiltersOnly: boolean;
  /** What the deployment refuses, so that requests are sent without it. */
  readonly refusedParts: readonly RefusedPart[];
}

/** What changed cases are checked against. */
interface Terms {
  readonly contract: Contract;
  readonly world: World;
}

export function changeCase<T extends TestCase>(testCase: T, changes: RequestChanges, terms: Terms): T {
  const { readsLiteralFiltersOnly, refusedParts } = changes;
  const spelled = readsLiteralFiltersOnly ? spellCase(testCase) : testCase;
  return refusedParts.reduce((changed, refused) => leaveOutOfCase(changed, refused, terms), spelled);
}

/** Writes the filters of a case with literal brackets, unless it is about their spelling. */
function spellCase<T extends TestCase>(testCase: T): T {
  if (testCase.tags.includes(tag.spelling)) return testCase;
  const rows = testCase.rows.map((row) => ({ ...row, requests: mapRequests(row, spellFiltersLiterally) }));
  return { ...testCase, rows };
}

/** Leaves out what is refused. A case about it still sends it where it has a value: that is refused, and fails. */
function leaveOutOfCase<T extends TestCase>(testCase: T, refused: RefusedPart, terms: Terms): T {
  const subject = terms.contract.requirements.find(({ about }) => about === refused.part.about)?.id;
  const isAbout = testCase.kind === 'requirement' && getSubjectId(testCase) === subject;
  const change = (request: HttpRequest): HttpRequest =>
    isAbout && !refused.part.isEmptyIn(request) ? request : leaveOutPart(request, refused);
  const rows = testCase.rows.map((row) => {
    const requests = mapRequests(row, change);
    if ([...requests].every(([name, request]) => request === row.requests.get(name))) return row;
    const changed = { ...row, requests };
    return 'expect' in row
      ? adaptRow(row, changed as RequirementRow, refused, terms)
      : adaptQuestion(row, changed, refused, terms);
  });
  return { ...testCase, rows };
}

function mapRequests(
  { requests }: Row,
  change: (request: HttpRequest) => HttpRequest,
): ReadonlyMap<string, HttpRequest> {
  return new Map([...requests].map(([name, request]) => [name, change(request)]));
}

/** Keeps of each expectation what follows from the documentation for the changed requests. All of them must keep something. */
function adaptRow(
  stated: RequirementRow,
  changed: RequirementRow,
  refused: RefusedPart,
  { world }: Terms,
): RequirementRow {
  const getRequest = (name: string): ExaminedRequest => {
    const http = changed.requests.get(name) as HttpRequest;
    // The deployment has answered requests without it: it neither demands it nor returns nothing without it.
    const oracle = createOracle(http, world);
    const { accepted } = createOracle(stated.requests.get(name) as HttpRequest, world);
    return { name, http, oracle: { ...(oracle.whenReturning ?? oracle), accepted } };
  };
  const adapt = (assertion: Assertion) => adaptAssertion(assertion, getRequest, world);
  const [given, expect] = [changed.given.map(adapt), changed.expect.map(adapt)];
  const isKept = (assertion: Assertion | undefined) => assertion !== undefined;
  if (![...given, ...expect].every(isKept)) return lack(stated, refused);
  return { ...changed, given: given.filter(isKept), expect: expect.filter(isKept) };
}

/** A question is asked only if what is left out does not matter for any tier. */
function adaptQuestion(stated: Row, changed: Row, refused: RefusedPart, { world }: Terms): Row {
  const isOpen = [...changed.requests].some(([name, request]) => {
    const [before, after] = [stated.requests.get(name) as HttpRequest, request].map((sent) =>
      createOracle(sent, world),
    );
    const { returned } = after?.whenReturning ?? after ?? {};
    return world.tiers.some((tier) => before?.returned(tier) !== returned?.(tier));
  });
  return isOpen ? lack(stated, refused) : changed;
}

/** What needs it cannot be judged. */
function lack<R extends Row>(row: R, { part }: RefusedPart): R {
  return { ...row, unavailable: [...row.unavailable, part.description] };
}

function adaptAssertion(
  assertion: Assertion,
  getRequest: (name: string) => ExaminedRequest,
  world: World,
): Assertion | undefined {
  if ('lists' in assertion) return undefined;
  const { findFlaw } = findResponseKind(assertion);
  const isSound = (data: unknown) => findFlaw?.(data, { ...getRequest(assertion.of), getRequest, world }) === undefined;
  if (findFlaw === undefined) return undefined;
  if (isSound(assertion.data)) return assertion;
  if (!isTierList(assertion.data)) return undefined;
  const tiers = assertion.data.tiers.filter((id) => isSound({ tiers: [id] }));
  return tiers.length === 0 ? undefined : { ...assertion, data: { ...assertion.data, tiers } };
}

function isTierList(data: unknown): data is { readonly tiers: readonly string[] } {
  return typeof data === 'object' && data !== null && 'tiers' in data && Array.isArray(data.tiers);
}
