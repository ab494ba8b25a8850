import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { conformance, readCertificate, temporaryFolder } from './support/cli.js';
import { requirementsWith } from './support/in-process.js';

const { folder: cwd, remove } = temporaryFolder();
test.afterAll(remove);

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

test('record, serve the record, certify against it, change something, compare', async () => {
  const env = { CLIENT_APPLICATION_ID: 'reference-application', CLIENT_TOKEN: 'reference-token' };
  const behaviours = [
    'quantity-numeric-string=rejected',
    'filter-combination=union',
    'response-status=203',
    'empty-result=no-content',
  ];
  const real = await serve(behaviours.flatMap((behaviour) => ['--behaviour', behaviour]));
  const recorded = await conformance(['record', '--base-url', real.url, '--to', 'shop.yaml', '--out', 'real'], {
    cwd,
    env,
  });
  await real.end();
  expect(recorded.status, recorded.output).toBe(0);
  const record = readFileSync(path.join(cwd, 'shop.yaml'), 'utf8');
  expect(record).toContain('outcome: union');
  expect(record).not.toContain(real.url);
  expect(record).not.toContain('reference-token');

  const mock = await serve(['--as', 'shop.yaml']);
  const same = await conformance(['certify', '--base-url', mock.url, '--against', 'shop.yaml', '--out', 'mock'], {
    cwd,
    env,
  });
  await mock.end();
  expect(same.status, same.output).toBe(0);
  expect(readCertificate(cwd, 'mock').drift).toEqual([]);
  for (const file of ['observed.md']) {
    const [one, other] = ['real', 'mock'].map((out) =>
      readFileSync(path.join(cwd, out, file), 'utf8')
        .split('\n')
        .slice(1)
        .join('\n'),
    );
    expect(one).toBe(other);
  }

  const selected = [...behaviours.map((behaviour) => behaviour.split('=')[0]), 'quantity-zero', 'result-order'];
  const only = ['--', '--grep', selected.map((id) => `@${id}\\b`).join('|')];
  const changed = await conformance(['certify', '--against', 'shop.yaml', '--out', 'changed', ...only], { cwd });
  expect(changed.status, changed.output).toBe(3);
  expect(changed.output).toContain("filter-combination is 'intersection'; the record says 'union'.");
  const drifted = readCertificate(cwd, 'changed').questions.filter(({ drift }) => drift);
  expect(drifted.map(({ id }) => id).sort()).toEqual(behaviours.map((behaviour) => behaviour.split('=')[0]).sort());

  const certificates = ['real', 'mock', 'changed'].map((out) => `${out}/certificate.json`);
  const equal = await conformance(['compare', ...certificates.slice(0, 2)], { cwd });
  expect([equal.status, equal.output]).toEqual([
    0,
    'The certificates agree in every requirement and every question.\n',
  ]);
  const differing = await conformance(['compare', ...certificates], { cwd });
  expect(differing.status).toBe(3);
  expect(differing.output).toMatch(/filter-combination\s+union\s+union\s+intersection/);
});

test('a fault is served, and the requirement that it breaks fails', async () => {
  const faulty = await serve(['--fault', 'window-of-the-valid']);
  const env = { CLIENT_APPLICATION_ID: 'reference-application', CLIENT_TOKEN: 'reference-token' };
  const args = ['certify', '--base-url', faulty.url, '--out', 'faulty', '--', '--grep', 'window-with-few-valid'];
  const { status, output } = await conformance(args, { cwd, env });
  await faulty.end();
  expect(status, output).toBe(1);
  expect(requirementsWith('fail', readCertificate(cwd, 'faulty'))).toEqual(['limit.newest-150']);
});

test('--grep selects and --no-intrusive leaves out: the certificate says so, and is incomplete', async () => {
  const intrusive = ['credentials-wrong-token', 'large-order', 'method-post'];
  const tags = ['limit.newest-150', 'quantity-zero', ...intrusive].map((id) => `@${id}\\b`);
  const args = ['certify', '--no-intrusive', '--out', 'gentle', '--', '--grep', tags.join('|')];
  const { status, output } = await conformance(args, { cwd });
  expect(status).toBe(4);
  expect(output).toMatch(/5 passed/);
  const { summary, questions } = readCertificate(cwd, 'gentle');
  expect(summary).toEqual({ pass: 1, 'not-applicable': 16 });
  const leftOut = questions.filter(({ reason }) => reason === 'Intrusive cases are left out of this run.');
  expect(leftOut.map(({ id }) => id).sort()).toEqual(intrusive);
  expect(questions.find(({ id }) => id === 'quantity-zero')?.outcome).toBe('item-ignored');
});

test('the first line says that the credentials are public', async () => {
  const served = await serve([]);
  await served.end();
  expect(served.output.split('\n')[0]).toBe(
    `The reference deployment, whose credentials are public, answers at ${served.url}/v1/promotions/validation`,
  );
});

test('a world that is not whole is refused', async () => {
  const world = JSON.parse((await conformance(['world'], { cwd })).output);
  const served = async (change: object) => {
    writeFileSync(path.join(cwd, 'world.json'), JSON.stringify({ ...world, ...change }));
    return conformance(['serve', '--world', 'world.json'], { cwd });
  };
  const [tier] = world.tiers;
  const changed: readonly (readonly [change: object, message: string])[] = [
    [{ tiers: [{ ...tier, rules: [null] }] }, 'world.json:1:'],
    [{ tiers: [{ ...tier, campaign_id: 'none' }] }, `'${tier.id}' refers to nothing: campaign_id 'none'`],
  ];
  for (const [change, message] of changed) {
    const { status, output } = await served(change);
    expect([status, output]).toEqual([2, expect.stringContaining(message)]);
  }
});

test('an unknown behaviour is refused, with the nearest one', async () => {
  const { status, output } = await conformance(['serve', '--behaviour', 'quantity-zero=as-on'], { cwd });
  expect(status).toBe(2);
  expect(output).toContain('as-one');
});
