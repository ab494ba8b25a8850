import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { parseShard, renderShard, shardsFolder } from '../engine/shard.js';
import { decodeMapsAndSets, encodeMapsAndSets, isJsonObject } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import { encodeRecordedInputs, type RecordedInputs } from '../targets/recorded-run.js';
import { type RunSettings, resolveResultsFolder, restoreWholeSettings } from '../targets/settings.js';
import type { RunInputs } from './run-inputs.js';
import type { TestReport } from './test-report.js';

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
 * @param out the folder for the results; by default that of the run
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
    return shard === undefined ? [] : [{ shard, ...parseMetadata(value as ShardMetadata) }];
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
    refuse(`the shards were run with the suite ${versions}`, 'Merge them with the suite that ran them.');
  }
  // The shard that sent the random requests knows their seed.
  const { settings: stated } = shards.find(({ settings }) => settings.exploration !== undefined) ?? first;
  const settings = { ...restoreWholeSettings(stated), out: out ?? findRunFolder(folder, stated.target) };
  const present = new Set(shards.map(({ shard }) => shard.current));
  const absent = Array.from({ length: total }, (_, n) => n + 1).filter((current) => !present.has(current));
  return {
    inputs: { suite, settings, recorded: encodeRecordedInputs({ availability, settings }) },
    gaps: absent.map((current) => `There is no report of shard ${renderShard({ current, total })}.`),
  };
}

/** The folder that the shards left their reports in, or that of the target if the reports are from elsewhere. */
function findRunFolder(folder: string, target: RunSettings['target']): string {
  const { dir, base } = path.parse(path.resolve(folder));
  return base === shardsFolder && dir !== process.cwd() ? path.relative('', dir) : resolveResultsFolder(target, {});
}

type ParsedMetadata = RecordedInputs & Pick<ShardMetadata, 'suite'>;

function parseMetadata({ suite, inputs }: ShardMetadata): ParsedMetadata {
  return { suite, ...(decodeMapsAndSets(inputs) as RecordedInputs) };
}

/** What all shards of a run have in common: all but their folder and the seed of random requests. */
function selectComparable({ suite, availability, settings }: ParsedMetadata): unknown {
  const { out: _, exploration, ...whole } = restoreWholeSettings(settings);
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
 * Combines the calibrations of all shards.
 *
 * @param folder of the reports, for messages
 * @param reports one of each shard
 * @throws UnusableInput if they are of different targets
 */
export function combineShardStarts(
  folder: string,
  reports: readonly TestReport[],
): Pick<TestReport, 'target' | 'calibration'> | undefined {
  const [first, ...others] = reports;
  if (first === undefined) return undefined;
  const { target, calibration } = first;
  // Each machine starts a reference deployment of its own.
  const other = target.is_reference ? undefined : others.find((each) => each.target.base_url !== target.base_url);
  if (other !== undefined) {
    const message = `the shards are of different targets: ${target.base_url} and ${other.target.base_url}`;
    throw new UnusableInput([{ at: { setting: folder }, message, hint: 'Use the same base URL for all shards.' }]);
  }
  const note = reports.find((each) => each.calibration.note !== undefined)?.calibration.note;
  const requestsSent = reports.reduce((sum, each) => sum + each.calibration.requestsSent, 0);
  return { target, calibration: { ...calibration, ...(note === undefined ? {} : { note }), requestsSent } };
}
