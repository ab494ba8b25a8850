import { collectList } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

export default ((command, end) => {
  command
    .description('create one certificate from the reports of all shards of a run')
    .option('--out <folder>', 'for the results (default: results/<target>)')
    .option('--reporter <name>', 'of Playwright, such as html; may be repeated', collectList)
    .argument('<folder>', 'with the reports of all shards, such as results/<target>/shards')
    .action(async (folder: string, flags: { out?: string; reporter?: readonly string[] }) => {
      const { mergeShards } = await import('../merge-action.js');
      end(await mergeShards(folder, flags));
    });
}) satisfies ConfigureCommand;
