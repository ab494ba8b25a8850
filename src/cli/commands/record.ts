import type { Command } from 'commander';
import { addCertifyFlags, type CertifyFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end, countAfterDashes) => {
  addCertifyFlags(command)
    .description('run the cases and write a record: what the target does where the documentation is silent')
    .requiredOption('--to <file>', 'where to write the record')
    .option('--update', 'show the differences from the existing record, and accept them')
    .action(async (args: string[], _: CertifyFlags, self: Command) => {
      const { runCertify } = await import('../certify-action.js');
      end(await runCertify(args, countAfterDashes, self));
    });
};

export default configure;
