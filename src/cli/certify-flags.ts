import { type Command, Option } from 'commander';
import { type RequestFormat, requestFormats } from '../report/request-formats.js';
import { addTargetFlags, parseCount, type TargetFlags } from './flags.js';

/** What the flags of the commands that certify say. */
export interface CertifyFlags extends TargetFlags {
  readonly cases?: string;
  readonly out?: string;
  readonly against?: string;
  readonly intrusive: boolean;
  readonly dryRun?: boolean;
  readonly format?: RequestFormat;
  readonly worldLoaded?: true;
  readonly only?: readonly string[];
  readonly quick?: true;
  readonly budget?: number;
  readonly failed?: true;
  readonly bail?: true;
  readonly watch?: true;
  readonly replay?: string;
  readonly sign?: string;
  readonly shard?: string;
  readonly sameAs?: string;
  readonly explore?: number;
  readonly seed?: number;
  /** Of the record command. */
  readonly to?: string;
  readonly update?: true;
}

/** Adds the flags and arguments of the commands that certify. */
export function addCertifyFlags(command: Command): Command {
  const count = (flags: string, description: string) => new Option(flags, description).argParser(parseCount);
  return addTargetFlags(command)
    .option('--cases <folder>', 'cases of your own, beside those of the suite; reported apart')
    .option('--out <folder>', 'for the results; results/<target> unless given')
    .option('--against <record>', 'reports every difference from a record')
    .option('--dry-run', 'prints what would be sent, and sends nothing')
    .addOption(
      new Option('--format <format>', 'of a dry run: its requests for a shell, or for an editor').choices(
        requestFormats,
      ),
    )
    .option('--world-loaded', 'says that the world is loaded, so that a target that returns nothing of it fails')
    .option('--no-intrusive', 'leaves out cases that send bad credentials, oversized bodies or other methods')
    .option('--only <name>', 'this case, requirement, question, tag or group alone; may be repeated', collectList)
    .option('--quick', 'the rows that catch most of the known faults alone, with at most 60 requests')
    .addOption(count('--budget <requests>', 'at most so many requests, the most telling ones').conflicts('quick'))
    .addOption(new Option('--failed', 'what did not pass when it was last run').conflicts('only'))
    .option('--bail', 'ends with the first failure')
    .option('--watch', 'again whenever a case, the target file or the answers of the target change')
    .option('--replay <evidence>', 'judges the exchanges that an earlier run kept, and sends nothing')
    .addOption(
      new Option('--sign <key>', 'signs certificate and evidence with a private key (Ed25519, PEM)').conflicts('watch'),
    )
    .addOption(
      new Option('--shard <share>', 'one of so many machines that share the run, such as 1/3').conflicts([
        'watch',
        'replay',
        'failed',
      ]),
    )
    .option('--same-as <target>', 'of several --target: each of the others answers every request as this one does')
    .addOption(count('--explore <requests>', 'goes beyond the written cases with so many random requests'))
    .addOption(count('--seed <number>', 'draws the same requests again'))
    .argument('[arguments...]', 'a base URL; after --: arguments for Playwright, such as --grep @limit.newest-150');
}

/** Whether several targets are named, or are to be compared. */
export function hasSeveralTargets({ target = [], sameAs }: CertifyFlags): boolean {
  return target.length > 1 || sameAs !== undefined;
}

/** Reads a flag that may be repeated, or has several values with commas between them. */
export function collectList(name: string, before: readonly string[] = []): string[] {
  return [...before, ...name.split(',')];
}
