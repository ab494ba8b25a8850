import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { listOwnFiles, listSuiteFiles, loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import type { Calibration } from '../engine/calibrate.js';
import type { Shard } from '../engine/shard.js';
import { openFileBudget, type RequestBudget } from '../http/request-budget.js';
import type { Certificate, CertifiedTarget } from '../report/certificate.js';
import type { StoredEvidence } from '../report/har-archive.js';
import { readAvailability } from '../targets/availability.js';
import { type Environment, runVariables } from '../targets/environment.js';
import { createReplaySettings, encodeRecordedInputs, readRecordedRun } from '../targets/recorded-run.js';
import { loadSettings, type RunSettings } from '../targets/settings.js';
import type { Availability } from '../world/bind-world.js';

/**
 * What the processes of one run share lies in one folder, which this variable of the environment names: the suite as it
 * is for the target, the settings, and what the set-up found out. A deployment may have written the credentials into
 * that, and a killed run leaves it behind: so the files are sealed, and the key is in the environment alone.
 */
const variable = 'CONFORMANCE_RUN';
const keyVariable = 'CONFORMANCE_RUN_KEY';

/** The files in the folder. */
const files = {
  inputs: 'inputs',
  session: 'session',
  requests: 'requests',
  coming: 'coming',
  ending: 'ending',
} as const;

/** What a run goes by. */
export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
  /** As JSON for the evidence of the run. */
  readonly recorded: unknown;
  /** The evidence that is judged again, where no target is. */
  readonly replay?: string;
}

/** What the set-up finds out once and every worker needs. */
export interface Session {
  readonly target: CertifiedTarget;
  readonly calibration: Calibration;
  /** What the calibration rests on. */
  readonly evidence: StoredEvidence;
  /** Counts all requests of the run, whichever process sends them. */
  readonly requestBudget: RequestBudget;
}

/**
 * How a run ended: with a certificate, before anything was to be judged, with results that could not be written, or by
 * a mistake in the suite.
 */
export type Ending =
  | ({
      readonly kind: 'certified';
      /** Whether a record was wanted and written. */
      readonly isRecorded: boolean;
      /** Where several machines share the run: which it was, and whether it did all of its share. */
      readonly shard?: Shard & { readonly isDone: boolean };
    } & Pick<Certificate, 'verdict' | 'drift' | 'selected' | 'own_cases'>)
  | { readonly kind: 'not-begun' }
  | { readonly kind: 'unwritten' }
  | { readonly kind: 'broken-off' };

type Loaded = RunInputs & {
  /** Of the files and the variables from which it was loaded. */
  readonly signature: string;
};

let ofThisProcess: Loaded | undefined;

/**
 * Suite and settings, loaded once per run: the first process hands them over to the others. Files that were edited since
 * are loaded anew, as UI mode needs.
 *
 * @throws UnusableInput as `loadSuite` and `loadSettings`
 */
export function loadRunInputs(): RunInputs {
  const replay = process.env[runVariables.replay] || undefined;
  const { availability, files: stated } =
    replay === undefined ? readAvailability(process.env) : { availability: undefined, files: [replay] };
  const signature = signatureOf(stated);
  if (ofThisProcess?.signature === signature) return ofThisProcess;
  const handedOver = read<Loaded>(files.inputs);
  if (handedOver?.signature === signature) ofThisProcess = handedOver;
  else
    ofThisProcess = {
      signature,
      ...(availability === undefined ? recordedBy(replay) : statedBy(process.env, availability)),
    };
  return ofThisProcess;
}

/** What a run in another environment would go by. @throws UnusableInput as `loadSuite` and `loadSettings` */
export function loadInputsFor(environment: Environment): RunInputs {
  return statedBy(environment, readAvailability(environment).availability);
}

function statedBy(environment: Environment, availability: Availability): RunInputs {
  const suite = loadSuite(suiteFolder, availability, environment[runVariables.cases] || undefined);
  const settings = loadSettings(environment, suite);
  return { suite, settings, recorded: encodeRecordedInputs({ availability, settings }) };
}

function recordedBy(file = ''): RunInputs {
  const { availability, settings: recorded } = readRecordedRun(file);
  const suite = loadSuite(suiteFolder, availability, process.env[runVariables.cases] || undefined);
  const settings = createReplaySettings({ availability, settings: recorded }, process.env, suite, file);
  return { suite, settings, recorded: encodeRecordedInputs({ availability, settings: recorded }), replay: file };
}

/** @param stated the target file, and those that it names */
function signatureOf(stated: readonly string[]): string {
  const record = process.env[runVariables.against];
  const flags = ['TARGET', 'BASE_URL', ...Object.values(runVariables)].map((name) => process.env[name] ?? '');
  const own = process.env[runVariables.cases];
  const cases = [...listSuiteFiles(), ...(own ? listOwnFiles(own) : [])];
  return [...flags, ...[...cases, ...stated, ...(record ? [record] : [])].map(fileSignature)].join('\n');
}

/** Something that differs once a file was edited that the run goes by, even where such a file cannot be used. */
export function computeRunSignature(): string {
  try {
    const replay = process.env[runVariables.replay];
    return signatureOf(replay ? [replay] : readAvailability(process.env).files);
  } catch (error) {
    return signatureOf([]) + fileSignature(process.env.TARGET ?? '') + (error as Error).message;
  }
}

