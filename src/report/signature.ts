/**
 * A detached signature over a certificate and its evidence: Ed25519 (RFC 8032) over a text that names the digests of
 * both, so that whoever checks it can say which of them was changed.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseJson } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import { loadValidator } from '../support/schema-validation.js';
import { computeDigest } from './har-archive.js';

/** The files that are signed together, as they are on disk. */
export interface SignedFiles {
  readonly certificate: Buffer;
  readonly evidence: Buffer;
}

/** Signs. @returns the text of the signature's file */
export type Signer = (files: SignedFiles) => string;

/** What the file of a signature says. Its schema is `schemas/signature.schema.json`. */
interface Signature {
  readonly algorithm: 'Ed25519';
  /** Digest of the public key (DER of its SubjectPublicKeyInfo, RFC 8410). */
  readonly key: string;
  readonly certificate: string;
  readonly evidence: string;
  /** In base64. */
  readonly signature: string;
}

/** What is signed: nothing else that the same key may sign begins so. */
function statementOf({ certificate, evidence }: Pick<Signature, 'certificate' | 'evidence'>): Buffer {
  return Buffer.from(`promotion-validation-conformance 1\ncertificate ${certificate}\nevidence ${evidence}\n`);
}

function formatSignature({ algorithm, key, certificate, evidence, signature }: Signature): string {
  return `${JSON.stringify({ algorithm, key, certificate, evidence, signature }, null, 2)}\n`;
}

/**
 * Makes what signs with a private key.
 *
 * @param file an Ed25519 key in PEM (PKCS #8), not encrypted
 * @throws UnusableInput where there is no such key; the message has nothing of what the file holds
 */
export function createSigner(file: string): Signer {
  const key = readKey(file, '--sign');
  return (files) => {
    const digests = { certificate: computeDigest(files.certificate), evidence: computeDigest(files.evidence) };
    const signature = sign(null, statementOf(digests), key).toString('base64');
    return formatSignature({ algorithm: 'Ed25519', key: fingerprintOf(createPublicKey(key)), ...digests, signature });
  };
}

/** What was changed since it was signed, a sentence each: nothing where all is as it was. */
export type SignatureChecker = (signature: Buffer, files: SignedFiles) => string[];

/**
 * Makes what checks signatures with a public key.
 *
 * @param file an Ed25519 key in PEM
 * @throws UnusableInput where there is no such key
 */
export function createSignatureChecker(file: string): SignatureChecker {
  const key = readKey(file, '--key');
  return (content, files) => {
    const text = content.toString('utf8');
    const stated = parseJson(text);
    if (!loadValidator('signature')(stated)) return ['signature: is not as a run writes it.'];
    const read = stated as Signature;
    const signature = Buffer.from(read.signature, 'base64');
    if (!verify(null, statementOf(read), key, signature)) {
      const isOther = read.key !== fingerprintOf(key);
      return [isOther ? `signature: is not of this key, but of ${read.key}.` : 'signature: was changed.'];
    }
    // Several texts may say the same in base64, or in JSON.
    const asWritten = formatSignature({
      ...read,
      key: fingerprintOf(key),
      signature: signature.toString('base64'),
    });
    return [
      ...(asWritten === text ? [] : ['signature: its file was changed.']),
      ...(['certificate', 'evidence'] as const).flatMap((each) =>
        computeDigest(files[each]) === read[each] ? [] : [`${each}: was changed since it was signed.`],
      ),
    ];
  };
}

function fingerprintOf(key: KeyObject): string {
  return `sha256:${createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`;
}

const commands = {
  '--sign': 'openssl genpkey -algorithm ed25519 -out key.pem',
  '--key': 'openssl pkey -in key.pem -pubout -out pub.pem',
} as const;

/** @param flag by which it is named: it says whether the private key is wanted or the public one */
function readKey(file: string, flag: keyof typeof commands): KeyObject {
  const refuse = (message: string, hint = `Make one: ${commands[flag]}`): never => {
    throw new UnusableInput([{ at: { setting: `${flag} ${file}` }, message, hint }]);
  };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const wanted = flag === '--sign' ? 'private' : 'public';
  if (/-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(text))
    return refuse(
      'is encrypted, and nobody is there to give its passphrase',
      `Decrypt it to a file that only you can read: openssl pkey -in ${file} -out plain.pem`,
    );
  if (text.includes('PRIVATE KEY-----') !== (wanted === 'private'))
    return refuse(
      `holds no ${wanted} key in PEM${wanted === 'public' && text.includes('PRIVATE KEY') ? ', but a private one' : ''}`,
    );
  let key: KeyObject | undefined;
  try {
    key = wanted === 'private' ? createPrivateKey(text) : createPublicKey(text);
  } catch {
    // Its message may quote the file.
  }
  if (key === undefined) return refuse(`holds no ${wanted} key that can be read`);
  if (key.asymmetricKeyType !== 'ed25519')
    return refuse(`holds a key of the type ${key.asymmetricKeyType}, not Ed25519`);
  return key;
}
