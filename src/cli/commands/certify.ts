import type { Command } from 'commander';
import { addCertifyFlags, type CertifyFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end, countAfterDashes) => {
  addCertifyFlags(command)
    .description('run the cases; on the reference deployment if the environment names no deployment')
    .action(async (args: string[], _: CertifyFlags, self: Command) => {
      const { runCertify } = await import('../certify-action.js');
      end(await runCertify(args, countAfterDashes, self));
    });
};

export default configure;
