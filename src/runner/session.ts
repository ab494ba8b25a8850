import type { CertifiedTarget } from '../certificate/certificate.js';
import type { StoredEvidence } from '../certificate/har-archive.js';
import { openFileBudget, type RequestBudget } from '../http/request-budget.js';
import type { Calibration } from '../run/calibrate.js';
import { decodeMapsAndSets, encodeMapsAndSets, parseJson } from '../support/json.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { getRunFile, readRunValue, writeRunFile, writeRunValue } from './run-folder.js';

/** What the set-up of a run finds out once and every worker needs. */
export interface Session {
  readonly target: CertifiedTarget;
  readonly calibration: Calibration;
  /** The exchanges of the calibration. */
  readonly evidence: StoredEvidence;
  /** Counts all requests of the run, whichever process sends them. */
  readonly requestBudget: RequestBudget;
}

type SavedSession = Pick<Session, 'calibration' | 'evidence'> & Pick<RequestBudget, 'openedAt'>;

const files = {
  target: 'target',
  session: 'session',
  requests: 'requests',
  plannedCases: 'planned-cases',
  failure: 'failure',
} as const;

/** Marks the beginning of a run: its results replace those of the run before. @param redact replaces secrets in a text */
export function saveTarget(target: CertifiedTarget, redact: (text: string) => string): void {
  writeRunValue(files.target, redactTexts(target, redact));
}

/** Undefined if no run has begun: nothing was sent. */
export function findTarget(): CertifiedTarget | undefined {
  return readRunValue(files.target);
}

/** Saves a session for the workers. @param redact replaces secrets in a text */
export function saveSession(
  { calibration, evidence, requestBudget }: Omit<Session, 'target'>,
  redact: (text: string) => string,
): void {
  const shown = decodeMapsAndSets(redactTexts(encodeMapsAndSets(calibration), redact));
  // Evidence has no secrets.
  writeRunValue(files.session, { calibration: shown, evidence, openedAt: requestBudget.openedAt });
  writeRunFile(files.requests, '.'.repeat(requestBudget.countSpent()));
}

/** Redacts each text by itself, since the redactor does not look for secrets that are escaped twice. */
function redactTexts(json: unknown, redact: (text: string) => string): unknown {
  return parseJson(JSON.stringify(json, (_, value) => (typeof value === 'string' ? redact(value) : value)));
}

/** Undefined if the set-up did not finish, or was left out. */
export function findSession(): Session | undefined {
  const saved = readRunValue<SavedSession>(files.session);
  const target = findTarget();
  if (saved === undefined || target === undefined) return undefined;
  const { openedAt, ...session } = saved;
  return { target, ...session, requestBudget: openFileBudget(getRunFile(files.requests), openedAt) };
}

/** Tells the workers which cases will run, so that they can send requests ahead. */
export function savePlannedCases(ids: readonly string[]): void {
  writeRunValue(files.plannedCases, new Set(ids));
}

/** No cases if the run may stop before some of them. */
export function readPlannedCases(): ReadonlySet<string> {
  return readRunValue(files.plannedCases) ?? new Set();
}

/** Tells the reporter that the run has no valid verdict. */
export function saveFailure({ problems }: UnusableInput): void {
  writeRunValue(files.failure, problems);
}

export function findSavedFailure(): UnusableInput | undefined {
  const problems = readRunValue<Problem[]>(files.failure);
  return problems && new UnusableInput(problems);
}
