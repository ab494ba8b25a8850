import { addCertifyFlags, type CertifyFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

export default ((command, end, playwrightArgs) => {
  addCertifyFlags(command)
    .description('run the cases; on the reference deployment if the environment names no deployment')
    .action(async (args: string[], flags: CertifyFlags) => {
      const { runCertify } = await import('../certify-action.js');
      end(await runCertify(args, playwrightArgs, flags, command));
    });
}) satisfies ConfigureCommand;
