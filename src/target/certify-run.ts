import path from 'node:path';
import { selectCases, selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { RunFacts } from '../certificate/certificate.js';
import { type CertifiedResults, certifyResults } from '../certificate/certify-results.js';
import { type ExchangeIndex, indexExchanges } from '../certificate/exchange-index.js';
import type { EvidenceArchive, EvidenceOrigin } from '../certificate/har-archive.js';
import type { Channel, Exchange } from '../http/exchange.js';
import { renderRunReport } from '../outputs/terminal/run-report.js';
import { writeResults } from '../outputs/write-results.js';
import type { KnownFile } from '../record/known-deviations.js';
import { type CaseResult, createUnsentResult, getVerdictApart } from '../run/case-result.js';
import { countAttempts } from '../run/case-sender.js';
import { createEvidenceKeeper, type RunEvidence } from '../run/evidence-keeper.js';
import { createReplay } from '../run/replay.js';
import { type EndedRun, type EngineOptions, runSuite } from '../run/run.js';
import { omitUndefined } from '../support/collections.js';
import { toOneLine } from '../support/untrusted-text.js';
import {
  createEngineOptions,
  createInputsRecognizer,
  type JudgingInputs,
  loadKnown,
  type RunSettings,
} from './settings.js';

export interface JudgedEvidence {
  readonly evidence: RunEvidence;
  readonly extent: EvidenceOrigin['extent'];
  readonly traffic?: readonly Exchange[];
}

interface RunEnd extends Pick<RunFacts, 'requestsSent' | 'isReplay' | 'isCutShort' | 'startedAt' | 'data'> {
  readonly baseUrl: string;
  readonly note: string | undefined;
  readonly recall: () => JudgedEvidence;
}

/** Certifies the results of a run. What is known, corrected by all responses, may need that some are judged again. */
export async function certifyCollected(
  { suite, settings }: JudgingInputs,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  end: RunEnd,
): Promise<CertifiedResults> {
  const { baseUrl, note, recall, ...ended } = end;
  const { only, quick, target, expected } = settings;
  const { name, kind, version, file, transport } = target;
  const facts: RunFacts = {
    ...ended,
    ...omitUndefined({ only, quick: quick && (true as const), known: settings.known }),
    planned: selectCases(suite, settings).map(({ id }) => id),
    notes: [...(note === undefined ? [] : [note]), ...settings.notes],
    expected,
    target: {
      name: toOneLine(name),
      base_url: toOneLine(baseUrl),
      ...omitUndefined({ version, file, transport }),
      ...(kind === 'reference' && { is_reference: true }),
    },
    durationMs: Date.now() - end.startedAt.getTime(),
  };
  const known = await loadKnown(settings, suite.world);
  const certified = await certifyResults(suite, results, index, facts, { ...target, ...omitUndefined({ known }) });
  const current = settings.known && correctKnown(settings.known, certified);
  if (current === undefined) return certified;
  const inputs = { suite, settings: { ...settings, known: current } };
  const isExcused = (result: CaseResult) => result.rows.some((row) => row.known) && getVerdictApart(result) !== 'fail';
  const again = results.some(isExcused) ? (await judgeAgain(recall(), inputs)).results : [];
  const judged = new Map(again.map((result) => [result.id, result]));
  const replaced = results.map((result) => (isExcused(result) ? (judged.get(result.id) ?? result) : result));
  return await certifyCollected(inputs, replaced, index, end);
}

/** Corrects what is known by what all responses show, so that it excuses nothing else. Undefined if it is right. */
function correctKnown(known: KnownFile, { gone, emptyStatuses }: CertifiedResults): KnownFile | undefined {
  if (gone.length === 0 && (emptyStatuses === undefined || known.emptyStatuses !== undefined)) return undefined;
  const entries = known.entries.map((entry) =>
    gone.includes(entry.cause ?? '') ? { ...entry, isGone: true as const } : entry,
  );
  return { ...known, entries, ...omitUndefined({ emptyStatuses }) };
}

async function runSelected(
  { suite, settings }: JudgingInputs,
  channel: Channel,
  options: EngineOptions,
  selects?: (id: string) => boolean,
): Promise<EndedRun> {
  const stated = await createEngineOptions(settings, suite.world);
  return await runSuite(selectFromSuite(suite, settings), channel, { ...stated, ...options }, selects);
}

/** Judges the exchanges of a run again, as the same cases. Nothing is sent. */
export async function judgeAgain(
  { evidence, extent, traffic }: JudgedEvidence,
  inputs: JudgingInputs,
): Promise<EndedRun> {
  const replay = createReplay(evidence, inputs.suite.calibration);
  const options = { replay, ...omitUndefined({ traffic }) };
  const ended = await runSelected(inputs, replay.createChannel(), options, (id) => extent.judged.includes(id));
  const unsent = inputs.suite.cases.flatMap((testCase) => {
    const stated = extent.unjudged.find(({ id }) => id === testCase.id);
    return stated === undefined ? [] : [createUnsentResult(testCase, stated.verdict, stated.reason)];
  });
  return { ...ended, results: [...ended.results, ...unsent] };
}

/** Runs the selected cases in this process. @param terms `selects` leaves out cases as `--grep` does */
export async function certifyRun(
  inputs: JudgingInputs,
  channel: Channel,
  terms: Pick<EngineOptions, 'recognizer' | 'replay'> & {
    readonly baseUrl: string;
    readonly selects?: (id: string) => boolean;
  },
): Promise<CertifiedResults & JudgedEvidence> {
  const startedAt = new Date();
  const { baseUrl, selects, replay, recognizer = createInputsRecognizer(inputs) } = terms;
  const options = { keeper: createEvidenceKeeper(), recognizer, ...omitUndefined({ replay }) };
  const ended = await runSelected(inputs, channel, options, selects);
  const extent = { isCutShort: false, judged: ended.results.map(({ id }) => id), unjudged: [] };
  const judged = { evidence: ended.evidence, extent };
  const end = { baseUrl, startedAt, isReplay: replay !== undefined };
  return { ...(await certifyEnded(inputs, ended, judged, end, recognizer)), ...judged };
}

export async function certifyEnded(
  inputs: JudgingInputs,
  { results, examination }: EndedRun,
  judged: JudgedEvidence,
  end: Pick<RunEnd, 'baseUrl' | 'startedAt' | 'isReplay'>,
  recognizer = createInputsRecognizer(inputs),
): Promise<CertifiedResults> {
  const { evidence, extent } = judged;
  return await certifyCollected(inputs, results, indexExchanges(evidence, recognizer), {
    ...end,
    note: examination.note,
    requestsSent: countAttempts(evidence.exchanges.map(({ exchange }) => exchange)),
    isCutShort: extent.isCutShort,
    ...omitUndefined({ data: inputs.suite.data }),
    recall: () => judged,
  });
}

export type PublishedRun = ReturnType<typeof publishRun>;

/** Writes the results of a run. @throws UnusableInput if a file cannot be written */
export function publishRun(
  { certificate, results, newDeviations }: CertifiedResults,
  suite: Suite,
  { destination }: RunSettings,
  archive: EvidenceArchive,
) {
  const written = writeResults(certificate, suite, results, destination, archive, newDeviations);
  return {
    certificate,
    folder: path.dirname(written.certificate),
    isRecorded: written.record !== undefined && written.record.unwritten === undefined,
    report: renderRunReport(certificate, written),
  };
}
