import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyPackage } from '../../test/support/cli.js';

/**
 * Copies the package and adds cases, `generated-0` and so on, each with one request of its own.
 *
 * @param folder an existing, empty folder
 * @param count the number of added cases
 * @returns the command line of the copy
 */
export async function createPackageWithCases(folder: string, count: number): Promise<string> {
  copyPackage(folder);
  const cases = Array.from({ length: count }, (_, n) => ({
    id: `generated-${n}`,
    verifies: 'order.quantity',
    title: `A quantity of ${n + 2}`,
    request: { body: { order: { items: [{ product_id: '<product mug>', quantity: n + 2 }] } } },
    expect: [{ status: '2xx', returned: { include: ['mug-1', 'mug-2'] } }],
  }));
  const base = {
    body: { customer: { id: '<customer ordinary>' }, order: { metadata: {} }, options: {}, metadata: {} },
  };
  // JSON is valid YAML.
  writeFileSync(path.join(folder, 'cases', 'requirements', 'generated.yaml'), JSON.stringify({ base, cases }, null, 1));
  const spec = path.join(folder, 'dist', 'specs', '1-requirements', 'generated.yaml.spec.js');
  const define = "import { defineCases } from '../../src/runner/define-cases.js';";
  writeFileSync(spec, `${define}\ndefineCases('requirements/generated.yaml');\n`);
  const suite = pathToFileURL(path.join(folder, 'dist', 'src', 'cases', 'suite.js')).href;
  const { precompileSuite: buildSuite }: typeof import('../../src/cases/suite.js') = await import(suite);
  buildSuite();
  return path.join(folder, 'dist', 'src', 'cli', 'conformance.js');
}
