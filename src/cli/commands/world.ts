import { listOwnFiles } from '../../cases/suite.js';
import { exportWorld } from '../../contract/world.js';
import { loadWorld } from '../../contract/world-file.js';
import type { ConfigureCommand } from '../flags.js';

export default ((command) => {
  command
    .description('print the test data that the cases need in a deployment, as JSON')
    .option('--cases <folder>', 'also print the data that your own cases need')
    .action(({ cases }: { cases?: string }) => {
      const additions = cases === undefined ? undefined : listOwnFiles(cases).world;
      process.stdout.write(`${JSON.stringify(exportWorld(loadWorld(additions)), null, 2)}\n`);
    });
}) satisfies ConfigureCommand;
