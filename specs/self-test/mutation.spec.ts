import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { areas } from '../mutation/areas.js';
import { calculateScore, listExcusedMutants, readSurvivors } from '../mutation/survivors.js';
import { matchesDiff, renderDiff } from '../mutation/word-diff.js';

const survivors = readSurvivors();

test('as many mutants are killed as are to be', () => {
  for (const { name, floor } of areas) {
    const score = survivors.scores[name];
    expect(score === undefined ? 0 : calculateScore(score), name).toBeGreaterThanOrEqual(floor);
  }
});

test('each mutant that may survive stands once, with a reason, and changes code that is there', () => {
  for (const { reason } of survivors.excuses) expect(reason).toMatch(/^[A-Z].*\.$/s);
  const excused = listExcusedMutants(survivors);
  const files = areas.flatMap((area) => area.files);
  expect(new Set(excused.map(({ file, diff }) => `${file} ${diff}`)).size).toBe(excused.length);
  for (const { file, diff } of excused) {
    expect(files).toContain(file);
    expect(matchesDiff(diff, readFileSync(path.join(packageRoot, file), 'utf8')), `${file}: ${diff}`).toBe(true);
  }
});

test('a mutant is shown as a word diff, which is found again wherever its lines move', () => {
  const source = `const a = [\n  b < ${'c'.repeat(100)},\n];\n`;
  const mutant = { id: '1', mutatorName: 'any', status: 'Survived', fileName: 'a.ts' } as const;
  const short = { start: { line: 2, column: 3 }, end: { line: 2, column: 8 } };
  const long = { start: { line: 1, column: 11 }, end: { line: 3, column: 2 } };
  const diffs = [
    renderDiff({ ...mutant, location: short, replacement: 'b <= c' }, source),
    renderDiff({ ...mutant, location: long, replacement: '[]' }, source),
  ];
  expect(diffs).toEqual([
    `[-b < c-]{+b <= c+}${'c'.repeat(99)},`,
    `const a = [-[ b < ${'c'.repeat(39)} … ${'c'.repeat(42)}, ]-]{+[]+};`,
  ]);
  for (const diff of diffs) {
    expect(matchesDiff(diff, `// moved\n${source}`)).toBe(true);
    expect(matchesDiff(diff, source.replace('b <', 'b >'))).toBe(false);
  }
});

test('of some lines, each mutant is killed or excused', { tag: '@long' }, async () => {
  const mutate = path.join(packageRoot, 'dist', 'specs', 'mutation', 'mutate.js');
  const run = promisify(execFile)(process.execPath, [mutate, '--sample', '40'], { cwd: packageRoot });
  const { code, stdout } = await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  expect(code, stdout).toBe(0);
});
