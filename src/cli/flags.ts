import { type Command, InvalidArgumentError } from 'commander';
import { documentedOperation } from '../contract/operation.js';
import { refuse } from '../support/problem.js';
import { getToday } from '../support/today.js';
import { completeRunOptions, type RunOptions } from '../targets/run-options.js';

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

/**
 * Reads the options that select a deployment. Flags win over the environment.
 *
 * @param positional arguments without a flag: one of them may be a base URL
 * @throws UnusableInput if they name several deployments, or an argument is no URL
 */
export function readTargetOptions(flags: TargetFlags, positional: readonly string[] = []): RunOptions {
  // Anything else may be meant as a base URL, valid or not.
  const stray = positional.find((argument) => !/[.:]/.test(argument) || /\.ya?ml$/.test(argument));
  if (stray !== undefined) {
    const example = 'A base URL looks like https://api.example.com.';
    const others = 'Name a target file with --target. Put arguments for Playwright, such as --grep, after --.';
    throw refuse(stray, 'is no base URL', `${example} ${others}`);
  }
  const urls = [...(flags.baseUrl === undefined ? [] : [flags.baseUrl]), ...positional];
  const { target = [], reference, allowHttp } = flags;
  const named = [...(reference ? ['--reference'] : []), ...target.map((file) => `--target ${file}`), ...urls];
  if (urls.length > 1 || target.length > 1 || (reference && named.length > 1))
    throw refuse(named.join(', '), 'name more than one deployment', 'Name only one of them.');
  const baseUrlSetting = flags.baseUrl === undefined ? 'The argument' : '--base-url';
  const url = urls.length === 0 ? {} : { baseUrl: urls[0], baseUrlSetting };
  return completeRunOptions({ target: target[0], ...url, reference, allowHttp } as RunOptions, process.env);
}

/** For a flag that may be repeated. */
export function collectValue(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Parses a whole number above 0. @throws InvalidArgumentError for anything else */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return count;
}

/** Parses a day that has not passed. @throws InvalidArgumentError for anything else */
export function parseComingDay(text: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.startsWith(text);
  if (!isDay) throw new InvalidArgumentError('It must be a day such as 2027-03-31.');
  if (text < getToday()) throw new InvalidArgumentError('That day has passed.');
  return text;
}
