/** Responses are judged as they came, and redacted only for output. */

import { expect, test } from '@playwright/test';
import { startRun } from '../../src/engine/run.js';
import type { Channel } from '../../src/http/exchange.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { createBaseline } from '../../src/report/baseline.js';
import { createRecord } from '../../src/report/target-record.js';
import { escapeControlCharacters } from '../../src/support/escape-control-characters.js';
import { InternalError } from '../../src/support/internal-error.js';
import { certifyOver, channelTo, recognizer, suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';

/** Its responses have a member `promotions`. A credential may be the same word. */
const conforming = createIndependentDeployment(suite.world, { shape: 'agreeing-paths' });

function createChannelWith(credential: string): Channel {
  const redact = createRedactor([{ value: credential, placeholder: '$SECRET' }]);
  return { ...channelTo(conforming), redact: (text) => escapeControlCharacters(redact(text)) };
}

const few = {
  ...suite,
  cases: suite.cases.filter(({ id }) => ['response-shape', 'error-shape', 'window-in-varied-requests'].includes(id)),
};

// questions.spec.ts shows the same for a record that was written with such a credential.
test('Nothing drifts if a credential changes to a word of the responses', async () => {
  const { results } = await certifyOver(createChannelWith('another-one'), few, { infersShape: true });
  const { outcomes, schemas } = createBaseline(createRecord(suite, results, 'shop'), {}, undefined);
  const stated = { statedBy: 'the target file', schema: { type: 'object', required: ['promotions'] } };
  const expected = { outcomes, schemas: [...schemas, stated] };
  const again = await certifyOver(createChannelWith('promotions'), few, { expected });
  expect(again.certificate.drift).toEqual([]);
  expect(again.results.map(({ verdict }) => verdict)).toEqual(few.cases.map(() => 'pass'));
});

test('A tier pattern may contain a word that is a credential', async () => {
  const tierPatterns = ['/promotions/*/id'];
  const { results } = await certifyOver(createChannelWith('promotions'), few, { tierPatterns });
  expect(results.map(({ verdict }) => verdict)).toEqual(few.cases.map(() => 'pass'));
});

test('An internal error does not show the message of its cause, which may quote a secret', async () => {
  const secret = 'the-secret-token-4711';
  const broken = {
    ...recognizer,
    findMentions(body: string) {
      throw new RangeError(`Invalid: /${secret}/ in\n    at ${secret} (${body}:1:1)`);
    },
  };
  const known = { namings: [], exchanges: [], requestsSent: 0 };
  const run = await startRun(few, createChannelWith(secret), { recognizer: broken, isWorldLoaded: true }, known);
  for (const testCase of few.cases) {
    const { verdict, reason } = await run.runCase(testCase);
    expect(verdict).toBe('error');
    expect(reason).toMatch(/^Internal error, please report it: RangeError at \S+raw-or-shown.*:\d+:\d+, /);
    expect(reason).not.toContain(secret);
  }
  expect(new InternalError(secret).stack).not.toContain(secret);
});
