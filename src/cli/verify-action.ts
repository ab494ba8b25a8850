import { findRunFile } from '../report/result-files.js';
import { createSignatureChecker } from '../report/signature.js';
import { joinLines } from '../support/untrusted-text.js';
import { verifyCertificate } from '../targets/verify-certificate.js';
import { exitStatus } from './exit-status.js';

/**
 * Verifies a certificate and prints what is broken.
 *
 * @param named the certificate, or the folder of its run
 * @param cases the folder of the user's own cases
 * @param key the file of a public key that checks the signature
 * @returns the exit status
 * @throws UnusableInput if certificate or key cannot be read
 */
export async function runVerify(
  named: string,
  { cases, key }: { readonly cases?: string; readonly key?: string },
): Promise<number> {
  const file = findRunFile(named, 'certificate.json');
  const checkSignature = key === undefined ? undefined : createSignatureChecker(key);
  const { broken, notes, certificate } = await verifyCertificate(file, { cases, checkSignature });
  const isWhole = broken.length === 0;
  const signed = key === undefined ? '' : `; the signature is that of ${key}`;
  const state = isWhole ? `WHOLE  ${file}: ${certificate?.verdict}${signed}` : `BROKEN  ${file}`;
  process.stdout.write(joinLines([state, ...broken.map((line) => `  ${line}`), ...notes]));
  return isWhole ? exitStatus.conforms : exitStatus['does-not-conform'];
}
