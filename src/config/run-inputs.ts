/**
 * The settings of a run. Options, the target file and the environment go in; one typed value comes out, with the suite that
 * they select and the connection, or every problem of what was read. Nothing is sent here. It runs in the command line, in
 * each worker of Playwright and in its reporter, which all read the same.
 */

import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { quote } from 'shlex';
import { referenceNotice } from '../certificate/notices.js';
import type { WorldAvailability } from '../contract/world-file.js';
import type { Endpoint } from '../http/connection-options.js';
import { createRedactor } from '../http/redactor.js';
import type { TransportIdentity } from '../http/transport.js';
import type { ResultsDestination } from '../outputs/result-files.js';
import { createMentionFilter } from '../recognition/sibling-values.js';
import type { ScopeEntry } from '../record/declared-scope.js';
import { type Baseline, createBaseline, describeSuiteChangeSinceRecord } from '../record/drift.js';
import { type KnownDeviationsFile, readKnownDeviations } from '../record/known-deviations.js';
import { readRecord, type TargetRecord } from '../record/target-record.js';
import { listRequestsOfCase } from '../run/case-sender.js';
import type { StartRunOptions } from '../run/run.js';
import type { CaseSelection } from '../suite/case-selection.js';
import { loadSuite, packageCasesFolder, type Suite } from '../suite/suite.js';
import { computeTextDigest } from '../support/digest.js';
import { renderPath, toPosixPath } from '../support/paths.js';
import { createInputError, type Problem, UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { listSecrets, readConnection, type TargetConnection } from './connection.js';
import { readDeclaredScope } from './read-declared-scope.js';
import type { Environment, RunOptions } from './run-options.js';
import { readSelection } from './selection.js';
import { readTargetFile, readWorldAvailability, type TargetFile } from './target-file.js';

export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
}

/** The inputs of a run that sends. */
export interface LiveRunInputs extends RunInputs {
  readonly connection: TargetConnection;
}

/** Attachments and evidence carry them as JSON, and a run is judged again by them. They contain no secrets. */
export interface RunSettings extends CaseSelection {
  readonly target: Target;
  readonly availability: WorldAvailability;
  readonly cases?: string;
  readonly expected: Baseline;
  readonly known?: KnownDeviationsFile;
  /** The requirements that the target file declares not to apply. */
  readonly scope?: readonly ScopeEntry[];
  /** Whether cases with bad credentials, oversized bodies or other methods are excluded. */
  readonly excludesIntrusive: boolean;
  /** Whether further requests are sent after a failure, to find out what makes the difference. */
  readonly narrows: boolean;
  readonly notes: readonly string[];
  readonly destination: ResultsDestination;
}

/** A deployment under test, without its connection. */
interface Target extends Pick<StartRunOptions, 'tierPatterns' | 'mentionFilter'> {
  readonly name: string;
  readonly kind: 'deployment' | 'reference';
  readonly version?: string;
  /** The target file, relative to the working folder. */
  readonly file?: string;
  /** Empty until the reference deployment is started. */
  readonly baseUrl: string;
  readonly isWorldLoaded: boolean;
  readonly transport?: TransportIdentity;
}

const loaded = new Map<string, LiveRunInputs>();

/** Loads the inputs of a run once per process, for processes that end with the run. @throws as {@link loadRunInputs} */
export function loadRunInputsOnce(options: RunOptions, environment: Environment): LiveRunInputs {
  // `certify` and Playwright set variables of their own between two calls.
  const stable = Object.entries(environment).filter(([name]) => !/^(CONFORMANCE|PLAYWRIGHT|PW_)/.test(name));
  const key = JSON.stringify([options, stable]);
  const inputs = loaded.get(key) ?? loadRunInputs(options, environment);
  loaded.set(key, inputs);
  return inputs;
}

/**
 * Loads the inputs of a run that sends. Nothing is sent or written yet.
 *
 * @throws UnusableInput with every problem of the first input that has one
 */
