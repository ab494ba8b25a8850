import { Argument } from 'commander';
import type { ConfigureCommand } from '../command.js';
import { type ListedKind, listedKinds } from '../listed-kinds.js';

export default ((command) => {
  command
    .description('list requirements, questions with their outcomes, cases, tags, behaviours, faults or outputs')
    .addArgument(new Argument('[kind]', 'what to list (default: how many there are of each kind)').choices(listedKinds))
    .option('--json', 'print JSON; without a kind, of all kinds')
    .option('--cases <folder>', 'a folder of your own cases')
    .action(async (kind: ListedKind | undefined, flags: { json?: true; cases?: string }) => {
      const { printList } = await import('../list-action.js');
      printList(kind, flags);
    });
}) satisfies ConfigureCommand;
