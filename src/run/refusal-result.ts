import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import { type CaseExclusionSettings, findExclusionReason } from '../suite/case-selection.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { type CaseResult, createUnsentResult } from './case-result.js';
import type { EvidenceKeeper } from './evidence-keeper.js';
import type { UndueRefusal } from './examination/examination.js';

/**
 * Finds the failures that the examination has shown before the cases. The first case of the requirement that is broken shows
 * it, whatever this case sends.
 */
export function createRefusalResults(
  { cases, contract }: Suite,
  refusals: readonly UndueRefusal[],
  {
    knownRequirements = [],
    ...scope
  }: Partial<CaseExclusionSettings> & { readonly knownRequirements?: readonly string[] },
  findId: EvidenceKeeper['findId'],
): ReadonlyMap<string, CaseResult> {
  const isSent = (testCase: TestCase) => !isOwnCase(testCase) && findExclusionReason(testCase, scope) === undefined;
  const results = refusals.flatMap(({ about, reason, exchange }) => {
    const requirement = contract.requirements.find((entry) => entry.about === about)?.id;
    const verifies = (testCase: TestCase) =>
      testCase.kind === 'requirement' && getRequirementOrQuestionId(testCase) === requirement && isSent(testCase);
    const testCase = cases.find(verifies);
    if (testCase === undefined) return [];
    const isKnown = requirement !== undefined && knownRequirements.includes(requirement);
    const result: CaseResult = {
      ...createUnsentResult(testCase, 'fail', reason),
      rows: [{ title: '', verdict: 'fail', reason, ...(isKnown && { known: true }) }],
      exchangeId: findId(exchange),
      apart_from_known: isKnown ? 'pass' : undefined,
    };
    return [[testCase.id, result] as const];
  });
  return new Map(results);
}
