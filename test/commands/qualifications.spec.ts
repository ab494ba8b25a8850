import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Certificate } from '../../src/certificate/certificate.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { loadTransport, type Transport } from '../../src/http/transport.js';
import { packageRoot } from '../../src/support/package-root.js';
import { compareAnswers } from '../support/compare-answers.js';
import { certifyOver, channelThrough, channelTo, createReference, suite } from '../support/in-process.js';
import { QualificationsFake, type QualificationsFault, qualificationsFaults } from '../support/qualifications-fake.js';
import { collectAnswers } from '../support/run-with-evidence.js';

/** The transport of the example, with the window of the project or as it is. */
async function withExample<T>(oldest: string | undefined, run: (transport: Transport) => Promise<T>): Promise<T> {
  if (oldest !== undefined) process.env.OLDEST_CHECKED = oldest;
  const file = path.join(packageRoot, 'examples/voucherify/qualifications/transport.mjs');
  return await run(await loadTransport(file)).finally(() => delete process.env.OLDEST_CHECKED);
}

async function certify(transport: Transport, fault?: QualificationsFault): Promise<Certificate> {
  const fake = new QualificationsFake(credentialPlaceholders, fault).load(suite.world);
  const { certificate } = await certifyOver(channelThrough(transport, fake.respond), suite);
  return certificate;
}

const oldest = suite.world.tiers[149]?.created_at;

test('Through the transport, every requirement passes on a project without faults', async () => {
  const certificate = await withExample(oldest, (transport) => certify(transport));
  expect(certificate.verdict, JSON.stringify(certificate.incomplete_because)).toBe('conforms');
  expect(certificate.questions.filter(({ outcome }) => outcome !== null).length).toBeGreaterThan(60);
});

for (const fault of qualificationsFaults)
  test(`A project with the fault ${fault} is found`, {
    tag: fault === 'quantity-ignored' ? [] : ['@long'],
  }, async () => {
    const { verdict, questions } = await withExample(oldest, (transport) => certify(transport, fault));
    // The documentation does not say what order metadata does: that is the answer to a question.
    if (fault === 'order-metadata-ignored')
      expect(questions).toContainEqual(expect.objectContaining({ id: 'order-metadata-rules', outcome: 'ignored' }));
    else expect(verdict).toBe('does-not-conform');
  });

test('Compared with the reference deployment, exactly the differences that are built in are found', async () => {
  const old = await collectAnswers(channelTo(createReference()));
  const compareThrough = (window: string | undefined) =>
    withExample(window, async (transport) => {
      const fake = new QualificationsFake(credentialPlaceholders).load(suite.world);
      const changed = await collectAnswers(channelThrough(transport, fake.respond));
      return compareAnswers(old, changed).differences;
    });
  const withWindow = await compareThrough(oldest);
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
  const others = (await compareThrough(undefined)).filter(
    ({ isDocumented, place }) => isDocumented && !known.includes(place),
  );
  expect(others.length).toBeGreaterThan(3);
  for (const { only } of others) {
    expect(only[0]).toEqual([]);
    expect(older).toEqual(expect.arrayContaining([...only[1]]));
  }
});
