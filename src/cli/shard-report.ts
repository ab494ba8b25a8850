import { rmSync } from 'node:fs';
import path from 'node:path';
import { renderShard, type Shard } from '../engine/shard.js';
import { UnusableInput } from '../support/problem.js';

/** In the folder of the results: the reports of shards, for `merge`. */
const reportsFolder = 'shards';

/**
 * Lets Playwright write the report of a shard, which `merge` reads.
 *
 * @param out the folder of the results
 * @param args of the user for Playwright
 * @returns more arguments for Playwright
 * @throws UnusableInput if the user's arguments divide the tests, too
 */
export function keepShardReport(shard: Shard, out: string, args: readonly string[]): string[] {
  if (args.some((arg) => /^--shard(=|$)/.test(arg))) {
    const hint = 'Leave out the flag after --, which divides by the number of tests.';
    throw new UnusableInput([{ at: { setting: '--shard' }, message: 'is given before and after --', hint }]);
  }
  const file = path.resolve(out, reportsFolder, `${renderShard(shard).replace('/', '-of-')}.zip`);
  // If this run fails, nobody must merge the report of an earlier one.
  rmSync(file, { force: true });
  process.env.PLAYWRIGHT_BLOB_OUTPUT_FILE = file;
  const hasBlobReporter = args.some((arg) => /(^|[=,])blob(,|$)/.test(arg));
  // With more shards than cases, some have nothing to run.
  return ['--pass-with-no-tests', ...(hasBlobReporter ? [] : ['--add-reporter=blob'])];
}

/** What a shard prints at its end. @param out the folder of the results */
export function renderShardEnd({ isDone, ...shard }: Shard & { readonly isDone: boolean }, out: string): string {
  const state = isDone ? 'is done' : 'is not complete';
  const folder = path.join(out, reportsFolder);
  return `Shard ${renderShard(shard)} ${state}. For the verdict of all shards: npx conformance merge ${folder}`;
}
