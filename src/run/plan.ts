import { caseTags, type TestCase } from '../cases/test-case.js';
import { type HttpRequest, serializeRequest } from '../http/exchange.js';
import { type CaseExclusionSettings, findExclusionReason } from '../suite/case-selection.js';
import type { Suite } from '../suite/suite.js';
import { renderShortList } from '../support/collections.js';
import { isSerial, listRequestsOfCase } from './case-sender.js';
import { findFilterRequest } from './filter-spelling.js';

/** How many of the first requests drawn from a data file are sent again. After a failure, all of them are. */
const watchedRequests = 8;

/** How many of them are sent again if no sample case is selected. */
const watchedWithoutSamples = 2;

/** Lists the first requests of a run that are sent again at its end, to compare the results. */
export function listRepeatedRequests(
  suite: Pick<Suite, 'cases' | 'calibration' | 'data' | 'isQuick'>,
  isFailing = false,
) {
  const { calibration, data, isQuick } = suite;
  if (data !== undefined) return isFailing ? calibration : calibration.slice(0, watchedRequests);
  // Quick rows are chosen so that their requests just fit into the limit.
  const isNeeded = listSampleCases(suite).length === 0 && isQuick === undefined;
  return isNeeded ? calibration.slice(0, watchedWithoutSamples) : [];
}

export function listSampleCases({ cases }: Pick<Suite, 'cases'>): readonly TestCase[] {
  return cases.filter(({ tags }) => tags.includes(caseTags.sample));
}

/** The requests of a run, in the order of its cases. */
export type Plan = ReturnType<typeof createRunPlan>;

export function createRunPlan(suite: Suite, settings: CaseExclusionSettings) {
  const { calibration, data } = suite;
  const alone = [findFilterRequest(suite) ?? []].flat();
  // Cases share requests that are sent before them if there are many: those that are drawn from a data file.
  const known = new Set((data === undefined ? alone : [...calibration, ...alone]).map(serializeRequest));
  const isNew = (request: HttpRequest): boolean => {
    const text = serializeRequest(request);
    return !known.has(text) && known.add(text) !== undefined;
  };
  const listNewRequests = (testCase: TestCase): HttpRequest[] => {
    const all = listRequestsOfCase(testCase);
    return isSerial(testCase) ? all : all.filter(isNew);
  };
  return {
    calibration: [...alone, ...calibration],
    cases: suite.cases.map((testCase) => {
      const { id, tags } = testCase;
      const reason = findExclusionReason(testCase, settings) ?? explainNotApplicable(testCase);
      const requests = reason === undefined ? listNewRequests(testCase) : [];
      return { id, reason, requests, mark: tags.includes(caseTags.intrusive) ? `  ${caseTags.intrusive}` : '' };
    }),
    /** How many of them are sent again at the end. */
    repeated:
      listRepeatedRequests(suite).length ||
      (data === undefined ? listSampleCases(suite).flatMap(listRequestsOfCase).length : 0),
  };
}

export function countPlannedRequests({ calibration, cases, repeated }: Plan): number {
  return calibration.length + cases.flatMap(({ requests }) => requests).length + repeated;
}

function explainNotApplicable({ rows }: TestCase): string | undefined {
  if (rows.some(({ unavailable }) => unavailable.length === 0)) return undefined;
  const unavailable = [...new Set(rows.flatMap((row) => row.unavailable))];
  return `not applicable: the target does not have ${renderShortList(unavailable)}`;
}
