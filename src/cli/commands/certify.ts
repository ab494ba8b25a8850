import { addCertifyFlags, type CertifyFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end, behind) => {
  addCertifyFlags(command)
    .description('runs the cases; where nothing names a deployment, on the reference deployment')
    .action(async (args: string[], flags: CertifyFlags) => {
      const { runCertify: certify } = await import('../certify-action.js');
      end(await certify(args, behind, flags));
    });
};

export default configure;
