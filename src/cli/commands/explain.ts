import { Option } from 'commander';
import type { ConfigureCommand } from '../command.js';
import { parseCount } from '../flags.js';

export default ((command) => {
  command
    .description('explain a case: what it sends, what the documentation says about that, and what is expected')
    .argument('<case>', 'the id of a case or a question')
    .addOption(new Option('--row <number>', 'show this row of the matrix in full').argParser(parseCount))
    .option('--target <file>', 'a target file, whose ids are shown (environment: TARGET)')
    .option('--cases <folder>', 'a folder of your own cases')
    .action(async (id: string, flags: { row?: number; target?: string; cases?: string }) => {
      const { explainCase } = await import('../explain-action.js');
      explainCase(id, flags);
    });
}) satisfies ConfigureCommand;
