import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from './support/cli.js';
import { suite } from './support/in-process.js';

const inPackage = (...steps: readonly string[]) => path.join(packageRoot, ...steps);
const read = (file: string) => readFileSync(inPackage(file), 'utf8');

test('The sources contain no id of a requirement or a case', () => {
  const ids = [...suite.contract.requirements, ...suite.cases.filter(({ kind }) => kind === 'requirement')].map(
    ({ id }) => id,
  );
  // The documented body has a member of this name.
  const members = ['order.metadata'];
  const sources = readdirSync(inPackage('src'), { recursive: true, encoding: 'utf8' });
  const found = sources
    .filter((name) => name.endsWith('.ts'))
    .flatMap((file) => {
      const text = read(path.join('src', file));
      return ids.filter((id) => !members.includes(id) && text.includes(`'${id}'`)).map((id) => `${file}: ${id}`);
    });
  expect(found).toEqual([]);
});

test('The linter refuses an import against the order of the layers, and a circle', () => {
  const folder = makeTestFolder();
  const { vcs: _, $schema: __, ...rules } = JSON.parse(read('biome.json'));
  const files: Record<string, string> = {
    'biome.json': JSON.stringify(rules),
    'src/http/upwards.ts': "import { main } from '../cli/main.js';\n\nmain();\n",
    'src/cli/main.ts': "import { one } from '../support/one.js';\n\nexport const main = (): void => one();\n",
    'src/support/one.ts':
      "import type { Two } from './two.js';\n\nexport const one = (_two?: Two): void => undefined;\n",
    'src/support/two.ts': "import type { one } from './one.js';\n\nexport type Two = typeof one;\n",
    'reference/stray.ts': "import { one } from '../src/support/one.js';\n\none();\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const biome = inPackage('node_modules', '.bin', 'biome');
  const { stdout, stderr } = spawnSync(biome, ['lint', '.'], { cwd: folder, encoding: 'utf8' });
  const found = [
    ...`${stdout}${stderr}`.matchAll(/^(\S+\.ts):\d+:\d+ (?:lint\/\w+\/)?(noRestrictedImports|noImportCycles) /gm),
  ];
  expect(found.map(([, file, rule]) => `${file} ${rule}`).sort()).toEqual([
    'reference/stray.ts noRestrictedImports',
    'src/http/upwards.ts noRestrictedImports',
    'src/support/one.ts noImportCycles',
    'src/support/two.ts noImportCycles',
  ]);
});

test('Each part of the documentation has a requirement, a question or an exclusion', () => {
  const { requirements, questions, exclusions } = suite.contract;
  const schema = JSON.parse(read('schemas/contract.schema.json')) as { $defs: { part: { enum: string[] } } };
  const parts = new Set([...requirements, ...questions, ...exclusions].map(({ part }) => part));
  expect([...parts].sort()).toEqual([...schema.$defs.part.enum].sort());
});
