import { type CertifyFlags, certifyFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end, behind) => {
  certifyFlags(command)
    .description('runs the cases; where nothing names a deployment, on the reference deployment')
    .action(async (args: string[], flags: CertifyFlags) => {
      const { certify } = await import('../certifying.js');
      end(await certify(args, behind, flags));
    });
};

export default configure;
