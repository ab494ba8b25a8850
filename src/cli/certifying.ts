import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { planText } from '../engine/plan.js';
import { beginRun, type Ending, endingOfRun, inputsOfRun, shareRun } from '../playwright/run-state.js';
import type { Certificate } from '../report/certificate.js';
import { removeResults } from '../report/results.js';
import { UnusableInput } from '../support/problem.js';
import { checkedValue } from '../support/schema.js';
import { readYaml } from '../support/yaml-file.js';
import { variables } from '../targets/environment.js';
import { exitStatus, statusOf } from './exit-status.js';
import { countNumber, setVariables, type TargetFlags, targetFlags, targetVariables } from './flags.js';
import { runPlaywright, withReporter } from './run-playwright.js';

/** What the flags of the commands that certify say. */
export interface CertifyFlags extends TargetFlags {
  readonly out?: string;
  readonly against?: string;
  readonly intrusive: boolean;
  readonly dryRun?: boolean;
  readonly worldLoaded?: true;
  readonly explore?: number;
  readonly seed?: number;
  /** Of the record command. */
  readonly to?: string;
}

/** Adds the flags and arguments of the commands that certify. */
export function certifyFlags(command: Command): Command {
  const count = (flags: string, description: string) => new Option(flags, description).argParser(countNumber);
  return targetFlags(command)
    .option('--out <folder>', 'for the results; results/<target> unless given')
    .option('--against <record>', 'reports every difference from a record')
    .option('--dry-run', 'prints what would be sent, and sends nothing')
    .option('--world-loaded', 'says that the world is loaded, so that a target that returns nothing of it fails')
    .option('--no-intrusive', 'leaves out cases that send bad credentials, oversized bodies or other methods')
    .addOption(count('--explore <requests>', 'goes beyond the written cases with so many random requests'))
    .addOption(count('--seed <number>', 'draws the same requests again'))
    .argument('[playwright-args...]', 'after --: arguments for Playwright, such as --grep @limit.newest-150');
}

/**
 * Checks everything that can be checked without sending, then runs Playwright, which says how the run ended.
 *
 * @param args for Playwright
 * @returns the exit status
 */
export async function certify(args: readonly string[], flags: CertifyFlags): Promise<number> {
  beginRun();
  setVariables({
    ...targetVariables(flags),
    [variables.out]: flags.out,
    [variables.against]: flags.against,
    [variables.recordTo]: flags.to,
    [variables.noIntrusive]: flags.intrusive ? undefined : '1',
    [variables.worldLoaded]: flags.worldLoaded ? '1' : undefined,
    [variables.explore]: flags.explore?.toString(),
    // Without a seed another one each time; the result names it.
    [variables.seed]: (flags.seed ?? 1 + Math.floor(Math.random() * 1_000_000)).toString(),
  });
  const { suite, settings } = inputsOfRun();
  if (flags.dryRun) {
    process.stdout.write(planText(suite, settings));
    return exitStatus.conforms;
  }
  // Lists tests and judges nothing, so that there is nothing to certify.
  if (args.includes('--list')) return (await runPlaywright(['--reporter=list', ...args])) ?? exitStatus.unusableInput;
  const { out, recordTo } = settings;
  if (recordTo !== undefined) makeFolder(path.dirname(recordTo), '--to');
  removeResults(out);

  const unshare = shareRun();
  const code = await runPlaywright(withReporter(args));
  const ending = endingOfRun();
  unshare();
  if (ending === undefined) {
    process.stderr.write(`Playwright ended with status ${code} and left no certificate.\n`);
    return exitStatus.unusableInput;
  }
  return statusOfEnding(ending);
}

function statusOfEnding(ending: Ending): number {
  switch (ending.kind) {
    case 'certified':
      return statusOf(ending);
    case 'unwritten':
      return exitStatus.unusableInput;
    case 'broken-off':
      return exitStatus.mistake;
  }
}

/** Reads a certificate. @throws UnusableInput with all that is wrong with it */
export function readCertificate(file: string): Certificate {
  return checkedValue('certificate', readYaml(file, file)) as Certificate;
}

/** Before anything is sent: at the end of a run it would be too late. @param flag that names another folder */
function makeFolder(folder: string, flag: string): void {
  try {
    mkdirSync(path.resolve(folder), { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const message = `nothing can be written into ${folder} (${(error as NodeJS.ErrnoException).code})`;
    throw new UnusableInput([{ at: { setting: flag }, message, hint: 'Name another folder.' }]);
  }
}
