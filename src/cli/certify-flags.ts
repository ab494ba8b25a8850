import type { Command } from 'commander';
import { findRunFile } from '../outputs/result-files.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { RunOptions } from '../target/run-options.js';
import { addTargetFlags, readTargetFlags, type TargetFlags } from './flags.js';

/** The values of the flags of `certify` and `record`. */
export interface CertifyFlags extends TargetFlags, Omit<RunOptions, keyof TargetFlags> {
  readonly dryRun?: true;
  readonly open?: true;
  /** Of `record`, as the next. */
  readonly to?: string;
  readonly update?: true;
}

/** Adds the flags of `certify` and `record`. */
export function addCertifyFlags(command: Command): Command {
  return addTargetFlags(command, '; repeat it for several targets')
    .usage('[options] [-- arguments for Playwright, such as --grep @limit.newest-150]')
    .option('--cases <folder>', 'also run your own cases; they are reported separately')
    .option('--out <folder>', 'for the results (default: results/<target>)')
    .option('--against <record>', 'report every difference from a record')
    .option('--dry-run', 'print the requests and send nothing')
    .option('--world-loaded', 'the target has the test data: fail if it returns none of it')
    .option('--no-intrusive', 'skip cases that send bad credentials, oversized bodies or other methods')
    .option('--only <name>', 'run this case, requirement, question, tag or group; may be repeated', collectList)
    .option('--quick', 'run the rows that catch almost all known faults, with at most 60 requests')
    .option('--open', 'open the page of the certificate at the end')
    .option('--replay <evidence>', 'judge the exchanges of an earlier run again and send nothing');
}

/** Reads the flags, but for the target files. @throws UnusableInput if they contradict each other */
export function readCertifyOptions(flags: CertifyFlags): RunOptions {
  const { cases, out, against, intrusive, worldLoaded, only, quick, replay } = flags;
  return {
    ...readTargetFlags(flags),
    ...omitUndefined({ cases, out, against, intrusive, worldLoaded, only, quick }),
    ...omitUndefined({
      replay: replay && findRunFile(replay, 'evidence.har'),
      recordTo: flags.to,
    }),
  };
}

/** Reads a flag that may be repeated, or has several values separated by commas. */
function collectList(names: string, before: readonly string[] = []): string[] {
  return [...before, ...names.split(',')];
}
