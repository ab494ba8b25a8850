import { Option } from 'commander';
import { type WorldFormat, worldFormats } from '../../world/formats.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('prints the data that the cases presuppose in a deployment')
    .addOption(new Option('--format <format>').choices(Object.keys(worldFormats)).default('json'))
    .action(async ({ format }: { format: WorldFormat }) => {
      const { loadWorld } = await import('../../world/world-file.js');
      process.stdout.write(worldFormats[format](loadWorld()));
    });
};

export default configure;
