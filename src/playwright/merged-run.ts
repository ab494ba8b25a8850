import { isDeepStrictEqual } from 'node:util';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { parseShard, renderShard } from '../engine/shard.js';
import { decodeMapsAndSets, encodeMapsAndSets, isJsonObject } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import { type Environment, runVariables } from '../targets/environment.js';
import { encodeRecordedInputs, type RecordedInputs } from '../targets/recorded-run.js';
import { restoreWholeSettings } from '../targets/settings.js';
import type { RunInputs } from './run-state.js';
import type { TestReport } from './test-report.js';

/** What Playwright's report of a shard says of the run, under a name of its own: merged reports then say it of all. */
type Statements = Readonly<Record<string, unknown>>;

interface Statement {
  readonly suite: Pick<Suite, 'name' | 'version' | 'digest'>;
  /** As JSON: {@link RecordedInputs}. */
  readonly inputs: unknown;
}

const prefix = 'conformance, shard ';

/** @param argv a command line of Playwright, which may name the shard, too */
export function createShardMetadata({ suite, settings, recorded }: RunInputs, argv: readonly string[]): Statements {
  const at = argv.findIndex((argument) => /^--shard(=|$)/.test(argument));
  const shard = settings.shard ?? parseShard((argv[at]?.split('=')[1] ?? argv[at + 1]) || '');
  if (shard === undefined) return {};
  const { name, version, digest } = suite;
  return {
    [`${prefix}${renderShard(shard)}`]: { suite: { name, version, digest }, inputs: recorded } satisfies Statement,
  };
}

/** A run whose shards are put together. */
export interface MergedRun {
  readonly inputs: RunInputs;
  /** A sentence for each shard of which there is no report. */
  readonly gaps: readonly string[];
}

/**
 * What the shards of a run went by together.
 *
 * @param metadata of the reports, all in one
 * @param ids of the cases in all reports
 * @returns undefined where nothing is being merged
 * @throws UnusableInput where they are not shards of one run
 */
export function readMergedRun(
  metadata: Statements,
  ids: readonly string[],
  environment: Environment,
): MergedRun | undefined {
  const folder = environment[runVariables.merge];
  if (!folder) return undefined;
  const refuse = (message: string, hint: string): never => {
    throw new UnusableInput([{ at: { setting: folder }, message, hint }]);
  };
  const leaveOut = 'Leave one report of each shard of the same run there, and no other.';
  const shards = Object.entries(metadata).flatMap(([key, statement]) => {
    const shard = key.startsWith(prefix) ? parseShard(key.slice(prefix.length)) : undefined;
    return shard === undefined ? [] : [{ shard, ...readStatement(statement as Statement) }];
  });
  shards.sort((one, other) => one.shard.current - other.shard.current);
  const [first, ...others] = shards;
  if (first === undefined)
    return refuse('has reports, but none of a shard', 'They are left by certify --shard 1/3, 2/3 and so on.');
  const { total } = first.shard;
  for (const each of others) {
    const [one, other] = [first, each].map(({ shard }) => renderShard(shard));
    if (each.shard.total !== total) refuse(`has the shards ${one} and ${other}, which are not of one run`, leaveOut);
    const [differs] = differences(comparable(first), comparable(each));
    if (differs !== undefined)
      refuse(`the shards ${one} and ${other} are not of one run: their ${differs} differs`, leaveOut);
  }
  const twice = ids.find((id, n) => ids.indexOf(id) < n);
  if (twice !== undefined) refuse(`case '${twice}' is in more than one report`, leaveOut);
  const { availability } = first;
  const suite = loadSuite(suiteFolder, availability);
  if (suite.digest !== first.suite.digest) {
    const versions = `${first.suite.version} (${first.suite.digest}), and this is ${suite.version} (${suite.digest})`;
    refuse(`the shards were run with the suite ${versions}`, 'Merge them with the suite that ran them.');
  }
  // Of the one that sent the random requests, which names how they were drawn.
  const { settings: stated } = shards.find(({ settings }) => settings.exploration !== undefined) ?? first;
  const settings = { ...restoreWholeSettings(stated), out: environment[runVariables.out] || stated.out };
  const there = new Set(shards.map(({ shard }) => shard.current));
  const absent = Array.from({ length: total }, (_, n) => n + 1).filter((current) => !there.has(current));
  return {
    inputs: { suite, settings, recorded: encodeRecordedInputs({ availability, settings }) },
    gaps: absent.map((current) => `There is no report of shard ${renderShard({ current, total })}.`),
  };
}

type ReadStatement = RecordedInputs & Pick<Statement, 'suite'>;

function readStatement({ suite, inputs }: Statement): ReadStatement {
  return { suite, ...(decodeMapsAndSets(inputs) as RecordedInputs) };
}

/** What shards of one run have in common, as JSON: where each writes, and how random requests are drawn, aside. */
function comparable({ suite, availability, settings }: ReadStatement): unknown {
  const { out: _, exploration, ...whole } = restoreWholeSettings(settings);
  return encodeMapsAndSets({ suite, availability, settings: { ...whole, exploration: exploration?.requests } });
}

/** Where two JSON values differ, as `settings.target`; no deeper than helps to find it. */
function differences(one: unknown, other: unknown, name = ''): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isJsonObject(one) || !isJsonObject(other) || name.split('.').length > 2) return [name];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((each) => differences(one[each], other[each], name === '' ? each : `${name}.${each}`));
}

/**
 * What is known of the target from the shards together, each of which calibrated.
 *
 * @param reports one of each shard
 * @throws UnusableInput where they are of different targets
 */
export function combineShardStarts(
  reports: readonly TestReport[],
  environment: Environment,
): Pick<TestReport, 'target' | 'calibration'> | undefined {
  const [first, ...others] = reports;
  if (first === undefined) return undefined;
  const { target, calibration } = first;
  // Each machine starts a reference deployment of its own.
  const other = target.is_reference ? undefined : others.find((each) => each.target.base_url !== target.base_url);
  if (other !== undefined) {
    const message = `the shards are of different targets: ${target.base_url} and ${other.target.base_url}`;
    const hint = 'Shards of one run have the same base URL.';
    throw new UnusableInput([{ at: { setting: environment[runVariables.merge] ?? '' }, message, hint }]);
  }
  const note = reports.find((each) => each.calibration.note !== undefined)?.calibration.note;
  const requestsSent = reports.reduce((sum, each) => sum + each.calibration.requestsSent, 0);
  return { target, calibration: { ...calibration, ...(note === undefined ? {} : { note }), requestsSent } };
}
