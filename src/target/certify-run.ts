import { selectCases, selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { RunFacts } from '../certificate/certificate.js';
import { type CertifiedResults, certifyResults } from '../certificate/certify-results.js';
import { type ExchangeIndex, indexExchanges } from '../certificate/exchange-index.js';
import type { EvidenceOrigin, StoredEvidence } from '../certificate/har-archive.js';
import type { Channel, Exchange } from '../http/exchange.js';
import { createRecognizer } from '../recognition/recognizer.js';
import type { KnownFile } from '../record/known-deviations.js';
import { type CaseResult, createUnsentResult, getVerdictApart, samplesCaseId } from '../run/case-result.js';
import { countAttempts } from '../run/case-sender.js';
import { createEvidenceKeeper } from '../run/evidence-keeper.js';
import type { Examination } from '../run/examine.js';
import { createReplay } from '../run/replay.js';
import { type EndedRun, type EngineOptions, runSuite } from '../run/run.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { toOneLine } from '../support/untrusted-text.js';
import { createOrigin, type RecordedRun, type RunInputs } from './inputs.js';
import { createEngineOptions, loadKnown, type RunSettings } from './settings.js';
import { createTrafficRun } from './traffic.js';

type JudgingInputs = Pick<RunInputs, 'suite' | 'settings'>;

interface JudgedEvidence {
  readonly evidence: StoredEvidence;
  readonly extent: EvidenceOrigin['extent'];
  readonly traffic?: readonly Exchange[];
}

interface RunEnd extends Pick<RunFacts, 'requestsSent' | 'isReplay' | 'isCutShort' | 'startedAt' | 'data'> {
  readonly baseUrl: string;
  readonly examination: Pick<Examination, 'note'> | undefined;
  readonly recall: () => JudgedEvidence;
}

export async function certifyCollected(
  { suite, settings }: JudgingInputs,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  end: RunEnd,
): Promise<CertifiedResults> {
  const { baseUrl, examination, recall, ...ended } = end;
  const { only, quick, target } = settings;
  const { name, kind, version, file, transport } = target;
  const facts: RunFacts = {
    ...ended,
    ...omitUndefined({ only, quick: quick?.figures, known: settings.known }),
    planned: selectCases(suite, settings).map(({ id }) => id),
    notes: [examination?.note, ...settings.notes].filter((note) => note !== undefined),
    expected: settings.expected,
    target: {
      name: toOneLine(name),
      base_url: toOneLine(baseUrl),
      ...omitUndefined({ version, file, transport }),
      ...(kind === 'reference' && { is_reference: true }),
    },
    durationMs: Date.now() - end.startedAt.getTime(),
  };
  const known = await loadKnown(settings, suite.world);
  const stated = { ...target, ...omitUndefined({ known }) };
  const certified = await certifyResults(suite, results, index, facts, stated);
  const current = settings.known && correctKnown(settings.known, certified);
  if (current === undefined) return certified;
  const corrected = { ...settings, known: current };
  const isExcused = (result: CaseResult) => result.rows.some((row) => row.known) && getVerdictApart(result) !== 'fail';
  const again = results.some(isExcused) ? (await judgeAgain(recall(), suite, corrected)).results : [];
  const judged = new Map(again.map((result) => [result.id, result]));
  const replaced = results.map((result) => (isExcused(result) ? (judged.get(result.id) ?? result) : result));
  return await certifyCollected({ suite, settings: corrected }, replaced, index, end);
}

/** Corrects what is known by what all responses show, so that it excuses nothing else. Undefined if it is right. */
function correctKnown(known: KnownFile, { gone, emptyStatuses }: CertifiedResults): KnownFile | undefined {
  if (gone.length === 0 && (emptyStatuses === undefined || known.emptyStatuses !== undefined)) return undefined;
  const entries = known.entries.map((entry) =>
    gone.includes(entry.cause ?? '') ? { ...entry, isGone: true as const } : entry,
  );
  return { ...known, entries, ...omitUndefined({ emptyStatuses }) };
}

async function judgeAgain(
  { evidence, extent, traffic }: JudgedEvidence,
  suite: Suite,
  settings: RunSettings,
): Promise<EndedRun> {
  const selected = selectFromSuite(suite, settings);
  const replay = createReplay(evidence, suite.calibration);
  const options = { ...(await createEngineOptions(settings, suite.world)), replay, ...omitUndefined({ traffic }) };
  const isJudged = (id: string) => extent.judged.includes(id);
  const ended = await runSuite(selected, replay.createChannel(), options, isJudged);
  const unsent = selected.cases.flatMap((testCase) => {
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
  const { suite, settings } = inputs;
  const { baseUrl, selects, replay } = terms;
  const { recognizer = createRecognizer(suite.world, settings.target.mentionFilter) } = terms;
  const stated = await createEngineOptions(settings, suite.world);
  const options = { ...stated, keeper: createEvidenceKeeper(), recognizer, ...omitUndefined({ replay }) };
  const ended = await runSuite(selectFromSuite(suite, settings), channel, options, selects);
  const extent = { isCutShort: false, judged: ended.results.map(({ id }) => id), unjudged: [] };
  const judged = { evidence: ended.evidence, extent };
  const end = { baseUrl, startedAt, isReplay: replay !== undefined };
  return { ...(await certifyEnded(inputs, ended, judged, end, recognizer)), ...judged };
}

/** Judges the exchanges of a recorded run again. Nothing is sent. @param whole with the ids of its target */
export async function rejudgeRun(stated: RecordedRun, whole: Suite) {
  const startedAt = new Date();
  const { recorded, suite, traffic } = stated.settings.isTraffic
    ? createTrafficRun(stated, whole)
    : { recorded: stated, suite: whole, traffic: undefined };
  const { settings, evidence, origin } = recorded;
  const judged = { evidence, extent: origin.extent, ...omitUndefined({ traffic }) };
  const ended = await judgeAgain(judged, suite, settings);
  const { baseUrl, isReplay = false } = origin;
  const certified = await certifyEnded({ suite, settings }, ended, judged, { baseUrl, startedAt, isReplay });
  return { ...certified, suite, recorded };
}

/** Judges the selected cases of a recorded run again, as if its exchanges were sent now. */
export async function replayRun({ settings, evidence, origin }: RecordedRun, suite: Suite) {
  const { baseUrl, extent } = origin;
  const replay = createReplay(evidence, suite.calibration);
  const selects = (id: string) => id !== samplesCaseId || extent.judged.includes(id);
  const certified = await certifyRun({ suite, settings }, replay.createChannel(), { baseUrl, replay, selects });
  const again = createOrigin(suite, settings, { baseUrl, extent: certified.extent, isReplay: true });
  return { ...certified, suite, recorded: { settings, evidence: certified.evidence, origin: again } };
}

async function certifyEnded(
  { suite, settings }: JudgingInputs,
  { results, examination }: EndedRun,
  judged: JudgedEvidence,
  end: Pick<RunEnd, 'baseUrl' | 'startedAt' | 'isReplay'>,
  recognizer = createRecognizer(suite.world, settings.target.mentionFilter),
): Promise<CertifiedResults> {
  const { evidence, extent } = judged;
  return await certifyCollected({ suite, settings }, results, indexExchanges(evidence, recognizer), {
    ...end,
    examination,
    requestsSent: countAttempts(evidence.exchanges.map(({ exchange }) => exchange)),
    isCutShort: extent.isCutShort,
    ...omitUndefined({ data: suite.data }),
    recall: () => judged,
  });
}
