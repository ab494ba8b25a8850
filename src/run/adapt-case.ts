/**
 * How the requests of cases are changed for a deployment that does not take them as they are: the examination decides it
 * before the cases, live and when evidence is replayed. In: a case. Out: the same case with other requests, and with those
 * of its expectations that follow from the documentation for these.
 */

import type { Assertion, RequestWithOracle } from '../assertions/assertion.js';
import { findResponseAssertionDefinition } from '../assertions/registry.js';
import type { CaseRow, RequirementRow, TestCase } from '../cases/test-case.js';
import { caseTags, getRequirementOrQuestionId } from '../cases/test-case.js';
import type { Contract } from '../contract/contract.js';
import { spellFiltersLiterally } from '../contract/operation.js';
import { createOracle } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import { type HttpRequest, serializeRequest } from '../http/exchange.js';
import { leaveOutPart, type RefusedPart, type RequestPart } from './request-parts.js';

export interface RequestAdaptation {
  /** Whether filters are read only if their brackets are written literally. */
  readonly readsLiteralFiltersOnly: boolean;
  /** What the deployment refuses, so that requests are sent without it. */
  readonly refusedParts: readonly RefusedPart[];
}

/** What changed cases are checked against. */
interface AdaptationContext {
  readonly contract: Contract;
  readonly world: World;
}

export function adaptCase<T extends TestCase>(testCase: T, changes: RequestAdaptation, context: AdaptationContext): T {
  const spelled = changes.readsLiteralFiltersOnly ? spellCase(testCase) : testCase;
  return changes.refusedParts.length === 0 ? spelled : leaveOutOfCase(spelled, changes.refusedParts, context);
}

/** Writes the filters of a case with literal brackets, unless it is about their spelling. */
function spellCase<T extends TestCase>(testCase: T): T {
  if (testCase.tags.includes(caseTags.spelling)) return testCase;
  const rows = testCase.rows.map((row) => ({ ...row, requests: mapRequests(row, spellFiltersLiterally) }));
  return { ...testCase, rows };
}

/** Leaves out what is refused. */
function leaveOutOfCase<T extends TestCase>(
  testCase: T,
  refused: readonly RefusedPart[],
  context: AdaptationContext,
): T {
  const change = (request: HttpRequest) =>
    refused
      .filter(({ part }) => !isAbout(testCase, part, request, context))
      .reduce((changed, entry) => leaveOutPart(changed, entry), request);
  const rows = testCase.rows.map((row) => {
    const requests = mapRequests(row, change);
    if ([...requests].every(([name, request]) => request === row.requests.get(name))) return row;
    const adapted = adaptRow(row, { ...row, requests }, context);
    return adapted ?? { ...row, unavailable: [...row.unavailable, ...refused.map(({ part }) => part.description)] };
  });
  return { ...testCase, rows };
}

/** Whether a case is about a part, and sends it with a value: then it is sent, refused, and fails. */
function isAbout(
  testCase: TestCase,
  part: RequestPart,
  request: HttpRequest,
  { contract }: AdaptationContext,
): boolean {
  const requirement = contract.requirements.find(({ about }) => about === part.about)?.id;
  const isSubject = testCase.kind === 'requirement' && getRequirementOrQuestionId(testCase) === requirement;
  return isSubject && !part.isReplaced && !part.isEmptyIn(request);
}

function mapRequests(
  { requests }: CaseRow,
  change: (request: HttpRequest) => HttpRequest,
): ReadonlyMap<string, HttpRequest> {
  return new Map([...requests].map(([name, request]) => [name, change(request)]));
}

/** Returns a row with other requests, as far as the documentation says what follows for them; undefined if it does not. */
function adaptRow<R extends CaseRow | RequirementRow>(
  stated: R,
  changed: R,
  context: AdaptationContext,
): R | undefined {
  if ('expect' in changed) return adaptExpectations(stated, changed, context) as R | undefined;
  return isUnaffected(stated, changed, context) ? changed : undefined;
}

/** Keeps of each expectation what follows for the changed requests. Undefined if nothing of one follows. */
function adaptExpectations(
  stated: CaseRow,
  changed: RequirementRow,
  { world }: AdaptationContext,
): RequirementRow | undefined {
  const getRequest = (name: string): RequestWithOracle => {
    const http = changed.requests.get(name) as HttpRequest;
    // The deployment has answered requests without it: it neither demands it nor returns nothing without it.
    const oracle = createOracle(http, world);
    const { accepted } = createOracle(stated.requests.get(name) as HttpRequest, world);
    return { name, http, oracle: { ...(oracle.whenReturning ?? oracle), accepted } };
  };
  const adapt = (assertion: Assertion) => adaptAssertion(assertion, getRequest, world);
  const [given, expect] = [changed.given.map(adapt), changed.expect.map(adapt)];
  const isKept = (assertion: Assertion | undefined) => assertion !== undefined;
  if (![...given, ...expect].every(isKept)) return undefined;
  return { ...changed, given: given.filter(isKept), expect: expect.filter(isKept) };
}

/** Whether the changes matter for no tier and for no comparison, so that the answer to a question stays the same. */
function isUnaffected(stated: CaseRow, changed: CaseRow, { world }: AdaptationContext): boolean {
  const countRequests = ({ requests }: CaseRow) => new Set([...requests.values()].map(serializeRequest)).size;
  if (countRequests(changed) < countRequests(stated)) return false;
  return [...changed.requests].every(([name, request]) => {
    const before = createOracle(stated.requests.get(name) as HttpRequest, world);
    const after = createOracle(request, world);
    const { returned } = after.whenReturning ?? after;
    return world.tiers.every((tier) => before.returned(tier) === returned(tier));
  });
}

function adaptAssertion(
  assertion: Assertion,
  getRequest: (name: string) => RequestWithOracle,
  world: World,
): Assertion | undefined {
  if ('lists' in assertion) return undefined;
  const { findFlaw } = findResponseAssertionDefinition(assertion);
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
