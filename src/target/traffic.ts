import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { readTraffic } from '../certificate/read-traffic.js';
import type { Exchange } from '../http/exchange.js';
import { createTrafficCases } from '../judge/traffic-cases.js';
import { refuse } from '../support/problem.js';
import { createOrigin, type RecordedRun } from './inputs.js';
import type { Environment, RunOptions } from './run-options.js';
import { loadSettings, type RunSettings } from './settings.js';
import { loadTarget } from './target.js';

/** Loads exchanges of real callers like those of a run. @param content of the archive `file` @throws UnusableInput */
export function loadTraffic(
  content: Buffer,
  file: string,
  options: RunOptions,
  environment: Environment,
): [RecordedRun, Suite] {
  const { only, quick, cases, against, recordTo } = options;
  // They select or add requests, or compare answers: real callers sent what they sent.
  const unusable = { '--only': only, '--quick': quick, '--cases': cases, '--against': against, '--to': recordTo };
  const [flag] = Object.entries(unusable).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw refuse(flag, 'cannot be used with exchanges of real callers', 'Leave it out.');
  const stated = loadTarget(options, environment, 'offline').connection.endpoint;
  const { baseUrl, exchanges, notes } = readTraffic(content, file, stated?.baseUrl);
  const target = loadTarget({ ...options, baseUrl, allowHttp: true }, environment, 'offline');
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
export function createTrafficRun(
  { evidence, origin, settings: stated }: RecordedRun,
  whole: Suite,
): { readonly recorded: RecordedRun; readonly suite: Suite; readonly traffic: readonly Exchange[] } {
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
  const summary = `${judged} of ${answered.length} documented requests show something.`;
  const open = openBecause === '' ? '' : ` The others show nothing: ${openBecause}.`;
  const target = { ...stated.target, isWorldLoaded: stated.target.isWorldLoaded || isWorldSeen };
  const settings = { ...stated, target, notes: [...stated.notes, `${summary}${open}`] };
  // Callers ask no questions: what they send is what the documentation shows.
  const asked = { cases, calibration: [], contract: { ...whole.contract, questions: [] } };
  const { data } = whole;
  // What requests cover is left out: they would be drawn.
  const suite = {
    ...whole,
    ...asked,
    ...(data && { data: { file: data.file, digest: data.digest, counts: data.counts } }),
  };
  const recorded = { settings, evidence: { ...evidence, uses }, origin: { ...origin, extent } };
  return { recorded, suite, traffic: samples };
}
