import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { planOf, planText } from '../engine/plan.js';
import { beginRun, type Ending, endingOfRun, inputsOfRun, type RunInputs, shareRun } from '../playwright/run-state.js';
import type { Certificate } from '../report/certificate.js';
import { plannedRequests, type RequestFormat, requestFormats } from '../report/planned-requests.js';
import { referenceEnds } from '../report/reference-notice.js';
import { checkRoom } from '../report/results.js';
import { asLines } from '../support/foreign-text.js';
import { UnusableInput } from '../support/problem.js';
import { checkedValue } from '../support/schema.js';
import { readYaml } from '../support/yaml-file.js';
import { variables } from '../targets/environment.js';
import { loadTarget } from '../targets/target.js';
import { exitStatus, statusOf } from './exit-status.js';
import { countNumber, setVariables, type TargetFlags, targetFlags, targetVariables } from './flags.js';
import { runPlaywright, withReporter } from './run-playwright.js';

/** What the flags of the commands that certify say. */
export interface CertifyFlags extends TargetFlags {
  readonly out?: string;
  readonly against?: string;
  readonly intrusive: boolean;
  readonly dryRun?: boolean;
  readonly format?: RequestFormat;
  readonly worldLoaded?: true;
  readonly explore?: number;
  readonly seed?: number;
  /** Of the record command. */
  readonly to?: string;
}

/** Adds the flags and arguments of the commands that certify. */
export function certifyFlags(command: Command): Command {
  const count = (flags: string, description: string) => new Option(flags, description).argParser(countNumber);
  const formats = Object.keys(requestFormats);
  return targetFlags(command)
    .option('--out <folder>', 'for the results; results/<target> unless given')
    .option('--against <record>', 'reports every difference from a record')
    .option('--dry-run', 'prints what would be sent, and sends nothing')
    .addOption(
      new Option('--format <format>', 'of a dry run: its requests for a shell, or for an editor').choices(formats),
    )
    .option('--world-loaded', 'says that the world is loaded, so that a target that returns nothing of it fails')
    .option('--no-intrusive', 'leaves out cases that send bad credentials, oversized bodies or other methods')
    .addOption(count('--explore <requests>', 'goes beyond the written cases with so many random requests'))
    .addOption(count('--seed <number>', 'draws the same requests again'))
    .argument('[arguments...]', 'a base URL; after --: arguments for Playwright, such as --grep @limit.newest-150');
}

/**
 * Checks everything that can be checked without sending, then runs Playwright, which says how the run ended.
 *
 * @param all arguments without a flag
 * @param behind how many of them stand behind `--`: those are for Playwright
 * @returns the exit status
 */
export async function certify(all: readonly string[], behind: number, flags: CertifyFlags): Promise<number> {
  beginRun();
  const args = all.slice(all.length - behind);
  setVariables({
    ...targetVariables(flags, all.slice(0, all.length - behind)),
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
    process.stdout.write(dryRun({ suite, settings }, flags.format));
    return exitStatus.conforms;
  }
  if (flags.format !== undefined) {
    const hint = 'Add --dry-run, which prints what would be sent.';
    throw new UnusableInput([{ at: { setting: '--format' }, message: 'is about a dry run alone', hint }]);
  }
  // Lists tests and judges nothing, so that there is nothing to certify.
  if (args.includes('--list')) return (await runPlaywright(['--reporter=list', ...args])) ?? exitStatus.unusableInput;
  const { out, recordTo } = settings;
  if (recordTo !== undefined) makeFolder(path.dirname(recordTo), '--to');
  checkRoom(out);

  const unshare = shareRun();
  const code = await runPlaywright(withReporter(args));
  const ending = endingOfRun();
  unshare();
  if (ending === undefined) {
    process.stderr.write(`Playwright ended with status ${code} and left no certificate.\n`);
    return exitStatus.unusableInput;
  }
  if (ending.kind === 'not-begun') process.stderr.write('No case was run, so the results of earlier runs stay.\n');
  return statusOfEnding(ending);
}

/** What would be sent, with what the user should know of it: in comments, where a program reads it. */
function dryRun({ suite, settings }: RunInputs, format: RequestFormat | undefined): string {
  const plan = planOf(suite, settings);
  const ends = settings.target.kind === 'reference' ? [referenceEnds] : [];
  if (format === undefined) return asLines(settings.notes) + planText(plan) + asLines(ends);
  const { place, options } = loadTarget(process.env).connection;
  const baseUrl = place.kind === 'deployment' ? place.baseUrl : '$BASE_URL';
  const comments = (lines: readonly string[]) => asLines(lines.map((line) => `# ${line}`));
  return comments(settings.notes) + plannedRequests(plan, format, baseUrl, options.extraHeaders) + comments(ends);
}

function statusOfEnding(ending: Ending): number {
  switch (ending.kind) {
    case 'certified':
      return statusOf(ending);
    case 'not-begun':
    case 'unwritten':
      return exitStatus.unusableInput;
    case 'broken-off':
      return exitStatus.mistake;
  }
}

/** Reads a certificate. @throws UnusableInput with all that is wrong with it; in one line, where it is none at all */
export function readCertificate(file: string): Certificate {
  const yaml = readYaml(file, file);
  const { verdict, requirements } = (yaml.value ?? {}) as Partial<Certificate>;
  if (verdict === undefined || requirements === undefined) {
    const hint = 'A run writes one: results/<target>/certificate.json.';
    throw new UnusableInput([{ at: { setting: file }, message: 'is no certificate', hint }]);
  }
  return checkedValue('certificate', yaml) as Certificate;
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
