import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { combineAll, combineAny, holds, unclear, violated } from '../../src/assertions/assertion-result.js';
import { assertionKinds } from '../../src/assertions/registry.js';
import { packageRoot } from '../../src/support/package-root.js';

test('Each file in src/assertions/kinds/ is named after the key of its kind', () => {
  const files = readdirSync(path.join(packageRoot, 'src', 'assertions', 'kinds'));
  const keys = [...assertionKinds.keys()];
  expect(keys.map((key) => `${key.replace('.', '-')}.ts`).sort()).toEqual(files.sort());
});

test('Combined assertions: a violation outweighs a doubt in all-of, a doubt outweighs a violation in any-of', () => {
  const [no, maybe] = [violated('No.'), unclear('Maybe.')];
  for (const [results, all, any] of [
    [[holds, holds], holds, holds],
    [[holds, no], no, holds],
    [[no, holds], no, holds],
    [[holds, maybe], maybe, holds],
    [[maybe, holds], maybe, holds],
    [[maybe, no], no, maybe],
    [[no, maybe], no, maybe],
    [[no, no], no, no],
  ] as const)
    expect([combineAll(results), combineAny(results)]).toEqual([all, any]);
});
