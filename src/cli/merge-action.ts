import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beginRun, readEnding, shareEnding } from '../playwright/run-state.js';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { runVariables } from '../targets/environment.js';
import { mapEndingToExitStatus, reportMissingCertificate } from './certify-action.js';
import { setVariables } from './flags.js';
import { certificateReporterFile, handOverToPlaywright } from './run-playwright.js';

/**
 * Makes one certificate, with all that belongs to it, of the reports of all shards of a run. Nothing is sent, and
 * neither target file nor credentials are needed: the reports say what the shards went by.
 *
 * @param folder that has their blob reports, in it or in folders of it
 * @param out the folder for the results; that of the shards unless given
 * @param reporters of Playwright, which show the merged tests
 * @returns the exit status, as that of a run on one machine
 */
export async function mergeShards(
  folder: string,
  { out, reporter: reporters = [] }: { readonly out?: string; readonly reporter?: readonly string[] },
): Promise<number> {
  beginRun();
  const reports = reportsIn(folder);
  if (reports.length === 0) {
    const hint = 'Name the folder of the reports that certify --shard 1/3, 2/3 and so on left.';
    throw new UnusableInput([{ at: { setting: folder }, message: 'has no report of a shard (a .zip file)', hint }]);
  }
  // Playwright unpacks reports where they lie, and knows no folders within folders.
  const together = mkdtempSync(path.join(tmpdir(), 'conformance-merge-'));
  try {
    for (const [n, report] of reports.entries()) cpSync(report, path.join(together, `${n}.zip`));
    // The package may be installed elsewhere on each machine.
    const config = path.join(together, 'merge.config.mjs');
    const testDir = path.join(packageRoot, 'dist', 'specs');
    writeFileSync(config, `export default ${JSON.stringify({ testDir })};\n`);
    setVariables({ [runVariables.merge]: folder, [runVariables.out]: out });
    const unshare = shareEnding();
    const shown = [certificateReporterFile, ...reporters].join(',');
    return await handOverToPlaywright(['merge-reports', '--config', config, '--reporter', shown, together], (code) => {
      const ending = readEnding();
      unshare();
      rmSync(together, { recursive: true, force: true });
      return ending === undefined ? reportMissingCertificate(code) : mapEndingToExitStatus(ending);
    });
  } finally {
    rmSync(together, { recursive: true, force: true });
  }
}

function reportsIn(folder: string): string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // So are traces, where results are kept whole.
      .filter((name) => name.endsWith('.zip') && path.basename(name) !== 'trace.zip')
      .sort()
      .map((name) => path.join(folder, name))
  );
}
