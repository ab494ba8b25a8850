import { selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import { collectRunFacts } from '../certificate/certificate.js';
import { type CertifiedResults, certifyResults } from '../certificate/certify-results.js';
import { indexExchanges } from '../certificate/exchange-index.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { createUnsentResult, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import { countAttempts } from '../run/request-cache.js';
import { startRun } from '../run/run.js';
import { listSampleCases } from '../run/sample.js';
import { createRunReplay, type RecordedRun, restoreSettings } from './recorded-run.js';
import { createEngineOptions } from './settings.js';
import { createCertifiedTarget } from './target.js';

/**
 * Judges the exchanges of a recorded run again, in this process. Nothing is sent.
 *
 * @param suite with the ids of the target of that run
 * @returns with a certificate that has no times
 */
export async function rejudgeRun(recorded: RecordedRun, suite: Suite): Promise<CertifiedResults> {
  const { evidence, origin } = recorded;
  const { isCutShort, judged, unjudged } = origin.extent;
  const settings = restoreSettings(recorded, suite);
  const replay = createRunReplay(evidence, settings.target, suite);
  const selected = selectFromSuite(suite, settings);
  const options = { ...createEngineOptions(settings), replay };
  const run = await startRun(selected, replay.createChannel(''), options);
  const wasJudged = new Set(judged);
  const results: ResultWithExchanges[] = [];
  for (const testCase of selected.cases) {
    const stated = unjudged.find(({ id }) => id === testCase.id);
    if (wasJudged.has(testCase.id)) results.push(await run.runCase(testCase));
    else if (stated !== undefined) results.push(createUnsentResult(testCase, stated.verdict, stated.reason));
  }
  if (wasJudged.has(samplesCaseId) && listSampleCases(selected).length > 0) results.push(await run.repeatSamples());
  const facts = {
    target: createCertifiedTarget(settings.target, origin.baseUrl),
    ...collectRunFacts(results, run.calibration, settings, selected.cases),
    requestsSent: countAttempts(evidence.exchanges.map(({ exchange }) => exchange)),
    isReplay: origin.isReplay === true,
    isCutShort,
    startedAt: new Date(0),
    durationMs: 0,
  };
  const index = indexExchanges(evidence, createRecognizer(suite.world, settings.target.mentionFilter), results);
  return certifyResults(suite, results, index, facts, settings.target);
}
