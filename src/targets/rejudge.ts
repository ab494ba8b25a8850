import { selectedSuite } from '../cases/selection.js';
import type { Suite } from '../cases/suite.js';
import { type CaseResult, explored, sampled, unsent } from '../engine/case-result.js';
import { replayOf } from '../engine/replay.js';
import { startRun } from '../engine/run.js';
import { type Certificate, certificateOf, factsOf } from '../report/certificate.js';
import type { RecordedRun } from './recorded-run.js';
import { runOptionsOf } from './settings.js';
import { certifiedTarget } from './target.js';

/**
 * Judges a recorded run again, in this process and with nothing sent: what was judged then, and no more.
 *
 * @param suite as it is for the target of that run
 * @returns the certificate that it comes to, save for times
 */
export async function rejudged({ evidence, origin, settings }: RecordedRun, suite: Suite): Promise<Certificate> {
  const { isCutShort, judged, unjudged, gaps = [] } = origin.extent;
  const replay = replayOf(evidence);
  const selected = selectedSuite(suite, settings);
  const run = await startRun(selected, replay.channel(''), { ...runOptionsOf(settings), replay });
  const wasJudged = new Set(judged);
  const why = new Map(unjudged.map((each) => [each.id, each]));
  const results: CaseResult[] = [];
  for (const testCase of selected.cases) {
    const left = why.get(testCase.id);
    if (wasJudged.has(testCase.id)) results.push(await run.runCase(testCase));
    else if (left !== undefined) results.push(unsent(testCase, left.verdict, left.reason));
  }
  if (wasJudged.has(sampled)) results.push(await run.sampleAgain());
  const { exploration } = settings;
  if (wasJudged.has(explored) && exploration !== undefined) results.push(await run.explore(exploration));
  return certificateOf(suite, results, {
    target: certifiedTarget(settings.target, origin.baseUrl),
    ...factsOf(results, run.calibration, settings),
    isCutShort,
    gaps,
    startedAt: new Date(0),
    durationMs: 0,
  });
}
