import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { areas } from '../mutation/areas.js';
import { excusedOf, percentOf, readSurvivors } from '../mutation/survivors.js';
import { isDiffOf } from '../mutation/word-diff.js';

const survivors = readSurvivors();

test('as many mutants are killed as are to be', () => {
  for (const { name, floor } of areas) {
    const score = survivors.scores[name];
    expect(score === undefined ? 0 : percentOf(score), name).toBeGreaterThanOrEqual(floor);
  }
});

test('each mutant that may survive stands once, with a reason, and changes code that is there', () => {
  for (const { reason } of survivors.excuses) expect(reason).toMatch(/^[A-Z].*\.$/s);
  const excused = excusedOf(survivors);
  const files = areas.flatMap((area) => area.files);
  expect(new Set(excused.map(({ file, diff }) => `${file} ${diff}`)).size).toBe(excused.length);
  for (const { file, diff } of excused) {
    expect(files).toContain(file);
    expect(isDiffOf(diff, readFileSync(path.join(packageRoot, file), 'utf8')), `${file}: ${diff}`).toBe(true);
  }
});

test('of some lines, each mutant is killed or excused', { tag: '@long' }, async () => {
  const mutate = path.join(packageRoot, 'dist', 'specs', 'mutation', 'mutate.js');
  // Whoever fails has the output as its message.
  await promisify(execFile)(process.execPath, [mutate, '--sample', '40'], { cwd: packageRoot });
});
