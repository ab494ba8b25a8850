import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Assertion } from '../../src/assertions/assertion.js';
import { type AssertionResult, holds, unclear, violated } from '../../src/assertions/assertion-result.js';
import { createAssertionsSchema } from '../../src/assertions/assertions-schema.js';
import { assertionKinds } from '../../src/assertions/registry.js';
import type { TestCase } from '../../src/cases/test-case.js';
import { packageRoot } from '../../src/support/package-root.js';
import { suite } from './support/in-process.js';

const keys = [...assertionKinds.keys()];

test('schemas/assertions.schema.json says what the kinds of assertions say: npm run schemas writes it', () => {
  const written = readFileSync(path.join(packageRoot, 'schemas', 'assertions.schema.json'), 'utf8');
  expect(JSON.parse(written), 'Run `npm run schemas`.').toEqual(JSON.parse(JSON.stringify(createAssertionsSchema())));
});

test('each file in src/assertions/kinds/ is one kind, and is named after its key', () => {
  const files = readdirSync(path.join(packageRoot, 'src', 'assertions', 'kinds'));
  expect(keys.map((key) => `${key.replace('.', '-')}.ts`).sort()).toEqual(files.sort());
});

test('each kind, and each group of kinds, is described for those who write cases', () => {
  const { $defs } = createAssertionsSchema() as {
    $defs: { check: { properties: Record<string, { description?: string }> } };
  };
  const undescribed = Object.entries($defs.check.properties).filter(([, { description = '' }]) => description === '');
  expect(undescribed).toEqual([]);
  for (const [key, { schema }] of assertionKinds) expect(schema, key).toHaveProperty('description');
});

test('each kind is used by a case: what no case needs is not kept', () => {
  const used = new Set(suite.cases.flatMap(assertionsOf).flatMap(kindsIn));
  expect(keys.filter((key) => !used.has(key))).toEqual([]);
});

function assertionsOf(testCase: TestCase): readonly Assertion[] {
  if (testCase.kind === 'requirement') return testCase.rows.flatMap(({ given, expect }) => [...given, ...expect]);
  const { rows, answer } = testCase;
  const rules = answer.kind === 'value' ? [] : answer.rules;
  return [...rows.flatMap(({ given }) => given), ...rules.flatMap(({ when }) => when)];
}

function kindsIn(assertion: Assertion): string[] {
  return [assertion.kind, ...('lists' in assertion ? assertion.lists.flat().flatMap(kindsIn) : [])];
}

test.describe('several assertions make one:', () => {
  const [no, maybe] = [violated('No.'), unclear('Maybe.')];
  const table: Readonly<Record<string, readonly (readonly [of: readonly AssertionResult[], is: AssertionResult])[]>> = {
    'all-of': [
      [[holds, holds], holds],
      [[holds, no], no],
      [[holds, maybe], maybe],
      // What is refuted stays so, whatever is unclear beside it.
      [[maybe, no], no],
    ],
    'any-of': [
      [[no, holds], holds],
      [[maybe, holds], holds],
      [[no, no], no],
      [[no, maybe], maybe],
    ],
  };
  for (const [key, kind] of assertionKinds) {
    if (!('combine' in kind)) continue;
    test(key, () => {
      const rows = table[key] ?? [];
      expect(rows.length).toBeGreaterThan(0);
      for (const [truths, is] of rows) expect(kind.combine(truths), JSON.stringify(truths)).toEqual(is);
    });
  }
});
