import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunVerdict } from '../../src/certificate/run-verdict.js';
import { packageRoot } from '../../src/support/package-root.js';

export type MistakeFate = 'found' | 'missed' | 'not-visible';

/** What runs on generated data found of the mistakes of a fleet. The same seed gives the same data. */
export interface RecordedData {
  readonly fleet: string;
  readonly tiers: number;
  readonly seed: number;
  /** The day of the runs. */
  readonly measured: string;
  /** The verdict on the deployment without a mistake. */
  readonly right: RunVerdict;
  /** What became of each mistake. No documented request shows one that is not visible on this data. */
  readonly mistakes: Readonly<Record<string, MistakeFate>>;
}

/** Committed, since few machines have the software of the fleets. */
const recordFile = path.join(packageRoot, 'tools', 'own-data', 'recorded-data.json');

export function readRecordedData(): RecordedData[] {
  return existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : [];
}

/** Puts what was measured into the record. What other runs on the same data found of other mistakes stays. */
export function recordData(data: RecordedData): void {
  writeFileSync(recordFile, `${JSON.stringify(mergeData(readRecordedData(), data), null, 2)}\n`);
}

export function mergeData(recorded: readonly RecordedData[], data: RecordedData): RecordedData[] {
  const isSameShop = ({ fleet, tiers }: RecordedData) => fleet === data.fleet && tiers === data.tiers;
  const others = recorded.filter((entry) => !isSameShop(entry));
  const earlier = recorded.find((entry) => isSameShop(entry) && entry.seed === data.seed);
  const mistakes = { ...earlier?.mistakes, ...data.mistakes };
  const sorted = Object.entries(mistakes).toSorted(([id], [next]) => (id < next ? -1 : 1));
  const all = [...others, { ...data, mistakes: Object.fromEntries(sorted) }];
  return all.toSorted((a, b) => a.tiers - b.tiers || (a.fleet < b.fleet ? -1 : 1));
}

/** Lists the mistakes that met a fate. */
export function listMistakes({ mistakes }: RecordedData, wanted: MistakeFate): string[] {
  return Object.entries(mistakes).flatMap(([id, fate]) => (fate === wanted ? id : []));
}
