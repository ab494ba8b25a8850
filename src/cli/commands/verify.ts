import { findRunFile } from '../../report/result-files.js';
import { joinLines } from '../../support/untrusted-text.js';
import { verifyCertificate } from '../../targets/verify-certificate.js';
import type { ConfigureCommand } from '../command.js';
import { exitStatus } from '../exit-status.js';

export default ((command, end) => {
  command
    .description('judge the evidence of a run again, and say what differs from the certificate; nothing is sent')
    .argument('<certificate>', 'a certificate.json with its evidence in the same folder, or that folder')
    .option('--cases <folder>', 'with your own cases of the run (default: the folder that the certificate names)')
    .action(async (named: string, { cases }: { cases?: string }) => {
      const file = findRunFile(named, 'certificate.json');
      const { certificate, differences, note } = await verifyCertificate(file, cases);
      const isSame = differences.length === 0;
      const headline = isSame ? `AGREES  ${file}: ${certificate.verdict}` : `DIFFERS  ${file}`;
      const lines = [headline, ...differences.map((line) => `  ${line}`), ...(note === undefined ? [] : [note])];
      process.stdout.write(joinLines(lines));
      end(isSame ? exitStatus.conforms : exitStatus['does-not-conform']);
    });
}) satisfies ConfigureCommand;
