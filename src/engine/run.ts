import type { Suite } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import type { Channel } from '../http/exchange.js';
import { type Baseline, emptyBaseline } from '../judge/drift.js';
import type { TargetContext } from '../judge/judge-case.js';
import { createRecognizer, type Recognizer } from '../recognition/recognizer.js';
import { hasMentions } from '../recognition/tier-mentions.js';
import { InternalError } from '../support/internal-error.js';
import { type Calibration, calibrate } from './calibrate.js';
import { type CaseResult, createUnsentResult, explorationId, sampleId } from './case-result.js';
import { type CaseSender, createCaseSender, createUncachedSender } from './case-sender.js';
import { calibrationPurpose, type EvidenceKeeper } from './evidence-keeper.js';
import type { Exploration } from './explore.js';
import type { Replay } from './replay.js';
import { type CaseTerms, runCase } from './run-case.js';
import { combineSampleResults, listSampleCases } from './sample.js';

/** What the user states of a target and wants of a run; all of it may be left out. */
export interface EngineOptions {
  /** The patterns under which returned tiers are named, where the suite cannot find them out. */
  readonly tierPatterns?: readonly string[];
  readonly expected?: Baseline;
  /** Whether the shape of successful bodies is inferred, for a record. */
  readonly infersShape?: boolean;
  /** Whether the user says that the target has the world; otherwise a response has to show it. */
  readonly isWorldLoaded?: boolean;
  /** One that other runs use too; otherwise the run has its own. */
  readonly recognizer?: Recognizer;
  /** Why a case is left out of the run, if so. */
  findExclusionReason?(testCase: TestCase): string | undefined;
  /** Takes note of all exchanges. */
  readonly keeper?: EvidenceKeeper;
  /** What answers in the place of the target, of which nothing is wanted then but what is to be redacted. */
  readonly replay?: Replay;
  /** The ids of the cases that will be run, in the order of the suite: their requests go out ahead of their turn. */
  readonly plannedCases?: ReadonlySet<string>;
}

/** A run against one target, in one process. */
export interface Run {
  readonly calibration: Calibration;
  /** What every case is judged by. */
  readonly background: TargetContext;
  /** Sends the requests of a case and judges what comes back, unless there is a reason to send nothing. */
  runCase(testCase: TestCase): Promise<CaseResult>;
  /** Sends random requests beyond the written cases. */
  explore(exploration: Exploration): Promise<CaseResult>;
  /** The exchanges since they were last taken; none where nothing takes note of them. */
  takeEvidence(): ReturnType<EvidenceKeeper['take']>;
  /** Sends some of the first cases once more, to notice a deployment that changed meanwhile. */
  repeatSamples(): Promise<CaseResult>;
}

/**
 * Begins a run: sends the calibration requests, unless another process of the run has done so.
 *
 * @param known what that process learnt
 */
export async function startRun(
  suite: Suite,
  channel: Channel,
  options: EngineOptions = {},
  known?: Calibration,
): Promise<Run> {
  const { world } = suite;
  const {
    tierPatterns,
    expected = emptyBaseline,
    infersShape = false,
    isWorldLoaded = false,
    findExclusionReason: whyLeftOut,
  } = options;
  const { recognizer = createRecognizer(world), keeper, replay } = options;
  const channelFor = (by: string) => {
    const source = replay?.createChannel(by) ?? channel;
    return keeper?.wrapChannel(source, by) ?? source;
  };
  const calibration = known ?? (await calibrate(suite, channelFor(calibrationPurpose), recognizer));
  const { namings } = calibration;
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const background: TargetContext = {
    world,
    recognizer,
    calibration: namings,
    // Whoever has no ids for tiers cannot show any; the cases that are left need none.
    isWorldSeen: isWorldLoaded || !hasTiers || namings.some(hasMentions),
    ...(tierPatterns === undefined ? {} : { configuredPatterns: tierPatterns }),
  };
  const unsentOf = (testCase: TestCase): CaseResult | undefined => {
    if (calibration.unreachable !== undefined)
      return createUnsentResult(testCase, 'inconclusive', calibration.unreachable);
    const reason = whyLeftOut?.(testCase);
    return reason === undefined ? undefined : createUnsentResult(testCase, 'not-applicable', reason);
  };
  const coming = suite.cases.filter(({ id }) => options.plannedCases?.has(id));
  const sender =
    replay?.createSender() ??
    createCaseSender(
      channel,
      coming.filter((testCase) => unsentOf(testCase) === undefined),
    );
  const common = { background, expected, infersShape, redact: (text: string) => channel.redact(text) };
  /** @param by what it is sent for, where that is not its own verdict */
  const runOver = async (sender: CaseSender, testCase: TestCase, by?: string): Promise<CaseResult> => {
    const note: CaseTerms['keepExchanges'] = (sent) => keeper?.keepCase(testCase, sent, by);
    try {
      return unsentOf(testCase) ?? (await runCase(testCase, sender, { ...common, keepExchanges: note }));
    } catch (error) {
      return createUnsentResult(testCase, 'error', new InternalError(error).message);
    }
  };
  return {
    calibration,
    background,
    runCase: (testCase) => runOver(sender, testCase),
    takeEvidence: () => keeper?.take() ?? { exchanges: [], uses: [] },
    async repeatSamples() {
      const results: CaseResult[] = [];
      const anew = replay?.createSender(sampleId) ?? createUncachedSender(channel);
      for (const testCase of listSampleCases(suite)) results.push(await runOver(anew, testCase, sampleId));
      return combineSampleResults(results);
    },
    async explore(exploration) {
      // Loaded where it is wanted: a run without random requests needs no generator of them.
      const { explore } = await import('./explore.js');
      return explore(suite, channelFor(explorationId), background, exploration);
    },
  };
}

/** Runs a whole suite in this process: calibration, then every case in turn. */
export async function runSuite(
  suite: Suite,
  channel: Channel,
  options: EngineOptions = {},
): Promise<{ results: CaseResult[]; calibration: Calibration }> {
  const run = await startRun(suite, channel, { ...options, plannedCases: new Set(suite.cases.map(({ id }) => id)) });
  const results: CaseResult[] = [];
  for (const testCase of suite.cases) results.push(await run.runCase(testCase));
  if (listSampleCases(suite).length > 0) results.push(await run.repeatSamples());
  return { results, calibration: run.calibration };
}
