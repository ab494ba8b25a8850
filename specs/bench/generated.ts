import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { copyOfPackage } from '../self-test/support/cli.js';

/**
 * A copy of the package that has as many cases more, each with one request of its own, under the tag `generated`.
 *
 * @param folder empty, and there
 * @param count of the cases
 * @returns its command line
 */
export function packageWithCases(folder: string, count: number): string {
  copyOfPackage(folder);
  const cases = Array.from({ length: count }, (_, n) => ({
    id: `generated-${n}`,
    verifies: 'order.quantity',
    title: `A quantity of ${n + 2}`,
    tags: ['generated'],
    request: { body: { order: { items: [{ product_id: '<product mug>', quantity: n + 2 }] } } },
    expect: [{ status: '2xx', returned: { include: ['mug-1', 'mug-2'] } }],
  }));
  const base = { body: { customer: { id: '<customer ordinary>' }, order: {}, options: {}, metadata: {} } };
  // YAML holds JSON.
  writeFileSync(path.join(folder, 'cases', 'requirements', 'generated.yaml'), JSON.stringify({ base, cases }, null, 1));
  spawnSync(process.execPath, [path.join(folder, 'dist', 'src', 'cases', 'build.js')], { stdio: 'inherit' });
  return path.join(folder, 'dist', 'src', 'cli', 'conformance.js');
}
