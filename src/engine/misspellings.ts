/** Code points: a cut between two code units would leave half of a surrogate pair, which is no text. */
const cut =
  (start: number, end?: number) =>
  (text: string): string =>
    [...text].slice(start, end).join('');

/** Turn a text into another that a deployment may take for the same. Some texts stay as they are. */
export const misspellings: readonly ((text: string) => string)[] = [
  (text) => `${text} West`,
  (text) => `North ${text}`,
  (text) => `${text} `,
  (text) => ` ${text}`,
  (text) => `${text}\0 and more`,
  cut(0, -1),
  cut(1),
  cut(0, 16),
  cut(0, 255),
  (text) => text.trim(),
  (text) => text.replaceAll(/\s+/g, ' '),
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFKC'),
  (text) => text.normalize('NFD').replaceAll(/\p{Mark}/gu, ''),
  (text) => text.replaceAll('ß', 'ss'),
  (text) => text.replaceAll(/\p{Extended_Pictographic}/gu, '🎂'),
  (text) => text.replaceAll(/[^\p{Letter}\p{Number}]/gu, '_'),
  (text) => text.replaceAll(/["'\\]/g, ''),
  (text) => text.replaceAll('+', ' '),
  (text) => text.replaceAll('&amp;', '&'),
  (text) => text.split(/[#&=;,:.?-]/)[0] ?? '',
  (text) => (/^\d+$/.test(text) ? `0${text}` : `${text}${text}`),
  (text) => (/^\d+$/.test(text) ? `${text}.0` : [...text].reverse().join('')),
  (text) => (text === 'true' ? '1' : text.replace(/[aeiou]/, '%')),
];
