import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { createAdaptedChannel } from '../../src/http/adapted-channel.js';
import { type AdapterThread, startAdapter } from '../../src/http/adapter-thread.js';
import type { Certificate } from '../../src/report/certificate.js';
import { compareAnsweredRuns } from '../../src/report/compare/compare-runs.js';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from './support/cli.js';
import { certifyOver, channelTo, createReference, suite } from './support/in-process.js';
import { QualificationsFake, type QualificationsFault, qualificationsFaults } from './support/qualifications-fake.js';
import { collectAnswers } from './support/run-with-evidence.js';

const folder = makeTestFolder();

const example = readFileSync(path.join(packageRoot, 'targets/voucherify/qualifications/adapter.mjs'), 'utf8');

/** The adapter as it is, or with the window of the project. */
function startExample(oldestChecked?: string): AdapterThread {
  const file = path.join(folder, `${oldestChecked === undefined ? 'whole' : 'window'}.mjs`);
  const setting = oldestChecked === undefined ? 'undefined' : `'${oldestChecked}'`;
  writeFileSync(file, example.replace('const oldestChecked = undefined;', `const oldestChecked = ${setting};`));
  return startAdapter({ file, shown: path.basename(file) }, (text) => text);
}

async function certify(adapter: AdapterThread, fault?: QualificationsFault): Promise<Certificate> {
  const fake = new QualificationsFake(credentialPlaceholders, fault).load(suite.world);
  const { certificate } = await certifyOver(createAdaptedChannel(channelTo(fake.respond), adapter), suite);
  return certificate;
}

test('Through the adapter, every requirement passes on a project without faults', async () => {
  const adapter = startExample(suite.world.tiers[149]?.created_at);
  const certificate = await certify(adapter);
  expect(certificate.verdict, JSON.stringify(certificate.incomplete_because)).toBe('conforms');
  expect(certificate.questions.filter(({ outcome }) => outcome !== null).length).toBeGreaterThan(60);
  await adapter.close();
});

for (const fault of qualificationsFaults)
  test(`A project with the fault ${fault} is found`, {
    tag: fault === 'quantity-ignored' ? [] : ['@long'],
  }, async () => {
    const adapter = startExample(suite.world.tiers[149]?.created_at);
    const { verdict, questions } = await certify(adapter, fault);
    await adapter.close();
    // The documentation does not say what order metadata does: that is the answer to a question.
    if (fault === 'order-metadata-ignored')
      expect(questions).toContainEqual(expect.objectContaining({ id: 'order-metadata-rules', outcome: 'ignored' }));
    else expect(verdict).toBe('does-not-conform');
  });

test('Compared with the reference deployment, exactly the differences that are built in are found', async () => {
  const old = await collectAnswers('old', channelTo(createReference()));
  const compareThrough = async (adapter: AdapterThread) => {
    const fake = new QualificationsFake(credentialPlaceholders).load(suite.world);
    const changed = await collectAnswers('new', createAdaptedChannel(channelTo(fake.respond), adapter));
    const comparison = compareAnsweredRuns(old, changed);
    await adapter.close();
    for (const { isOpen, reason } of comparison.notCompared) expect(isOpen, reason).toBe(false);
    return comparison.differences;
  };
  const withWindow = await compareThrough(startExample(suite.world.tiers[149]?.created_at));
  // The fake checks no types: it takes what the reference deployment refuses, and counts null as no unit.
  const taken = ['customer-not-an-object: probe', 'items-not-an-array: probe'];
  const quantities = ['fraction', 'empty-string', 'non-numeric-string'].map((each) => `quantity-${each}: probe`);
  expect(withWindow.map(({ kind, relation, places }) => [kind, relation, places.toSorted()])).toEqual([
    ['undocumented', 'wider', [...taken, ...quantities, 'with-and-without-a-filter: refused'].sort()],
    ['order', 'wider', ['quantity-negative: probe']],
    ['undocumented', 'narrower', ['quantity-null: probe']],
  ]);
  const older = suite.world.tiers.slice(150).map(({ name }) => name);
  // An undocumented request may show several differences.
  const differences = (await compareThrough(startExample())).filter(({ kind }) => kind !== 'undocumented');
  expect(differences.length).toBeGreaterThan(3);
  for (const { relation, only } of differences) {
    expect([relation, only[0]]).toEqual(['wider', []]);
    expect(older).toEqual(expect.arrayContaining([...only[1]]));
  }
});
