import { collectList } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end) => {
  command
    .description('makes one certificate of the reports that the shards of a run left')
    .option('--out <folder>', 'for the results; that of the shards unless given')
    .option(
      '--reporter <name>',
      'of Playwright, such as html, for the tests of all shards; may be repeated',
      collectList,
    )
    .argument('<folder>', 'that has the reports of all shards, such as results/<target>/shards')
    .action(async (folder: string, flags: { out?: string; reporter?: readonly string[] }) => {
      const { mergeShards } = await import('../merge-action.js');
      end(await mergeShards(folder, flags));
    });
};

export default configure;
