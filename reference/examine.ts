import type { RequirementCase } from '../src/contract/case.js';
import { credentialPlaceholders } from '../src/contract/request.js';
import type { Suite } from '../src/contract/suite.js';
import type { Exchange, HttpRequest, HttpResponse } from '../src/exchange/exchange.js';
import type { Credentials } from '../src/exchange/options.js';
import { type Background, type CaseJudgement, judgeCase, type Verdict, worst } from '../src/judge/verdict.js';
import { askCase, calibrate } from '../src/run.js';

/** The credentials of a deployment that is examined: those of a case as it is, before a client replaces them. */
export const examinedCredentials: Credentials = credentialPlaceholders;

/** What the requirement cases of a suite find out about a deployment. */
export interface Examination {
  readonly background: Background;
  readonly cases: readonly ExaminedCase[];
}

export interface ExaminedCase {
  readonly case_: RequirementCase;
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
    mostOfCase: Number.POSITIVE_INFINITY,
  };
  const { namings } = await calibrate(suite, channel);
  const background: Background = {
    world: suite.world.world,
    calibration: namings,
    ...(statedPatterns === undefined ? {} : { statedPatterns }),
  };
  const cases: ExaminedCase[] = [];
  for (const case_ of suite.cases) {
    if (case_.kind !== 'requirement') continue;
    const { exchanges } = await askCase(case_, channel);
    cases.push({ case_, exchanges, judgement: judgeCase(case_, exchanges, background) });
  }
  return { background, cases };
}

/** The verdict of each requirement: the worst of its cases'. */
export function verdictsOf({ cases }: Examination): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const { case_, judgement } of cases) {
    verdicts.set(case_.verifies, worst([verdicts.get(case_.verifies) ?? 'pass', judgement.verdict]));
  }
  return verdicts;
}
