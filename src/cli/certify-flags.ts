import { type Command, Option } from 'commander';
import { type RequestFormat, requestFormats } from '../report/planned-requests.js';
import { findRunFile } from '../report/result-files.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { RunOptions } from '../targets/run-options.js';
import { addTargetFlags, parseCount, readTargetOptions, type TargetFlags } from './flags.js';

/** The values of the flags of `certify` and `record`. */
export interface CertifyFlags extends TargetFlags, Omit<RunOptions, keyof TargetFlags | 'budget'> {
  readonly dryRun?: true;
  readonly format?: RequestFormat;
  readonly quick?: true;
  readonly budget?: number;
  readonly failed?: true;
  readonly bail?: true;
  readonly open?: true;
  readonly watch?: true;
  readonly verbose?: true;
  /** Of `record`, as the two that follow. */
  readonly to?: string;
  readonly until?: string;
  readonly update?: true;
}

/** Adds the flags and arguments of `certify` and `record`. */
export function addCertifyFlags(command: Command): Command {
  const countFlag = (flags: string, description: string) => new Option(flags, description).argParser(parseCount);
  return addTargetFlags(command, '; repeat it for several targets')
    .option('--cases <folder>', 'also run your own cases; they are reported separately')
    .option('--out <folder>', 'for the results (default: results/<target>)')
    .option('--against <record>', 'report every difference from a record')
    .option('--dry-run', 'print the requests and send nothing')
    .addOption(new Option('--format <format>', `of --dry-run: ${requestFormats.join(' or ')}`).choices(requestFormats))
    .option('--world-loaded', 'the target has the test data: fail if it returns none of it')
    .option('--no-intrusive', 'skip cases that send bad credentials, oversized bodies or other methods')
    .option('--only <name>', 'run this case, requirement, question, tag or group; may be repeated', collectList)
    .option('--quick', 'run the rows that catch most of the known faults, with at most 60 requests')
    .addOption(countFlag('--budget <requests>', 'send at most N requests, the most effective ones').conflicts('quick'))
    .addOption(new Option('--failed', 'run the cases that did not pass in their last run').conflicts('only'))
    .addOption(new Option('--open', 'open the page of the certificate at the end').conflicts('watch'))
    .option('--verbose', 'list every test, as Playwright does')
    .option('--bail', 'stop at the first failure')
    .option('--watch', 'run again whenever a case, the target file or an answer of the target changes')
    .option('--replay <evidence>', 'judge the exchanges of an earlier run again and send nothing')
    .argument('[arguments...]', 'a base URL; after --: arguments for Playwright, such as --grep @limit.newest-150');
}

/** @param positional arguments without a flag @throws UnusableInput if they name several deployments */
export function readCertifyOptions(flags: CertifyFlags, positional: readonly string[]): RunOptions {
  const { cases, out, against, intrusive, worldLoaded, only, replay } = flags;
  return {
    ...readTargetOptions(flags, positional),
    ...omitUndefined({ cases, out, against, intrusive, worldLoaded, only }),
    ...omitUndefined({
      replay: replay && findRunFile(replay, 'evidence.har', 'evidence.har.gz'),
      recordTo: flags.to,
      recordUntil: flags.until,
      budget: flags.quick ? 'quick' : flags.budget,
    }),
  };
}

/** Reads a flag that may be repeated, or has several values separated by commas. */
function collectList(names: string, before: readonly string[] = []): string[] {
  return [...before, ...names.split(',')];
}

/** Renders the flags of a command as they were given, to run it again. @param omitted names of options, such as `out` */
export function renderFlags(command: Command, omitted: readonly (keyof CertifyFlags)[]): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const { long = '' } = option;
    if (command.getOptionValueSource(name) !== 'cli' || omitted.some((each) => each === name)) return [];
    const value: unknown = command.getOptionValue(name);
    if (typeof value === 'boolean') return [long];
    return [value].flat().flatMap((each) => [long, String(each)]);
  });
}
