/** The files of a run: whole, of one run, written together. */

import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { packageRoot } from '../../src/support/package-root.js';
import { type CommandResult, credentialVariables, makeTestFolder, runConformance } from './support/cli.js';
import { createReference, suite } from './support/in-process.js';
import { createIndependentDeployment, listen } from './support/independent-deployment.js';

const cwd = makeTestFolder();

const only = ['--', '--grep', 'window-with-few-valid'];
const honest = createIndependentDeployment(suite.world);
const broken = createReference({ faults: ['window-of-151'], credentials: referenceCredentials });
/** The folder of results of some cases. */
const partial = (out: string) => path.join(cwd, out, 'partial');

/** Runs a few cases against a deployment. @param after number of requests before something happens */
async function run(
  out: string,
  answer: typeof honest,
  { after = 0, happens = () => {} }: { after?: number; happens?(): void } = {},
): Promise<CommandResult> {
  let received = 0;
  const { url, close } = await listen((request) => {
    received += 1;
    if (received === after) happens();
    return answer(request);
  });
  const args = ['certify', '--base-url', url, '--out', out, ...only];
  const ended = await runConformance(args, { cwd, env: credentialVariables });
  await close();
  return ended;
}

test('The exit status is that of the run, even if another process replaces its certificate', async () => {
  const out = partial('forged');
  mkdirSync(out, { recursive: true });
  writeFileSync(path.join(cwd, 'forgery'), '{"verdict":"conforms","drift":[]}');
  const forge = watch(out, () => {
    if (!existsSync(path.join(out, 'certificate.json')) || !existsSync(path.join(cwd, 'forgery'))) return;
    renameSync(path.join(cwd, 'forgery'), path.join(out, 'certificate.json'));
  });
  const { status } = await run('forged', broken);
  forge.close();
  expect(readFileSync(path.join(out, 'certificate.json'), 'utf8')).toBe('{"verdict":"conforms","drift":[]}');
  expect(status).toBe(1);
});

test('--list and a failed start write nothing and leave the results of a whole run', {
  tag: '@long',
}, async () => {
  // Of a whole run, and of another project's tests.
  const files = [path.join(cwd, 'kept', 'certificate.json'), path.join(cwd, 'test-results', 'screenshot.txt')];
  for (const file of files) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'as it was');
  }
  const listed = await runConformance(['certify', '--out', 'kept', '--', '--list'], { cwd });
  expect([listed.status, listed.output]).toEqual([0, expect.stringContaining('window-with-few-valid')]);
  const failed = await runConformance(['certify', '--out', 'kept', '--', '--grep', 'no-such-case'], { cwd });
  expect([failed.status, failed.output]).toEqual([2, expect.stringContaining('results of earlier runs are kept')]);
  for (const file of files) expect(readFileSync(file, 'utf8')).toBe('as it was');
  expect(existsSync(partial('kept'))).toBe(false);
});

test('A folder in the place of a result: no file is written, and the status is 2', { tag: '@long' }, async () => {
  const occupy = () => mkdirSync(path.join(partial('occupied'), 'observed.md'), { recursive: true });
  const { status, output } = await run('occupied', honest, { after: 2, happens: occupy });
  const refusal = 'occupied/partial/observed.md: cannot be written (EISDIR)\n';
  expect([status, output]).toEqual([2, expect.stringContaining(refusal)]);
  expect(readdirSync(partial('occupied'))).toEqual(['observed.md']);
  mkdirSync(path.join(cwd, 'occupied', 'observed.md'));
  const again = await run('occupied', honest);
  expect([again.status, again.output]).toEqual([2, expect.stringMatching(/^occupied\/observed.md: cannot be written/)]);
});

test.describe('files that belong together', () => {
  const script = path.join(packageRoot, 'dist', 'specs', 'self-test', 'support', 'write-together.js');
  const read = (folder: string) =>
    ['one.txt', 'two.txt'].map((name) => readFileSync(path.join(folder, name), 'utf8').split('\n')[0]);

  test('One process at a time writes them', async () => {
    const folder = path.join(cwd, 'turns');
    let said = '';
    const writer = (tag: string, ms: number) => {
      const child = spawn(process.execPath, [script, folder, tag, '1', String(ms)], { stdio: 'pipe' });
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      return {
        began: new Promise((resolve) => child.stdout.once('data', resolve)),
        ended: new Promise((resolve) => child.on('close', resolve)),
      };
    };
    const first = writer('first', 1_500);
    await first.began;
    const second = writer('second', 0);
    await Promise.all([first.ended, second.ended]);
    expect(said).toBe('first in\nfirst out\nsecond in\nsecond out\n');
    expect(read(folder)).toEqual(['second', 'second']);
    expect(readdirSync(folder).sort()).toEqual(['one.txt', 'two.txt']);
  });

  for (const hours of [-1, 1]) {
    test(`A draft folder of a killed process is taken over, with a clock ${hours} h from now`, async () => {
      const folder = path.join(cwd, `killed${hours}`);
      const left = path.join(folder, '.being-written');
      mkdirSync(left, { recursive: true });
      writeFileSync(path.join(left, 'one.txt'), 'half');
      const then = Date.now() / 1000 + hours * 3600;
      utimesSync(left, then, then);
      await promisify(execFile)(process.execPath, [script, folder, 'later', '1', '0']);
      expect(read(folder)).toEqual(['later', 'later']);
      expect(readdirSync(folder).sort()).toEqual(['one.txt', 'two.txt']);
    });
  }

  test('They stay as they were if there is no room for all of them', async () => {
    const folder = path.join(cwd, 'full');
    await promisify(execFile)(process.execPath, [script, folder, 'before', '1', '0']);
    // A limit on the size of a file: to the one that writes, it looks as a full disk does.
    const limited = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, script, folder, 'after', '9999', '0'];
    const { stderr } = await promisify(execFile)('sh', limited);
    const hint = 'No file was written. Free some space, or name another folder.';
    expect(stderr).toBe(`${path.join(folder, 'one.txt')}: cannot be written (EFBIG)\n    ${hint}\n`);
    expect(read(folder)).toEqual(['before', 'before']);
    expect(readdirSync(folder).sort()).toEqual(['one.txt', 'two.txt']);
  });

  test('They replace links', async () => {
    const folder = path.join(cwd, 'links');
    mkdirSync(folder);
    const precious = path.join(cwd, 'another-precious');
    writeFileSync(precious, 'as it was');
    symlinkSync(precious, path.join(folder, 'one.txt'));
    await promisify(execFile)(process.execPath, [script, folder, 'here', '1', '0']);
    expect(readFileSync(precious, 'utf8')).toBe('as it was');
    expect(() => readlinkSync(path.join(folder, 'one.txt'))).toThrow('EINVAL');
  });
});
