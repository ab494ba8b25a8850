import { rmSync } from 'node:fs';
import path from 'node:path';
import { quote } from 'shlex';
import { renderShard, type Shard } from '../engine/shard.js';

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

/** What a shard prints at its end. @param out the folder of the results */
export function renderShardSummary({ isDone, ...shard }: Shard & { readonly isDone: boolean }, out: string): string {
  const state = isDone ? 'is done' : 'is not complete';
  const folder = path.join(out, reportsFolder);
  return `Shard ${renderShard(shard)} ${state}. For the verdict of all shards: npx conformance merge ${quote(folder)}`;
}
