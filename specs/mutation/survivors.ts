import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseDocument } from 'yaml';
import { packageRoot } from '../../src/support/package-root.js';

/** What a run over all mutants of an area came to. */
export interface MutationScore {
  readonly mutants: number;
  readonly killed: number;
  /** How many change nothing but the answers of each question. */
  readonly excused_by_question?: Readonly<Record<string, number>>;
  readonly excused_by_reason: number;
  readonly survived: number;
}

/** The mutants that survive, and why they may. */
export interface Survivors {
  /** By area. */
  readonly scores: Readonly<Record<string, MutationScore>>;
  readonly excuses: readonly Excuse[];
}

interface Excuse {
  readonly reason: string;
  /** As word diffs, by the file that they change. */
  readonly mutants: Readonly<Record<string, readonly string[]>>;
}

const file = path.join(packageRoot, 'specs', 'mutation', 'survivors.yaml');

/** Reads `specs/mutation/survivors.yaml`. */
export function readSurvivors(): Survivors {
  return parse(readFileSync(file, 'utf8')) as Survivors;
}

/** A mutant that has a reason: as a word diff of its file. */
export interface ExcusedMutant {
  readonly file: string;
  readonly diff: string;
}

/** The mutants that are listed with a reason. */
export function listExcusedMutants({ excuses }: Survivors): ExcusedMutant[] {
  return excuses.flatMap(({ mutants }) =>
    Object.entries(mutants).flatMap(([file, diffs]) => diffs.map((diff) => ({ file, diff }))),
  );
}

/** Writes what an area came to, and leaves the rest of the file as it is. */
export function writeScore(area: string, score: MutationScore): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  document.setIn(['scores', area], document.createNode(score));
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}

/** The share of the mutants without an excuse that were killed, in percent; rounded down, so that 100 is all of them. */
export function calculateScore({ killed, survived }: MutationScore): number {
  return killed + survived === 0 ? 100 : Math.floor((1000 * killed) / (killed + survived)) / 10;
}
