import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command, CommanderError } from 'commander';
import dotenv from 'dotenv';
import { readOwnPackage } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
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
  dotenv.config({ quiet: true });
  let status = 0;
  const program = new Command('conformance')
    .version(readOwnPackage().version)
    .description('Certifies deployments of GET /v1/promotions/validation against its documentation.')
    .exitOverride()
    .showHelpAfterError('Run it with --help for what it takes.');
  const behind = argv.includes('--') ? argv.length - argv.indexOf('--') - 1 : 0;
  for (const { name, file } of commandsFor(argv[2])) {
    const { default: configure }: { default: ConfigureCommand } = await import(pathToFileURL(file).href);
    const end = (ended: number) => {
      status = ended;
    };
    configure(program.command(name), end, behind);
  }
  try {
    await program.parseAsync(argv);
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatus.unusableInput;
    if (!(error instanceof UnusableInput) && !isOfSystem(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitStatus.unusableInput;
  }
}

/** The command that is named, since loading the others takes its time; all of them where none is. */
function commandsFor(named: string | undefined): { name: string; file: string }[] {
  const all = readdirSync(folder)
    // Compiled files have source maps beside them.
    .filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
    .map((file) => ({ name: path.parse(file).name, file: path.join(folder, file) }));
  const wanted = all.filter(({ name }) => name === named);
  return wanted.length > 0 ? wanted : all;
}

/** A file, a port or a program that cannot be had: its message says which. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
