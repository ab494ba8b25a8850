import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { createTemporaryFolder, loadCertificate, runConformance, runConformanceInProcess } from './support/cli.js';
import { listRequirementsWith } from './support/in-process.js';
import { listen } from './support/independent-deployment.js';

const { folder: cwd, remove } = createTemporaryFolder();
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

const env = { CLIENT_APPLICATION_ID: 'reference-application', CLIENT_TOKEN: 'reference-token' };

// With every case, and any behaviours, the same is seen in questions.spec.ts.
test('A target is recorded, served as a mock, certified against its record, changed and compared', {
  tag: '@long',
}, async () => {
  const behaviours = [
    'quantity-numeric-string=rejected',
    'filter-combination=union',
    'response-status=203',
    'empty-result=no-content',
  ];
  const intrusive = ['credentials-wrong-token', 'large-order', 'method-post'];
  const changing = behaviours.map((behaviour) => behaviour.split('=')[0] ?? '');
  const only = (...ids: readonly string[]) => ['--', '--grep', ids.map((id) => `@${id}\\b`).join('|')];
  const selected = ['--no-intrusive', ...only('limit.newest-150', 'quantity-zero', ...changing, ...intrusive)];

  const real = await serve(behaviours.flatMap((behaviour) => ['--behaviour', behaviour]));
  const recording = ['record', '--base-url', real.url, '--to', 'shop.yaml', '--out', 'real', ...selected];
  const recorded = await runConformance(recording, { cwd, env });
  await real.end();
  expect(recorded.status, recorded.output).toBe(4);
  const { summary, questions } = loadCertificate(cwd, 'real/partial');
  expect(summary).toEqual({ pass: 1, 'not-run': 16 });
  const leftOut = questions.filter(({ reason }) => reason === 'Intrusive cases are excluded from this run.');
  expect(leftOut.map(({ id }) => id).sort()).toEqual(intrusive);
  expect(questions.find(({ id }) => id === 'quantity-zero')?.outcome).toBe('item-ignored');
  const record = readFileSync(path.join(cwd, 'shop.yaml'), 'utf8');
  expect(record).toContain('outcome: union');
  expect(record).not.toContain(real.url);
  expect(record).not.toContain(env.CLIENT_TOKEN);

  const mock = await serve(['--as', 'shop.yaml']);
  const comparing = ['certify', '--base-url', mock.url, '--against', 'shop.yaml', '--out', 'mock', ...selected];
  const same = await runConformance(comparing, { cwd, env });
  await mock.end();
  expect(same.status, same.output).toBe(4);
  expect(loadCertificate(cwd, 'mock/partial').drift).toEqual([]);
  const [one, other] = ['real', 'mock'].map((out) =>
    readFileSync(path.join(cwd, out, 'partial', 'observed.md'), 'utf8')
      .replace(/\n## How long do responses take[\s\S]*/, '')
      .split('\n')
      .slice(1)
      .join('\n'),
  );
  expect(one).toBe(other);

  const args = [
    'certify',
    '--against',
    'shop.yaml',
    '--out',
    'changed',
    ...only('filter-combination', 'quantity-zero'),
  ];
  const changed = await runConformance(args, { cwd });
  expect(changed.status, changed.output).toBe(3);
  expect(changed.output).toContain("filter-combination is 'intersection'; the record says 'union'.");
  const drifted = loadCertificate(cwd, 'changed/partial').questions.filter(({ drift }) => drift);
  expect(drifted.map(({ id }) => id)).toEqual(['filter-combination']);

  const certificates = ['real', 'mock', 'changed'].map((out) => `${out}/partial/certificate.json`);
  const equal = await runConformanceInProcess(['compare', ...certificates.slice(0, 2)], { cwd });
  expect([equal.status, equal.output]).toEqual([
    0,
    expect.stringMatching(/ ran \d+ of \d+ cases\.\n[\s\S]*\nThe certificates agree in .* that was compared\.\n/),
  ]);
  const differing = await runConformanceInProcess(['compare', ...certificates], { cwd });
  expect(differing.status).toBe(3);
  expect(differing.output).toMatch(/filter-combination\s+union\s+union\s+intersection/);
});

test('A failure shows the line of the case file and a command, without the token', async () => {
  const faulty = await serve(['--fault', 'window-of-151']);
  const args = ['certify', '--base-url', faulty.url, '--out', 'faulty', '--', '--grep', 'window-with-few-valid'];
  const { status, output } = await runConformance(args, { cwd, env });
  await faulty.end();
  expect(status, output).toBe(1);
  expect(output).toContain("Returned, but should not be: 'beyond-first' (rank 151: is older than the newest 150).");
  expect(output).toMatch(/Received:\n\s+200 application\/json\n\s+\| \(names \d+ promotions: /);
  expect(output).toMatch(/>\s*\d+ \|.*newest-150/);
  expect(output).toContain('-H "X-Client-Token: $CLIENT_TOKEN"');
  expect(output).not.toContain(env.CLIENT_TOKEN);
  expect(listRequirementsWith('fail', loadCertificate(cwd, 'faulty/partial'))).toEqual(['limit.newest-150']);
});

test('serve refuses a world with broken references', async () => {
  const world = JSON.parse((await runConformanceInProcess(['world'], { cwd })).output);
  const served = async (change: object) => {
    writeFileSync(path.join(cwd, 'world.json'), JSON.stringify({ ...world, ...change }));
    return runConformanceInProcess(['serve', '--world', 'world.json'], { cwd });
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

test('compare and serve refuse bad arguments in one line with a hint', async () => {
  const { url, close } = await listen(() => ({ status: 200, headers: [], body: '' }));
  const { port } = new URL(url);
  writeFileSync(path.join(cwd, 'other.json'), '{"name":"a"}');
  for (const [args, output] of [
    [
      ['compare', 'other.json', 'other.json'],
      'other.json: is not a certificate\n    A run writes one: results/<target>/certificate.json.\n',
    ],
    [
      ['serve', '--port', port],
      `--port: port ${port} is in use\n    Name another port, or leave out the flag for a free one.\n`,
    ],
    [['serve', '--fault', 'window'], /^--fault: Unknown fault 'window'\. Did you mean '[a-z0-9-]*window[^\n]+\n$/],
    [['serve', '--behaviour', 'empty=x'], /^--behaviour: No question is called "empty"; did you mean "empty-[^\n]+\n$/],
  ] as const) {
    const ended = await runConformanceInProcess(args, { cwd });
    expect([ended.status, ended.output]).toEqual([
      2,
      typeof output === 'string' ? output : expect.stringMatching(output),
    ]);
  }
  await close();
});
