import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { readCertificate, temporaryFolder } from './support/cli.js';
import { suite } from './support/in-process.js';
import { independentDeployment, listen } from './support/independent.js';

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} leaves a certificate of what was judged, and no process`, async () => {
    const { folder: cwd, remove } = temporaryFolder();
    const answer = independentDeployment(suite.world);
    let received = 0;
    let child: ReturnType<typeof spawn> | undefined;
    const { url, close } = await listen((request) => {
      received += 1;
      // To the whole group, as a terminal does with Ctrl-C; SIGTERM goes to the command alone.
      if (received === 60 && child?.pid !== undefined)
        process.kill(signal === 'SIGINT' ? -child.pid : child.pid, signal);
      return answer(request);
    });
    const env = {
      PATH: process.env.PATH,
      CLIENT_APPLICATION_ID: 'an-application',
      CLIENT_TOKEN: 'a-token-of-the-test',
    };
    const args = [
      path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js'),
      'certify',
      '--base-url',
      url,
      '--out',
      'out',
    ];
    child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: 'ignore' });
    const { pid } = child;
    const status = await new Promise((resolve) => child?.on('exit', resolve));
    expect(status).toBe(4);
    const certificate = readCertificate(cwd, 'out');
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because?.join()).toContain('interrupted');
    expect(certificate.requirements.some(({ verdict }) => verdict === 'pass')).toBe(true);
    expect(() => process.kill(-(pid ?? 0), 0)).toThrow('ESRCH');
    await close();
    remove();
  });
}
