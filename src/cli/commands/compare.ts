import type { ConfigureCommand } from '../command.js';
import { exitStatus } from '../exit-status.js';

const configure: ConfigureCommand = (command, end) => {
  command
    .description('shows in which requirements and questions certificates differ')
    .argument('<certificate>', 'a certificate.json')
    .argument('<certificates...>', 'others')
    .action(async (first: string, others: string[]) => {
      const { readCertificate } = await import('../../report/certificate-file.js');
      const { comparisonTable, differences } = await import('../../report/compare.js');
      const certificates = [first, ...others].map(readCertificate);
      process.stdout.write(comparisonTable(certificates));
      end(differences(certificates).length === 0 ? exitStatus.conforms : exitStatus.drift);
    });
};

export default configure;
