import { findRunFile } from '../../report/result-files.js';
import { createSignatureChecker } from '../../report/signature.js';
import { joinLines } from '../../support/untrusted-text.js';
import { verifyCertificate } from '../../targets/verify-certificate.js';
import type { ConfigureCommand } from '../command.js';
import { exitStatus } from '../exit-status.js';

export default ((command, end) => {
  command
    .description('check a certificate: judge its evidence again and send nothing')
    .argument('<certificate>', 'a certificate.json with its evidence in the same folder, or that folder')
    .option('--cases <folder>', 'with the own cases of the run: the evidence does not contain them')
    .option('--key <file>', 'also check the signature with this public key (Ed25519, PEM)')
    .action(async (named: string, { cases, key }: { cases?: string; key?: string }) => {
      const file = findRunFile(named, 'certificate.json');
      const checkSignature = key === undefined ? undefined : createSignatureChecker(key);
      const { broken, notes, certificate } = await verifyCertificate(file, { cases, checkSignature });
      const isWhole = broken.length === 0;
      const signed = key === undefined ? '' : `; the signature is that of ${key}`;
      const state = isWhole ? `WHOLE  ${file}: ${certificate?.verdict}${signed}` : `BROKEN  ${file}`;
      process.stdout.write(joinLines([state, ...broken.map((line) => `  ${line}`), ...notes]));
      end(isWhole ? exitStatus.conforms : exitStatus['does-not-conform']);
    });
}) satisfies ConfigureCommand;
