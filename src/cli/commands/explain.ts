import { Option } from 'commander';
import type { ConfigureCommand } from '../command.js';
import { parseCount } from '../flags.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('says in plain words what a case sends, what the documentation says of it, and what is expected')
    .argument('<case>', 'the id of a case, or of a question')
    .addOption(new Option('--row <number>', 'shows this row of its matrix').argParser(parseCount))
    .option('--target <file>', 'a target file: with the ids of that deployment (environment: TARGET)')
    .option('--cases <folder>', 'cases of your own, beside those of the suite')
    .action(async (id: string, flags: { row?: number; target?: string; cases?: string }) => {
      const { explainCase: explain } = await import('../explain-action.js');
      explain(id, flags);
    });
};

export default configure;
