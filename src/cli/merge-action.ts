import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEnding } from '../playwright/ending.js';
import { leaveRunFolder } from '../playwright/run-folder.js';
import { shareRunOptions } from '../playwright/run-inputs.js';
import { describeFileError } from '../support/describe-file-error.js';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { mapEndingToExitStatus, reportMissingCertificate } from './exit-status.js';
import { certificateReporterFile, runPlaywright } from './run-playwright.js';

const hint = 'Name the folder with the reports that `certify --shard 1/3` (2/3, 3/3) wrote.';

/**
 * Creates one certificate from the reports of all shards of a run. It sends nothing, and needs neither target file nor
 * credentials: the reports contain the settings.
 *
 * @param folder with the blob reports, or with folders of them
 * @param out the folder for the results; by default that of the target
 * @param reporters of Playwright that show the merged tests
 */
export async function mergeShards(
  folder: string,
  { out, reporter: reporters = [] }: { readonly out?: string; readonly reporter?: readonly string[] },
): Promise<never> {
  leaveRunFolder();
  const reports = listReports(folder);
  if (reports.length === 0)
    throw new UnusableInput([{ at: { setting: folder }, message: 'has no report of a shard (a .zip file)', hint }]);
  // Playwright unpacks reports beside the originals, and reads no nested folders.
  const together = mkdtempSync(path.join(tmpdir(), 'conformance-merge-'));
  for (const [n, report] of reports.entries()) cpSync(report, path.join(together, `${n}.zip`));
  // The package may be installed elsewhere on each machine.
  const config = path.join(together, 'merge.config.mjs');
  const testDir = path.join(packageRoot, 'dist', 'specs');
  writeFileSync(config, `export default ${JSON.stringify({ testDir })};\n`);
  const unshare = shareRunOptions({ merge: folder, ...(out === undefined ? {} : { out }) });
  const shown = [certificateReporterFile, ...reporters].join(',');
  return await runPlaywright(['merge-reports', '--config', config, '--reporter', shown, together], (code) => {
    const ending = readEnding();
    unshare();
    rmSync(together, { recursive: true, force: true });
    return ending === undefined ? reportMissingCertificate(code) : mapEndingToExitStatus(ending);
  });
}

function listReports(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    throw new UnusableInput([{ at: { setting: folder }, message: describeFileError(error, 'cannot be used'), hint }]);
  }
  return (
    names
      // Folders of whole results contain traces, too.
      .filter((name) => name.endsWith('.zip') && path.basename(name) !== 'trace.zip')
      .sort()
      .map((name) => path.join(folder, name))
  );
}
