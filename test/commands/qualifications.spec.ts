import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Certificate } from '../../src/certificate/certificate.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { loadTransport, type Transport } from '../../src/http/transport.js';
import { packageRoot } from '../../src/support/package-root.js';
import { certifyOver, channelThrough, listRequirementsWith, suite } from '../support/in-process.js';
import { QualificationsFake, type QualificationsFault, qualificationsFaults } from '../support/qualifications-fake.js';

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

test('Without the window of the project, older promotions are returned, too', { tag: '@long' }, async () => {
  const certificate = await withExample(undefined, (transport) => certify(transport));
  expect(listRequirementsWith('fail', certificate)).toEqual(['limit.newest-150']);
});
