import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import dotenv from 'dotenv';
import { type Behaviours, behavioursFromOutcomes, settle } from '../../reference/behaviours.js';
import { referenceCredentials } from '../../reference/credentials.js';
import type { Fault } from '../../reference/faults/fault.js';
import { faultNamed } from '../../reference/faults/index.js';
import { emptyWorld } from '../../reference/manage.js';
import { serveReference } from '../../reference/server.js';
import { planText } from '../engine/plan.js';
import { noRepeats } from '../http/connection-options.js';
import { shareSuite, suiteOfRun } from '../playwright/shared-suite.js';
import type { Certificate } from '../report/certificate.js';
import { comparisonTable, differences } from '../report/compare.js';
import { readRecord } from '../report/record.js';
import { ownPackage, packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { checkedValue } from '../support/schema.js';
import { readYaml } from '../support/yaml-file.js';
import { examine, findingsText } from '../targets/doctor.js';
import { openTarget } from '../targets/open.js';
import { provision } from '../targets/provision.js';
import { loadSettings, variables } from '../targets/settings.js';
import { allowHttpVariable, loadTarget } from '../targets/target.js';
import { type WorldFormat, worldFormats } from '../world/formats.js';
import type { World } from '../world/world.js';
import { loadWorld } from '../world/world-file.js';

/** Exit statuses of the commands that certify. */
export const exitStatus = { conforms: 0, 'does-not-conform': 1, unusableInput: 2, drift: 3, incomplete: 4 } as const;

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
    .version(ownPackage().version)
    .description('Certifies deployments of GET /v1/promotions/validation against its documentation.')
    .exitOverride()
    .showHelpAfterError('Run it with --help for what it takes.');

  const certifying = (name: string) =>
    program
      .command(name)
      .option('--target <file>', 'a target file (environment: TARGET)')
      .option('--base-url <url>', 'the endpoint is asked at <url>/v1/promotions/validation (environment: BASE_URL)')
      .option('--out <folder>', 'for the results; results/<target> unless given')
      .option('--against <record>', 'reports every difference from a record')
      .option('--dry-run', 'prints what would be sent, and sends nothing')
      .option('--allow-http', 'lets credentials go to another machine over plain HTTP')
      .option('--no-intrusive', 'leaves out cases that send bad credentials, oversized bodies or other methods')
      .addOption(
        new Option('--explore <requests>', 'goes beyond the written cases with so many random requests').argParser(
          countNumber,
        ),
      )
      .addOption(new Option('--seed <number>', 'draws the same requests again').argParser(countNumber))
      .argument('[playwright-args...]', 'after --: arguments for Playwright, such as --grep @limit.newest-150');
  certifying('certify')
    .description('runs the cases; without a target it starts the reference deployment on a free port')
    .action(async (args: string[], options: CertifyOptions) => {
      status = await certify(args, options);
    });
  certifying('record')
    .description('runs the cases, and writes a record of what the target does where nothing is documented')
    .requiredOption('--to <file>', 'where the record goes')
    .action(async (args: string[], options: CertifyOptions) => {
      status = await certify(args, options);
    });

  program
    .command('compare')
    .description('shows in which requirements and questions certificates differ')
    .argument('<certificate>', 'a certificate.json')
    .argument('<certificates...>', 'others')
    .action((first: string, others: string[]) => {
      const certificates = [first, ...others].map(readCertificate);
      process.stdout.write(comparisonTable(certificates));
      status = differences(certificates).length === 0 ? exitStatus.conforms : exitStatus.drift;
    });

  program
    .command('serve')
    .description('starts the reference deployment')
    .addOption(new Option('--port <number>', 'a free one unless given').argParser(portNumber))
    .option('--world <file>', 'a world as JSON, as `conformance world` prints it; that of the suite unless given')
    .option('--as <record>', 'answers every open question as the record says')
    .option('--behaviour <question=outcome>', 'answers an open question so; may be repeated', collectBehaviours)
    .option('--empty', 'holds nothing')
    .option('--manage', 'lets the world be added to: POST /manage/customers and so on, see targets/')
    .option('--fault <id>', 'breaks a requirement on purpose; may be repeated', collectFaults)
    .action(async (options: ServeOptions) => serve(options));

  program
    .command('world')
    .description('prints the data that the cases presuppose in a deployment')
    .addOption(new Option('--format <format>').choices(Object.keys(worldFormats)).default('json'))
    .action(({ format }: { format: WorldFormat }) => {
      process.stdout.write(worldFormats[format](loadWorld()));
    });

  program
    .command('provision')
    .description('has the world created in a deployment by the command of its target file, and writes down the ids')
    .option('--target <file>', 'a target file (environment: TARGET)')
    .option('--base-url <url>', 'in place of that of the target file (environment: BASE_URL)')
    .action(async (options: TargetOptions) => {
      setVariables({ TARGET: options.target, BASE_URL: options.baseUrl });
      const { bindings, bound, without } = await provision(process.env);
      const lacking = without.length === 0 ? '' : `Without an id: ${without.join(', ')}.\n`;
      process.stdout.write(`${bindings} holds ${bound} ids now.\n${lacking}`);
    });

  program
    .command('doctor')
    .description('sends at most three requests, and says what keeps a target from being certified')
    .option('--target <file>', 'a target file (environment: TARGET)')
    .option('--base-url <url>', 'in place of that of the target file (environment: BASE_URL)')
    .option('--allow-http', 'lets credentials go to another machine over plain HTTP')
    .action(async (options: TargetOptions) => {
      status = await doctor(options);
    });

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

/** A file, a port or a program that cannot be had: its message says which. */
function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

interface TargetOptions {
  readonly target?: string;
  readonly baseUrl?: string;
  readonly allowHttp?: true;
}

interface CertifyOptions extends TargetOptions {
  readonly out?: string;
  readonly against?: string;
  readonly intrusive: boolean;
  readonly dryRun?: boolean;
  readonly explore?: number;
  readonly seed?: number;
  /** Of the record command. */
  readonly to?: string;
}

/** Checks everything that can be checked without sending, then runs Playwright and reads its certificate. */
async function certify(args: readonly string[], options: CertifyOptions): Promise<number> {
  setVariables({
    TARGET: options.target,
    BASE_URL: options.baseUrl,
    [variables.out]: options.out,
    [variables.against]: options.against,
    [variables.recordTo]: options.to,
    [variables.noIntrusive]: options.intrusive ? undefined : '1',
    [allowHttpVariable]: options.allowHttp ? '1' : undefined,
    [variables.explore]: options.explore?.toString(),
    // Without a seed another one each time; the result names it.
    [variables.seed]: (options.seed ?? 1 + Math.floor(Math.random() * 1_000_000)).toString(),
  });
  const settings = loadSettings(process.env, suiteOfRun());
  if (options.dryRun) {
    process.stdout.write(planText(suiteOfRun(), settings));
    return exitStatus.conforms;
  }
  // Lists tests and judges nothing, so that there is nothing to certify.
  if (args.includes('--list')) return (await runPlaywright(['--reporter=list', ...args])) ?? exitStatus.unusableInput;
  const { out, recordTo } = settings;
  makeFolder(out, '--out');
  if (recordTo !== undefined) makeFolder(path.dirname(recordTo), '--to');
  const file = path.join(out, 'certificate.json');
  rmSync(file, { force: true });

  const unshare = shareSuite();
  const code = await runPlaywright(withReporter(args));
  unshare();
  if (!existsSync(file)) {
    process.stderr.write(`Playwright ended with status ${code} and left no certificate.\n`);
    return exitStatus.unusableInput;
  }
  return statusOf(readCertificate(file));
}

/** @returns the exit status of Playwright; null where a signal ended it */
async function runPlaywright(args: readonly string[]): Promise<number | null> {
  const playwright = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
  const config = path.join(packageRoot, 'dist', 'playwright.config.js');
  const child = spawn(process.execPath, [playwright, 'test', '--config', config, ...args], { stdio: 'inherit' });
  // Ctrl-C reaches Playwright by itself, which then still writes the certificate; other signals are handed on.
  const wait = () => undefined;
  const stop = () => child.kill('SIGINT');
  process.on('SIGINT', wait).on('SIGTERM', stop);
  const code = await new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject));
  process.off('SIGINT', wait).off('SIGTERM', stop);
  return code;
}

