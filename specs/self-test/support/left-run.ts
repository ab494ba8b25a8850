import type { TestCase } from '../../../src/cases/case.js';
import { selectedSuite } from '../../../src/cases/selection.js';
import { loadSuite, ownFolder } from '../../../src/cases/suite.js';
import type { CaseResult } from '../../../src/engine/case-result.js';
import { evidenceKeeper } from '../../../src/engine/evidence.js';
import { startRun } from '../../../src/engine/run.js';
import { sampledCases } from '../../../src/engine/sample.js';
import type { Channel } from '../../../src/http/exchange.js';
import { type Certificate, certificateOf, factsOf } from '../../../src/report/certificate.js';
import { archiveOf, type EvidenceOrigin, type StoredEvidence } from '../../../src/report/har.js';
import { type RecordedRun, recordedInputs, recordedRunIn } from '../../../src/targets/recorded-run.js';
import { rejudged } from '../../../src/targets/rejudge.js';
import { loadSettings, runOptionsOf } from '../../../src/targets/settings.js';
import { certifiedTarget } from '../../../src/targets/target.js';
import { recognizer, suite } from './in-process.js';

/** What a run in this process came to, and what it would leave. */
export interface LeftRun {
  readonly certificate: Certificate;
  readonly results: readonly CaseResult[];
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
}

/**
 * Runs cases over a channel, as the processes of a run do together.
 *
 * @param environment as a user sets it; the reference deployment is meant unless it says otherwise
 * @param withoutSecrets of the client, where there is one
 * @param selects as `--grep` does: the rest is not known to be left out
 */
export async function leftRun(
  channel: Channel,
  {
    environment = {},
    withoutSecrets = (text: string) => text,
    selects = () => true,
  }: {
    environment?: Record<string, string>;
    withoutSecrets?: (text: string) => string;
    selects?: (testCase: TestCase) => boolean;
  } = {},
): Promise<LeftRun> {
  const settings = loadSettings({ CONFORMANCE_REFERENCE: '1', ...environment }, suite);
  const selected = selectedSuite(suite, settings);
  const cases = selected.cases.filter(selects);
  const options = { ...runOptionsOf(settings), recognizer, keeper: evidenceKeeper(withoutSecrets) };
  const run = await startRun(selected, channel, { ...options, coming: new Set(cases.map(({ id }) => id)) });
  const results: CaseResult[] = [];
  for (const testCase of cases) results.push(await run.runCase(testCase));
  if (sampledCases(selected).length > 0) results.push(await run.sampleAgain());
  if (settings.exploration !== undefined) results.push(await run.explore(settings.exploration));
  const baseUrl = 'http://in-process.test';
  const { name, version, digest } = suite;
  return {
    certificate: certificateOf(suite, results, {
      target: certifiedTarget(settings.target, baseUrl),
      ...factsOf(results, run.calibration, settings),
      isCutShort: false,
      startedAt: new Date(0),
      durationMs: 0,
    }),
    results,
    evidence: run.takeEvidence(),
    origin: {
      suite: { name, version, digest },
      baseUrl,
      inputs: recordedInputs({ availability: {}, settings }),
      extent: { isCutShort: false, judged: results.map(({ id }) => id), unjudged: [] },
    },
  };
}

/** The same as it is read back. */
export function readBack({ evidence, origin }: Pick<LeftRun, 'evidence' | 'origin'>): RecordedRun {
  return recordedRunIn(archiveOf(evidence, origin).content, 'evidence.har');
}

/** The certificate that it comes to when it is judged again. */
export function judgedAgain(left: Pick<LeftRun, 'evidence' | 'origin'>): Promise<Certificate> {
  return rejudged(readBack(left), loadSuite(ownFolder, {}));
}
