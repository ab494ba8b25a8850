import { rmSync } from 'node:fs';
import path from 'node:path';
import { renderShard, type Shard } from '../engine/shard.js';
import { UnusableInput } from '../support/problem.js';
import { setVariables } from './flags.js';

/** Within the folder of the results: the reports of shards, for `merge`. */
const reportsFolder = 'shards';

/**
 * Has the report of a shard written, which `merge` puts together with those of the others.
 *
 * @param out the folder of the results
 * @param args that the user has for Playwright
 * @returns more arguments for Playwright
 * @throws UnusableInput where they divide the tests, too
 */
export function keepShardReport(shard: Shard, out: string, args: readonly string[]): string[] {
  if (args.some((arg) => /^--shard(=|$)/.test(arg))) {
    const hint = 'Leave out that behind --, which divides by the number of tests.';
    throw new UnusableInput([{ at: { setting: '--shard' }, message: 'stands before -- and behind it', hint }]);
  }
  const file = path.resolve(out, reportsFolder, `${renderShard(shard).replace('/', '-of-')}.zip`);
  // Where this run comes to none, that of an earlier one is not to be taken for it.
  rmSync(file, { force: true });
  setVariables({ PLAYWRIGHT_BLOB_OUTPUT_FILE: file });
  const isNamed = args.some((arg) => /(^|[=,])blob(,|$)/.test(arg));
  // Of more machines than there is work for, some have nothing to do.
  return ['--pass-with-no-tests', ...(isNamed ? [] : ['--add-reporter=blob'])];
}

/** What a shard says at its end. @param out the folder of the results, where its report lies in it */
export function renderShardEnd(
  { isDone, ...shard }: Shard & { readonly isDone: boolean },
  out: string | undefined,
): string {
  const did = isDone ? 'did its part' : 'did not do all of its part';
  const folder = out === undefined ? 'FOLDER, where their blob reports are' : path.join(out, reportsFolder);
  return `Shard ${renderShard(shard)} ${did}. What all shards come to is decided by: npx conformance merge ${folder}`;
}