/** Before anything is sent: at the end of a run it would be too late. @param flag that names another folder */
function makeFolder(folder: string, flag: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const message = `nothing can be written into ${folder} (${(error as NodeJS.ErrnoException).code})`;
    throw new UnusableInput([{ at: { setting: flag }, message, hint: 'Name another folder.' }]);
  }
}

/** What a flag says wins over the environment. */
function setVariables(flags: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(flags)) if (value !== undefined) process.env[name] = value;
}

async function doctor({ target: file, baseUrl, allowHttp }: TargetOptions): Promise<number> {
  setVariables({ TARGET: file, BASE_URL: baseUrl, [allowHttpVariable]: allowHttp ? '1' : undefined });
  const target = loadTarget(process.env);
  const suite = suiteOfRun();
  const reference =
    target.place.kind === 'reference'
      ? await serveReference({ world: suite.world.world, credentials: referenceCredentials })
      : undefined;
  const client = openTarget(target, reference?.url, { repeats: noRepeats });
  const findings = await examine(suite, target, client);
  await client.close();
  await reference?.close();
  const where = target.place.kind === 'deployment' ? target.place.baseUrl : 'the reference deployment';
  const notes = (target.notes ?? []).map((note) => `${note}\n`);
  process.stdout.write(`${target.name}: ${where}\n${notes.join('')}\n${findingsText(findings)}`);
  if (findings.some(({ state }) => state === 'trouble')) return exitStatus['does-not-conform'];
  return findings.some(({ state }) => state === 'unknown') ? exitStatus.incomplete : exitStatus.conforms;
}

