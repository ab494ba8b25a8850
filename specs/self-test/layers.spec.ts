import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
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

test('Each part of the documentation has a requirement, a question or an exclusion', () => {
  const { requirements, questions, exclusions } = suite.contract;
  const schema = JSON.parse(read('schemas/contract.schema.json')) as { $defs: { part: { enum: string[] } } };
  const parts = new Set([...requirements, ...questions, ...exclusions].map(({ part }) => part));
  expect([...parts].sort()).toEqual([...schema.$defs.part.enum].sort());
});
