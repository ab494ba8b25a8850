import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { loadCertificate, makeTestFolder, runConformance, runConformanceInProcess } from './support/cli.js';
import { listen } from './support/independent-deployment.js';

const cwd = makeTestFolder();

/** Starts the reference deployment on a free port, as a user does. */
async function serve(args: readonly string[]): Promise<{ url: string; output: string; end(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js'), 'serve', ...args],
    { cwd },
  );
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ctrl-C')) resolve();
    });
    child.on('exit', (code) => reject(new Error(`serve ended with status ${code}: ${output}`)));
  });
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '';
  const end = () =>
    new Promise<void>((resolve) => {
      child.removeAllListeners('exit').on('exit', () => resolve());
      child.kill('SIGTERM');
    });
  return { url, output, end };
}

const env = { CLIENT_APPLICATION_ID: 'reference-application', CLIENT_TOKEN: 'reference-token' };

// With every case, and any behaviours, the same is seen in questions.spec.ts and mock.spec.ts.
test('A target is recorded, served as a mock, certified against its record, changed and compared', {
  tag: '@long',
}, async () => {
  const behaviours = ['quantity-numeric-string=rejected', 'filter-combination=union', 'empty-result=no-content'];
  const ids = ['limit.newest-150', ...behaviours.map((behaviour) => behaviour.split('=')[0] ?? ''), 'method-post'];
  const certify = (out: string, ...args: string[]) =>
    runConformance([...args, '--out', out, '--only', ids.join(',')], { cwd, env });

  const real = await serve(behaviours.flatMap((behaviour) => ['--behaviour', behaviour]));
  const recorded = await certify('real', 'record', real.url, '--to', 'shop.yaml', '--no-intrusive');
  await real.end();
  expect(recorded.status, recorded.output).toBe(4);
  const record = readFileSync(path.join(cwd, 'shop.yaml'), 'utf8');
  expect(record).toContain('outcome: union');
  expect(record).not.toContain('method-post');
  for (const secret of [real.url, env.CLIENT_TOKEN]) expect(record).not.toContain(secret);

  const mock = await serve(['--as', 'shop.yaml']);
  const same = await certify('mock', 'certify', mock.url, '--against', 'shop.yaml', '--no-intrusive');
  await mock.end();
  expect(same.status, same.output).toBe(4);
  expect(loadCertificate(cwd, 'mock/partial').drift).toEqual([]);

  const changed = await certify('changed', 'certify', '--reference', '--against', 'shop.yaml', '--no-intrusive');
  expect(changed.status, changed.output).toBe(3);
  expect(changed.output).toContain("filter-combination is 'intersection'; the record says 'union'.");

  const certificates = ['real', 'mock', 'changed'].map((out) => `${out}/partial/certificate.json`);
  expect((await runConformanceInProcess(['compare', ...certificates.slice(0, 2)], { cwd })).status).toBe(0);
  const differing = await runConformanceInProcess(['compare', ...certificates], { cwd });
  expect(differing.status).toBe(3);
  expect(differing.output).toMatch(/filter-combination\s+union\s+union\s+intersection/);
});

test('serve refuses a world with broken references', async () => {
  const world = JSON.parse((await runConformanceInProcess(['world'], { cwd })).output);
  const [tier] = world.tiers;
  for (const [change, message] of [
    [{ rules: [null] }, 'world.json:1:'],
    [{ campaign_id: 'none' }, `'${tier.id}' refers to nothing: campaign_id 'none'`],
  ] as const) {
    writeFileSync(path.join(cwd, 'world.json'), JSON.stringify({ ...world, tiers: [{ ...tier, ...change }] }));
    const { status, output } = await runConformanceInProcess(['serve', '--world', 'world.json'], { cwd });
    expect([status, output]).toEqual([2, expect.stringContaining(message)]);
  }
});

test('serve names a port that is in use', async () => {
  const { url, close } = await listen(() => ({ status: 200, headers: [], body: '' }));
  const { port } = new URL(url);
  const { status, output } = await runConformanceInProcess(['serve', '--port', port], { cwd });
  await close();
  expect([status, output]).toEqual([2, expect.stringContaining(`address already in use 127.0.0.1:${port}`)]);
});