/** Begins a run of its own, though this process may have been started by another run. */
export function beginRun(): void {
  delete process.env[variable];
}

/** Begins to share with processes that are started from now on; returns how to end it. */
export function shareRun(): () => void {
  if (process.env[variable] !== undefined) return () => undefined;
  const inputs = loadRunInputs();
  const unshare = shareEnding();
  write(files.inputs, inputs);
  return unshare;
}

/** The same where there are no settings yet: what is merged brings its own. */
export function shareEnding(): () => void {
  removeLeftOver();
  const folder = mkdtempSync(path.join(tmpdir(), `${prefix}${process.pid}-`));
  process.env[variable] = folder;
  process.env[keyVariable] = randomBytes(32).toString('hex');
  return () => {
    rmSync(folder, { recursive: true, force: true });
    delete process.env[variable];
  };
}

/** Folders are named for the process that made them. */
const prefix = 'conformance-run-';

/** Removes what runs left behind that were killed: the folders of processes that are there no more. */
function removeLeftOver(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^conformance-run-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    try {
      rmSync(path.join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // That of another user stays.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

type Saved = Pick<Session, 'target' | 'calibration' | 'evidence'> & Pick<RequestBudget, 'openedAt'>;

/** Puts a session down for the workers. */
export function saveSession({ target, calibration, evidence, requestBudget }: Session): void {
  const { openedAt } = requestBudget;
  write(files.session, { target, calibration, evidence, openedAt } satisfies Saved);
  writeFileSync(fileOf(files.requests), '.'.repeat(requestBudget.countSpent()));
}

export function loadSession(): Session {
  const session = findSession();
  if (session === undefined)
    throw new Error('The set-up of the run has not been done: playwright.config.ts names it as globalSetup.');
  return session;
}

/** What the set-up found out; undefined where it did not come so far. */
export function findSession(): Session | undefined {
  const saved = read<Saved>(files.session);
  if (saved === undefined) return undefined;
  const { target, calibration, evidence, openedAt } = saved;
  return { target, calibration, evidence, requestBudget: openFileBudget(fileOf(files.requests), openedAt) };
}

/** Says to the workers which cases will be run: they send ahead what those need. */
export function savePlannedCases(ids: ReadonlySet<string>): void {
  if (process.env[variable] !== undefined) write(files.coming, ids);
}

/** The ids of the cases that will be run; undefined where nobody said. */
export function readPlannedCases(): ReadonlySet<string> | undefined {
  return read<ReadonlySet<string>>(files.coming);
}

/** Says how the run ended to the process that began it, if that is another one. */
export function saveEnding(ending: Ending): void {
  // Where that process was killed, another run may have removed the folder.
  if (process.env[variable] !== undefined && existsSync(process.env[variable])) write(files.ending, ending);
}

/** How the run ended; undefined where nobody could say. */
export function readEnding(): Ending | undefined {
  return read<Ending>(files.ending);
}

function fileOf(name: string): string {
  return path.join(process.env[variable] ?? '', name);
}

function read<T>(name: string): T | undefined {
  if (process.env[variable] === undefined || !existsSync(fileOf(name))) return undefined;
  return deserialize(opened(readFileSync(fileOf(name)), key())) as T;
}

function write(name: string, content: object): void {
  writeFileSync(fileOf(name), sealed(serialize(content), key()));
}

/** A file of one process for what is too much for its memory. */
export interface SealedFile {
  /** @returns how to read it again; undefined where it could not be written */
  add(content: Buffer): (() => Buffer) | undefined;
  remove(): void;
}

/** Makes one whose key no other process has, in a folder that a later run removes where this one is killed. */
export function sealedFile(): SealedFile {
  const folder = mkdtempSync(path.join(tmpdir(), `${prefix}${process.pid}-`));
  const file = openSync(path.join(folder, 'overflow'), 'wx+');
  const ownKey = randomBytes(32);
  let end = 0;
  return {
    add(content) {
      const bytes = sealed(content, ownKey);
      const begin = end;
      try {
        if (writeSync(file, bytes, 0, bytes.length, begin) < bytes.length) return undefined;
      } catch {
        // The disk is full, say.
        return undefined;
      }
      end += bytes.length;
      return () => {
        const again = Buffer.alloc(bytes.length);
        readSync(file, again, 0, again.length, begin);
        return opened(again, ownKey);
      };
    },
    remove() {
      closeSync(file);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function opened(file: Buffer, key: Buffer): Buffer {
  const decipher = createDecipheriv(sealing.cipher, key, file.subarray(0, sealing.nonceBytes));
  decipher.setAuthTag(file.subarray(sealing.nonceBytes, sealing.nonceBytes + sealing.tagBytes));
  const content = decipher.update(file.subarray(sealing.nonceBytes + sealing.tagBytes));
  return Buffer.concat([content, decipher.final()]);
}

function sealed(content: Buffer, key: Buffer): Buffer {
  const nonce = randomBytes(sealing.nonceBytes);
  const cipher = createCipheriv(sealing.cipher, key, nonce);
  const text = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** A file begins with the nonce and the tag. */
const sealing = { cipher: 'aes-256-gcm', nonceBytes: 12, tagBytes: 16 } as const;

function key(): Buffer {
  return Buffer.from(process.env[keyVariable] ?? '', 'hex');
}

function fileSignature(file: string): string {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${file} ${mtimeMs} ${size}`;
}
