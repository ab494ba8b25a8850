import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getEnding } from '../../playwright/ending.js';
import { getRunFile, leaveRunFolder } from '../../playwright/run-folder.js';
import { shareRun } from '../../playwright/run-inputs.js';
import { packageRoot } from '../../support/package-root.js';
import { refuse } from '../../support/problem.js';
import { collectList } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';
import { determineEndStatus } from '../exit-status.js';
import { certificateReporterFile, runPlaywright } from '../run-playwright.js';

interface MergeFlags {
  readonly out?: string;
  readonly reporter?: readonly string[];
}

export default ((command) => {
  command
    .description('create one certificate from the reports of all shards of a run')
    .option('--out <folder>', 'for the results (default: results/<target>)')
    .option('--reporter <name>', 'of Playwright, such as html; may be repeated', collectList)
    .argument('<folder>', 'with the reports of all shards, such as results/<target>/shards')
    .action(mergeShards);
}) satisfies ConfigureCommand;

/**
 * Creates one certificate from the reports of all shards of a run. It sends nothing, and needs neither target file nor
 * credentials: the reports contain the settings.
 *
 * @param folder with the blob reports, or with folders of them
 * @param out the folder for the results; by default that of the target
 * @param reporters of Playwright that show the merged tests
 */
async function mergeShards(folder: string, { out, reporter: reporters = [] }: MergeFlags): Promise<never> {
  leaveRunFolder();
  const reports = listReports(folder);
  if (reports.length === 0) {
    const hint = 'Name the folder with the reports that `certify --shard 1/3` (2/3, 3/3) wrote.';
    throw refuse(folder, 'has no report of a shard (a .zip file)', hint);
  }
  shareRun({ merge: folder, ...(out === undefined ? {} : { out }) });
  // Playwright unpacks reports beside the originals, and reads no nested folders.
  const together = getRunFile('reports');
  for (const [n, report] of reports.entries()) cpSync(report, path.join(together, `${n}.zip`));
  // The package may be installed elsewhere on each machine.
  const config = getRunFile('merge.config.mjs');
  const testDir = path.join(packageRoot, 'dist', 'specs');
  writeFileSync(config, `export default ${JSON.stringify({ testDir })};\n`);
  const shown = [certificateReporterFile, ...reporters].join(',');
  return await runPlaywright(['merge-reports', '--config', config, '--reporter', shown, together], (code) =>
    determineEndStatus(getEnding(), code),
  );
}

function listReports(folder: string): string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // Folders of whole results contain traces, too.
      .filter((name) => name.endsWith('.zip') && path.basename(name) !== 'trace.zip')
      .sort()
      .map((name) => path.join(folder, name))
  );
}
