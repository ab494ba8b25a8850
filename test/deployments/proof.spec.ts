import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { requirements } from '../../reference/faults/fault.js';
import { faults } from '../../reference/faults/index.js';
import { readDiscriminatingRows, selectQuickRows } from '../../src/config/selection.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import { packageRoot } from '../../src/support/package-root.js';
import { findCaughtFaults } from '../../tools/proof/choose-rows.js';
import { gradeCause } from '../../tools/proof/expected-causes.js';
import { findDoubles } from '../../tools/proof/find-doubles.js';
import { findFirstCause } from '../../tools/proof/find-first-cause.js';
import { combineAll, listGeneratedFaults } from '../../tools/proof/generated-faults.js';
import { judgeDeployment, listVerdicts } from '../../tools/proof/judge-deployment.js';
import { createFaultJudge } from '../../tools/proof/judge-fault.js';
import { knownFaults, proveFaults, renderKillMatrixFiles } from '../../tools/proof/kill-matrix.js';
import { faultsWithStories, findAnyFault } from '../../tools/proof/list-faults.js';
import { type FaultProof, isKilled, proveFault } from '../../tools/proof/proof.js';
import { computeShare, diagnosedFaults, proveCauses, renderCauses } from '../../tools/proof/prove-causes.js';
import { proveGenerated } from '../../tools/proof/prove-generated.js';
import { structuralDoubles } from '../../tools/proof/structural-doubles.js';
import { createReference, recognizer, suite } from '../support/in-process.js';

test('Each fault has an id of its own', () => {
  const ids = [...faultsWithStories, ...listGeneratedFaults()].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('Faults break requirements of the contract, and each requirement has at least two', () => {
  expect([...requirements].sort()).toEqual(suite.contract.requirements.map(({ id }) => id).sort());
  for (const requirement of requirements) {
    const breaking = faults.filter(({ breaks }) => breaks === requirement);
    expect(breaking.length, requirement).toBeGreaterThanOrEqual(2);
  }
});

test('A sample of the generated faults is killed', async () => {
  const judge = createFaultJudge(suite);
  const visible = listGeneratedFaults().filter(({ invisibility }) => invisibility === undefined);
  const survivors: string[] = [];
  const sample = visible.filter((_, n) => n % 200 === 0);
  expect(sample.length).toBeGreaterThan(5);
  for (const fault of sample) if ((await judge.findFailure(fault)) === undefined) survivors.push(fault.id);
  expect(survivors).toEqual([]);
});

test('Several faults break several requirements of one deployment', async () => {
  const broken = ['window-of-151', 'metadata-value/begins-with-stored', 'expand-crashes'];
  const verdicts = listVerdicts(await judgeDeployment(suite, createReference({ faults: broken })));
  for (const { breaks } of broken.map(findAnyFault)) expect(verdicts.get(breaks), breaks).toBe('fail');
});

test('A fault that no request shows survives', async () => {
  const harmless = { ...findAnyFault('window-of-149'), id: 'harmless', change: () => ({}) };
  const proof = await proveFault(harmless, createFaultJudge(suite));
  expect(isKilled(proof)).toBe(false);
});

test('No first cause of a sample of the faults is wrong, and at least half are right', async () => {
  const sample = diagnosedFaults.filter((_, n) => n % 130 === 7);
  const grades: string[] = [];
  for (const fault of sample) {
    const cause = await findFirstCause(fault, suite, recognizer);
    const grade = gradeCause(fault, cause);
    expect(grade, `${fault.id}: ${cause}`).not.toBe('wrong');
    grades.push(grade);
  }
  const right = grades.filter((grade) => grade === 'exact' || grade === 'requirement');
  expect(right.length, grades.join()).toBeGreaterThan(sample.length / 2 - 1);
  expect(right).not.toEqual([]);
});

test('At least 85 % of the first causes are right, and at most 1 % wrong', { tag: '@long' }, async () => {
  const proofs = await proveCauses();
  expect(computeShare(proofs, 'exact', 'requirement'), renderCauses(proofs)).toBeGreaterThanOrEqual(85);
  expect(computeShare(proofs, 'wrong'), renderCauses(proofs)).toBeLessThanOrEqual(1);
});

test('No two faults answer every documented request alike', () => {
  expect(findDoubles(suite, faultsWithStories, [])).toEqual([]);
});

test('The list of structural faults that are mistakes at places, too, is complete', { tag: '@long' }, () => {
  const listed = Object.entries(structuralDoubles).flatMap(([id, doubles]) => doubles.map((double) => [id, double]));
  expect(findDoubles(suite, faultsWithStories, combineAll()).sort()).toEqual(listed.sort());
});

// chaos.spec.ts shows with `npm test`, too, that each fault is caught.
test.describe('The kill matrix', { tag: '@long' }, () => {
  let proofs: readonly FaultProof[];
  test.beforeAll(async () => {
    proofs = await proveFaults(knownFaults.map(({ id }) => id));
  });

  test('No generated fault survives that a request can show', async () => {
    const generated = await proveGenerated();
    const survivors = generated.filter(({ is }) => is === 'surviving').map(({ fault }) => fault.id);
    expect(survivors).toEqual([]);
  });

  test('No fault survives', () => {
    const withStory = proofs.slice(0, faultsWithStories.length);
    expect(withStory.filter((proof) => !isKilled(proof)).map(({ id }) => id)).toEqual([]);
  });

  test('The committed files are up to date', async () => {
    for (const [file, text] of await renderKillMatrixFiles(suite, proofs)) {
      const name = path.relative(packageRoot, file);
      expect(text, `${name}: Out of date: run \`npm run update\` and review the diff.`).toBe(
        readFileSync(file, 'utf8'),
      );
    }
  });

  test('The discriminating rows catch at least what they promise', async () => {
    const rows = readDiscriminatingRows();
    expect(rows.caught).toBe(knownFaults.length);
    const quick = selectQuickRows(suite, { excludesIntrusive: false });
    const caught = await findCaughtFaults(selectFromSuite(suite, { quick }), knownFaults);
    expect(caught.length).toBe(readDiscriminatingRows().caught);
  });
});
