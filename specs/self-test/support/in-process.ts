import { loadSuite, type Suite } from '../../../src/cases/suite.js';
import type { CaseResult } from '../../../src/engine/case-result.js';
import { runSuite } from '../../../src/engine/run.js';
import type { Channel, HttpRequest, HttpResponse } from '../../../src/http/exchange.js';
import type { Expected } from '../../../src/judge/drift.js';
import { type Certificate, certificateOf } from '../../../src/report/certificate.js';
import { channelTo } from '../../proof/judge-deployment.js';

export { channelTo };

/** The cases of the suite, parsed once per process. */
export const suite: Suite = loadSuite();

/** The requirement cases alone, for tests that send nothing else. */
export const requirementSuite: Suite = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'requirement') };

/** What a user states of a target, as a target file would. */
interface Stated {
  readonly tierPatterns?: readonly string[];
  readonly expected?: Expected;
  readonly infersShape?: boolean;
}

/** Runs a suite over a channel, and certifies. */
export async function certifyOver(
  channel: Channel,
  suite: Suite,
  stated: Stated = {},
): Promise<{ certificate: Certificate; results: CaseResult[] }> {
  const { results, calibration } = await runSuite(suite, channel, stated);
  const certificate = certificateOf(suite, results, {
    target: { name: 'in-process', base_url: 'http://in-process.test' },
    requestsSent: results.reduce((sum, { requestsSent }) => sum + requestsSent, calibration.requestsSent),
    notes: [],
    isCutShort: false,
    startedAt: new Date(0),
    durationMs: 0,
  });
  return { certificate, results };
}

/** Runs a suite, the whole of it unless another is given, against a deployment in this process. */
export function certifyInProcess(
  answer: (request: HttpRequest) => HttpResponse,
  { suite: own = suite, ...stated }: Stated & { suite?: Suite } = {},
): Promise<{ certificate: Certificate; results: CaseResult[] }> {
  return certifyOver(channelTo(answer), own, stated);
}

/** The ids of the requirements that have a verdict. */
export function requirementsWith(verdict: string, { requirements }: Certificate): string[] {
  return requirements.filter((requirement) => requirement.verdict === verdict).map(({ id }) => id);
}
