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
 * Judges the exchanges of a recorded run again, in this process. Nothing is sent.
 *
 * @param suite with the ids of the target of that run
 * @returns the certificate without times
 */
export async function rejudgeRun({ evidence, origin, settings }: RecordedRun, suite: Suite): Promise<Certificate> {
  const { isCutShort, judged, unjudged, gaps = [] } = origin.extent;
  const replay = createReplay(evidence);
  const selected = selectFromSuite(suite, settings);
  const run = await startRun(selected, replay.createChannel(''), { ...createEngineOptions(settings), replay });
  const wasJudged = new Set(judged);
  const wasUnjudged = new Map(unjudged.map((each) => [each.id, each]));
  const results: ShownResult[] = [];
  for (const testCase of selected.cases) {
    const stated = wasUnjudged.get(testCase.id);
    if (wasJudged.has(testCase.id)) results.push(await run.runCase(testCase));
    else if (stated !== undefined) results.push(createUnsentResult(testCase, stated.verdict, stated.reason));
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
