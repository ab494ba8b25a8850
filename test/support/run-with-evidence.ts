import type { TestCase } from '../../src/cases/test-case.js';
import type { Certificate, CertifiedRun } from '../../src/certificate/certificate.js';
import {
  createEvidenceArchiver,
  type EvidenceArchive,
  type EvidenceOrigin,
  parseEvidenceArchive,
} from '../../src/certificate/har-archive.js';
import { parseRunToRejudge, rejudgeRun } from '../../src/certify/recorded-run.js';
import { ReportedRun } from '../../src/certify/reported-run.js';
import { type JudgedCases, runPlannedCases } from '../../src/certify/target-run.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import type { RunOptions } from '../../src/config/run-options.js';
import type { RequestChannel } from '../../src/http/exchange.js';
import type { StoredEvidence } from '../../src/run/case-report.js';
import { repetitionCaseId } from '../../src/run/case-result.js';
import { selectCases } from '../../src/suite/case-selection.js';
import { loadSuite } from '../../src/suite/suite.js';
import { joinEvidence } from '../../tools/proof/judge-deployment.js';
import { recognizer, suite } from './in-process.js';

/** Reads the settings of a run on the reference deployment. */
export function readSettings(options: RunOptions = { reference: true }) {
  return loadRunInputs(options, {}).settings;
}

/** The origin of the evidence of a run without settings. */
export const bareOrigin: EvidenceOrigin = {
  suite: { name: suite.name, version: suite.version, digest: suite.digest },
  baseUrl: 'http://in-process.test',
  inputs: {},
  extent: { isCutShort: false, judged: [], unjudged: [] },
};

/** What a run on a data file needs beside it: nothing is sent over a network. */
const ownDataVariables = { CLIENT_APPLICATION_ID: 'in-process-application', CLIENT_TOKEN: 'in-process-token' };

/** The result of a run in this process, and its evidence. */
export interface RunWithEvidence extends CertifiedRun {
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
}

/**
 * Runs cases over a channel, as the processes of a run do together.
 *
 * @param options of the run; it certifies the reference deployment unless they name another
 * @param selects as `--grep` does: the rest is not known to be left out
 */
export async function runWithEvidence(
  channel: RequestChannel,
  {
    options = {},
    selects = () => true,
  }: {
    options?: RunOptions;
    selects?: (testCase: TestCase) => boolean;
  } = {},
): Promise<RunWithEvidence> {
  const isOwnData = options.data !== undefined;
  const { suite: loaded, settings } = loadRunInputs(
    { ...(isOwnData ? { baseUrl: 'http://127.0.0.1:9' } : { reference: true }), ...options },
    isOwnData ? ownDataVariables : {},
  );
  const { baseUrl } = bareOrigin;
  // What the tests know of the test data is known by these objects.
  const ofRun = isOwnData ? loaded : suite;
  const inputs = { suite: ofRun, settings: { ...settings, target: { ...settings.target, baseUrl } } };
  const isSelected = new Map(ofRun.cases.map((testCase) => [testCase.id, selects(testCase)]));
  const all = [...selectCases(ofRun, inputs.settings).map(({ id }) => id), repetitionCaseId];
  const plannedCases = all.filter((id) => isSelected.get(id) ?? true);
  const inProcess = await runPlannedCases(inputs, channel, {
    plannedCases,
    ...(isOwnData ? {} : { recognizer }),
  });
  // As the reporter reads it from attachments.
  const judged: JudgedCases = JSON.parse(JSON.stringify(inProcess));
  const reported = new ReportedRun(new Set(plannedCases), inputs).addAll(judged);
  const { certificate, results, showExchange, newDeviations, archive } = await reported.certify();
  return {
    certificate: withoutTimes(certificate),
    results,
    showExchange,
    newDeviations,
    evidence: joinEvidence(judged.reports),
    origin: parseEvidenceArchive(archive.content, 'evidence.har').origin,
  };
}

/** Runs of equal evidence differ in nothing else. */
function withoutTimes(certificate: Certificate): Certificate {
  return { ...certificate, started_at: new Date(0).toISOString(), duration_ms: 0 };
}

export function createArchive({ exchanges, uses }: StoredEvidence, origin: EvidenceOrigin): EvidenceArchive {
  const archiver = createEvidenceArchiver(origin.baseUrl);
  for (const kept of exchanges) archiver.add(kept);
  return archiver.finish(uses, origin);
}

type Evidence = Pick<RunWithEvidence, 'evidence' | 'origin'>;

/** Reads the evidence of a run from its archive, and judges it again. */
export async function judgeAgain({ evidence, origin }: Evidence, { content } = createArchive(evidence, origin)) {
  const { certificate } = await (await rejudgeRun(parseRunToRejudge(content, 'evidence.har'), loadSuite())).certify();
  return withoutTimes(certificate);
}
