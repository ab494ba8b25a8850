import { readdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';

/** Code that is mutated together. */
export interface Area {
  readonly name: string;
  readonly files: readonly string[];
  /** The tests that must fail: the requirement and question cases, or some specs. See `runner.ts`. */
  readonly runner: 'cases' | 'specs';
}

/** Files beside the reference deployment that are not about the operation itself. */
const unrelatedFiles = ['places', 'behaviours', 'reference-credentials', 'find-nearest', 'server', 'world-flaws'];

export const areas: readonly Area[] = [
  {
    name: 'reference deployment',
    files: listFiles('reference').filter((file) => !unrelatedFiles.some((name) => file.endsWith(`/${name}.ts`))),
    runner: 'cases',
  },
  {
    name: 'judge, recognition and oracle',
    files: [...listFiles('src/judge'), ...listFiles('src/recognition'), 'src/contract/oracle.ts'],
    runner: 'specs',
  },
];

function listFiles(folder: string): string[] {
  const names = readdirSync(path.join(packageRoot, folder)).filter((name) => name.endsWith('.ts'));
  return names.sort().map((name) => `${folder}/${name}`);
}
