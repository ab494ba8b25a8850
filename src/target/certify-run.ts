import { selectCases } from '../cases/case-selection.js';
import type { RunFacts } from '../certificate/certificate.js';
import { type CertifiedResults, certifyResults } from '../certificate/certify-results.js';
import type { ExchangeIndex } from '../certificate/exchange-index.js';
import type { EvidenceArchive, EvidenceOrigin } from '../certificate/har-archive.js';
import { renderRunReport } from '../outputs/terminal/run-report.js';
import { writeResults } from '../outputs/write-results.js';
import type { KnownFile } from '../record/known-deviations.js';
import { type CaseResult, getVerdictApart } from '../run/case-result.js';
import type { RunEvidence } from '../run/evidence-keeper.js';
import { createReplay } from '../run/replay.js';
import { omitUndefined } from '../support/collections.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { RunInputs, RunSettings } from './run-inputs.js';
import { judgeCases, loadKnown } from './target-run.js';

/** A run whose exchanges are judged again. */
export interface RecordedRun extends Pick<EvidenceOrigin, 'extent' | 'isReplay'> {
  readonly settings: RunSettings;
  readonly evidence: RunEvidence;
}

/** A run whose cases are judged. */
interface JudgedRun extends Pick<RunFacts, 'requestsSent' | 'isReplay' | 'isCutShort' | 'startedAt' | 'data'> {
  readonly results: readonly CaseResult[];
  readonly index: ExchangeIndex;
  readonly note: string | undefined;
  readonly recall: () => RecordedRun;
}

/** Certifies a run. What is known, corrected by all responses, may need that some results are judged again. */
export async function certifyRun(inputs: RunInputs, run: JudgedRun): Promise<CertifiedResults> {
  const { suite, settings } = inputs;
  const { results, index, note, recall, ...ended } = run;
  const { only, quick, target, expected } = settings;
  const { name, kind, baseUrl, version, file, transport } = target;
  const facts: RunFacts = {
    ...ended,
    ...omitUndefined({ only, quick: quick && (true as const), known: settings.known }),
    planned: selectCases(suite, settings).map(({ id }) => id),
    notes: [...settings.notes, ...(note === undefined ? [] : [note])],
    expected,
    target: {
      name: toOneLine(name),
      base_url: toOneLine(baseUrl),
      ...omitUndefined({ version, file, transport }),
      ...(kind === 'reference' && { is_reference: true }),
    },
    durationMs: Date.now() - run.startedAt.getTime(),
  };
  const known = await loadKnown(settings, suite.world);
  const certified = await certifyResults(suite, results, index, facts, { ...target, ...omitUndefined({ known }) });
  const current = settings.known && correctKnown(settings.known, certified);
  if (current === undefined) return certified;
  const corrected = { suite, settings: { ...settings, known: current } };
  const isExcused = (result: CaseResult) => result.rows.some((row) => row.known) && getVerdictApart(result) !== 'fail';
  const again = results.some(isExcused) ? (await judgeEvidence(corrected, recall())).reports : [];
  const judged = new Map(again.map(({ result }) => [result.id, result]));
  const replaced = results.map((result) => (isExcused(result) ? (judged.get(result.id) ?? result) : result));
  return await certifyRun(corrected, { ...run, results: replaced });
}

/** Corrects what is known by what all responses show, so that it excuses nothing else. Undefined if it is right. */
function correctKnown(known: KnownFile, { gone, emptyStatuses }: CertifiedResults): KnownFile | undefined {
  if (gone.length === 0 && (emptyStatuses === undefined || known.emptyStatuses !== undefined)) return undefined;
  const entries = known.entries.map((entry) =>
    gone.includes(entry.cause ?? '') ? { ...entry, isGone: true as const } : entry,
  );
  return { ...known, entries, ...omitUndefined({ emptyStatuses }) };
}

/** Judges the exchanges of a run again, as the same cases. Nothing is sent. */
export async function judgeEvidence(inputs: RunInputs, { evidence, extent }: RecordedRun) {
  const replay = createReplay(evidence, inputs.suite.calibration);
  return await judgeCases(inputs, replay.createChannel(), { replay, plannedCases: extent.judged });
}

/** Writes the results of a run. @throws UnusableInput if a file cannot be written */
export function publishRun(
  {
    certificate,
    results,
    newDeviations,
    archive,
    isUnusable,
  }: CertifiedResults & { readonly archive: EvidenceArchive; readonly isUnusable: boolean },
  { suite, settings }: RunInputs,
) {
  const written = writeResults(certificate, suite, results, settings.destination, archive, newDeviations);
  const isRecorded = written.record !== undefined && written.record.unwritten === undefined;
  const report = renderRunReport(certificate, written);
  return { certificate, folder: settings.destination.out, isUnusable, isRecorded, report };
}
