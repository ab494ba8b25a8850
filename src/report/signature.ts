/**
 * A detached signature over a certificate and its evidence: Ed25519 (RFC 8032) over a text with the digests of both, so
 * that a check can name the file that was changed.
 */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describeFileError } from '../support/describe-file-error.js';
import { parseJson } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import { loadValidator } from '../support/schema-validation.js';
import { computeDigest } from './har-archive.js';

/** The content of the files that are signed together. */
export interface SignedFiles {
  readonly certificate: Buffer;
  readonly evidence: Buffer;
}

/** Signs files. @returns the text of the signature file */
export type Signer = (files: SignedFiles) => string;

/** Checks a signature. @returns what was changed since it was made, a sentence each */
export type SignatureChecker = (signature: Buffer, files: SignedFiles) => string[];

/** The content of a signature file. Its schema is `schemas/signature.schema.json`. */
interface Signature {
  readonly algorithm: 'Ed25519';
  /** Digest of the public key (DER of its SubjectPublicKeyInfo, RFC 8410). */
  readonly key: string;
  readonly certificate: string;
  readonly evidence: string;
  /** In base64. */
  readonly signature: string;
}

/** Creates the text that is signed. No other text that the key may sign begins like it. */
function createStatement({ certificate, evidence }: Pick<Signature, 'certificate' | 'evidence'>): Buffer {
  return Buffer.from(`promotion-validation-conformance 1\ncertificate ${certificate}\nevidence ${evidence}\n`);
}

/**
 * Creates a signer.
 *
 * @param file an unencrypted Ed25519 key in PEM (PKCS #8)
 * @throws UnusableInput if the file has no such key; the message shows nothing of its content
 */
export function createSigner(file: string): Signer {
  const key = readKey(file, '--sign');
  return (files) => {
    const digests = { certificate: computeDigest(files.certificate), evidence: computeDigest(files.evidence) };
    const signature: Signature = {
      algorithm: 'Ed25519',
      key: computeFingerprint(createPublicKey(key)),
      ...digests,
      signature: sign(null, createStatement(digests), key).toString('base64'),
    };
    return `${JSON.stringify(signature, null, 2)}\n`;
  };
}

/**
 * Creates a checker of signatures.
 *
 * @param file an Ed25519 public key in PEM
 * @throws UnusableInput if the file has no such key
 */
export function createSignatureChecker(file: string): SignatureChecker {
  const key = readKey(file, '--key');
  return (content, files) => {
    const stated = parseJson(content.toString('utf8'));
    if (!loadValidator('signature')(stated)) return ['signature: is not a signature file of this suite.'];
    const signature = stated as Signature;
    if (signature.key !== computeFingerprint(key)) return [`signature: was made with another key, ${signature.key}.`];
    if (!verify(null, createStatement(signature), key, Buffer.from(signature.signature, 'base64')))
      return ['signature: was changed.'];
    return (['certificate', 'evidence'] as const).flatMap((each) =>
      computeDigest(files[each]) === signature[each] ? [] : [`${each}: was changed since it was signed.`],
    );
  };
}

function computeFingerprint(key: KeyObject): string {
  return computeDigest(key.export({ type: 'spki', format: 'der' }));
}

const commands = {
  '--sign': 'openssl genpkey -algorithm ed25519 -out key.pem',
  '--key': 'openssl pkey -in key.pem -pubout -out pub.pem',
} as const;

/** Reads a key. @param flag names the file and says which kind of key is wanted */
function readKey(file: string, flag: keyof typeof commands): KeyObject {
  const refuse = (message: string) =>
    new UnusableInput([{ at: { setting: `${flag} ${file}` }, message, hint: `Make one: ${commands[flag]}` }]);
  const isPrivate = flag === '--sign';
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refuse(describeFileError(error));
  }
  try {
    // Node.js would derive the public key from a private one.
    if (text.includes('PRIVATE KEY-----') === isPrivate) {
      const key = isPrivate ? createPrivateKey(text) : createPublicKey(text);
      if (key.asymmetricKeyType === 'ed25519') return key;
    }
  } catch {
    // The message of the error may quote the file.
  }
  throw refuse(`has no ${isPrivate ? 'unencrypted private' : 'public'} key (Ed25519, PEM)`);
}
