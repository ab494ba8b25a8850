import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { UnusableInput } from '../support/problem.js';
import { runVariables } from '../targets/environment.js';

/** What the flags of {@link addTargetFlags} say. */
export interface TargetFlags {
  /** Those of several are run side by side, by the commands that can. */
  readonly target?: readonly string[];
  readonly baseUrl?: string;
  readonly reference?: true;
  readonly allowHttp?: true;
}

/** Adds the flags by which a user says which deployment is meant. */
export function addTargetFlags(command: Command): Command {
  return command
    .option('--target <file>', 'a target file (environment: TARGET)', collectValue)
    .option('--base-url <url>', 'the endpoint is at <url>/v1/promotions/validation (environment: BASE_URL)')
    .option('--reference', 'the reference deployment, which is also meant where nothing names a deployment')
    .option('--allow-http', 'lets credentials go to another machine over plain HTTP');
}

/**
 * The variables of the environment that say the same as the flags.
 *
 * @param positional arguments without a flag: a base URL may be one
 * @throws UnusableInput where they name several deployments, or an argument is nothing of that kind
 */
export function readTargetVariables(
  flags: TargetFlags,
  positional: readonly string[] = [],
): Record<string, string | undefined> {
  const [stray] = positional.filter((argument) => !looksLikeUrl(argument));
  if (stray !== undefined) throw new UnusableInput([{ at: { setting: stray }, ...strayArgument(stray) }]);
  const urls = [...(flags.baseUrl === undefined ? [] : [flags.baseUrl]), ...positional];
  const { target = [] } = flags;
  const isNamed = urls.length > 0 || target.length > 0;
  if (urls.length > 1 || target.length > 1 || (flags.reference && isNamed)) {
    const named = [...(flags.reference ? ['--reference'] : []), ...target.map((file) => `--target ${file}`), ...urls];
    const message = 'name more than one deployment';
    throw new UnusableInput([{ at: { setting: named.join(', ') }, message, hint: 'Leave out all but one.' }]);
  }
  return {
    TARGET: target[0],
    BASE_URL: urls[0],
    // What a flag names wins over a variable that names the reference deployment.
    [runVariables.reference]: flags.reference ? '1' : isNamed ? '' : undefined,
    [runVariables.allowHttp]: flags.allowHttp ? '1' : undefined,
  };
}

/** Of a flag that may be repeated. */
export function collectValue(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Whether somebody may mean an argument as a base URL, be it a good one or not. */
function looksLikeUrl(argument: string): boolean {
  return argument.includes('://') || (/^[^\s/]+[.:]|^localhost\b/.test(argument) && !isFile(argument));
}

function isFile(argument: string): boolean {
  return /\.ya?ml$/.test(argument) || existsSync(argument);
}

function strayArgument(argument: string): { message: string; hint: string } {
  const message = 'is an argument without a flag, and no base URL';
  if (isFile(argument)) return { message, hint: `A target file is named by a flag: --target ${argument}.` };
  const hint =
    'A base URL looks like https://api.example.com; arguments for Playwright, such as --grep, stand behind --.';
  return { message, hint };
}

/** What a flag says wins over the environment. */
export function setVariables(flags: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(flags)) if (value !== undefined) process.env[name] = value;
}

/** Reads a whole number above 0. @throws InvalidArgumentError for anything else */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It is a whole number above 0.');
  return count;
}

/** Reads the number of a port. @throws InvalidArgumentError for anything else */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It is a number from 0 to 65535.');
  return port;
}

/** What goes wrong in reading a flag is a mistake in the flag. @throws UnusableInput */
export function blameFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnusableInput([{ at: { setting: flag }, message: (error as Error).message }]);
  }
}
