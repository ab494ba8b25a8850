import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CertifiedTarget } from '../certificate/certificate.js';
import type { Calibration } from '../run.js';

/** What the set-up finds out once and every worker needs. It holds no credentials. */
export interface Session {
  readonly target: CertifiedTarget;
  readonly calibration: Calibration;
}

/** Names the file of the session to workers, which inherit the environment. */
const variable = 'CONFORMANCE_SESSION';

/** Puts a session down for the workers; returns how to remove it. */
export function saveSession({ target, calibration }: Session): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-'));
  const file = path.join(folder, 'session.json');
  const namings = calibration.namings.map(({ places, unplaced }) => ({ places: [...places], unplaced: [...unplaced] }));
  writeFileSync(file, JSON.stringify({ target, calibration: { ...calibration, namings } }));
  process.env[variable] = file;
  return () => rmSync(folder, { recursive: true, force: true });
}

export function loadSession(): Session {
  const file = process.env[variable];
  if (file === undefined)
    throw new Error('The set-up of the run has not been done: playwright.config.ts names it as globalSetup.');
  const { target, calibration } = JSON.parse(readFileSync(file, 'utf8'));
  const namings = calibration.namings.map(
    ({ places, unplaced }: { places: [string, string[]][]; unplaced: string[] }) => ({
      places: new Map(places),
      unplaced: new Set(unplaced),
    }),
  );
  return { target, calibration: { ...calibration, namings } };
}
