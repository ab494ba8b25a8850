import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { requirements } from '../../reference/faults/fault.js';
import { faults, findFault } from '../../reference/faults/index.js';
import { selectFromSuite } from '../../src/cases/case-selection.js';
import { discriminatingRowsFile, readDiscriminatingRows } from '../../src/cases/discriminating-rows.js';
import { createProfile } from '../../src/engine/profile.js';
import { chooseDiscriminatingRows, findCaughtFaults, renderDiscriminatingRows } from '../proof/choose-rows.js';
import { inProcessCredentials, judgeDeployment, listVerdicts } from '../proof/judge-deployment.js';
import { listFlaws, type Proof, prove, renderProof } from '../proof/proof.js';
import { suite } from './support/in-process.js';

test('there are at least 60 faults, each with an id and a story of its own', () => {
  const ids = faults.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(60);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, story } of faults) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(story, id).toMatch(/^\S.*\.$/);
  }
});

test('faults speak of the requirements of the ledger, and each requirement has at least two', () => {
  expect([...requirements].sort()).toEqual(suite.contract.requirements.map(({ id }) => id).sort());
  for (const requirement of requirements) {
    const breaking = faults.filter(({ breaks }) => breaks === requirement);
    expect(breaking.length, requirement).toBeGreaterThanOrEqual(2);
  }
  for (const { id, breaks, collateral = {} } of faults) expect(Object.keys(collateral), id).not.toContain(breaks);
});

test('a fault is found by its id, and an unknown one gets the nearest', () => {
  expect(findFault('window-of-149').breaks).toBe('limit.newest-150');
  expect(() => findFault('window-of-148')).toThrow("There is no fault 'window-of-148'. Did you mean 'window-of-149'?");
});

test('several faults break several requirements of one deployment', async () => {
  const broken = ['window-of-151', 'metadata-by-prefix', 'expand-crashes'].map(findFault);
  const deployment = createDeployment({ world: suite.world, credentials: inProcessCredentials, faults: broken });
  const verdicts = listVerdicts(await judgeDeployment(suite, deployment));
  for (const { breaks } of broken) expect(verdicts.get(breaks), breaks).toBe('fail');
});

// That every fault is caught is shown with npm test, too, by variants.spec.ts: each under another look.
test.describe('the kill matrix', { tag: '@long' }, () => {
  let proof: Proof;
  test.beforeAll(async () => {
    proof = await prove(suite, faults);
  });

  test('no fault survives, none touches more or less than it declares, and no expectation is needless', () => {
    expect(listFlaws(proof)).toEqual([]);
  });

  test('the telling rows are those that the suite has, and catch at least what they say', async () => {
    expect(renderDiscriminatingRows(await chooseDiscriminatingRows(suite, faults, proof))).toBe(
      readFileSync(discriminatingRowsFile, 'utf8'),
    );
    const scope = { target: {}, leavesOutIntrusive: false };
    const telling = readDiscriminatingRows(suite);
    expect(telling.faultsCaught).toBe(faults.length);
    for (const spending of [10, 20, 30, 'quick'] as const) {
      const profile = createProfile(suite, spending, telling, scope);
      if (profile === undefined) throw new Error('Nothing is left out.');
      const caught = await findCaughtFaults(selectFromSuite(suite, { profile }), faults);
      expect(caught.length, String(spending)).toBeGreaterThanOrEqual(profile.figures.faults_caught);
    }
  });

  test('is shown as a table', () => {
    const lines = renderProof(proof).split('\n');
    for (const { id } of faults) expect(lines.filter((line) => line.startsWith(`| ${id} |`))).toHaveLength(1);
    expect(lines).toContain('Nothing is wrong.');
  });
});

test('a survivor, wrong collateral and a needless expectation are named', async () => {
  const harmless = { ...findFault('window-of-149'), id: 'harmless', change: () => ({}) };
  const undeclared = { ...findFault('quantity-capped'), id: 'undeclared', collateral: {} };
  const proof = await prove(suite, [harmless, undeclared]);
  const flaws = listFlaws(proof);
  expect(flaws).toContain('harmless survives: limit.newest-150 does not fail');
  expect(flaws).toContain('harmless: result.all-valid is declared as collateral, and passes');
  expect(flaws).toContain('undeclared: result.all-valid is undeclared collateral (fail)');
  expect(flaws).toContainEqual(
    expect.stringMatching(/window\.yaml:\d+:\d+: no fault needs 'returned\.only' of 'request'$/),
  );
  expect(renderProof(proof)).toContain('- harmless survives');
});
