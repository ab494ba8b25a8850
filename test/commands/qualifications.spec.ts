import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Certificate } from '../../src/certificate/certificate.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { createAdaptedChannel } from '../../src/http/adapted-channel.js';
import { type AdapterThread, startAdapter } from '../../src/http/adapter-thread.js';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from '../support/cli.js';
import { compareAnswers } from '../support/compare-answers.js';
import { certifyOver, channelTo, createReference, suite } from '../support/in-process.js';
import { QualificationsFake, type QualificationsFault, qualificationsFaults } from '../support/qualifications-fake.js';
import { collectAnswers } from '../support/run-with-evidence.js';

const folder = makeTestFolder();

const example = readFileSync(path.join(packageRoot, 'examples/voucherify/qualifications/adapter.mjs'), 'utf8');

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
  const old = await collectAnswers(channelTo(createReference()));
  const compareThrough = async (adapter: AdapterThread) => {
    const fake = new QualificationsFake(credentialPlaceholders).load(suite.world);
    const changed = await collectAnswers(createAdaptedChannel(channelTo(fake.respond), adapter));
    await adapter.close();
    return compareAnswers(old, changed).differences;
  };
  const withWindow = await compareThrough(startExample(suite.world.tiers[149]?.created_at));
  const isWider = ({ only: [missing, added] }: (typeof withWindow)[number]) => missing.length === 0 && added.length > 0;
  const placesOf = (wider: boolean) =>
    withWindow.flatMap((each) => (isWider(each) === wider ? each.place : [])).toSorted();
  // The fake checks no types: it takes what the reference deployment refuses, and counts null as no unit.
  const taken = ['customer-not-an-object: probe', 'items-not-an-array: probe', 'with-and-without-a-filter: refused'];
  const quantities = ['fraction', 'empty-string', 'non-numeric-string', 'negative'].map(
    (of) => `quantity-${of}: probe`,
  );
  expect(placesOf(true)).toEqual([...taken, ...quantities].sort());
  expect(placesOf(false)).toEqual(['quantity-null: probe']);
  const older = suite.world.tiers.slice(150).map(({ name }) => name);
  const known = withWindow.map(({ place }) => place);
  // An undocumented request may show several differences.
  const others = (await compareThrough(startExample())).filter(
    ({ isDocumented, place }) => isDocumented && !known.includes(place),
  );
  expect(others.length).toBeGreaterThan(3);
  for (const { only } of others) {
    expect(only[0]).toEqual([]);
    expect(older).toEqual(expect.arrayContaining([...only[1]]));
  }
});
