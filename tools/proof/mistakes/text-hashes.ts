import { crc32 } from 'node:zlib';

/** A number of 32 bits in place of a text. */
type TextHash = (text: string) => number;

/** Multiplies by a factor for each character. */
function createPolynomialHash(seed: number, factor: number): TextHash {
  return (text) => {
    let hash = seed;
    for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, factor) + text.charCodeAt(at)) | 0;
    return hash;
  };
}

const hashAsFnv: TextHash = (text) =>
  Buffer.from(text).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);

/** Hashes of 32 bits that developers take for texts. The suite sends two texts that all of them confuse. */
export const textHashes = {
  java: { name: 'String.hashCode() of Java, which code in other languages copies', hash: createPolynomialHash(0, 31) },
  djb2: { name: 'the hash djb2', hash: createPolynomialHash(5381, 33) },
  crc: { name: 'the checksum CRC-32', hash: (text: string) => crc32(text) },
  fnv: { name: 'the hash FNV-1a', hash: hashAsFnv },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly hash: TextHash }>>;
