import { type Command, InvalidArgumentError, Option } from 'commander';
import { documentedOperation } from '../contract/operation.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { completeRunOptions, type RunOptions } from '../target/run-options.js';

/** The values of {@link addTargetFlags}. */
export interface TargetFlags {
  readonly target?: readonly string[];
  readonly baseUrl?: string;
  readonly reference?: true;
  readonly allowHttp?: true;
}

/** Adds the flags that select a deployment. @param note on `--target` */
export function addTargetFlags(command: Command, note = ''): Command {
  return command
    .option('--target <file>', `a target file (environment: TARGET)${note}`, collectValue)
    .option('--base-url <url>', `the endpoint is at <url>${documentedOperation.path} (environment: BASE_URL)`)
    .option('--reference', 'the reference deployment; also the default if the environment names no deployment')
    .option('--allow-http', 'send credentials to another machine over plain HTTP');
}

/** The values of the flags of `certify` and `record`. */
export interface CertifyFlags extends TargetFlags, Omit<RunOptions, keyof TargetFlags> {
  readonly dryRun?: true;
  readonly open?: true;
  /** Of `record`: the file, or that of the target file. */
  readonly to?: string | true;
}

/** Adds the flags of `certify` and `record`. */
export function addCertifyFlags(command: Command): Command {
  return addTargetFlags(command, '; repeat it for several targets')
    .usage('[options] [-- arguments for Playwright, such as --grep @limit.newest-150]')
    .option('--data <file>', 'draw the requests from the data that the deployment has (docs/own-data.md)')
    .option('--cases <folder>', 'also run your own cases; they are reported separately')
    .option('--out <folder>', 'for the results (default: results/<target>)')
    .option(
      '--against <record>',
      'report every difference from this record (default: `record` of the target file; --no-against: from none)',
    )
    .addOption(new Option('--no-against').hideHelp())
    .option('--known <file>', 'deviations that are known: they do not fail the run (`known` of the target file)')
    .option('--dry-run', 'print the requests and send nothing')
    .option('--world-loaded', 'the target has the test data: fail if it returns none of it')
    .option('--no-intrusive', 'skip cases that send bad credentials, oversized bodies or other methods')
    .addOption(new Option('--intrusive').hideHelp())
    .option('--only <name>', 'run this case, requirement, question, tag or group; may be repeated', collectList)
    .option('--quick', 'run the rows that catch almost all known faults, with at most 60 requests')
    .option('--open', 'open the page of the certificate at the end')
    .option(
      '--replay <file>',
      'judge recorded exchanges and send nothing: evidence.har of a run, or a HAR of real callers',
    );
}

/** Reads the flags, but for the target files. @throws UnusableInput if they contradict each other */
export function readCertifyOptions(flags: CertifyFlags): RunOptions {
  const { cases, data, out, against, intrusive, worldLoaded, only, quick, replay, to: recordTo } = flags;
  const known = flags.to === undefined ? { known: flags.known } : { recordKnownTo: flags.known };
  return {
    ...readTargetFlags(flags),
    ...omitUndefined({ ...known, cases, data, out, against, intrusive, worldLoaded, only, quick, recordTo, replay }),
  };
}

/** Reads the options that select one deployment. Flags win over the environment. @throws UnusableInput if they name several */
export function readTargetOptions(flags: TargetFlags): RunOptions {
  const { target: [target, ...others] = [] } = flags;
  if (others.length > 0) refuseSeveral(flags);
  return completeRunOptions({ ...readTargetFlags(flags), ...omitUndefined({ target }) }, process.env);
}

/** Reads the flags that select a deployment, but for the target files. @throws UnusableInput if they contradict each other */
function readTargetFlags(flags: TargetFlags): RunOptions {
  const { target = [], baseUrl, reference, allowHttp } = flags;
  if ((reference && (target.length > 0 || baseUrl !== undefined)) || (target.length > 1 && baseUrl !== undefined))
    refuseSeveral(flags);
  const setting = baseUrl === undefined ? {} : { baseUrlSetting: '--base-url' };
  return omitUndefined({ baseUrl, ...setting, reference, allowHttp });
}

function refuseSeveral({ target = [], baseUrl, reference }: TargetFlags): never {
  const named = [
    ...(reference ? ['--reference'] : []),
    ...target.map((file) => `--target ${file}`),
    ...(baseUrl === undefined ? [] : [`--base-url ${baseUrl}`]),
  ];
  throw refuse(named.join(', '), 'name more than one deployment', 'Name only one of them.');
}

/** Refuses arguments without a flag. @throws UnusableInput that names the flag that was probably meant */
export function refuseArguments([argument]: readonly string[]): void {
  if (argument === undefined) return;
  const hint = 'Name a deployment with --base-url or --target. Put arguments for Playwright, such as --grep, after --.';
  throw refuse(argument, 'is an argument without a flag', hint);
}

/** For a flag that may be repeated. */
export function collectValue(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Reads a flag that may be repeated, or has several values separated by commas. */
function collectList(names: string, before: readonly string[] = []): string[] {
  return [...before, ...names.split(',')];
}

/** Parses a whole number above 0. @throws InvalidArgumentError for anything else */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return count;
}
