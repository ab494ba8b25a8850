import { Option } from 'commander';
import { findOwnWorld } from '../../cases/suite.js';
import { loadWorld } from '../../contract/world-file.js';
import { type WorldFormat, worldFormats } from '../../contract/world-formats.js';
import type { ConfigureCommand } from '../command.js';

export default ((command) => {
  command
    .description('print the test data that the cases need in a deployment')
    .addOption(
      new Option('--format <format>', `of the output: ${Object.keys(worldFormats).join(', ')}`)
        .choices(Object.keys(worldFormats))
        .default('json'),
    )
    .option('--cases <folder>', 'also print the data that your own cases need')
    .action(({ format, cases }: { format: WorldFormat; cases?: string }) => {
      const additions = cases === undefined ? undefined : findOwnWorld(cases);
      process.stdout.write(worldFormats[format](loadWorld(additions)));
    });
}) satisfies ConfigureCommand;
