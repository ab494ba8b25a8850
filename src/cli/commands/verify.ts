import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end) => {
  command
    .description('says whether a certificate is whole: judges its evidence again, and sends nothing')
    .argument('<certificate>', 'a certificate.json, with its evidence beside it')
    .option('--key <file>', 'the public key (Ed25519, PEM) of whoever signed it')
    .action(async (certificate: string, flags: { key?: string }) => {
      const { runVerify: verify } = await import('../verify-action.js');
      end(await verify(certificate, flags.key));
    });
};

export default configure;
