/** `--data`: a deployment that holds data of its own, from the data file to the certificate. */

import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { loadSuite, suiteFolder } from '../../src/cases/suite.js';
import { listRequests } from '../../src/run/case-sender.js';
import {
  credentialVariables,
  loadCertificate,
  makeProject,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { createData } from '../support/own-data.js';

const world = createData('small');

test('A deployment is certified on its data, and the run is verified', async () => {
  const cwd = makeProject();
  writeFileSync(path.join(cwd, 'shop.json'), JSON.stringify(world, null, 1));
  const { url, close } = await serveReference({ world, credentials: referenceCredentials });
  writeFileSync(path.join(cwd, 'shop.yaml'), `name: shop\nbase_url: ${url}\ndata: shop.json\nrequests: 60\n`);
  const run = (...args: readonly string[]) => runConformanceInProcess(args, { cwd, env: credentialVariables });
  try {
    const plan = await run('certify', '--target', 'shop.yaml', '--dry-run');
    expect(plan.output).toMatch(/On its own data: shop\.json, sha256:\w+, with 40 tiers/);
    const { status, output } = await runConformance(['certify', '--target', 'shop.yaml'], {
      cwd,
      env: credentialVariables,
    });
    expect(status, output).toBe(4);
  } finally {
    await close();
  }
  const certificate = loadCertificate(cwd, 'results/shop');
  expect(certificate.verdict).toBe('incomplete');
  expect(certificate.summary).toEqual({ pass: 16, 'not-applicable': 1 });
  expect(certificate.requests_sent).toBeLessThanOrEqual(60);
  expect(certificate.data).toMatchObject({ file: 'shop.json', requests: 60, counts: { tiers: 40 } });
  expect(JSON.stringify(certificate)).toContain('the data file has 40 tiers');
  renameSync(path.join(cwd, 'shop.json'), path.join(cwd, 'moved.json'));
  expect((await run('verify', 'results/shop')).output).toContain('docs/own-data.md');
  expect((await run('verify', 'results/shop', '--data', 'moved.json')).output).toContain('AGREES');
  writeFileSync(path.join(cwd, 'moved.json'), JSON.stringify(world));
  expect((await run('verify', 'results/shop', '--data', 'moved.json')).output).toContain('has changed since the run');
});

test('Traffic is judged by a data file', { tag: '@long' }, async () => {
  const cwd = makeTestFolder();
  const file = path.join(cwd, 'shop.json');
  writeFileSync(file, JSON.stringify(world));
  const { cases } = loadSuite(suiteFolder, { data: { file } });
  const requests = cases.filter(({ kind }) => kind === 'requirement').flatMap(listRequests);
  const write = (answer: ReturnType<typeof createIndependentDeployment>) => {
    const entries = requests.map((request) => {
      const { status, headers, body } = answer(request);
      const list = (pairs: typeof headers) => pairs.map(([name, value]) => ({ name, value }));
      return {
        request: {
          method: 'GET',
          url: `https://shop.test${request.path}`,
          headers: list(request.headers),
          postData: { text: request.body },
        },
        response: { status, headers: list(headers), content: { size: Buffer.byteLength(body), text: body } },
      };
    });
    writeFileSync(path.join(cwd, 'traffic.har'), JSON.stringify({ log: { version: '1.2', entries } }));
  };
  const certify = async () => {
    const { output } = await runConformance(['certify', '--data', 'shop.json', '--replay', 'traffic.har'], { cwd });
    return { output, ...loadCertificate(cwd, 'results/shop.test') };
  };
  write(createIndependentDeployment(world));
  const { summary, notes, output } = await certify();
  expect(summary, output).toMatchObject({ pass: expect.any(Number) });
  expect(summary).not.toHaveProperty('fail');
  expect(notes.join('\n')).toMatch(/On its own data: shop\.json, sha256:\w+, with 40 tiers[^\n]*\.\n/);
  expect((await runConformance(['verify', 'results/shop.test'], { cwd })).output).toContain('AGREES');
  write(createIndependentDeployment({ ...world, tiers: world.tiers.slice(1) }));
  const wrong = await certify();
  expect(wrong.verdict).toBe('does-not-conform');
  expect(JSON.stringify(wrong.requirements)).toContain('Or the data file is out of date for this tier');
});
