import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from './support/cli.js';

test('Compiled schemas are used until their source is edited', async () => {
  const folder = makeTestFolder();
  for (const part of ['package.json', 'schemas', 'dist/schemas', 'dist/src/support'])
    cpSync(path.join(packageRoot, part), path.join(folder, part), { recursive: true });
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(folder, 'node_modules'));
  const built = path.join(folder, 'dist', 'schemas');
  for (const name of ['bindings', 'contract', 'target']) {
    const [file = ''] = readdirSync(built).filter((each) => each.startsWith(`${name}.`));
    writeFileSync(path.join(built, file), 'module.exports = () => true;');
  }
  const edit = (name: string) => {
    const file = path.join(folder, 'schemas', `${name}.schema.json`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"type": "object"', '"type":  "object"'));
  };
  edit('bindings');

  const { loadValidator } = await import(
    pathToFileURL(path.join(folder, 'dist', 'src', 'support', 'schema-validation.js')).href
  );
  expect(loadValidator('contract')('no contract')).toBe(true);
  expect(loadValidator('bindings')('no bindings')).toBe(false);
  // The schema of targets refers to that of bindings.
  expect(loadValidator('target')('no target')).toBe(false);
});
