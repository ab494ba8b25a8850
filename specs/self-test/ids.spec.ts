/** Whatever has an id keeps it, and no id comes to mean something else: others have them in their files. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { faults } from '../../reference/faults/index.js';
import { getSubjectId } from '../../src/cases/test-case.js';
import { packageRoot } from '../../src/support/package-root.js';
import { suite } from './support/in-process.js';

/** Ids, and what each is of: of a case what it speaks of, of a question its outcomes. */
interface Ids {
  readonly requirements?: Readonly<Record<string, string>>;
  readonly questions?: Readonly<Record<string, readonly string[]>>;
  readonly cases?: Readonly<Record<string, string>>;
  readonly faults?: Readonly<Record<string, string>>;
  readonly world?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const { retired, ...listed } = parse(
  readFileSync(path.join(packageRoot, 'specs', 'self-test', 'ids.yaml'), 'utf8'),
) as Ids & {
  readonly retired: Ids;
};

/** A line for each id, as the list has them. */
function linesOf({ requirements = {}, questions = {}, cases = {}, faults = {}, world = {} }: Ids): string[] {
  const section = (name: string, entries: Readonly<Record<string, string>>) =>
    Object.entries(entries).map(([id, of]) => `${name} · ${id}: ${of}`);
  return [
    ...section('requirements', requirements),
    ...Object.entries(questions).flatMap(([id, outcomes]) =>
      (outcomes.length === 0 ? [''] : outcomes).map((outcome) => `questions · ${id}: [${outcome}]`),
    ),
    ...section('cases', cases),
    ...section('faults', faults),
    ...Object.entries(world).flatMap(([kind, things]) => section(`world · ${kind}`, things)),
  ];
}

const { requirements, questions } = suite.contract;
const inSuite = linesOf({
  requirements: Object.fromEntries(requirements.map(({ id, part }) => [id, part])),
  questions: Object.fromEntries(
    questions.map(({ id, answer }) => [id, answer.kind === 'value' ? [] : [...answer.outcomes.keys()]]),
  ),
  cases: Object.fromEntries(suite.cases.map((testCase) => [testCase.id, getSubjectId(testCase)])),
  faults: Object.fromEntries(faults.map(({ id, breaks }) => [id, breaks])),
  world: Object.fromEntries(
    Object.entries(suite.world.ids).map(([kind, things]) => [kind, Object.fromEntries(things)]),
  ),
});

test('every id is listed, and none that is listed is gone or means something else', () => {
  const all = linesOf(listed);
  expect(
    inSuite.filter((line) => !all.includes(line)),
    'to be added to specs/self-test/ids.yaml',
  ).toEqual([]);
  expect(
    all.filter((line) => !inSuite.includes(line)),
    'gone, or of something else now: an id that is no longer used moves to `retired`, and never returns',
  ).toEqual([]);
});

test('no id that was retired is used again', () => {
  const idOf = (line: string) => (line.startsWith('questions') ? line : line.replace(/: .*$/, ''));
  const used = new Set(inSuite.map(idOf));
  const usedAgain = (ids: Ids) => linesOf(ids).filter((line) => used.has(idOf(line)));
  expect(usedAgain(retired)).toEqual([]);
  expect(usedAgain({ cases: { 'integer-quantity': 'of something else' } })).toHaveLength(1);
  expect(usedAgain({ questions: { 'empty-result': ['empty-list', 'no-such-outcome'] } })).toHaveLength(1);
});
