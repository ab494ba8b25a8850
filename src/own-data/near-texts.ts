import { hasWellFormedTexts } from '../support/json.js';

/** How to make a text that a deployment may confuse with another one. Each is a mistake in comparing texts. */
const nearTexts = {
  longer: (text) => `${text}x`,
  shorter: (text) => [...text].slice(0, -1).join(''),
  'with a space after it': (text) => `${text} `,
  'with a space before it': (text) => ` ${text}`,
  'longer at its beginning': (text) => `x${text}`,
  'shorter at its beginning': (text) => [...text].slice(1).join(''),
  'with another last letter': (text) => [...text].with(-1, text.endsWith('x') ? 'y' : 'x').join(''),
  'in another notation of numbers': (text) => (/^\d+$/.test(text) ? `0${text}` : text),
  'with a fraction of zero': (text) => (/^\d+$/.test(text) ? `${text}.0` : text),
  'with letters for its signs': (text) => text.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, 'x'),
  'without its signs': (text) => text.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, ''),
  'without accents': (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  'in another normal form': (text) => (text.normalize('NFD') === text ? text.normalize('NFC') : text.normalize('NFD')),
  'in compatible forms': (text) => text.normalize('NFKC'),
  'with question marks': (text) => text.replaceAll(/[^\0-\x7f]/gu, '?'),
  'percent-encoded': (text) => encodeURIComponent(text),
  'percent-decoded': (text) => text.replaceAll(/%[2-7][\da-f]/gi, (code) => decodeURIComponent(code)),
  'with plus signs for spaces': (text) => text.replaceAll(' ', '+'),
  'with single spaces': (text) => text.replaceAll(/\s+/g, ' ').trim(),
  'with underscores': (text) => text.replaceAll(/[-. ]/g, '_'),
  'with hyphens': (text) => text.replaceAll(/[_. ]/g, '-'),
  'as HTML': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'out of HTML': (text) => text.replaceAll('&amp;', '&').replaceAll('&lt;', '<'),
  'in quotes': (text) => `"${text}"`,
  'in a list': (text) => `${text},${text}`,
  'up to its first sign': (text) => text.split(/[^\p{L}\p{N}\p{M}]/u)[0] ?? '',
  true: () => 'true',
  'from its first half': (text) => text.slice(0, Math.ceil(text.length / 2)),
} as const satisfies Readonly<Record<string, (text: string) => string>>;

/** How a near miss differs from the text: words for the titles of requests. */
export type NearMissKind = keyof typeof nearTexts;

export const nearMissTextKinds = Object.keys(nearTexts) as readonly NearMissKind[];

/** Makes a near miss of a text: another text, also if letter case is ignored. Undefined if there is none of this kind. */
export function makeNearMissText(kind: NearMissKind, text: string): string | undefined {
  if (!hasWellFormedTexts(text)) return undefined;
  const near = nearTexts[kind](text);
  const isOther = near !== '' && near.toLowerCase() !== text.toLowerCase() && hasWellFormedTexts(near);
  return isOther ? near : undefined;
}
