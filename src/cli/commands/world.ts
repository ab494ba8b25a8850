import { pickWorldLists } from '../../contract/world.js';
import { loadWorld } from '../../contract/world-file.js';
import type { ConfigureCommand } from '../flags.js';

export default ((command) => {
  command.description('print the test data that the cases need in a deployment, as JSON').action(() => {
    process.stdout.write(`${JSON.stringify(pickWorldLists(loadWorld()), null, 2)}\n`);
  });
}) satisfies ConfigureCommand;
