import { Option } from 'commander';
import { type WorldFormat, worldFormats } from '../../world/world-formats.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('prints the data that the cases presuppose in a deployment')
    .addOption(new Option('--format <format>').choices(Object.keys(worldFormats)).default('json'))
    .option('--cases <folder>', 'with what cases of your own presuppose')
    .action(async ({ format, cases }: { format: WorldFormat; cases?: string }) => {
      const { loadWorld } = await import('../../world/world-file.js');
      const additions = cases === undefined ? undefined : (await import('../../cases/suite.js')).findOwnWorld(cases);
      process.stdout.write(worldFormats[format](loadWorld(undefined, additions)));
    });
};

export default configure;
