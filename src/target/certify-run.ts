import { selectCases, selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { RunFacts } from '../certificate/certificate.js';
import { type CertifiedResults, certifyResults } from '../certificate/certify-results.js';
import { type ExchangeIndex, indexExchanges } from '../certificate/exchange-index.js';
import type { StoredEvidence } from '../certificate/har-archive.js';
import type { Channel } from '../http/exchange.js';
import { createTrafficCases } from '../judge/traffic-cases.js';
import { createRecognizer } from '../recognition/recognizer.js';
import type { KnownFile } from '../record/known-deviations.js';
import { type CaseResult, createUnsentResult, getVerdictApart } from '../run/case-result.js';
import { createEvidenceKeeper } from '../run/evidence-keeper.js';
import type { Examination } from '../run/examine.js';
import { countAttempts } from '../run/request-cache.js';
import { type EndedRun, type EngineOptions, runSuite } from '../run/run.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { createRunReplay, type RecordedRun, type RunInputs, restoreSettings } from './recorded-run.js';
import { createEngineOptions, loadKnown, type RunSettings } from './settings.js';
import { createCertifiedTarget } from './target.js';

/** What is certified without Playwright. */
interface RunTerms extends Pick<EngineOptions, 'replay' | 'recognizer' | 'traffic'> {
  readonly baseUrl: string;
  /** An earlier run that is judged again. */
  readonly recorded?: RecordedRun;
  /** As `--grep` does: the rest is not known to be left out. */
  readonly selects?: (id: string) => boolean;
}

/** What is known of a run that has ended, beside its results. */
interface RunEnd extends Pick<RunFacts, 'requestsSent' | 'isReplay' | 'isCutShort' | 'startedAt' | 'data'> {
  readonly baseUrl: string;
  readonly examination: Pick<Examination, 'note'> | undefined;
  /** Judges the exchanges of the run again. */
  readonly judgeAgain: (settings: RunSettings) => Promise<readonly CaseResult[]>;
}

/** Certifies the results of a run that Playwright or this process made. */
export async function certifyCollected(
  { suite, settings }: Pick<RunInputs, 'suite' | 'settings'>,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  end: RunEnd,
): Promise<CertifiedResults> {
  const { baseUrl, examination, judgeAgain, ...ended } = end;
  const { only, quick } = settings;
  const facts: RunFacts = {
    ...ended,
    ...omitUndefined({ only, quick: quick?.figures, known: settings.known }),
    planned: selectCases(suite, settings).map(({ id }) => id),
    notes: [examination?.note, ...settings.notes].filter((note) => note !== undefined),
    expected: settings.expected,
    target: createCertifiedTarget(settings.target, baseUrl),
    durationMs: Date.now() - end.startedAt.getTime(),
  };
  const { known } = await loadKnown(settings, suite.world);
  const stated = { ...settings.target, ...omitUndefined({ known }) };
  const certified = await certifyResults(suite, results, index, facts, stated);
  const current = settings.known && correctKnown(settings.known, certified);
  if (current === undefined) return certified;
  const corrected = { ...settings, known: current };
  const isExcused = (result: CaseResult) => result.rows.some((row) => row.known) && getVerdictApart(result) !== 'fail';
  const again = results.some(isExcused) ? await judgeAgain(corrected) : [];
  const judged = new Map(again.map((result) => [result.id, result]));
  const replaced = results.map((result) => (isExcused(result) ? (judged.get(result.id) ?? result) : result));
  return await certifyCollected({ suite, settings: corrected }, replaced, index, end);
}

/**
 * Corrects what is known by what all responses show, so that it excuses nothing else: a cause that no response shows, and
 * refusals that are no empty results.
 *
 * @returns undefined if nothing is to be corrected
 */
function correctKnown(known: KnownFile, { gone, emptyStatuses }: CertifiedResults): KnownFile | undefined {
  if (gone.length === 0 && (emptyStatuses === undefined || known.emptyStatuses !== undefined)) return undefined;
  const entries = known.entries.map((entry) =>
    gone.includes(entry.cause ?? '') ? { ...entry, isGone: true as const } : entry,
  );
  return { ...known, entries, ...omitUndefined({ emptyStatuses }) };
}

/** Runs the selected cases in this process, and certifies the results. */
export async function certifyRun(
  { suite, settings }: Pick<RunInputs, 'suite' | 'settings'>,
  channel: Channel,
  terms: RunTerms,
): Promise<CertifiedResults & { readonly evidence: StoredEvidence }> {
  const startedAt = new Date();
  const { baseUrl, recorded } = terms;
  const { recognizer = createRecognizer(suite.world, settings.target.mentionFilter) } = terms;
  const {
    results,
    examination,
    evidence: sent,
  } = await judgeRun({ suite, settings }, channel, { ...terms, recognizer });
  const { evidence = sent } = recorded ?? {};
  const index = indexExchanges(evidence, recognizer);
  const end = {
    baseUrl,
    examination,
    requestsSent: countAttempts(evidence.exchanges.map(({ exchange }) => exchange)),
    isReplay: recorded?.origin.isReplay === true,
    isCutShort: recorded?.origin.extent.isCutShort ?? false,
    startedAt,
    ...omitUndefined({ data: suite.data }),
    judgeAgain: async (current: RunSettings) => {
      const { replay = createRunReplay(evidence, suite) } = terms;
      const again = { ...terms, recognizer, replay };
      return (await judgeRun({ suite, settings: current }, replay.createChannel(''), again)).results;
    },
  };
  return { ...(await certifyCollected({ suite, settings }, results, index, end)), evidence };
}

/** Runs the selected cases in this process, or judges those of an earlier run again. */
async function judgeRun(
  { suite, settings }: Pick<RunInputs, 'suite' | 'settings'>,
  channel: Channel,
  { recorded, selects = () => true, ...shared }: RunTerms,
): Promise<EndedRun> {
  const selected = selectFromSuite(suite, settings);
  const keeping = shared.replay === undefined ? { keeper: createEvidenceKeeper() } : {};
  const { options: known } = await loadKnown(settings, suite.world);
  const options = { ...createEngineOptions(settings), ...known, ...keeping, ...shared };
  const { judged, unjudged = [] } = recorded?.origin.extent ?? {};
  const isJudged = (id: string) => selects(id) && (judged === undefined || judged.includes(id));
  const ended = await runSuite(selected, channel, options, isJudged);
  const unsent = selected.cases.flatMap((testCase) => {
    const stated = unjudged.find(({ id }) => id === testCase.id);
    return stated === undefined ? [] : [createUnsentResult(testCase, stated.verdict, stated.reason)];
  });
  return { ...ended, results: [...ended.results, ...unsent] };
}

/** Judges the cases of a recorded run again, by other settings. */
export async function judgeRecorded(recorded: RecordedRun, suite: Suite, settings: RunSettings): Promise<EndedRun> {
  const replay = createRunReplay(recorded.evidence, suite);
  const terms = { baseUrl: recorded.origin.baseUrl, recorded, replay };
  return await judgeRun({ suite, settings }, replay.createChannel(''), terms);
}

/**
 * Judges the exchanges of a recorded run again, in this process. Nothing is sent.
 *
 * @param suite with the ids of the target of that run
 */
export async function rejudgeRun(recorded: RecordedRun, suite: Suite): Promise<CertifiedResults> {
  const settings = restoreSettings(recorded, suite);
  if (recorded.isTraffic) return await judgeTraffic(recorded, suite, settings);
  const replay = createRunReplay(recorded.evidence, suite);
  const terms = { baseUrl: recorded.origin.baseUrl, recorded, replay };
  return await certifyRun({ suite, settings }, replay.createChannel(''), terms);
}

/** A requirement that no exchange exercises is neither proven nor refuted: other traffic may show it. */
const unseenReason = 'The traffic shows nothing about it.';

/** Certifies the exchanges of real callers. A failure cannot be confirmed: nothing is sent. */
export async function judgeTraffic(
  recorded: RecordedRun,
  whole: Suite,
  stated: RunSettings,
): Promise<CertifiedTraffic> {
  const { evidence, origin } = recorded;
  const answered = evidence.exchanges.flatMap(({ id, exchange }) => ('response' in exchange ? [{ id, exchange }] : []));
  const traffic = createTrafficCases(whole, answered, stated.target);
  const { cases, judged, openBecause } = traffic;
  const uses = cases.flatMap((testCase) =>
    testCase.rows.flatMap(({ requests }, row) =>
      [...requests.keys()].map((id) => ({ id, case: testCase.id, row, request: id, attempt: 1 })),
    ),
  );
  const unseen = cases.filter(({ rows }) => rows.length === 0);
  const extent = {
    isCutShort: false,
    judged: cases.filter(({ rows }) => rows.length > 0).map(({ id }) => id),
    unjudged: unseen.map(({ id }) => ({ id, verdict: 'inconclusive' as const, reason: unseenReason })),
  };
  const summary = `${judged} of ${answered.length} documented requests show something.`;
  const open = openBecause === '' ? '' : ` The others show nothing: ${openBecause}.`;
  const target = { ...stated.target, isWorldLoaded: stated.target.isWorldLoaded || traffic.isWorldSeen };
  const settings = { ...stated, target, notes: [...stated.notes, `${summary}${open}`] };
  // Callers ask no questions: what they send is what the documentation shows.
  const asked = { cases, calibration: [], contract: { ...whole.contract, questions: [] } };
  const suite = { ...whole, ...asked, ...(whole.data && { data: { ...whole.data, covered: undefined } }) };
  const judgedAgain = { ...recorded, evidence: { ...evidence, uses }, origin: { ...origin, extent } };
  const replay = createRunReplay(judgedAgain.evidence, suite);
  const terms = { baseUrl: origin.baseUrl, recorded: judgedAgain, replay, traffic: traffic.samples };
  const certified = await certifyRun({ suite, settings }, replay.createChannel(''), terms);
  return { ...certified, suite, recorded: judgedAgain };
}

/** Traffic that was certified, with the cases that were made from it. */
interface CertifiedTraffic extends CertifiedResults {
  readonly suite: Suite;
  readonly recorded: RecordedRun;
}
