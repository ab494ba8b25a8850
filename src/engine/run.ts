import type { TestCase } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import type { Channel } from '../http/exchange.js';
import { type Expected, nothingExpected } from '../judge/drift.js';
import type { Background } from '../judge/judge-case.js';
import { namesTiers } from '../recognition/naming.js';
import { type Recognizer, recognizerFor } from '../recognition/recognizer.js';
import { Mistake } from '../support/foreign-error.js';
import { type Calibration, calibrate } from './calibrate.js';
import { type CaseResult, explored, sampled, unsent } from './case-result.js';
import { calibrationUse, type EvidenceKeeper } from './evidence.js';
import type { Exploration } from './explore.js';
import type { Replay } from './replay.js';
import { runCase, type Terms } from './run-case.js';
import { sampledCases, sampleResult } from './sample.js';
import { type CaseSender, senderAnew, senderFor } from './send-case.js';

/** What the user states of a target and wants of a run; all of it may be left out. */
export interface RunOptions {
  /** The patterns under which returned tiers are named, where the suite cannot find them out. */
  readonly tierPatterns?: readonly string[];
  readonly expected?: Expected;
  /** Whether the shape of successful bodies is inferred, for a record. */
  readonly infersShape?: boolean;
  /** Whether the user says that the target has the world; otherwise a response has to show it. */
  readonly isWorldLoaded?: boolean;
  /** One that other runs use too; otherwise the run has its own. */
  readonly recognizer?: Recognizer;
  /** Why a case is left out of the run, if so. */
  whyLeftOut?(testCase: TestCase): string | undefined;
  /** Takes note of all exchanges. */
  readonly keeper?: EvidenceKeeper;
  /** What answers in the place of the target, of which nothing is wanted then but what is to be redacted. */
  readonly replay?: Replay;
  /** The ids of the cases that will be run, in the order of the suite: their requests go out ahead of their turn. */
  readonly coming?: ReadonlySet<string>;
}

/** A run against one target, in one process. */
export interface Run {
  readonly calibration: Calibration;
  /** What every case is judged by. */
  readonly background: Background;
  /** Sends the requests of a case and judges what comes back, unless there is a reason to send nothing. */
  runCase(testCase: TestCase): Promise<CaseResult>;
  /** Sends random requests beyond the written cases. */
  explore(exploration: Exploration): Promise<CaseResult>;
  /** The exchanges since they were last taken; none where nothing takes note of them. */
  takeEvidence(): ReturnType<EvidenceKeeper['take']>;
  /** Sends some of the first cases once more, to notice a deployment that changed meanwhile. */
  sampleAgain(): Promise<CaseResult>;
}

/**
 * Begins a run: sends the calibration requests, unless another process of the run has done so.
 *
 * @param known what that process learnt
 */
export async function startRun(
  suite: Suite,
  channel: Channel,
  options: RunOptions = {},
  known?: Calibration,
): Promise<Run> {
  const { world } = suite;
  const { tierPatterns, expected = nothingExpected, infersShape = false, isWorldLoaded = false, whyLeftOut } = options;
  const { recognizer = recognizerFor(world), keeper, replay } = options;
  const channelFor = (by: string) => {
    const source = replay?.channel(by) ?? channel;
    return keeper?.noting(source, by) ?? source;
  };
  const calibration = known ?? (await calibrate(suite, channelFor(calibrationUse), recognizer));
  const { namings } = calibration;
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const background: Background = {
    world,
    recognizer,
    calibration: namings,
    // Whoever has no ids for tiers cannot show any; the cases that are left need none.
    isWorldSeen: isWorldLoaded || !hasTiers || namings.some(namesTiers),
    ...(tierPatterns === undefined ? {} : { statedPatterns: tierPatterns }),
  };
  const unsentOf = (testCase: TestCase): CaseResult | undefined => {
    if (calibration.unreachable !== undefined) return unsent(testCase, 'inconclusive', calibration.unreachable);
    const reason = whyLeftOut?.(testCase);
    return reason === undefined ? undefined : unsent(testCase, 'not-applicable', reason);
  };
  const coming = suite.cases.filter(({ id }) => options.coming?.has(id));
  const sender =
    replay?.sender() ??
    senderFor(
      channel,
      coming.filter((testCase) => unsentOf(testCase) === undefined),
    );
  const common = { background, expected, infersShape, redact: (text: string) => channel.redact(text) };
  /** @param by what it is sent for, where that is not its own verdict */
  const runOver = async (sender: CaseSender, testCase: TestCase, by = testCase.id): Promise<CaseResult> => {
    const note: Terms['note'] = (sent) => keeper?.noteCase(testCase, sent, by);
    try {
      return unsentOf(testCase) ?? (await runCase(testCase, sender, { ...common, note }));
    } catch (error) {
      return unsent(testCase, 'error', new Mistake(error).message);
    }
  };
  return {
    calibration,
    background,
    runCase: (testCase) => runOver(sender, testCase),
    takeEvidence: () => keeper?.take() ?? { exchanges: [], uses: [] },
    async sampleAgain() {
      const results: CaseResult[] = [];
      const anew = replay?.sender(sampled) ?? senderAnew(channel);
      for (const testCase of sampledCases(suite)) results.push(await runOver(anew, testCase, sampled));
      return sampleResult(results);
    },
    async explore(exploration) {
      // Loaded where it is wanted: a run without random requests needs no generator of them.
      const { explore } = await import('./explore.js');
      return explore(suite, channelFor(explored), background, exploration);
    },
  };
}

/** Runs a whole suite in this process: calibration, then every case in turn. */
export async function runSuite(
  suite: Suite,
  channel: Channel,
  options: RunOptions = {},
): Promise<{ results: CaseResult[]; calibration: Calibration }> {
  const run = await startRun(suite, channel, { ...options, coming: new Set(suite.cases.map(({ id }) => id)) });
  const results: CaseResult[] = [];
  for (const testCase of suite.cases) results.push(await run.runCase(testCase));
  if (sampledCases(suite).length > 0) results.push(await run.sampleAgain());
  return { results, calibration: run.calibration };
}
