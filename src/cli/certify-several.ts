import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { refuse } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import { loadInputs } from '../target/recorded-run.js';
import { createFolderName } from '../target/settings.js';
import { readTargetFile } from '../target/target-file.js';
import { type CertifyFlags, readCertifyOptions } from './certify-flags.js';
import { printComparison } from './commands/compare.js';
import { exitStatus, findWorstStatus } from './exit-status.js';

/**
 * Certifies several targets one after another, each in a process of its own, and compares their certificates.
 *
 * @param args for each run: the flags but --target and --out, and the arguments for Playwright
 * @returns the worst exit status
 * @throws UnusableInput before anything is sent
 */
export async function certifySeveral(flags: CertifyFlags, args: readonly string[]): Promise<number> {
  const single = ['--base-url', '--replay', '--to'].find((flag) => args.includes(flag));
  if (single !== undefined) throw refuse(single, 'works with a single target only', 'Name one target.');
  const runs = listRuns(flags);
  const script = path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js');
  const statuses: number[] = [];
  const certificates: string[] = [];
  let isStopped = false;
  let child: ChildProcess | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      isStopped = true;
      // A terminal sends SIGINT to the child, too. A second one would end it without a certificate.
      if (signal === 'SIGTERM') child?.kill(signal);
    });
  for (const { file, out, env } of runs) {
    if (isStopped) break;
    process.stdout.write(joinLines([`Target ${file}`]));
    const command = [script, 'certify', '--target', file, '--out', out, ...args];
    child = spawn(process.execPath, command, { stdio: 'inherit', env });
    const [code] = (await once(child, 'close')) as [number | null];
    const status = code ?? exitStatus.unusableInput;
    statuses.push(status);
    process.stdout.write('\n');
    // Without a verdict, the certificate in the folder is that of an earlier run.
    if (status === exitStatus.unusableInput || status === exitStatus.internalError) continue;
    certificates.push(out);
  }
  if (certificates.length > 1 && !flags.dryRun && !args.includes('--list')) printComparison(certificates);
  return findWorstStatus(statuses);
}

function listRuns(flags: CertifyFlags) {
  const byFolder = new Map<string, { readonly file: string; readonly out: string; readonly env: NodeJS.ProcessEnv }>();
  for (const file of flags.target ?? []) {
    const options = readCertifyOptions({ ...flags, target: [file] });
    const env = createEnvironment(file);
    const { target } = loadInputs(options, env).settings;
    const out = path.join(options.out ?? 'results', createFolderName(target.name));
    const twin = byFolder.get(out)?.file;
    if (twin !== undefined)
      throw refuse(file, `has the same name as ${twin}, so both would write to ${out}`, 'Rename one of them.');
    byFolder.set(out, { file, out, env });
  }
  return [...byFolder.values()];
}

/**
 * Creates the environment of a target. CLIENT_APPLICATION_ID and CLIENT_TOKEN win over a target file, so they are unset
 * if it names other variables: they may be the credentials of another target.
 */
function createEnvironment(target: string): NodeJS.ProcessEnv {
  const { application_id, token } = readTargetFile({ target })?.document.credentials ?? {};
  const references = { CLIENT_APPLICATION_ID: application_id, CLIENT_TOKEN: token };
  const unset = Object.entries(references).filter(([name, reference]) => (reference ?? `$${name}`) !== `$${name}`);
  return { ...process.env, ...Object.fromEntries(unset.map(([name]) => [name, ''])) };
}
