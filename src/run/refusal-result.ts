import type { TestCase } from '../cases/test-case.js';
import type { KnownFailureTest } from '../judge/judgement.js';
import { type CaseExclusionSettings, findExclusionReason } from '../suite/case-selection.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { type CaseResult, createUnsentResult } from './case-result.js';
import type { EvidenceKeeper } from './evidence-keeper.js';
import type { UndueRefusal } from './examination/examination.js';

export interface RefusalSettings extends Partial<CaseExclusionSettings> {
  readonly isFailureKnown?: KnownFailureTest;
  readonly allCases?: readonly TestCase[];
}

/**
 * Finds the failures that the examination has shown before the cases. The first case of the requirement that is broken shows
 * it, whatever this case sends. If that case is not selected, another one shows it, and it is known all the same.
 */
export function createRefusalResults(
  { cases, contract }: Suite,
  refusals: readonly UndueRefusal[],
  { isFailureKnown = () => false, allCases = cases, ...scope }: RefusalSettings,
  findId: EvidenceKeeper['findId'],
): ReadonlyMap<string, CaseResult> {
  const results = refusals.flatMap(({ about, reason, exchange }) => {
    const requirement = contract.requirements.find((entry) => entry.about === about)?.id;
    const isShowing = (testCase: TestCase) =>
      testCase.kind === 'requirement' &&
      testCase.verifies === requirement &&
      !isOwnCase(testCase) &&
      findExclusionReason(testCase, scope) === undefined;
    const testCase = cases.find(isShowing);
    if (requirement === undefined || testCase === undefined) return [];
    const places = [testCase, allCases.find(isShowing) ?? testCase];
    const isKnown = places.some(({ id }) => isFailureKnown({ requirement, case: id, title: '' }));
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
