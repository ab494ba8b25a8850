import type { RequirementCase } from '../../src/cases/case.js';
import type { Suite } from '../../src/cases/suite.js';
import { askCase, calibrate } from '../../src/engine/run.js';
import type { Credentials } from '../../src/http/credentials.js';
import { credentialPlaceholders } from '../../src/http/credentials.js';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { type Background, type CaseJudgement, judgeCase, type Verdict, worst } from '../../src/judge/verdict.js';

/** The credentials of a deployment that is examined: those of a case as it is, before a client replaces them. */
export const examinedCredentials: Credentials = credentialPlaceholders;

/** What the requirement cases of a suite find out about a deployment. */
export interface Examination {
  readonly background: Background;
  readonly cases: readonly ExaminedCase[];
}

export interface ExaminedCase {
  readonly testCase: RequirementCase;
  /** By row, then by name: judging again needs no asking again. */
  readonly exchanges: readonly ReadonlyMap<string, Exchange>[];
  readonly judgement: CaseJudgement;
}

/**
 * Puts a deployment to the requirement cases of a suite, in this process.
 *
 * @param respond takes {@link examinedCredentials}
 * @param statedPatterns as a target file states it
 */
export async function examine(
  suite: Suite,
  respond: (request: HttpRequest) => HttpResponse,
  statedPatterns?: readonly string[],
): Promise<Examination> {
  const channel = {
    send: async (request: HttpRequest) => ({ request, response: respond(request) }),
    redact: (text: string) => text,
    maxOfCase: Number.POSITIVE_INFINITY,
  };
  const { namings } = await calibrate(suite, channel);
  const background: Background = {
    world: suite.world.world,
    calibration: namings,
    ...(statedPatterns === undefined ? {} : { statedPatterns }),
  };
  const cases: ExaminedCase[] = [];
  for (const testCase of suite.cases) {
    if (testCase.kind !== 'requirement') continue;
    const { exchanges } = await askCase(testCase, channel);
    cases.push({ testCase, exchanges, judgement: judgeCase(testCase, exchanges, background) });
  }
  return { background, cases };
}

/** The verdict of each requirement: the worst of its cases'. */
export function verdictsOf({ cases }: Examination): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const { testCase, judgement } of cases) {
    verdicts.set(testCase.verifies, worst([verdicts.get(testCase.verifies) ?? 'pass', judgement.verdict]));
  }
  return verdicts;
}
