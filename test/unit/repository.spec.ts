/** The repository: rooms, and derived files that are up to date. `proof.spec.ts` compares the kill matrix and the rows for --quick. */

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { assertionDefinitions } from '../../src/assertions/registry.js';
import { commands } from '../../src/cli/commands.js';
import { readDiscriminatingRows } from '../../src/config/selection.js';
import { outputFiles } from '../../src/outputs/result-files.js';
import { readCompressedFile } from '../../src/support/compressed-file.js';
import { findHiddenCharacters } from '../../src/support/hidden-characters.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readSchema } from '../../src/support/schema-validation.js';
import { listForbiddenImports } from '../../tools/check-imports.js';
import { computeRowsDigest } from '../../tools/proof/choose-rows.js';
import { knownFaults } from '../../tools/proof/kill-matrix.js';
import { commandsPage, renderCommandsPage } from '../../tools/update/commands-page.js';
import { documentsWithExamples, fillExamples } from '../../tools/update/failure-examples.js';
import { keysPage, renderKeysPage } from '../../tools/update/keys-page.js';
import { referenceOutcomesFile, renderReferenceOutcomes } from '../../tools/update/reference-outcomes.js';
import { createDerivedDefinitions } from '../../tools/update/schemas.js';
import { renderSpecs } from '../../tools/update/specs.js';
import { suite } from '../support/in-process.js';
import { isWindows } from '../support/skip-on-windows.js';

const outOfDate = 'Out of date: run `npm run update` and review the diff.';

test('The derived definitions of the schemas are up to date', () => {
  for (const [name, definitions] of createDerivedDefinitions(suite.contract))
    expect(readSchema(name).$defs, outOfDate).toMatchObject(definitions);
});

test('The rows for --quick were chosen from the present rows and faults', () => {
  const digest = computeRowsDigest(
    suite,
    knownFaults.map(({ id }) => id),
  );
  expect(readDiscriminatingRows().chosen_from, outOfDate).toBe(digest);
});

const readPackageFile = (file: string) => readFileSync(path.join(packageRoot, file), 'utf8');

for (const [file, render] of [
  ...[...renderSpecs(suite)].map(([file, text]) => [file, () => text] as const),
  [commandsPage, renderCommandsPage],
  [keysPage, renderKeysPage],
  [referenceOutcomesFile, () => renderReferenceOutcomes(suite.contract)],
  ...documentsWithExamples.map((file) => [file, () => fillExamples(readPackageFile(file))] as const),
] as const) {
  test(`${file} is up to date`, async () => {
    expect(readPackageFile(file), outOfDate).toBe(await render());
  });
}

test('Imports run one way: the deployment, its faults, the proof; src/ uses neither without need', () => {
  const root = test.info().outputPath('package');
  const write = (file: string, imported: string, keyword = 'import') => {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    appendFileSync(path.join(root, file), `${keyword} { a } from '${imported}';\n`);
  };
  write('reference/deployment/order.ts', '../faults/order.js');
  write('reference/deployment/order.ts', '../../src/http/client.js');
  write('reference/deployment/order.ts', '../../src/http/exchange.js', 'import type');
  write('reference/faults/order.ts', '../deployment/order.js');
  write('reference/faults/order.ts', '../../tools/proof/mistakes/text.js', 'import type');
  write('reference/other.ts', './deployment/order.js');
  write('tools/proof/mistakes/text.ts', '../places/places.js');
  write('tools/proof/places/places.ts', '../mistakes/text.js');
  write('tools/proof/prove.ts', './places/places.js');
  write('tools/proof/prove.ts', '../../src/suite/suite.js');
  write('src/judge/judge.ts', '../../reference/deployment/order.js');
  write('src/runner/options.ts', '../../reference/faults/order.js');
  write('src/runner/options.ts', '../../reference/deployment/order.js');
  write('src/explanation/causes.ts', '../../reference/faults/order.js');
  write('src/explanation/causes.ts', '../../tools/proof/prove.js');
  expect(listForbiddenImports(root).sort()).toEqual([
    'reference/deployment/order.ts -> reference/faults/order.js',
    'reference/deployment/order.ts -> src/http/client.js',
    'reference/faults/order.ts -> tools/proof/mistakes/text.js',
    'reference/other.ts -> reference/deployment/order.js',
    'src/explanation/causes.ts -> tools/proof/prove.js',
    'src/judge/judge.ts -> reference/deployment/order.js',
    'src/runner/options.ts -> reference/faults/order.js',
    'tools/proof/mistakes/text.ts -> tools/proof/places/places.js',
  ]);
});

const inPackage = (...steps: readonly string[]) => path.join(packageRoot, ...steps);

