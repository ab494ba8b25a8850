import { isDeepStrictEqual } from 'node:util';
import type { FullResult } from '@playwright/test/reporter';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import type { CaseResult } from '../engine/case-result.js';
import { parseShard, renderShard, type Shard } from '../engine/shard.js';
import type { CertifiedResults } from '../report/certify-results.js';
import type { EvidenceArchive } from '../report/har-archive.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { loadValidator } from '../support/schema-validation.js';
import {
  decodeRecordedInputs,
  encodeRecordedInputs,
  parseRecordedRun,
  type RecordedInputs,
  type RunInputs,
  restoreSettings,
} from '../targets/recorded-run.js';
import type { Environment } from '../targets/run-options.js';
import { resolveResultsFolder, restoreWholeSettings } from '../targets/settings.js';
import { loadTarget } from '../targets/target.js';
import { readRunOptions } from './run-inputs.js';

/** The metadata of Playwright's report. The key names the shard, so that merged reports have the metadata of each. */
type ReportMetadata = Readonly<Record<string, unknown>>;

interface ShardMetadata {
  readonly suite: Pick<Suite, 'version' | 'digest'>;
  /** None for the reference deployment: each machine starts one of its own. */
  readonly baseUrl?: string | undefined;
  /** {@link RecordedInputs} as JSON. */
  readonly inputs: unknown;
}

const keyPrefix = 'conformance, shard ';

export function createShardMetadata(
  { suite: { version, digest }, settings: { shard }, recorded: inputs }: RunInputs,
  options = readRunOptions(),
  environment: Environment = process.env,
): ReportMetadata {
  if (shard === undefined) return {};
  const { endpoint } = loadTarget(options, environment).connection;
  const metadata: ShardMetadata = { suite: { version, digest }, baseUrl: endpoint?.baseUrl, inputs };
  return { [`${keyPrefix}${renderShard(shard)}`]: metadata };
}

/**
 * Reads the inputs of a run from the reports of its shards.
 *
 * @param folder of the reports, for messages
 * @param metadata of all reports
 * @param ids of the cases in all reports
 * @param out the folder for the results; by default that of the target
 * @returns the inputs, and a sentence for each shard without a report
 * @throws UnusableInput if the reports are not shards of one run
 */
export function readMergedRun(
  folder: string,
  metadata: ReportMetadata,
  ids: readonly string[],
  out?: string,
): { inputs: RunInputs; gaps: string[] } {
  const leaveOut = 'Keep one report of each shard of the same run in this folder, and no others.';
  const shards = Object.entries(metadata).flatMap(([key, value]) => {
    const shard = key.startsWith(keyPrefix) ? parseShard(key.slice(keyPrefix.length)) : undefined;
    if (shard === undefined) return [];
    const { suite, baseUrl, inputs } = (value ?? {}) as Partial<ShardMetadata>;
    if (suite === undefined || !loadValidator('run-inputs')(inputs))
      throw refuse(folder, `the report of shard ${renderShard(shard)} was not written by this suite`, leaveOut);
    return [{ shard, suite, baseUrl, ...decodeRecordedInputs(inputs) }];
  });
  shards.sort((one, other) => one.shard.current - other.shard.current);
  const [first, ...others] = shards;
  if (first === undefined)
    throw refuse(folder, 'has reports, but none of a shard', '`certify --shard 1/3` (2/3, 3/3) writes them.');
  const common = selectCommon(first);
  for (const each of others) {
    const compared = selectCommon(each);
    const names = Object.keys({ ...common, ...compared });
    const difference = names.find((name) => !isDeepStrictEqual(common[name], compared[name]));
    const both = `${renderShard(first.shard)} and ${renderShard(each.shard)}`;
    if (difference !== undefined)
      throw refuse(folder, `the shards ${both} are not of one run: their ${difference} differs`, leaveOut);
  }
  const duplicate = ids.find((id, n) => ids.indexOf(id) < n);
  if (duplicate !== undefined) throw refuse(folder, `case '${duplicate}' is in more than one report`, leaveOut);
  const { availability } = first;
  const suite = loadSuite(suiteFolder, availability);
  if (suite.digest !== first.suite.digest) {
    const versions = `${first.suite.version} (${first.suite.digest}), and this is ${suite.version} (${suite.digest})`;
    const hint = 'Merge the shards with the version of the suite that ran them.';
    throw refuse(folder, `the shards were run with the suite ${versions}`, hint);
  }
  // The shard that sent the random requests knows their seed.
  const { settings: stated } = shards.find(({ settings }) => settings.exploration !== undefined) ?? first;
  const whole = restoreSettings({ availability, settings: restoreWholeSettings(stated) }, suite);
  const settings = { ...whole, out: resolveResultsFolder(whole.target, omitUndefined({ out })) };
  const { total } = first.shard;
  const present = new Set(shards.map(({ shard }) => shard.current));
  const absent = Array.from({ length: total }, (_, n) => n + 1).filter((current) => !present.has(current));
  return {
    inputs: { suite, settings, recorded: encodeRecordedInputs(availability, settings) },
    gaps: absent.map((current) => `There is no report of shard ${renderShard({ current, total })}.`),
  };
}

interface RecordedShard extends RecordedInputs, Pick<ShardMetadata, 'suite'> {
  readonly shard: Shard;
  readonly baseUrl: string | undefined;
}

/** What all shards of a run have in common: all but the seed of random requests. */
function selectCommon({ shard, suite, baseUrl, availability, settings }: RecordedShard): Record<string, unknown> {
  const { target, exploration, ...whole } = restoreWholeSettings(settings);
  const own = { total: shard.total, suite: suite.digest, baseUrl, randomRequests: exploration?.requests };
  return { ...own, ...availability, ...target, ...whole };
}

/**
 * Judges the exchanges of all shards, as `verify` does. No verdict of a shard counts.
 *
 * @param reported give the durations
 * @throws UnusableInput if the exchanges were not written by this suite
 */
export async function certifyMerged(
  suite: Suite,
  archive: EvidenceArchive,
  reported: readonly CaseResult[],
  { startTime, duration }: Pick<FullResult, 'startTime' | 'duration'>,
): Promise<CertifiedResults> {
  // Loaded late: every process of every run loads this module.
  const { rejudgeRun } = await import('../targets/rejudge.js');
  const run = parseRecordedRun(archive.content, 'the reports of the shards');
  const { certificate, results, index } = await rejudgeRun(run, suite, true);
  const durations = new Map(reported.map(({ id, durationMs }) => [id, durationMs]));
  return {
    certificate: { ...certificate, started_at: startTime.toISOString(), duration_ms: Math.round(duration) },
    results: results.map((result) => ({ ...result, durationMs: durations.get(result.id) ?? 0 })),
    index,
  };
}
