/** The build: scripts that run at the same time do not break each other. */

import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from '../support/cli.js';

/** A copy of the sources of this package, with its packages. */
function copySources(): string {
  const folder = path.join(makeTestFolder(), 'copy');
  const copied = ['src', 'specs', 'reference', 'test', 'tools', 'cases', 'schemas', 'templates'];
  for (const name of [...copied, 'playwright.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json'])
    cpSync(path.join(packageRoot, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  return folder;
}

const run = promisify(execFile);

test('Builds at the same time end with one whole build, and what runs meanwhile finds its files', {
  tag: '@long',
}, async () => {
  const folder = copySources();
  const build = () => run(process.execPath, ['tools/build.mjs'], { cwd: folder });
  await build();
  const source = path.join(folder, 'src', 'mock.ts');
  const compiled = path.join(folder, 'dist', 'src', 'mock.js');
  writeFileSync(source, `${readFileSync(source, 'utf8')}\nexport const added = 1;\n`);
  let isBuilding = true;
  const builds = Promise.all([build(), build(), build()]).finally(() => {
    isBuilding = false;
  });
  let runs = 0;
  for (; isBuilding; runs += 1) {
    const { stdout } = await run(process.execPath, ['dist/bundle/src/cli/conformance.js', 'list', 'requirements'], {
      cwd: folder,
    });
    expect(stdout).toContain('limit.newest-150');
  }
  await builds;
  expect(runs).toBeGreaterThan(0);
  expect(readFileSync(compiled, 'utf8')).toContain('added');
  // `npx conformance` runs it as it is.
  if (process.platform !== 'win32')
    expect(statSync(path.join(folder, 'dist', 'src', 'cli', 'conformance.js')).mode & 0o111).toBe(0o111);
  for (const rest of ['dist.new', 'dist.old', 'dist.lock'])
    expect(existsSync(path.join(folder, rest)), rest).toBe(false);

  // What was deleted comes back; otherwise nothing is built again.
  rmSync(compiled);
  await build();
  expect(existsSync(compiled)).toBe(true);
  writeFileSync(compiled, '// untouched');
  await build();
  expect(readFileSync(compiled, 'utf8')).toBe('// untouched');
});
