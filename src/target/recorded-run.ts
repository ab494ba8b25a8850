/** Judges recorded exchanges, of a run or of real callers (a HAR of a browser or a proxy). Nothing is sent. */

import path from 'node:path';
import { selectCases } from '../cases/case-selection.js';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { parseArchive } from '../certificate/har-archive.js';
import { replayNotice } from '../certificate/notices.js';
import { isTraffic, readTraffic } from '../certificate/read-traffic.js';
import { createTrafficCases } from '../judge/traffic-cases.js';
import { readKnownDeviations } from '../record/known-deviations.js';
import { samplesCaseId } from '../run/case-result.js';
import { omitUndefined } from '../support/collections.js';
import { readInputFile, refuse } from '../support/problem.js';
import { judgeEvidence, type RecordedRun } from './certify-run.js';
import { ReportedRun } from './reported-run.js';
import { findRecordToWrite, loadInputs, type RunSettings } from './run-inputs.js';
import type { RunOptions } from './run-options.js';
import { readSelection } from './selection.js';

/** Parses evidence. @param dataFile where the data file of the run is now @throws UnusableInput */
export function parseRecordedRun(content: Buffer, file: string, dataFile?: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  const { suite: _, baseUrl: __, inputs, ...run } = origin;
  const settings = inputs as Omit<RunSettings, 'destination'>;
  const { availability } = settings;
  const data = availability.data && { ...availability.data, ...omitUndefined({ movedTo: dataFile }) };
  const moved = { ...availability, ...omitUndefined({ data }) };
  return { ...run, evidence, settings: { ...settings, availability: moved, destination: { out: '' } } };
}

/** Judges the exchanges of a file. */
export async function replayFile(file: string, options: RunOptions): Promise<ReportedRun> {
  const content = readInputFile(file, 'Name an HTTP Archive, or the evidence.har of a run.');
  return await rejudgeRun(...(isTraffic(content) ? loadTraffic : loadReplay)(content, file, options));
}

/** Judges the exchanges of a recorded run again. @param suite with the ids of its target */
export async function rejudgeRun(recorded: RecordedRun, suite: Suite): Promise<ReportedRun> {
  return await (recorded.settings.isTraffic ? judgeTraffic(recorded, suite) : judgeRecorded(recorded, suite));
}

async function judgeRecorded(recorded: RecordedRun, suite: Suite, note?: string): Promise<ReportedRun> {
  const { settings, extent } = recorded;
  const inputs = { suite, settings };
  const selected = [...extent.judged, ...extent.unjudged.map(({ id }) => id)];
  const reported = new ReportedRun(new Set(selected), inputs, recorded);
  return reported.addAll(await judgeEvidence(inputs, recorded, note));
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
    notes: [...new Set([replayNotice, ...recorded.settings.notes])],
    ...omitUndefined({ cases, known }),
    destination: { out, ...omitUndefined({ recordTo }) },
  };
  const samples = recorded.extent.judged.filter((id) => id === samplesCaseId);
  const judged = [...selectCases(suite, settings).map(({ id }) => id), ...samples];
  return [{ ...recorded, settings, extent: { isCutShort: false, judged, unjudged: [] } }, suite];
}

/** Loads exchanges of real callers like those of a run. */
function loadTraffic(content: Buffer, file: string, options: RunOptions): [RecordedRun, Suite] {
  const { only, quick, cases, against, recordTo } = options;
  // They select or add requests, or compare answers: real callers sent what they sent.
  const unusable = { '--only': only, '--quick': quick, '--cases': cases, '--against': against, '--to': recordTo };
  const [flag] = Object.entries(unusable).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw refuse(flag, 'cannot be used with exchanges of real callers', 'Leave it out.');
  const { endpoint } = loadInputs(options, process.env, 'offline').connection;
  const { baseUrl, exchanges, notes } = readTraffic(content, file, endpoint?.baseUrl);
  const loaded = loadInputs({ ...options, baseUrl, allowHttp: true }, process.env, 'offline');
  const { cases: _, ...stated } = loaded.settings;
  const settings = { ...stated, notes: [replayNotice, ...stated.notes, ...notes], isTraffic: true } as const;
  const extent = { isCutShort: false, judged: [], unjudged: [] };
  return [{ settings, extent, evidence: { exchanges, uses: [] } }, loaded.suite];
}

/** A requirement that no exchange exercises is neither proven nor refuted: other traffic may show it. */
const unseenReason = 'The traffic shows nothing about it.';

/** Judges exchanges of real callers, as cases that are made from them. */
async function judgeTraffic(recorded: RecordedRun, { own: _, ...whole }: Suite): Promise<ReportedRun> {
  const { evidence, settings: stated } = recorded;
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
  const settings = { ...stated, target };
  return judgeRecorded(
    { ...recorded, settings, extent, evidence: { ...evidence, uses }, traffic: samples },
    suite,
    summary,
  );
}
