import { selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import { createUnsentResult, explorationId, type ShownResult, sampleId } from '../engine/case-result.js';
import { createReplay } from '../engine/replay.js';
import { startRun } from '../engine/run.js';
import { type Certificate, collectRunFacts, createCertificate } from '../report/certificate.js';
import type { RecordedRun } from './recorded-run.js';
import { createEngineOptions } from './settings.js';
import { createCertifiedTarget } from './target.js';

/**
 * Judges a recorded run again, in this process and with nothing sent: what was judged then, and no more.
 *
 * @param suite as it is for the target of that run
 * @returns the certificate that it comes to, save for times
 */
export async function rejudgeRun({ evidence, origin, settings }: RecordedRun, suite: Suite): Promise<Certificate> {
  const { isCutShort, judged, unjudged, gaps = [] } = origin.extent;
  const replay = createReplay(evidence);
  const selected = selectFromSuite(suite, settings);
  const run = await startRun(selected, replay.createChannel(''), { ...createEngineOptions(settings), replay });
  const wasJudged = new Set(judged);
  const why = new Map(unjudged.map((each) => [each.id, each]));
  const results: ShownResult[] = [];
  for (const testCase of selected.cases) {
    const left = why.get(testCase.id);
    if (wasJudged.has(testCase.id)) results.push(await run.runCase(testCase));
    else if (left !== undefined) results.push(createUnsentResult(testCase, left.verdict, left.reason));
  }
  if (wasJudged.has(sampleId)) results.push(await run.repeatSamples());
  const { exploration } = settings;
  if (wasJudged.has(explorationId) && exploration !== undefined) results.push(await run.explore(exploration));
  return createCertificate(suite, results, {
    target: createCertifiedTarget(settings.target, origin.baseUrl),
    ...collectRunFacts(results, run.calibration, settings),
    isCutShort,
    gaps,
    startedAt: new Date(0),
    durationMs: 0,
  });
}
