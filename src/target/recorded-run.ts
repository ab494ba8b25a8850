/** Judges recorded exchanges, of a run or of real callers (a HAR of a browser or a proxy). Nothing is sent. */

import path from 'node:path';
import { selectCases } from '../cases/case-selection.js';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { indexExchanges } from '../certificate/exchange-index.js';
import { createArchiver, type EvidenceOrigin, parseArchive } from '../certificate/har-archive.js';
import { isTraffic, readTraffic } from '../certificate/read-traffic.js';
import { createTrafficCases } from '../judge/traffic-cases.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { readKnownDeviations } from '../record/known-deviations.js';
import { samplesCaseId } from '../run/case-result.js';
import { countAttempts } from '../run/case-sender.js';
import type { RunEvidence } from '../run/evidence-keeper.js';
import { omitUndefined } from '../support/collections.js';
import { readInputFile, refuse } from '../support/problem.js';
import { certifyRun, judgeEvidence, type PublishedRun, publishRun } from './certify-run.js';
import { findRecordToWrite, loadInputs, type RunInputs, type RunSettings } from './run-inputs.js';
import type { RunOptions } from './run-options.js';
import { readSelection } from './selection.js';

export interface RecordedRun {
  readonly evidence: RunEvidence;
  readonly origin: EvidenceOrigin;
  readonly settings: RunSettings;
}

/** Describes the run that evidence is of. It names no paths of this machine. */
export function createOrigin(
  { suite: { name, version, digest }, settings: { destination: _, cases: __, ...inputs } }: RunInputs,
  run: Omit<EvidenceOrigin, 'suite' | 'inputs'>,
): EvidenceOrigin {
  return { suite: { name, version, digest }, ...run, inputs };
}

/** Parses evidence. @param dataFile where the data file of the run is now @throws UnusableInput */
export function parseRecordedRun(content: Buffer, file: string, dataFile?: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  const settings = origin.inputs as Omit<RunSettings, 'destination'>;
  const { availability } = settings;
  const data = availability.data && { ...availability.data, ...omitUndefined({ movedTo: dataFile }) };
  const moved = { ...availability, ...omitUndefined({ data }) };
  return { evidence, origin, settings: { ...settings, availability: moved, destination: { out: '' } } };
}

/** Judges the exchanges of a recorded run again. @param whole with the ids of its target */
export async function rejudgeRun(stated: RecordedRun, whole: Suite) {
  const startedAt = new Date();
  const { recorded, suite, traffic } = stated.settings.isTraffic
    ? createTrafficRun(stated, whole)
    : { recorded: stated, suite: whole, traffic: undefined };
  const { settings, evidence, origin } = recorded;
  const { baseUrl, extent, isReplay = false } = origin;
  const judged = { evidence, extent, ...omitUndefined({ traffic }) };
  const certified = await certifyRun(
    { suite, settings },
    {
      ...(await judgeEvidence({ suite, settings }, judged)),
      baseUrl,
      startedAt,
      isReplay,
      isCutShort: extent.isCutShort,
      index: indexExchanges(evidence, createRecognizer(suite.world, settings.target.mentionFilter)),
      requestsSent: countAttempts(evidence.exchanges.map(({ exchange }) => exchange)),
      ...omitUndefined({ data: suite.data }),
      recall: () => judged,
    },
  );
  return { ...certified, suite, recorded };
}

/** Judges the exchanges of a file and writes the results. @param tell is called before, for those of a run */
export async function replayFile(file: string, options: RunOptions, tell: () => void): Promise<PublishedRun> {
  const content = readInputFile(file, 'Name an HTTP Archive, or the evidence.har of a run.');
  const isOfCallers = isTraffic(content);
  if (!isOfCallers) tell();
  const { recorded, suite, ...certified } = await rejudgeRun(
    ...(isOfCallers ? loadTraffic : loadReplay)(content, file, options),
  );
  const { evidence, origin, settings } = recorded;
  const archiver = createArchiver(origin.baseUrl);
  for (const kept of evidence.exchanges) archiver.add(kept);
  return publishRun(certified, suite, settings, archiver.finish(evidence.uses, origin));
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
  const { baseUrl, extent } = recorded.origin;
  const samples = extent.judged.filter((id) => id === samplesCaseId);
  const judged = [...selectCases(suite, settings).map(({ id }) => id), ...samples];
  const again = { baseUrl, isReplay: true, extent: { isCutShort: false, judged, unjudged: [] } } as const;
  return [{ ...recorded, settings, origin: createOrigin({ suite, settings }, again) }, suite];
}

/** Loads exchanges of real callers like those of a run. */
function loadTraffic(content: Buffer, file: string, options: RunOptions): [RecordedRun, Suite] {
  const { only, quick, cases, against, recordTo } = options;
  // They select or add requests, or compare answers: real callers sent what they sent.
  const unusable = { '--only': only, '--quick': quick, '--cases': cases, '--against': against, '--to': recordTo };
  const [flag] = Object.entries(unusable).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw refuse(flag, 'cannot be used with exchanges of real callers', 'Leave it out.');
  const stated = loadInputs(options, process.env, 'offline').connection.endpoint;
  const { baseUrl, exchanges, notes } = readTraffic(content, file, stated?.baseUrl);
  const loaded = loadInputs({ ...options, baseUrl, allowHttp: true }, process.env, 'offline');
  const { cases: _, ...settings } = loaded.settings;
  const inputs = {
    suite: loaded.suite,
    settings: { ...settings, notes: [...settings.notes, ...notes], isTraffic: true } as const,
  };
  const extent = { isCutShort: false, judged: [], unjudged: [] };
  const origin = createOrigin(inputs, { baseUrl, extent, isReplay: true });
  return [{ settings: inputs.settings, origin, evidence: { exchanges, uses: [] } }, loaded.suite];
}

/** A requirement that no exchange exercises is neither proven nor refuted: other traffic may show it. */
const unseenReason = 'The traffic shows nothing about it.';

/** Makes cases from exchanges of real callers. @returns with the exchanges by which responses are read */
function createTrafficRun({ evidence, origin, settings: stated }: RecordedRun, { own: _, ...whole }: Suite) {
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
