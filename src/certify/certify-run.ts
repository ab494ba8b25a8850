/**
 * The end of a run, in the process that certifies. In: all results, and an index of the exchanges. It applies what concerns the
 * whole run, explains failures, and corrects what is known by what was seen. Out: the certificate, and the files of the results.
 */

import { type CertificateInputs, type CertifiedRun, createCertificate } from '../certificate/certificate.js';
import type { EvidenceArchive, EvidenceOrigin } from '../certificate/har-archive.js';
import { explainLostData, withdrawFailuresOfWrongData } from '../certificate/withdraw-failures-of-wrong-data.js';
import { withdrawResultsAfterStop } from '../certificate/withdraw-results-after-stop.js';
import type { RunInputs, RunSettings } from '../config/run-inputs.js';
import type { Diagnosis } from '../explanation/diagnose-run.js';
import { findUnknownPromotions } from '../explanation/unknown-promotions.js';
import type { Verdict } from '../judge/verdict.js';
import { renderRunReport } from '../outputs/terminal/run-report.js';
import { writeResults } from '../outputs/write-results.js';
import type { KnownDeviationsFile } from '../record/known-deviations.js';
import type { ExchangeUse, Explanation, StoredEvidence } from '../run/case-report.js';
import { type CaseResult, getVerdictApartFromKnown } from '../run/case-result.js';
import type { ExchangeIndex } from '../run/exchange-index.js';
import { createReplay } from '../run/replay.js';
import { createReason, type Reason, renderReason } from '../support/reason.js';
import { toOneLine } from '../support/untrusted-text.js';
import { loadKnownCauses, runPlannedCases, type SuspectedWrongDataLoadSummary } from './target-run.js';

/** A run whose exchanges are judged again. */
export interface RunToRejudge extends Pick<EvidenceOrigin, 'extent'> {
  readonly settings: RunSettings;
  readonly evidence: StoredEvidence;
}

/** A run whose cases are judged. */
interface JudgedRun
  extends Pick<CertificateInputs, 'requestsSent' | 'disturbances' | 'isCutShort' | 'startedAt' | 'data' | 'stop'> {
  readonly results: readonly CaseResult[];
  readonly index: ExchangeIndex;
  readonly uses: readonly ExchangeUse[];
  readonly load: SuspectedWrongDataLoadSummary | undefined;
  /** What the processes that sent found out. */
  readonly explanations: readonly Explanation[];
  readonly recall: () => RunToRejudge;
}

