import { isDeepStrictEqual } from 'node:util';
import type { FullResult } from '@playwright/test/reporter';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import type { CaseResult } from '../engine/case-result.js';
import { parseShard, renderShard } from '../engine/shard.js';
import type { CertifiedResults } from '../report/certify-results.js';
import type { EvidenceArchive } from '../report/har-archive.js';
import { encodeMapsAndSets, isJsonObject } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { loadValidator } from '../support/schema-validation.js';
import {
  decodeRecordedInputs,
  encodeRecordedInputs,
  parseRecordedRun,
  type RecordedInputs,
  restoreSettings,
} from '../targets/recorded-run.js';
import { resolveResultsFolder, restoreWholeSettings } from '../targets/settings.js';
import type { RunInputs } from './run-inputs.js';

/** The metadata of Playwright's report. The key names the shard, so that merged reports have the metadata of each. */
type ReportMetadata = Readonly<Record<string, unknown>>;

interface ShardMetadata {
  readonly suite: Pick<Suite, 'name' | 'version' | 'digest'>;
  /** {@link RecordedInputs} as JSON. */
  readonly inputs: unknown;
}

const keyPrefix = 'conformance, shard ';

export function createShardMetadata({ suite, settings, recorded }: RunInputs): ReportMetadata {
  const { shard } = settings;
  if (shard === undefined) return {};
  const { name, version, digest } = suite;
  const metadata: ShardMetadata = { suite: { name, version, digest }, inputs: recorded };
  return { [`${keyPrefix}${renderShard(shard)}`]: metadata };
}

/** The run that merged shards make up. */
export interface MergedRun {
  readonly inputs: RunInputs;
  /** A sentence for each shard without a report. */
  readonly gaps: readonly string[];
}

/**
 * Reads the inputs of a run from the reports of its shards.
 *
 * @param folder of the reports, for messages
 * @param metadata of all reports
 * @param ids of the cases in all reports
 * @param out the folder for the results; by default that of the target
 * @throws UnusableInput if the reports are not shards of one run
 */
export function readMergedRun(
  folder: string,
  metadata: ReportMetadata,
  ids: readonly string[],
  out?: string,
): MergedRun {
  const refuse = (message: string, hint: string): never => {
    throw new UnusableInput([{ at: { setting: folder }, message, hint }]);
  };
  const leaveOut = 'Keep one report of each shard of the same run in this folder, and no others.';
  const shards = Object.entries(metadata).flatMap(([key, value]) => {
    const shard = key.startsWith(keyPrefix) ? parseShard(key.slice(keyPrefix.length)) : undefined;
    if (shard === undefined) return [];
    const { suite, inputs } = (value ?? {}) as Partial<ShardMetadata>;
    if (suite === undefined || !loadValidator('run-inputs')(inputs))
      return refuse(`the report of shard ${renderShard(shard)} was not written by this suite`, leaveOut);
    return [{ shard, suite, ...decodeRecordedInputs(inputs) }];
  });
  shards.sort((one, other) => one.shard.current - other.shard.current);
  const [first, ...others] = shards;
  if (first === undefined)
    return refuse('has reports, but none of a shard', '`certify --shard 1/3` (2/3, 3/3) writes them.');
  const { total } = first.shard;
  for (const each of others) {
    const both = [first, each].map(({ shard }) => renderShard(shard)).join(' and ');
    if (each.shard.total !== total) refuse(`has the shards ${both}, which are not of one run`, leaveOut);
    const [difference] = findDifferences(selectComparable(first), selectComparable(each));
    if (difference !== undefined)
      refuse(`the shards ${both} are not of one run: their ${difference} differs`, leaveOut);
  }
  const duplicate = ids.find((id, n) => ids.indexOf(id) < n);
  if (duplicate !== undefined) refuse(`case '${duplicate}' is in more than one report`, leaveOut);
  const { availability } = first;
  const suite = loadSuite(suiteFolder, availability);
  if (suite.digest !== first.suite.digest) {
    const versions = `${first.suite.version} (${first.suite.digest}), and this is ${suite.version} (${suite.digest})`;
    refuse(
      `the shards were run with the suite ${versions}`,
      'Merge the shards with the version of the suite that ran them.',
    );
  }
  // The shard that sent the random requests knows their seed.
  const { settings: stated } = shards.find(({ settings }) => settings.exploration !== undefined) ?? first;
  const whole = restoreSettings({ availability, settings: restoreWholeSettings(stated) }, suite);
  const settings = { ...whole, out: resolveResultsFolder(whole.target, omitUndefined({ out })) };
  const present = new Set(shards.map(({ shard }) => shard.current));
  const absent = Array.from({ length: total }, (_, n) => n + 1).filter((current) => !present.has(current));
  return {
    inputs: { suite, settings, recorded: encodeRecordedInputs({ availability, settings }) },
    gaps: absent.map((current) => `There is no report of shard ${renderShard({ current, total })}.`),
  };
}

type ParsedMetadata = RecordedInputs & Pick<ShardMetadata, 'suite'>;

/** What all shards of a run have in common: all but the seed of random requests. */
function selectComparable({ suite, availability, settings }: ParsedMetadata): unknown {
  const { exploration, ...whole } = restoreWholeSettings(settings);
  return encodeMapsAndSets({ suite, availability, settings: { ...whole, exploration: exploration?.requests } });
}

/** The paths at which two JSON values differ, such as `settings.target.name`; at most three members deep. */
function findDifferences(one: unknown, other: unknown, name = ''): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isJsonObject(one) || !isJsonObject(other) || name.split('.').length > 2) return [name];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((each) => findDifferences(one[each], other[each], name === '' ? each : `${name}.${each}`));
}

/**
 * Judges the exchanges of all shards, as `verify` does. No verdict of a shard counts.
 *
 * @param reported give the durations
 * @throws UnusableInput if the exchanges were not written by this suite
 */
export async function certifyMerged(
  { inputs }: MergedRun,
  archive: EvidenceArchive,
  reported: readonly CaseResult[],
  { startTime, duration }: Pick<FullResult, 'startTime' | 'duration'>,
): Promise<CertifiedResults> {
  // Loaded late: every process of every run loads this module.
  const { rejudgeRun } = await import('../targets/rejudge.js');
  const run = parseRecordedRun(archive.content, 'the reports of the shards');
  const { certificate, results, index } = await rejudgeRun(run, inputs.suite, true);
  const durations = new Map(reported.map(({ id, durationMs }) => [id, durationMs]));
  return {
    certificate: { ...certificate, started_at: startTime.toISOString(), duration_ms: Math.round(duration) },
    results: results.map((result) => ({ ...result, durationMs: durations.get(result.id) ?? 0 })),
    index,
  };
}
