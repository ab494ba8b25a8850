import { type Command, Option } from 'commander';
import type { RunOptions } from '../config/run-options.js';
import { documentedOperation } from '../contract/operation.js';

/** The default export of a file in `commands/`. @param end sets the exit status; 0 if it is not called */
export type ConfigureCommand = (
  command: Command,
  end: (status: number) => void,
  afterDashes: readonly string[],
) => void;

/** Adds the flags that select a deployment. @param isRepeatable whether there may be several target files */
export function addTargetFlags(command: Command, isRepeatable = false): Command {
  const description = `a target file (environment: TARGET)${isRepeatable ? '; repeat it for several targets' : ''}`;
  const target = new Option('--target <file>', description);
  const reference = 'use the reference deployment: the default if nothing names another one';
  return command
    .addOption(isRepeatable ? target.argParser(collectTexts) : target)
    .option('--base-url <url>', `the endpoint is at <url>${documentedOperation.path} (environment: BASE_URL)`)
    .addOption(new Option('--reference', reference).conflicts(['target', 'baseUrl']))
    .option('--allow-http', 'send credentials to another machine over plain HTTP');
}

export interface CertifyFlags extends Omit<RunOptions, 'target' | 'recordTo'> {
  readonly target?: readonly string[];
  readonly dryRun?: true;
  readonly open?: true;
  /** Of `record`: the file, or that of the target file. */
  readonly to?: string | true;
}

export function addCertifyFlags(command: Command): Command {
  const against = 'report every difference from this record (default: `record` of the target file; --no-against: none)';
  return (
    addTargetFlags(command, true)
      .usage('[options] [-- arguments for Playwright, such as --grep @limit.newest-150]')
      .option(
        '--data <file>',
        'a file with the data that the deployment has, to draw the requests from it (docs/own-data.md)',
      )
      .option('--cases <folder>', 'also run your own cases; they are reported separately')
      .option('--out <folder>', 'where to write the results (default: results/<target>)')
      .option('--against <record>', against)
      .addOption(new Option('--no-against').hideHelp())
      .option(
        '--known <file>',
        'deviations that are known: they do not fail the run (default: `known` of the target file)',
      )
      .addOption(new Option('--dry-run', 'print the requests and send nothing').conflicts('replay'))
      .option('--world-loaded', 'the target has the test data: fail if it returns none of it')
      // First, so that there is no default: a target file may exclude them.
      .addOption(new Option('--intrusive').hideHelp())
      .option('--no-intrusive', 'skip cases that send bad credentials, oversized bodies or other methods')
      .option('--only <name>', 'run this case, requirement, question, tag or group; may be repeated', collectNames)
      .option('--quick', 'run the rows that catch almost all known faults, with at most 60 requests')
      .option('--open', 'open the page of the certificate at the end')
      .addOption(
        new Option('--replay <file>', 'judge the exchanges of a run again, from its evidence.har, and send nothing')
          // The evidence says which deployment the run had, and what was stated of it.
          .conflicts(['target', 'baseUrl', 'reference', 'allowHttp', 'worldLoaded', 'intrusive']),
      )
  );
}

/** A file may have a comma in its name. */
function collectTexts(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function collectNames(names: string, before: readonly string[] = []): string[] {
  return [...before, ...names.split(',')];
}
