import { rmSync } from 'node:fs';
import path from 'node:path';
import { quote } from 'shlex';
import { renderShard, type Shard } from '../engine/shard.js';
import { joinLines } from '../support/untrusted-text.js';

/** In the folder of the results: the reports of shards, for `merge`. */
const reportsFolder = 'shards';

/**
 * Lets Playwright write the report of a shard, which `merge` reads.
 *
 * @param out the folder of the results
 * @returns more arguments for Playwright
 */
export function keepShardReport(shard: Shard, out: string): string[] {
  const file = path.resolve(out, reportsFolder, `${renderShard(shard).replace('/', '-of-')}.zip`);
  // If this run fails, nobody must merge the report of an earlier one.
  rmSync(file, { force: true });
  process.env.PLAYWRIGHT_BLOB_OUTPUT_FILE = file;
  // With more shards than cases, some have nothing to run.
  return ['--pass-with-no-tests', '--add-reporter=blob'];
}

/** What a shard prints at its end. @param isDone whether it judged all of its cases @param out the folder of the results */
export function renderShardSummary(shard: Shard, isDone: boolean, out: string): string {
  const command = `npx conformance merge ${quote(path.join(out, reportsFolder))}`;
  return joinLines([
    '',
    `Shard ${renderShard(shard)} ${isDone ? 'is done' : 'is not complete'}. For the verdict of all shards: ${command}`,
  ]);
}
