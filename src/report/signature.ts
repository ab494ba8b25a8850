/**
 * A detached signature over a certificate and its evidence: Ed25519 (RFC 8032) over a text with the digests of both, so
 * that a check can name the file that was changed.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
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

function formatSignature({ algorithm, key, certificate, evidence, signature }: Signature): string {
  return `${JSON.stringify({ algorithm, key, certificate, evidence, signature }, null, 2)}\n`;
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
    const signature = sign(null, createStatement(digests), key).toString('base64');
    const fingerprint = computeFingerprint(createPublicKey(key));
    return formatSignature({ algorithm: 'Ed25519', key: fingerprint, ...digests, signature });
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
    const text = content.toString('utf8');
    const stated = parseJson(text);
    if (!loadValidator('signature')(stated)) return ['signature: is not a signature file of this suite.'];
    const read = stated as Signature;
    const signature = Buffer.from(read.signature, 'base64');
    const fingerprint = computeFingerprint(key);
    if (!verify(null, createStatement(read), key, signature))
      return [
        read.key === fingerprint ? 'signature: was changed.' : `signature: was made with another key, ${read.key}.`,
      ];
    // Several texts have the same meaning in base64 and in JSON.
    const original = formatSignature({ ...read, key: fingerprint, signature: signature.toString('base64') });
    return [
      ...(original === text ? [] : ['signature: its file was changed.']),
      ...(['certificate', 'evidence'] as const).flatMap((each) =>
        computeDigest(files[each]) === read[each] ? [] : [`${each}: was changed since it was signed.`],
      ),
    ];
  };
}

function computeFingerprint(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

const commands = {
  '--sign': 'openssl genpkey -algorithm ed25519 -out key.pem',
  '--key': 'openssl pkey -in key.pem -pubout -out pub.pem',
} as const;

/** Reads a key. @param flag names the file and says which kind of key is wanted */
function readKey(file: string, flag: keyof typeof commands): KeyObject {
  const refuse = (message: string, hint = `Make one: ${commands[flag]}`): never => {
    throw new UnusableInput([{ at: { setting: `${flag} ${file}` }, message, hint }]);
  };
  const wanted = flag === '--sign' ? 'private' : 'public';
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(describeFileError(error));
  }
  if (/-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(text))
    return refuse(
      'is encrypted, and a run cannot ask for the passphrase',
      `Decrypt it to a file that only you can read: openssl pkey -in ${file} -out plain.pem`,
    );
  if (text.includes('PRIVATE KEY-----') !== (wanted === 'private')) {
    const isOther = wanted === 'public' && text.includes('PRIVATE KEY');
    return refuse(`has no ${wanted} key in PEM${isOther ? ', but a private one' : ''}`);
  }
  let key: KeyObject;
  try {
    key = wanted === 'private' ? createPrivateKey(text) : createPublicKey(text);
  } catch {
    // The message of the error may quote the file.
    return refuse(`has no ${wanted} key that can be parsed`);
  }
  if (key.asymmetricKeyType !== 'ed25519') return refuse(`has a key of type ${key.asymmetricKeyType}, not Ed25519`);
  return key;
}
