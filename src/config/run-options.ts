import { toPosixPath } from '../support/paths.js';
import { UnusableInput } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { readEnvFile } from './env-file.js';

/** Variables of the environment, such as `process.env`. The types of Node.js would be needed by users of the API. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a user sets for a run. Every process of the run reads it. Credentials stay in the environment. */
export interface RunOptions {
  readonly target?: string;
  readonly baseUrl?: string;
  /** The flag, argument or variable that names the base URL, for messages. */
  readonly baseUrlSetting?: string;
  /** What to do if the target file has another base URL. Default: the one of the options replaces it. */
  readonly onOtherBaseUrl?: 'use-target-file' | 'refuse';
  /** Whether the reference deployment is certified, whatever else is named. */
  readonly reference?: boolean;
  readonly allowHttp?: boolean;
  readonly worldLoaded?: boolean;
  /** Whether intrusive cases run, too. Default: unless the requests are drawn from a data file. */
  readonly intrusive?: boolean;
  readonly cases?: string;
  readonly data?: string;
  readonly out?: string;
  /** A record to compare with; false for none. Default: that of the target file, if it exists. */
  readonly against?: string | false;
  /** Where to write a record; true for the one of the target file. */
  readonly recordTo?: string | true;
  /** Known deviations. With `recordTo`, those that are not known yet are added to the file. */
  readonly known?: string;
  readonly only?: readonly string[];
  readonly quick?: boolean;
  readonly replay?: string;
}

/** The options that are paths. Results name some of them, and are the same on each system. */
const pathOptions: readonly string[] = ['target', 'cases', 'data', 'out', 'against', 'recordTo', 'known'];

function normalizePaths(options: RunOptions): RunOptions {
  const entries = Object.entries(options).map(([name, value]) => {
    return [name, pathOptions.includes(name) && typeof value === 'string' ? toPosixPath(value) : value];
  });
  return Object.fromEntries(entries);
}

/** @throws UnusableInput with every problem, such as a misspelt option, which may let intrusive cases run */
export function checkRunOptions(options: object): void {
  const at = { file: 'use.conformance', line: 1, column: 1 };
  const file = { file: at.file, value: options, locate: () => at, locateKey: () => at };
  const problems = findSchemaProblems('run-options', file);
  if (problems.length > 0)
    throw new UnusableInput(problems.map((problem) => ({ ...problem, at: { setting: at.file } })));
}

/**
 * Adds the target file and the base URL of the environment (TARGET, BASE_URL) where the options name none.
 *
 * @throws UnusableInput if there is a `.env` file that sets nothing
 */
export function completeRunOptions(options: RunOptions, { TARGET, BASE_URL }: Environment = process.env): RunOptions {
  const ofEnvFile = options.reference ? {} : readEnvFile();
  const completed = normalizePaths({
    ...options,
    target: options.target ?? TARGET,
    baseUrl: options.baseUrl ?? BASE_URL,
  });
  if (options.baseUrl !== undefined) return { baseUrlSetting: '--base-url', ...completed };
  // A flag names the target file: an address that it states counts more than one for all commands of the project.
  if (BASE_URL === undefined || options.target === undefined) return completed;
  const isOfEnvFile = ofEnvFile.BASE_URL === BASE_URL;
  return {
    ...completed,
    baseUrlSetting: isOfEnvFile ? 'BASE_URL of .env' : 'BASE_URL',
    onOtherBaseUrl: isOfEnvFile ? 'use-target-file' : 'refuse',
  };
}
