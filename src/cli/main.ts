/**
 * The command line. Arguments and flags go in; printed results and an exit status come out. Each command has a file in
 * `commands/`, which declares its flags and does the work when it is called. All of it runs in the process that the user
 * starts. `certify` and `record` run Playwright in that process, whose workers are processes of their own.
 */

import { Command, CommanderError } from 'commander';
import { loadEnvFile } from '../config/env-file.js';
import { documentedOperation } from '../contract/operation.js';
import { readOwnPackage } from '../support/package-root.js';
import { describeFileError, UnusableInput } from '../support/problem.js';
import { joinAndEscapeLines } from '../support/untrusted-text.js';
import { commands } from './commands.js';
import { exitStatus } from './exit-status.js';

/** Runs one command. @param argv as `process.argv` @returns the exit status */
export async function main(argv: readonly string[]): Promise<number> {
  let status = 0;
  const { method, path: operation } = documentedOperation;
  const program = new Command('conformance')
    .version(readOwnPackage().version)
    .description(`Certify deployments of ${method} ${operation} against their documentation.`)
    .exitOverride()
    .showHelpAfterError('Run the command with --help to see its arguments.');
  const dashes = argv.includes('--') ? argv.indexOf('--') : argv.length;
  try {
    for (const [name, load] of listCommands(argv[2])) {
      const { default: configure } = await load();
      const end = (exitStatus: number) => {
        status = exitStatus;
      };
      configure(program.command(name), end, argv.slice(dashes + 1));
    }
    loadEnvFile(process.env);
    await program.parseAsync(argv.slice(0, dashes));
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatus.unusableInput;
    // The message of a system error, such as that of a used port, says what is wrong.
    const isOfSystem = error instanceof Error && 'syscall' in error;
    if (!(error instanceof UnusableInput) && !isOfSystem) throw error;
    const { message, path: file } = error as NodeJS.ErrnoException;
    const text = file === undefined ? message : `${file}: ${describeFileError(error, 'cannot be used')}`;
    process.stderr.write(joinAndEscapeLines(text.split('\n')));
    return exitStatus.unusableInput;
  }
}

/** Lists only the named command, so that the others need not be loaded; all commands if none is named. */
function listCommands(named = '') {
  return [...commands].filter(([name]) => name === named || !commands.has(named));
}
