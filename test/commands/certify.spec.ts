import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createNamedExport } from '../../src/contract/world-formats.js';
import type { Channel, HttpResponse, TransportErrorKind } from '../../src/http/exchange.js';
import { startRun } from '../../src/run/run.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { certifyOver, channelTo, requirementSuite, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';

const cwd = makeTestFolder();

test('Without settings, the reference deployment conforms and every question is answered', async () => {
  const { status, output } = await runConformance(['certify', '--out', 'reference'], { cwd });
  expect(output).toContain('CONFORMS');
  expect(status).toBe(0);
  // Nobody may take it for their own.
  const lines = output.trim().split('\n');
  for (const line of [lines[0], lines.at(-1)]) expect(line).toContain('the reference deployment, which comes');
  for (const name of ['certificate.json', 'certificate.html', 'summary.md'])
    expect(readFileSync(path.join(cwd, 'reference', name), 'utf8')).toContain('the reference deployment, which comes');
  const certificate = loadCertificate(cwd, 'reference');
  expect(loadValidator('certificate')(certificate), JSON.stringify(loadValidator('certificate').errors)).toBe(true);
  expect(certificate.verdict).toBe('conforms');
  expect(certificate.summary).toEqual({ pass: 17 });
  expect(certificate.requests_sent).toBeGreaterThan(200);
});

test.describe('A target that cannot be judged is incomplete, never a failure:', () => {
  const answering = (status: number, headers: HttpResponse['headers'] = []): Channel =>
    channelTo(() => ({ status, headers, body: '' }));
  const breaking = (transportError: TransportErrorKind, message: string): Channel => ({
    ...answering(200),
    send: async (request) => ({ request, transportError, message }),
  });
  const unreadyTargets: Readonly<Record<string, readonly [channel: Channel, reason: RegExp]>> = {
    'cuts the connection': [breaking('broken-connection', 'The connection broke.'), /connection broke/],
    'answers 429': [answering(429), /limits the rate/],
    'answers 503': [answering(503), /not available/],
    'answers 401': [answering(401), /credentials are probably wrong/],
    redirects: [answering(308, [['Location', 'http://elsewhere.test/']]), /not followed/],
    hangs: [breaking('timed-out', 'There was no complete response.'), /no complete response/],
  };
  for (const [name, [channel, reason]] of Object.entries(unreadyTargets)) {
    test(name, async () => {
      const { certificate } = await certifyOver(channel, requirementSuite);
      expect(certificate.verdict).toBe('incomplete');
      expect(certificate.summary).toEqual({ inconclusive: 17 });
      const cases = certificate.requirements.flatMap((requirement) => requirement.cases);
      expect(cases.filter((each) => !reason.test(each.reason))).toEqual([]);
      // Nobody is locked out by hundreds of refusals.
      if (name === 'answers 401') expect(certificate.requests_sent).toBe(suite.calibration.length);
    });
  }

  test('without the world, a note names possible causes', async () => {
    const noted = async (answer: Parameters<typeof channelTo>[0]) =>
      (await startRun(suite, channelTo(answer))).calibration.note;
    expect(await noted(() => ({ status: 200, headers: [], body: '{"promotions":[]}' }))).toMatch(
      /^The first responses name no promotion of the test data\. Load it/,
    );
    expect(await noted(() => ({ status: 503, headers: [], body: '' }))).toBeUndefined();
    expect(await noted(createIndependentDeployment(suite.world))).toBeUndefined();
  });

  test('when down, the run ends before the first test with status 4', { tag: '@long' }, async () => {
    const target = 'name: down\nbase_url: http://127.0.0.1:1\nretry: { delays_seconds: [0.01, 0.01] }\n';
    writeFileSync(path.join(cwd, 'down.yaml'), target);
    const args = ['certify', '--target', 'down.yaml', '--out', 'down', '--', '--grep', '@limit.newest-150'];
    const { status, output } = await runConformance(args, { cwd, env: credentialVariables });
    const total = suite.cases.length;
    expect(output.match(/ECONNREFUSED/g)).toHaveLength(1);
    expect(output).toContain('down: cannot be judged, so no case was sent');
    expect(output).toContain(`${total} of ${total} cases were not judged: No connection to 127.0.0.1:1 was made`);
    expect(output.split('\n').length).toBeLessThan(20);
    expect(status).toBe(4);
    expect(loadCertificate(cwd, 'down').requests_sent).toBe(suite.calibration.length * 3);
    const page = readFileSync(path.join(cwd, 'down', 'certificate.html'), 'utf8');
    expect(page.match(/ECONNREFUSED/g)).toHaveLength(1);
  });
});

test('`world` prints JSON that fits its schema', async () => {
  const { status, output } = await runConformanceInProcess(['world'], { cwd });
  expect(status).toBe(0);
  expect(loadValidator('expanded-world')(JSON.parse(output))).toBe(true);
  expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(createNamedExport(suite.world))));
  // A name tells a person what an id stands for.
  for (const { name } of Object.values<{ name?: string }[]>(JSON.parse(output)).flat()) expect(name).toBeDefined();
  expect(JSON.parse(output).customers[1]).toEqual({ id: suite.world.ids.customer.get('ann'), name: 'ann' });
  expect(JSON.parse(output).skus[0]).toMatchObject({ name: 'shirt-blue' });
});
