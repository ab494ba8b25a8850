import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';

test('Mutants of some sampled lines are killed', { tag: '@long' }, async () => {
  const mutate = path.join(packageRoot, 'dist', 'specs', 'mutation', 'mutate.js');
  const { stdout } = await promisify(execFile)(process.execPath, [mutate, '--sample', '20'], { cwd: packageRoot });
  const scores = [...stdout.matchAll(/: ([\d.]+) % of \d+ mutants are killed/g)].map(([, percent]) => Number(percent));
  expect(scores).toHaveLength(2);
  // The samples are too small for the recorded scores: this shows that both runners detect mutants at all.
  for (const percent of scores) expect(percent).toBeGreaterThan(30);
});
