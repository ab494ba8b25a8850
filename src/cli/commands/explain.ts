import { Option } from 'commander';
import type { ConfigureCommand } from '../command.js';
import { parseCount } from '../flags.js';

export default ((command) => {
  command
    .description('explain what a case sends, what the documentation says about that, and what is expected')
    .argument('<name>', 'the id of a case, requirement or question, a tag or a group')
    .addOption(new Option('--row <number>', 'show this row of the matrix in full').argParser(parseCount))
    .option('--target <file>', 'a target file, whose ids are shown (environment: TARGET)')
    .option('--cases <folder>', 'a folder of your own cases')
    .action(async (name: string, flags: { row?: number; target?: string; cases?: string }) => {
      const { explainName } = await import('../explain-action.js');
      explainName(name, flags);
    });
}) satisfies ConfigureCommand;
