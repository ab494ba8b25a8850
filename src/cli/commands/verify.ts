import type { ConfigureCommand } from '../command.js';

export default ((command, end) => {
  command
    .description('check a certificate: judge its evidence again and send nothing')
    .argument('<certificate>', 'a certificate.json with its evidence in the same folder, or that folder')
    .option('--cases <folder>', 'with the own cases of the run: the evidence does not contain them')
    .option('--key <file>', 'also check the signature with this public key (Ed25519, PEM)')
    .action(async (certificate: string, flags: { cases?: string; key?: string }) => {
      const { runVerify } = await import('../verify-action.js');
      end(await runVerify(certificate, flags));
    });
}) satisfies ConfigureCommand;
