import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command, CommanderError } from 'commander';
import dotenv from 'dotenv';
import { documentedOperation } from '../contract/operation.js';
import { readOwnPackage } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { describeFileError } from '../support/read-input-file.js';
import { joinLines } from '../support/untrusted-text.js';
import type { ConfigureCommand } from './command.js';
import { exitStatus } from './exit-status.js';

const folder = path.join(import.meta.dirname, 'commands');

/**
 * Runs the command line.
 *
 * @param argv as in `process.argv`
 * @returns the exit status
 */
export async function main(argv: readonly string[]): Promise<number> {
  let status = 0;
  const program = new Command('conformance')
    .version(readOwnPackage().version)
    .description(
      `Certify deployments of ${documentedOperation.method} ${documentedOperation.path} against their documentation.`,
    )
    .exitOverride()
    .showHelpAfterError('Run the command with --help to see its arguments.');
  const dashes = argv.includes('--') ? argv.indexOf('--') : argv.length;
  try {
    for (const file of listCommandFiles(argv[2])) {
      const { default: configure }: { default: ConfigureCommand } = await import(pathToFileURL(file).href);
      const end = (exitStatus: number) => {
        status = exitStatus;
      };
      configure(program.command(path.parse(file).name), end, argv.slice(dashes + 1));
    }
    dotenv.config({ quiet: true });
    await program.parseAsync(argv.slice(0, dashes));
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatus.unusableInput;
    if (!(error instanceof UnusableInput) && !isSystemError(error)) throw error;
    process.stderr.write(joinLines(describeError(error).split('\n')));
    return exitStatus.unusableInput;
  }
}

/** Lists only the named command, so that the others need not be loaded; all commands if none is named. */
function listCommandFiles(named: string | undefined): string[] {
  const all = readdirSync(folder)
    // The build also leaves source maps and declarations.
    .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
    .map((file) => path.join(folder, file));
  const wanted = all.filter((file) => path.parse(file).name === named);
  return wanted.length > 0 ? wanted : all;
}

/** Such as a missing file or a used port: the message names it. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function describeError(error: Error): string {
  if (!isSystemError(error)) return error.message;
  if (error.code === 'EADDRINUSE') return `${error.message}: name another port, or leave out --port.`;
  return error.path === undefined ? error.message : `${error.path}: ${describeFileError(error, 'cannot be used')}`;
}