/** Certifies a run. What is known, corrected by all responses, may need that some results are judged again. */
export async function certifyRun(inputs: RunInputs, run: JudgedRun): Promise<CertifiedRun> {
  const { suite, settings } = inputs;
  const { results: plain, index, uses, load: suspected, explanations, recall, ...ended } = run;
  const { quick, target, expected, known, scope } = settings;
  const unknown = findUnknownPromotions(index, suite.world, target);
  const load =
    suspected ??
    (expected.lost && { reason: explainLostData(expected.lost), isProven: true }) ??
    (unknown && { reason: unknown, isProven: false });
  const { name, kind, baseUrl, version, file, transport } = target;
  const certificateInputs: CertificateInputs = {
    ...ended,
    showExchange: index.show,
    quick: quick && (true as const),
    known,
    scope,
    load: load && { ...load, sentence: renderReason(load.reason) },
    notes: settings.notes,
    expected,
    target: {
      name: toOneLine(name),
      base_url: toOneLine(baseUrl),
      version,
      file,
      transport,
      ...(kind === 'reference' && { is_reference: true }),
    },
    durationMs: Date.now() - run.startedAt.getTime(),
  };
  const held = withdrawResultsAfterStop(plain, run.stop, uses, suite);
  const results = withdrawFailuresOfWrongData(held, expected);
  const shown = { results, showExchange: index.show };
  // Nothing of the deployment is to be explained where the load explains it.
  const isToExplain = (verdict: Verdict) => verdict === 'fail' || (verdict === 'inconclusive' && !load?.isProven);
  const isWrong = results.some(({ verdict }) => isToExplain(verdict));
  if (!isWrong)
    return { ...shown, certificate: createCertificate(suite, results, certificateInputs), newDeviations: [] };
  // Loaded only where something is to be explained: it comes with the mistakes of the reference deployment. If all processes
  // load them, a run of one case takes 14 % more processor time (median of nine).
  const { diagnoseRun } = await import('../explanation/diagnose-run.js');
  const { describeBeforeStop } = await import('../explanation/before-stop.js');
  const { listNewDeviations } = await import('../certificate/new-deviations.js');
  const causes = await loadKnownCauses(settings, suite.world);
  const statedPatterns = target.tierPatterns;
  const diagnosis = diagnoseRun({
    suite,
    results,
    index,
    statedPatterns,
    known: causes,
    explanation: joinExplanations(explanations),
    isThroughTransport: target.transport !== undefined,
  });
  const beforeStop = run.stop && describeBeforeStop(run.stop.since, index.all, suite.world);
  const doubt = load?.isProven ? undefined : diagnosis.outdatedData;
  const explained = {
    ...certificateInputs,
    ...diagnosis,
    ...(beforeStop && { beforeStop }),
    ...(doubt && { load: { sentence: joinSentences(unknown, doubt), isProven: false } }),
  };
  const current = known && correctKnown(known, diagnosis);
  if (current === undefined) {
    const certificate = createCertificate(suite, results, explained);
    const newDeviations = listNewDeviations({ suite, results, causes: diagnosis.causes, known });
    return { ...shown, certificate, newDeviations };
  }
  const corrected = { suite, settings: { ...settings, known: current } };
  const isExcused = (result: CaseResult) =>
    result.rows.some((row) => row.known) && getVerdictApartFromKnown(result) !== 'fail';
  const again = plain.some(isExcused) ? (await judgeEvidence(corrected, recall())).reports : [];
  const judged = new Map(again.map(({ result }) => [result.id, result] as const));
  const replaced = plain.map((result) => (isExcused(result) ? (judged.get(result.id) ?? result) : result));
  // What was proved was proved with what was known before.
  const narrowed = explanations.map(({ contrasts }) => ({ contrasts }));
  return await certifyRun(corrected, { ...run, results: replaced, explanations: narrowed });
}

/** Says what is wrong with the data file: what it lacks, and what it has. */
function joinSentences(unknown: Reason | undefined, next: Reason): string {
  return renderReason(unknown === undefined ? next : createReason('and', { reason: unknown, next }));
}

/** Joins what several processes found out. What one of them proved from its responses is tried again with those of all. */
function joinExplanations(explanations: readonly Explanation[]): Explanation {
  const [first, ...others] = explanations;
  return {
    proved: others.length === 0 ? first?.proved : undefined,
    contrasts: explanations.flatMap(({ contrasts }) => contrasts),
  };
}

/** Corrects what is known by what all responses show, so that it excuses nothing else. Undefined if it is right. */
function correctKnown(known: KnownDeviationsFile, { gone, emptyStatuses }: Diagnosis): KnownDeviationsFile | undefined {
  if (gone.length === 0 && (emptyStatuses === undefined || known.emptyStatuses !== undefined)) return undefined;
  const entries = known.entries.map((entry) =>
    entry.cause !== undefined && gone.includes(entry.cause) ? { ...entry, isGone: true as const } : entry,
  );
  return { ...known, entries, emptyStatuses: emptyStatuses ?? known.emptyStatuses };
}

/** Judges the exchanges of a run again, as the same cases. Nothing is sent. */
export async function judgeEvidence(inputs: RunInputs, { evidence, extent }: RunToRejudge) {
  const replay = createReplay(evidence, inputs.suite.calibration);
  // Evidence from somebody else may name a case a million times.
  const plannedCases = [...new Set(extent.judged)];
  return await runPlannedCases(inputs, replay.createChannel(), { replay, plannedCases });
}

/** Writes the results of a run. @throws UnusableInput if a file cannot be written */
export function publishRun(
  run: CertifiedRun & { readonly archive: EvidenceArchive; readonly isUnusable: boolean },
  { suite, settings }: RunInputs,
) {
  const { certificate, archive, isUnusable } = run;
  const written = writeResults(run, suite, settings.destination, archive);
  const isRecorded = written.record !== undefined && written.record.unwritten === undefined;
  const report = renderRunReport(certificate, written);
  return { certificate, folder: settings.destination.out, isUnusable, isRecorded, report };
}
