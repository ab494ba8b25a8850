import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { faults } from '../../reference/faults/index.js';
import { evidenceKeeper } from '../../src/engine/evidence.js';
import { replayOf } from '../../src/engine/replay.js';
import type { Channel, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { archiveOf, readArchive, type StoredEvidence } from '../../src/report/har.js';
import { channelTo, inProcessCredentials } from '../proof/judge-deployment.js';
import { certifyOver, suite } from './support/in-process.js';

const origin = { suite, baseUrl: 'http://in-process.test', inputs: {} };
const { name, version, digest } = suite;

async function live(respond: (request: HttpRequest) => HttpResponse, redact: Channel['redact'] = (text) => text) {
  const keeper = evidenceKeeper(redact);
  const { certificate } = await certifyOver(channelTo(respond), suite, { keeper });
  return { certificate, evidence: keeper.take() };
}

const nothing: Channel = {
  ...channelTo(() => {
    throw new Error('Nothing is sent.');
  }),
};

async function again(evidence: StoredEvidence) {
  const { content } = archiveOf(evidence, { ...origin, suite: { name, version, digest } });
  const read = readArchive(content, 'evidence.har');
  expect(read.evidence).toEqual(evidence);
  return (await certifyOver(nothing, suite, { replay: replayOf(read.evidence) })).certificate;
}

const deployment = (...ids: readonly string[]) =>
  createDeployment({
    world: suite.world,
    credentials: inProcessCredentials,
    faults: faults.filter(({ id }) => ids.includes(id)),
  });

test('judged again without the target, the reference deployment gets the same certificate', async () => {
  const { certificate, evidence } = await live(deployment());
  expect(await again(evidence)).toEqual(certificate);
});

test('so does one that fails, each time that a case was sent', async () => {
  const { certificate, evidence } = await live(deployment('window-of-149'));
  expect(certificate.verdict).toBe('does-not-conform');
  expect(await again(evidence)).toEqual(certificate);
});
