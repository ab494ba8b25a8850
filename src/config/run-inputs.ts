/** Reads and checks the inputs of a run once: options, target file and environment. */

import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { computeDigest } from '../certificate/har-archive.js';
import { referenceNotice } from '../certificate/notices.js';
import type { Availability } from '../contract/world-file.js';
import type { Endpoint } from '../http/connection-options.js';
import { createRedactor } from '../http/redactor.js';
import type { TransportIdentity } from '../http/transport.js';
import type { ResultsDestination } from '../outputs/result-files.js';
import { createMentionFilter } from '../recognition/sibling-values.js';
import { type Baseline, createBaseline, describeUncompared } from '../record/drift.js';
import { type KnownFile, readKnownDeviations } from '../record/known-deviations.js';
import { readRecord } from '../record/target-record.js';
import { listRequests } from '../run/case-sender.js';
import type { EngineOptions } from '../run/run.js';
import type { CaseSelection } from '../suite/case-selection.js';
import { loadSuite, type Suite, suiteFolder } from '../suite/suite.js';
import { omitUndefined } from '../support/collections.js';
import { type Problem, refuse, UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { listSecrets, readConnection, type TargetConnection } from './connection.js';
import type { Environment, RunOptions } from './run-options.js';
import { readSelection } from './selection.js';
import { readAvailability, readTargetFile, type TargetFile } from './target-file.js';

export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
}

/** The inputs of a run that sends. */
export interface SendingInputs extends RunInputs {
  readonly connection: TargetConnection;
}

/** Attachments and evidence carry them as JSON, and a run is judged again by them. They contain no secrets. */
export interface RunSettings extends CaseSelection {
  readonly target: Target;
  readonly availability: Availability;
  readonly cases?: string;
  readonly expected: Baseline;
  readonly known?: KnownFile;
  /** Whether cases with bad credentials, oversized bodies or other methods are excluded. */
  readonly excludesIntrusive: boolean;
  readonly notes: readonly string[];
  readonly destination: ResultsDestination;
}

