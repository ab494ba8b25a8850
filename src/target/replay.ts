/** Judges recorded exchanges, of a run or of real callers (a HAR of a browser or a proxy). Nothing is sent. */

import path from 'node:path';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { createArchiver } from '../certificate/har-archive.js';
import { isTraffic, readTraffic } from '../certificate/read-traffic.js';
import { createTrafficCases } from '../judge/traffic-cases.js';
import { readKnownDeviations } from '../record/known-deviations.js';
import { samplesCaseId } from '../run/case-result.js';
import { createReplay } from '../run/replay.js';
import { omitUndefined } from '../support/collections.js';
import { readInputFile, refuse } from '../support/problem.js';
import {
  certifyEnded,
  certifyRun,
  type JudgedEvidence,
  judgeAgain,
  type PublishedRun,
  publishRun,
} from './certify-run.js';
import type { RunOptions } from './run-options.js';
import {
  createOrigin,
  findRecordToWrite,
  loadSettings,
  parseRecordedRun,
  type RecordedRun,
  type RunSettings,
  readSelection,
} from './settings.js';
import { loadTarget } from './target.js';

/** Judges the exchanges of a file and writes the results. @param tell is called before, for those of a run */
export async function replayFile(file: string, options: RunOptions, tell: () => void): Promise<PublishedRun> {
  const content = readInputFile(file, 'Name an HTTP Archive, or the evidence.har of a run.');
  const isOfCallers = isTraffic(content);
  if (!isOfCallers) tell();
  const run = isOfCallers
    ? await rejudgeRun(...loadTraffic(content, file, options))
    : await replayRun(...loadReplay(content, file, options));
  const { evidence, origin, settings } = run.recorded;
  const archiver = createArchiver(origin.baseUrl);
  for (const kept of evidence.exchanges) archiver.add(kept);
  return publishRun(run, run.suite, settings, archiver.finish(evidence.uses, origin));
}

/** Judges the exchanges of a recorded run again. @param whole with the ids of its target */
export async function rejudgeRun(stated: RecordedRun, whole: Suite) {
  const startedAt = new Date();
  const { recorded, suite, traffic } = stated.settings.isTraffic
    ? createTrafficRun(stated, whole)
    : { recorded: stated, suite: whole, traffic: undefined };
  const { settings, evidence, origin } = recorded;
  const inputs = { suite, settings };
  const judged: JudgedEvidence = { evidence, extent: origin.extent, ...omitUndefined({ traffic }) };
  const { baseUrl, isReplay = false } = origin;
  const ended = await judgeAgain(judged, inputs);
  return { ...(await certifyEnded(inputs, ended, judged, { baseUrl, startedAt, isReplay })), suite, recorded };
}

/** Judges the selected cases of a recorded run again, as if its exchanges were sent now. */
async function replayRun({ settings, evidence, origin }: RecordedRun, suite: Suite) {
  const { baseUrl, extent } = origin;
  const replay = createReplay(evidence, suite.calibration);
  const selects = (id: string) => id !== samplesCaseId || extent.judged.includes(id);
  const certified = await certifyRun({ suite, settings }, replay.createChannel(), { baseUrl, replay, selects });
  const again = createOrigin(suite, settings, { baseUrl, extent: certified.extent, isReplay: true });
  return { ...certified, suite, recorded: { settings, evidence: certified.evidence, origin: again } };
}

/** Loads a recorded run, with another folder and perhaps another selection. */
function loadReplay(content: Buffer, file: string, options: RunOptions): [RecordedRun, Suite] {
  const recorded = parseRecordedRun(content, file, options.data);
  const recordTo = findRecordToWrite(options);
  const { cases } = options;
  const suite = loadSuite(suiteFolder, recorded.settings.availability, cases);
  const folder = path.dirname(file);
  const { out = path.join(folder, 'replay') } = options;
  if (path.resolve(out) === path.resolve(folder))
    throw refuse('--out', 'is the folder of the evidence, which the results would replace', 'Name another folder.');
  const known = options.known === undefined ? undefined : readKnownDeviations(options.known, suite.contract);
  const settings = {
    ...recorded.settings,
    ...readSelection(options, suite, recorded.settings),
    ...omitUndefined({ cases, known }),
    destination: { out, ...omitUndefined({ recordTo }) },
  };
  return [{ ...recorded, settings }, suite];
}

/** Loads exchanges of real callers like those of a run. */
function loadTraffic(content: Buffer, file: string, options: RunOptions): [RecordedRun, Suite] {
  const { only, quick, cases, against, recordTo } = options;
  // They select or add requests, or compare answers: real callers sent what they sent.
  const unusable = { '--only': only, '--quick': quick, '--cases': cases, '--against': against, '--to': recordTo };
  const [flag] = Object.entries(unusable).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw refuse(flag, 'cannot be used with exchanges of real callers', 'Leave it out.');
  const stated = loadTarget(options, process.env, 'offline').connection.endpoint;
  const { baseUrl, exchanges, notes } = readTraffic(content, file, stated?.baseUrl);
  const target = loadTarget({ ...options, baseUrl, allowHttp: true }, process.env, 'offline');
  const suite = loadSuite(suiteFolder, target.availability);
  const loaded = loadSettings(target, options, suite);
  const settings: RunSettings = { ...loaded, notes: [...loaded.notes, ...notes], isTraffic: true };
  const extent = { isCutShort: false, judged: [], unjudged: [] };
  const origin = createOrigin(suite, settings, { baseUrl, extent, isReplay: true });
  return [{ settings, origin, evidence: { exchanges, uses: [] } }, suite];
}

/** A requirement that no exchange exercises is neither proven nor refuted: other traffic may show it. */
const unseenReason = 'The traffic shows nothing about it.';

/** Makes cases from exchanges of real callers. @returns with the exchanges by which responses are read */
function createTrafficRun({ evidence, origin, settings: stated }: RecordedRun, whole: Suite) {
  const answered = evidence.exchanges.flatMap(({ id, exchange }) => ('response' in exchange ? [{ id, exchange }] : []));
  const { cases, judged, openBecause, isWorldSeen, samples } = createTrafficCases(whole, answered, stated.target);
  const uses = cases.flatMap((testCase) =>
    testCase.rows.flatMap(({ requests }, row) =>
      [...requests.keys()].map((id) => ({ id, case: testCase.id, row, request: id, attempt: 1 })),
    ),
  );
  const extent = {
    isCutShort: false,
    judged: cases.filter(({ rows }) => rows.length > 0).map(({ id }) => id),
    unjudged: cases
      .filter(({ rows }) => rows.length === 0)
      .map(({ id }) => ({ id, verdict: 'inconclusive' as const, reason: unseenReason })),
  };
  const open = openBecause === '' ? '' : ` The others show nothing: ${openBecause}.`;
  const summary = `${judged} of ${answered.length} documented requests show something.${open}`;
  const target = { ...stated.target, isWorldLoaded: stated.target.isWorldLoaded || isWorldSeen };
  const settings = { ...stated, target, notes: [...stated.notes, summary] };
  const { data } = whole;
  const suite: Suite = {
    ...whole,
    cases,
    calibration: [],
    // Callers ask no questions: what they send is what the documentation shows.
    contract: { ...whole.contract, questions: [] },
    // What requests cover is left out: they would be drawn.
    ...(data && { data: { file: data.file, digest: data.digest, counts: data.counts } }),
  };
  const recorded = { settings, evidence: { ...evidence, uses }, origin: { ...origin, extent } };
  return { recorded, suite, traffic: samples };
}
