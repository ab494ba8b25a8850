import { readdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';

/** Code that is mutated together, and what is to notice it. */
export interface Area {
  readonly name: string;
  readonly files: readonly string[];
  /** The runner of the tests; see `runner.ts`. */
  readonly runner: 'cases' | 'specs';
  /** Of the mutants that nothing excuses, how many are to be killed, in percent. */
  readonly floor: number;
}

/** What the operation does not consist of: tables of behaviours and credentials, what is near to an unknown name, the socket, the management API. */
const besideTheOperation = ['behaviours', 'credentials', 'manage', 'nearest', 'server', 'whole-world'];

export const areas: readonly Area[] = [
  {
    name: 'reference deployment',
    files: filesIn('reference').filter((file) => !besideTheOperation.some((name) => file.endsWith(`/${name}.ts`))),
    runner: 'cases',
    floor: 100,
  },
  {
    name: 'judge, recognition and oracle',
    files: [...filesIn('src/judge'), ...filesIn('src/recognition'), 'src/contract/oracle.ts'],
    runner: 'specs',
    floor: 90,
  },
];

function filesIn(folder: string): string[] {
  const names = readdirSync(path.join(packageRoot, folder)).filter((name) => name.endsWith('.ts'));
  return names.sort().map((name) => `${folder}/${name}`);
}