/** A deployment under test, without its connection. */
interface Target extends Pick<EngineOptions, 'tierPatterns' | 'mentionFilter'> {
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

const loaded = new Map<string, SendingInputs>();

/** Loads the inputs of a run once per process, for processes that end with the run. @throws as {@link loadInputs} */
export function loadInputsOnce(options: RunOptions, environment: Environment): SendingInputs {
  // `certify` and Playwright set variables of their own between two calls.
  const stable = Object.entries(environment).filter(([name]) => !/^(CONFORMANCE|PLAYWRIGHT|PW_)/.test(name));
  const key = JSON.stringify([options, stable]);
  const inputs = loaded.get(key) ?? loadInputs(options, environment);
  loaded.set(key, inputs);
  return inputs;
}

/** Loads the inputs of a run that sends. @throws UnusableInput with every problem */
export function loadInputs(options: RunOptions, environment: Environment): SendingInputs {
  const file = readTargetFile(options);
  const { document, resolve } = file;
  const { connection, problems, notes } = readConnection(options, environment, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  const target = createTarget(options, file, connection);
  const availability = readAvailability(file, options.data);
  const cases = options.cases ?? resolve(document.cases);
  const suite = loadSuite(suiteFolder, availability, cases);
  const secrets = findSecretsInRequests(connection, suite);
  if (secrets.length > 0) throw new UnusableInput(secrets);
  const stated = resolve(document.record);
  const recordTo = findRecordToWrite(options, stated);
  // Fails if the file is not a record, so that nothing else is overwritten. A link to nothing is something, too.
  if (recordTo && isThere(recordTo)) readRecord(recordTo);
  const usual = recordTo ?? stated;
  const { against = usual !== undefined && existsSync(usual) && usual } = options;
  const record = against ? readRecord(against) : undefined;
  const isUncompared = stated !== undefined && !against && recordTo === undefined && options.against === undefined;
  const recordKnownTo = options.recordTo === undefined ? undefined : options.known;
  // A file that is to be written need not be there.
  const isNew = recordKnownTo !== undefined && !isThere(recordKnownTo);
  const known = isNew ? undefined : (options.known ?? resolve(document.known));
  // Data that nobody made for tests may be that of production.
  const excludesIntrusive = !(options.intrusive ?? document.intrusive ?? suite.data === undefined);
  const data = availability.data && { ...availability.data, ...omitUndefined({ digest: suite.data?.digest }) };
  const settings: RunSettings = {
    target,
    availability: { ...availability, ...omitUndefined({ data }) },
    expected: createBaseline(record, document.pins ?? {}, against || undefined),
    excludesIntrusive,
    notes: [
      ...listTargetNotes(target, suite.world.ownPromotions),
      ...notes,
      ...(record === undefined ? [] : describeUncompared(record, suite)),
      isUncompared && `There is no record ${stated} yet, so no answer is compared. npx conformance record writes it.`,
    ].filter((note) => typeof note === 'string'),
    ...readSelection(options, suite, { excludesIntrusive }),
    destination: {
      out: options.out ?? path.join('results', createFolderName(target.name)),
      ...omitUndefined({ recordTo, recordKnownTo }),
    },
    ...omitUndefined({ cases, known: known === undefined ? undefined : readKnownDeviations(known, suite.contract) }),
  };
  return { suite, settings, connection };
}

/** Adds the address of the reference deployment, once it is started. */
export function locateTarget({ suite, settings, connection }: SendingInputs, endpoint: Endpoint): SendingInputs {
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
    ...omitUndefined({
      version: version && toOneLine(version),
      file: file && toOneLine(path.relative('', file)),
      transport:
        transport === undefined
          ? undefined
          : { name: transport.replace(/^\.\//, ''), digest: computeDigest(readBeside(transport, 'transport')) },
      tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
      mentionFilter: createMentionFilter(response),
    }),
  };
}

/** Finds out where the options want a record. @param stated in the target file @throws UnusableInput */
export function findRecordToWrite({ recordTo, known }: RunOptions, stated?: string): string | undefined {
  if (recordTo !== true) return recordTo;
  // What is known is then written instead: the record of a wrong deployment stays as it is.
  if (known !== undefined) return undefined;
  if (stated !== undefined) return stated;
  const hint = 'Use --to, or add a line to the target file, such as record: record.yaml';
  throw refuse('record', 'nothing names the file of the record', hint);
}

function listTargetNotes({ kind, transport, tierPatterns, mentionFilter }: Target, ownPromotions = 0) {
  const where = JSON.stringify(mentionFilter?.where ?? {});
  const stated = 'The target file states';
  return [
    kind === 'reference' && referenceNotice,
    transport &&
      `Through a transport: ${toOneLine(transport.name)}, ${transport.digest}. The documented operation was not certified.`,
    tierPatterns && `${stated} where responses name promotions: ${toOneLine(tierPatterns.join(', '))}.`,
    where !== '{}' && `${stated} which of them were returned: ${toOneLine(where)}.`,
    ownPromotions > 0 && `${stated} that ${ownPromotions} of the newest 150 promotions are the deployment's own.`,
  ];
}

export function createFolderName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+|^\.+/g, '-');
}

/** Redaction would change these texts in the evidence: `verify` could not judge it again. */
function findSecretsInRequests(connection: TargetConnection, { world }: Suite): Problem[] {
  // All requests have the headers of the suite's own ones. Evidence has query and body of these as they are.
  const headers = loadSuite().cases.flatMap((testCase) => listRequests(testCase).map((request) => request.headers));
  const ids = Object.values(world.ids).map((ofKind) => [...ofKind.values()]);
  const text = JSON.stringify([ids, headers]);
  const found = listSecrets(connection).filter((secret) => createRedactor([secret])(text) !== text);
  return found.map(({ placeholder }) => ({
    at: { setting: placeholder.slice(1) },
    message: 'its value is a part of an id or of a request, so it cannot be hidden in the evidence',
    hint: 'Use another value. A header that is no secret needs no variable.',
  }));
}
