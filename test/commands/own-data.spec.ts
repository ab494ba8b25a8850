/** `--data`: a deployment that holds data of its own, from the data file to the certificate. */

import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { serveReference } from '../../reference/deployment/server.js';
import {
  credentialVariables,
  loadCertificate,
  makeProject,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
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
