import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { listForbiddenImports, rooms } from '../../tools/check-imports.js';
import { makeTestFolder } from '../support/cli.js';
import { suite } from '../support/in-process.js';

const inPackage = (...steps: readonly string[]) => path.join(packageRoot, ...steps);

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
      const text = readFileSync(inPackage('src', file), 'utf8');
      return ids.filter((id) => !members.includes(id) && text.includes(`'${id}'`)).map((id) => `${file}: ${id}`);
    });
  expect(found).toEqual([]);
});

test('Every folder of src/ is a room', () => {
  const folders = readdirSync(inPackage('src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...rooms].sort());
});

for (const { title, file, imports, isForbidden } of [
  { title: 'a room below', file: 'src/http/a.ts', imports: "import { b } from '../cli/b.js';", isForbidden: true },
  {
    title: 'a type of a room below',
    file: 'src/http/a.ts',
    imports: "import type { B } from '../cli/b.js';",
    isForbidden: true,
  },
  {
    title: 'a room below, on demand',
    file: 'src/http/a.ts',
    imports: "void import('../cli/b.js');",
    isForbidden: true,
  },
  { title: 'a room above', file: 'src/cli/a.ts', imports: "import { b } from '../http/b.js';", isForbidden: false },
  { title: 'its own room', file: 'src/cli/a.ts', imports: "import { b } from './b.js';", isForbidden: false },
  { title: 'tests', file: 'src/cli/a.ts', imports: "import { b } from '../../test/b.js';", isForbidden: true },
  {
    title: 'the reference deployment, from the judge',
    file: 'src/judge/a.ts',
    imports: "import '../../reference/b.js';",
    isForbidden: true,
  },
  {
    title: 'the reference deployment, from the runner',
    file: 'src/runner/a.ts',
    imports: "import '../../reference/b.js';",
    isForbidden: false,
  },
  {
    title: 'code for the reference deployment',
    file: 'reference/a.ts',
    imports: "import { b } from '../src/http/b.js';",
    isForbidden: true,
  },
  {
    title: 'a type for the reference deployment',
    file: 'reference/a.ts',
    imports: "import type { B } from '../src/http/b.js';",
    isForbidden: false,
  },
])
  test(`The linter ${isForbidden ? 'refuses' : 'allows'} an import of ${title}`, () => {
    const root = makeTestFolder();
    for (const folder of ['src', 'reference', path.dirname(file)])
      mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, file), `${imports}\n`);
    expect(listForbiddenImports(root)).toHaveLength(isForbidden ? 1 : 0);
  });

test('Each part of the documentation has a requirement, a question or an exclusion', () => {
  const { requirements, questions, exclusions } = suite.contract;
  const schema = JSON.parse(readFileSync(inPackage('schemas', 'contract.schema.json'), 'utf8')) as {
    $defs: { part: { enum: string[] } };
  };
  const parts = new Set([...requirements, ...questions, ...exclusions].map(({ part }) => part));
  expect([...parts].sort()).toEqual([...schema.$defs.part.enum].sort());
});
