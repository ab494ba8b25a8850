import { addCertifyFlags, type CertifyFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end, behind) => {
  addCertifyFlags(command)
    .description('runs the cases, and writes a record of what the target does where nothing is documented')
    .requiredOption('--to <file>', 'where the record goes')
    .option('--update', 'shows what differs from the record that is there, and accepts it')
    .action(async (args: string[], flags: CertifyFlags) => {
      const { runCertify: certify } = await import('../certify-action.js');
      end(await certify(args, behind, flags));
    });
};

export default configure;