/** A failure is worse than drift, and drift than what could not be told. */
function statusOf({ verdict, drift }: Certificate): number {
  return verdict !== 'does-not-conform' && drift.length > 0 ? exitStatus.drift : exitStatus[verdict];
}

function readCertificate(file: string): Certificate {
  return checkedValue('certificate', readYaml(file, file)) as Certificate;
}

/** Another reporter is had beside the one that writes the certificate, not in its place. */
function withReporter(args: readonly string[]): string[] {
  const own = path.join(packageRoot, 'dist', 'src', 'playwright', 'reporter.js');
  return args.map((arg, n) => {
    const isReporters = args[n - 1] === '--reporter' || arg.startsWith('--reporter=');
    return isReporters ? `${arg},${own}` : arg;
  });
}

interface ServeOptions {
  readonly port?: number;
  readonly world?: string;
  readonly as?: string;
  readonly behaviour?: Behaviours;
  readonly empty?: boolean;
  readonly manage?: boolean;
  readonly fault?: readonly Fault[];
}

async function serve({ port = 0, world, as, behaviour, empty, manage, fault = [] }: ServeOptions): Promise<void> {
  const { behaviours, inimitable } = as === undefined ? { behaviours: {}, inimitable: [] } : behavioursOf(as);
  const { url, close } = await serveReference({
    port,
    world: empty ? emptyWorld : world === undefined ? loadWorld().world : readWorld(world),
    ...(manage ? { manage } : {}),
    credentials: referenceCredentials,
    behaviours: { ...behaviours, ...behaviour },
    faults: fault,
  });
  process.stdout.write(
    [
      `The reference deployment answers at ${url}/v1/promotions/validation`,
      `X-Client-Application-Id: ${referenceCredentials.applicationId}`,
      `X-Client-Token: ${referenceCredentials.token}`,
      ...fault.map(({ breaks, story }) => `Breaks ${breaks}: ${story}`),
      ...inimitable.map((question) => `Cannot be imitated, so answered as usual: ${question}`),
      'Stop it with Ctrl-C.',
      '',
    ].join('\n'),
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve);
  });
  await close();
}

/** @param file a record */
function behavioursOf(file: string): ReturnType<typeof behavioursFromOutcomes> {
  const { questions } = readRecord(file);
  return behavioursFromOutcomes(
    Object.fromEntries(Object.entries(questions).map(([id, { outcome }]) => [id, outcome])),
  );
}

function readWorld(file: string): World {
  return checkedValue('expanded-world', readYaml(file, file)) as World;
}

function countNumber(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It is a whole number above 0.');
  return count;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It is a number from 0 to 65535.');
  return port;
}

function collectBehaviours(text: string, before: Behaviours = {}): Behaviours {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It has the form QUESTION=OUTCOME.');
  const behaviours = { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  return refusing(() => {
    settle(behaviours);
    return behaviours;
  });
}

function collectFaults(id: string, before: readonly Fault[] = []): Fault[] {
  return refusing(() => [...before, faultNamed(id)]);
}

/** What goes wrong in reading a flag is a mistake in the flag. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
