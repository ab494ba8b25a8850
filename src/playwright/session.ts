import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Calibration } from '../engine/run.js';
import { type Account, accountInFile } from '../http/request-budget.js';
import type { CertifiedTarget } from '../report/certificate.js';

/** What the set-up finds out once and every worker needs. It holds no credentials. */
export interface Session {
  readonly target: CertifiedTarget;
  readonly calibration: Calibration;
  /** On which all requests of the run are booked. */
  readonly account: Account;
}

/** Names the folder of the session to workers, which inherit the environment. */
const variable = 'CONFORMANCE_SESSION';

/** The files in it. */
const [session, requests] = ['session', 'requests'];

type Saved = Pick<Session, 'target' | 'calibration'> & Pick<Account, 'openedAt'>;

/** Puts a session down for the workers; returns how to remove it. */
export function saveSession({ target, calibration, account }: Session): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));
  const { openedAt } = account;
  writeFileSync(path.join(folder, session), serialize({ target, calibration, openedAt } satisfies Saved));
  writeFileSync(path.join(folder, requests), '.'.repeat(account.spent()));
  process.env[variable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

export function loadSession(): Session {
  const folder = process.env[variable];
  if (folder === undefined)
    throw new Error('The set-up of the run has not been done: playwright.config.ts names it as globalSetup.');
  const { target, calibration, openedAt } = deserialize(readFileSync(path.join(folder, session))) as Saved;
  const account = accountInFile(path.join(folder, requests), openedAt);
  return { target, calibration, account };
}