export function loadRunInputs(options: RunOptions, environment: Environment): LiveRunInputs {
  const file = readTargetFile(options);
  const { connection, problems, notes: connectionNotes } = readConnection(options, environment, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  const target = createTarget(options, file, connection);
  const availability = readWorldAvailability(file, options.data);
  const cases = options.cases ?? file.resolve(file.document.cases);
  const suite = loadSuite(packageCasesFolder, availability, cases);
  const secrets = findSecretsInRequests(connection, suite);
  if (secrets.length > 0) throw new UnusableInput(secrets);
  const { comparison, writeTo: recordTo } = readRecordSettings(options, file);
  const compared = comparison.kind === 'record' ? comparison : undefined;
  const excludesIntrusive = excludeIntrusive(options, file, suite);
  const selection = readSelection(options, suite, { excludesIntrusive });
  const known = readKnownSettings(options, file, suite);
  const settings: RunSettings = {
    target,
    availability: addDigest(availability, suite),
    expected: createBaseline(compared?.record, file.document.pins ?? {}, compared?.file, suite.basis),
    excludesIntrusive,
    narrows: allowNarrowing(options, file, suite),
    notes: [
      ...listTargetNotes(target, suite.world.ownPromotions),
      ...connectionNotes,
      ...listRecordNotes(comparison, suite),
    ],
    ...selection,
    destination: {
      out: options.out ?? path.posix.join('results', sanitizeFolderName(target.name)),
      recordTo,
      recordKnownTo: known.writeTo,
      recordScopeTo: options.recordTo === undefined ? undefined : file.file,
    },
    cases,
    known: known.deviations,
    scope: readDeclaredScope(file, suite.contract),
  };
  return { suite, settings, connection };
}

/** With `--quick` few requests are sent, and of a data file those that it allows. */
function allowNarrowing({ quick }: RunOptions, { document }: TargetFile, { data }: Suite): boolean {
  return quick !== true && (document.narrowing ?? data === undefined);
}

/** Data that nobody made for tests may be that of production, so by default a run on a data file has no intrusive cases. */
function excludeIntrusive({ intrusive }: RunOptions, { document }: TargetFile, { data }: Suite): boolean {
  return !(intrusive ?? document.intrusive ?? data === undefined);
}

/** Notes the digest of the data file that the suite was drawn from. */
function addDigest(availability: WorldAvailability, suite: Suite): WorldAvailability {
  if (availability.data === undefined) return availability;
  return { ...availability, data: { ...availability.data, digest: suite.data?.digest } };
}

/** What the answers of a run are compared with. */
type Comparison =
  | { readonly kind: 'record'; readonly file: string; readonly record: TargetRecord }
  /** The target file names a record that no run has written yet. */
  | { readonly kind: 'missing-record'; readonly file: string }
  | { readonly kind: 'nothing' };

interface RecordSettings {
  readonly comparison: Comparison;
  /** The file that the record of this run is written to. */
  readonly writeTo: string | undefined;
}

function readRecordSettings(options: RunOptions, { document, resolve }: TargetFile): RecordSettings {
  const stated = resolve(document.record);
  const writeTo = findRecordToWrite(options, { record: stated, known: resolve(document.known) });
  // Fails if the file is not a record, so that nothing else is overwritten. A link to nothing is something, too.
  if (writeTo !== undefined && isThere(writeTo)) readRecord(writeTo);
  return { comparison: readComparison(options.against, stated, writeTo), writeTo };
}

/**
 * @param against the record that the options name; false if they want no comparison
 * @param stated the record of the target file
 * @param writeTo the record that the run writes: it is compared with first, so that the run shows what changes
 */
function readComparison(
  against: RunOptions['against'],
  stated: string | undefined,
  writeTo: string | undefined,
): Comparison {
  if (against === false || against === '') return { kind: 'nothing' };
  if (against !== undefined) return { kind: 'record', file: against, record: readRecord(against) };
  const file = writeTo ?? stated;
  if (file === undefined) return { kind: 'nothing' };
  if (existsSync(file)) return { kind: 'record', file, record: readRecord(file) };
  return writeTo === undefined ? { kind: 'missing-record', file } : { kind: 'nothing' };
}

function listRecordNotes(comparison: Comparison, suite: Suite): string[] {
  switch (comparison.kind) {
    case 'record':
      return describeSuiteChangeSinceRecord(comparison.record, suite);
    case 'missing-record':
      return [
        `There is no record ${comparison.file} yet, so this run does not say whether answers have changed. npx conformance record writes it.`,
      ];
    case 'nothing':
      return [];
  }
}

interface KnownSettings {
  readonly deviations: KnownDeviationsFile | undefined;
  /** The file that the run adds its deviations to. */
  readonly writeTo: string | undefined;
}

function readKnownSettings(options: RunOptions, { document, resolve }: TargetFile, suite: Suite): KnownSettings {
  const writeTo = options.recordTo === undefined ? undefined : options.known;
  // A file that is to be written need not be there.
  if (writeTo !== undefined && !isThere(writeTo)) return { deviations: undefined, writeTo };
  const file = options.known ?? resolve(document.known);
  return { deviations: file === undefined ? undefined : readKnownDeviations(file, suite.contract), writeTo };
}

/** Returns the inputs with the address of the reference deployment, which is known once it is started. */
export function addReferenceEndpoint(
  { suite, settings, connection }: LiveRunInputs,
  endpoint: Endpoint,
): LiveRunInputs {
  const target = { ...settings.target, baseUrl: endpoint.baseUrl };
  return { suite, settings: { ...settings, target }, connection: { ...connection, endpoint } };
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function createTarget(
  { worldLoaded }: RunOptions,
  { document, file, readBeside }: TargetFile,
  { endpoint }: TargetConnection,
): Target {
  const { name, version, world, response = {}, transport } = document;
  const isReference = endpoint === undefined;
  return {
    name: name ?? (isReference ? 'reference' : new URL(endpoint.baseUrl).host),
    kind: isReference ? 'reference' : 'deployment',
    baseUrl: endpoint?.baseUrl ?? '',
    isWorldLoaded: isReference || worldLoaded === true || world === 'loaded',
    version: version && toOneLine(version),
    file: file && toOneLine(renderPath(file)),
    transport:
      transport === undefined
        ? undefined
        : {
            name: toPosixPath(transport).replace(/^\.\//, ''),
            digest: computeTextDigest(readBeside(transport, 'transport')),
          },
    tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
    mentionFilter: createMentionFilter(response),
  };
}

/**
 * Finds the file that the record of a run goes to; undefined if the run writes none.
 *
 * @param stated the files that the target file names
 * @throws UnusableInput if a record is wanted and nothing names its file
 */
export function findRecordToWrite(
  { recordTo, known }: RunOptions,
  stated: Readonly<Partial<Record<'record' | 'known', string | undefined>>> = {},
): string | undefined {
  if (recordTo !== true) return recordTo;
  // With --known, the run writes deviations instead: the record of a wrong deployment stays as it is.
  if (known !== undefined) return undefined;
  if (stated.record !== undefined) return stated.record;
  const hint = `Use --to, or add a line to the target file, such as record: record.yaml. To write down what is wrong with the target instead, use --known ${quote(stated.known ?? 'known.yaml')}`;
  throw createInputError('record', 'nothing names the file of the record', hint);
}

function listTargetNotes({ kind, transport, tierPatterns, mentionFilter }: Target, ownPromotions = 0): string[] {
  const where = JSON.stringify(mentionFilter?.where ?? {});
  const stated = 'The target file states';
  const notes = [
    kind === 'reference' && referenceNotice,
    transport &&
      `Through a transport: ${toOneLine(transport.name)}, ${transport.digest}. The documented operation was not certified.`,
    tierPatterns && `${stated} where responses name promotions: ${toOneLine(tierPatterns.join(', '))}.`,
    where !== '{}' && `${stated} which of them were returned: ${toOneLine(where)}.`,
    ownPromotions > 0 && `${stated} that ${ownPromotions} of the newest 150 promotions are the deployment's own.`,
  ];
  return notes.filter((note) => typeof note === 'string');
}

/** Windows keeps these names for devices, also before an ending. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Replaces what a name of a folder may not have on every system. */
export function sanitizeFolderName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+|^\.+|\.+$/g, '-').replace(deviceName, '$&-');
}

/** Redaction would change these texts in the evidence: `verify` could not judge it again. */
function findSecretsInRequests(connection: TargetConnection, { world }: Suite): Problem[] {
  // All requests have the headers of the suite's own ones. Evidence has query and body of these as they are.
  const headers = loadSuite().cases.flatMap((testCase) =>
    listRequestsOfCase(testCase).map((request) => request.headers),
  );
  const ids = Object.values(world.ids).map((ofKind) => [...ofKind.values()]);
  const text = JSON.stringify([ids, headers]);
  const found = listSecrets(connection).filter((secret) => createRedactor([secret])(text) !== text);
  return found.map(({ placeholder }) => ({
    at: { setting: placeholder.slice(1) },
    message: 'its value is a part of an id or of a request, so it cannot be hidden in the evidence',
    hint: 'Use another value. A header that is no secret needs no variable.',
  }));
}
