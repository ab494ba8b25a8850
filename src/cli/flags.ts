import { type Command, InvalidArgumentError } from 'commander';
import { variables } from '../targets/environment.js';

/** What the flags of {@link targetFlags} say. */
export interface TargetFlags {
  readonly target?: string;
  readonly baseUrl?: string;
  readonly allowHttp?: true;
}

/** Adds the flags by which a user says which deployment is meant. */
export function targetFlags(command: Command): Command {
  return command
    .option('--target <file>', 'a target file (environment: TARGET)')
    .option('--base-url <url>', 'the endpoint is at <url>/v1/promotions/validation (environment: BASE_URL)')
    .option('--allow-http', 'lets credentials go to another machine over plain HTTP');
}

/** The variables of the environment that say the same as the flags. */
export function targetVariables({ target, baseUrl, allowHttp }: TargetFlags): Record<string, string | undefined> {
  return { TARGET: target, BASE_URL: baseUrl, [variables.allowHttp]: allowHttp ? '1' : undefined };
}

/** What a flag says wins over the environment. */
export function setVariables(flags: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(flags)) if (value !== undefined) process.env[name] = value;
}

/** Reads a whole number above 0. @throws InvalidArgumentError for anything else */
export function countNumber(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It is a whole number above 0.');
  return count;
}

/** Reads the number of a port. @throws InvalidArgumentError for anything else */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It is a number from 0 to 65535.');
  return port;
}

/** What goes wrong in reading a flag is a mistake in the flag. @throws InvalidArgumentError */
export function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
