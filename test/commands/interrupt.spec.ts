import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createRandom } from '../support/chaos.js';
import {
  commandLine,
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformanceInProcess,
} from '../support/cli.js';
import { suite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';

interface Ending {
  /** Ends a run early. @param group of all its processes @param command that started it */
  end(group: number, command: number): void;
  /** The exit status and the signal of the shell that started the command. */
  readonly shell?: readonly [status: number | null, signal: string | null];
}

const endings: Readonly<Record<string, Ending>> = {
  'Ctrl-C, which a terminal sends to all processes': { end: (group) => process.kill(-group, 'SIGINT') },
  'SIGTERM to the command': { end: (_, command) => process.kill(command, 'SIGTERM') },
  'A closed terminal, which sends SIGHUP to all processes': { end: (group) => process.kill(-group, 'SIGHUP') },
  'SIGHUP to the command': { end: (_, command) => process.kill(command, 'SIGHUP') },
  'The end of the parent process': {
    end: (group) => process.kill(group, 'SIGKILL'),
    shell: [null, 'SIGKILL'],
  },
};

/** Starts a command, prints its process id, ignores signals, and ends with the status of the command. */
const shellScript = `
trap : INT TERM HUP
"$@" & command=$!
echo $command
while wait $command; status=$?; kill -0 $command 2> /dev/null; do :; done
exit $status
`;

/** The other endings use the same handlers. */
const often = 'Ctrl-C, which a terminal sends to all processes';

for (const [what, { end, shell: ofShell = [4, null] }] of Object.entries(endings)) {
  const tag = what === often ? [] : ['@long'];
  test(`${what} leaves a certificate of the judged cases, and no process`, { tag }, async () => {
    const { cwd, by } = await endedEarly(end);
    expect(by).toEqual(ofShell);
    expect(existsSync(path.join(cwd, 'out', 'certificate.json'))).toBe(true);
    const certificate = loadCertificate(cwd, 'out');
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because?.join()).toContain('interrupted');
    const judged = certificate.requirements.flatMap(({ cases }) => cases);
    expect(judged.some(({ verdict }) => verdict === 'pass')).toBe(true);
    // No case is an error.
    const reasons = [...certificate.requirements.flatMap(({ cases }) => cases), ...certificate.questions].map(
      ({ reason }) => reason,
    );
    const notReached = reasons.filter((reason) => reason === 'Not reached in this run.').length;
    expect(certificate.incomplete_because).toContain(`${notReached} of ${suite.cases.length} cases were not reached.`);
    expect(certificate.summary).not.toHaveProperty('error');
    const { output } = await runConformanceInProcess(['verify', 'out/certificate.json'], { cwd });
    expect(output).toBe('AGREES  out/certificate.json: incomplete\n');
  });
}

for (const what of [often, 'SIGTERM to the command'])
  test(`${what} ends the run of a target, and the next target gets none`, { tag: '@long' }, async () => {
    const { cwd, by } = await endedEarly(endings[what]?.end ?? (() => {}), { targets: ['one', 'two'] });
    expect(by).toEqual([4, null]);
    expect(loadCertificate(cwd, 'out/one').incomplete_because).toContain('The run was interrupted.');
    expect(existsSync(path.join(cwd, 'out', 'two'))).toBe(false);
  });

test('A killed command leaves no process', { tag: '@long' }, async () => {
  const { cwd, by } = await endedEarly((_, command) => process.kill(command, 'SIGKILL'));
  expect(by).toEqual([137, null]);
  expect(existsSync(path.join(cwd, 'out', 'certificate.json'))).toBe(false);
});

test('20 runs that are cut short at random moments leave results of their own', {
  tag: '@long',
}, async () => {
  const folder = makeTestFolder();
  await endedEarly(() => {}, { cwd: folder });
  const random = createRandom(2);
  for (const [n, ending] of Array.from({ length: 20 }, (_, at) => [at, Object.values(endings)[at % 4]] as const)) {
    // Half of them end while requests are sent, the others while files are written, or just before or after.
    const when = n % 2 === 0 ? { request: 1 + Math.floor(random() * 220) } : { request: 220, delayMs: random() * 3000 };
    const { url } = await endedEarly(ending?.end ?? (() => {}), { cwd: folder, ...when });
    const { target, verdict } = loadCertificate(folder, 'out');
    expect(target.base_url, `run ${n}`).toBe(url);
    const { output } = await runConformanceInProcess(['verify', 'out/certificate.json'], { cwd: folder });
    expect(output, `run ${n}`).toBe(`AGREES  out/certificate.json: ${verdict}\n`);
  }
});

/**
 * Starts a run that ends early, and waits until all its processes have ended.
 *
 * @param request ends the run when this request arrives
 * @param delayMs after that request
 * @param targets names of several targets, all at one address
 */
async function endedEarly(
  end: Ending['end'],
  {
    cwd = makeTestFolder(),
    request: last = 60,
    delayMs = 0,
    targets = [],
  }: { cwd?: string; request?: number; delayMs?: number; targets?: readonly string[] } = {},
): Promise<{ cwd: string; url: string; by: unknown }> {
  const answer = createIndependentDeployment(suite.world);
  let received = 0;
  let group = 0;
  let command = 0;
  const endIfRunning = () => {
    try {
      end(group, command);
    } catch {
      // The run has ended already.
    }
  };
  const { url, close } = await listen((request) => {
    received += 1;
    // At once, before the answer, unless there is a delay.
    if (received === last && delayMs === 0) endIfRunning();
    else if (received === last) setTimeout(endIfRunning, delayMs);
    return answer(request);
  });
  for (const name of targets) writeFileSync(path.join(cwd, `${name}.yaml`), `name: ${name}\nbase_url: ${url}\n`);
  const where = targets.length === 0 ? ['--base-url', url] : targets.flatMap((name) => ['--target', `${name}.yaml`]);
  const args = ['-c', shellScript, 'sh', process.execPath, commandLine];
  const shell = spawn('sh', [...args, 'certify', ...where, '--out', 'out'], {
    cwd,
    env: { PATH: process.env.PATH, ...credentialVariables },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => shell.on('exit', (...by) => resolve(by)));
  group = shell.pid ?? 0;
  command = await new Promise<number>((resolve) => {
    shell.stdout.setEncoding('utf8').once('data', (text: string) => resolve(Number.parseInt(text, 10)));
  });
  // As with a closed terminal, output fails from now on.
  shell.stdout.destroy();
  const by = await ended;
  await expect.poll(() => isRunning(group), { timeout: 60_000 }).toBe(false);
  await close();
  return { cwd, url, by };
}

/** Whether a process of a group is running. */
function isRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