test('The sources contain no id of a requirement or a case', () => {
  const ids = [...suite.contract.requirements, ...suite.cases.filter(({ kind }) => kind === 'requirement')].map(
    ({ id }) => id,
  );
  // The documented body has a member of this name.
  const members = ['order.metadata'];
  const withoutComments = (text: string) => text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const listIds = (text: string) => {
    const quoted = new Set(
      Array.from(withoutComments(text).matchAll(/(['"`])([a-z0-9.-]+)\1/g), ([, , word = '']) => word),
    );
    return ids.filter((id) => !members.includes(id) && quoted.has(id));
  };
  const sources = readdirSync(inPackage('src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ts$/.test(name),
  );
  expect(sources.length).toBeGreaterThan(100);
  expect(
    sources.flatMap((file) => listIds(readFileSync(inPackage('src', file), 'utf8')).map((id) => `${file}: ${id}`)),
  ).toEqual([]);
  // The search finds them where they are.
  for (const quote of [`'`, '"', '`'])
    expect(listIds(ids.map((id) => quote + id + quote).join(', '))).toHaveLength(ids.length - members.length);
});

test('No text of a case has characters that nobody sees or that look like others', () => {
  // contract.yaml has sentences for readers.
  const names = readdirSync(inPackage('cases'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.yaml') && name !== 'contract.yaml',
  );
  expect(names).toContain('world.yaml');
  expect(names.flatMap((name) => findHiddenCharacters(readFileSync(inPackage('cases', name), 'utf8'), name))).toEqual(
    [],
  );
});

test('Each reason has a sentence, and each sentence a reason', () => {
  const sentences = parse(readFileSync(inPackage('templates', 'reasons.yaml'), 'utf8'));
  const sources = readdirSync(inPackage('src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(inPackage('src', name), 'utf8'))
    .join('\n');
  const matches = sources.matchAll(
    /\b(?:createReason|createViolation|createUnclearResult|create(?:Fine|Problem|Unknown)Finding|createViolationUnless\([^;]*?,)\(?\s*'([a-z-]+)'/g,
  );
  const created = Array.from(matches, ([, code = '']) => code);
  expect(new Set(created).size).toBeGreaterThan(100);
  expect(created.filter((code) => !Object.hasOwn(sentences, code))).toEqual([]);
  const all = `${sources}${Object.values(sentences).join('\n')}`;
  const isUsed = (code: string) => all.includes(`'${code}'`) || all.includes(`{{> ${code}}}`);
  expect(Object.keys(sentences).filter((code) => !isUsed(code))).toEqual([]);
});

const lists: readonly (readonly [folder: string, listed: Iterable<string>])[] = [
  ['src/assertions/kinds', Array.from(assertionDefinitions.keys(), (key) => key.replace('.', '-'))],
  ['src/outputs/files', outputFiles],
  ['src/cli/commands', commands.keys()],
];

for (const [folder, listed] of lists)
  test(`Each file of ${folder} is listed under its name`, () => {
    const files = readdirSync(inPackage(folder)).map((file) => file.replace(/\.ts$/, ''));
    expect([...listed].sort()).toEqual(files.sort());
  });

test('npm ci builds in a clone, as the action and the commands of the guide need it', () => {
  const { scripts, bin } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'));
  // npm runs this one script after `npm ci` in a clone, and never for a package from a registry.
  expect(scripts[scripts.prepare.replace(/^npm run (\w+).*$/, '$1')]).toBe('node tools/build.mjs');
  const action = readFileSync(inPackage('action.yml'), 'utf8');
  expect(action).toMatch(/^ +npm ci$/m);
  for (const script of Object.values<string>(bin)) expect(action).toContain(`"$SUITE/${script}"`);
});

test('The package has all that its code imports, and no tests', { tag: '@long' }, () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: packageRoot,
    // On Windows, npm is a script.
    shell: isWindows,
  });
  const [{ files, unpackedSize }] = JSON.parse(packed.toString()) as [
    { files: { path: string }[]; unpackedSize: number },
  ];
  const names = files.map((file) => file.path);
  expect(names).toContain('dist/bundle/src/cli/conformance.js');
  expect(names.filter((name) => /\.map$|(?<!\.d)\.ts$|^dist\/(test|tools|src)/.test(name))).toEqual([]);
  expect(names.length).toBeLessThanOrEqual(300);
  expect(unpackedSize).toBeLessThanOrEqual(2_500_000);
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'));
  const imports =
    /(?:^(?:import|export) [^;]*?from |\b(?:import|require|load)\()['"]((?:@[a-z-]+\/)?[a-z][a-z-]*)['"/]/gm;
  const imported = names
    .filter((name) => /^dist\/.*\.c?js(\.gz)?$/.test(name))
    .map((name) => (name.endsWith('.gz') ? String(readCompressedFile(inPackage(name))) : readPackageFile(name)))
    .flatMap((text) => Array.from(text.matchAll(imports), ([, from = '']) => from));
  expect([...new Set(imported)].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
});
