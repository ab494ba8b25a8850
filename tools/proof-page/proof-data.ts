import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';
import type { DecisionKind } from '../proof/generated-faults.js';
import type { MutantFate } from '../proof/judge-mutant.js';
import type { ConformingRuns } from './conforming-deployments.js';
import type { ConstantServerResult } from './constant-servers.js';

/** Faults that the default run must find. */
export interface FaultCount {
  readonly faults: number;
  readonly found: number;
}

/** What `npm run proof` measures, by the word that measures one part of it alone. */
export interface ProofParts {
  readonly faults: {
    /** Faults with a story of their own, by the requirement that they break. */
    readonly withStory: Readonly<Record<string, FaultCount>>;
    /** Mistakes at places, without those that are faults with a story already, and those that no run can show. */
    readonly generated: Readonly<Partial<Record<DecisionKind, FaultCount>>>;
    /** The ids of those that are not found. */
    readonly survivors: readonly string[];
  };
  readonly code: {
    /** Changes to the code of the reference deployment, by file. */
    readonly byFile: Readonly<Record<string, Readonly<Partial<Record<MutantFate, number>>>>>;
    /** Those that a run overlooks. */
    readonly survivors: readonly string[];
  };
  readonly constant: {
    readonly servers: readonly ConstantServerResult[];
    /** Those that conform. */
    readonly survivors: readonly string[];
  };
  readonly conforming: {
    readonly kinds: readonly ConformingRuns[];
    /** Those that fail. */
    readonly survivors: readonly string[];
  };
}

export type ProofPart = keyof ProofParts;

/** Each part with the day of its measurement. */
export type ProofData = { readonly [Part in ProofPart]: ProofParts[Part] & { readonly measured: string } };

export const proofDataFile = path.join(packageRoot, 'tools', 'proof-page', 'measured.json');

export function readProofData(): ProofData {
  return JSON.parse(readFileSync(proofDataFile, 'utf8'));
}

/** Puts a part in the place of an earlier measurement. */
export function recordPart<Part extends ProofPart>(part: Part, found: ProofParts[Part]): void {
  const others = existsSync(proofDataFile) ? readProofData() : {};
  const measured = new Date().toISOString().slice(0, 10);
  writeFileSync(proofDataFile, `${JSON.stringify({ ...others, [part]: { measured, ...found } }, null, 2)}\n`);
}
