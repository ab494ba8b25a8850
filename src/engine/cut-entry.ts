import type { Entry } from './request-values.js';

/** What may stand between a key and its value in one text. */
const separators = ['', ...' =:.-_/|,;#&'];

/**
 * Lists entries that become the same text if a key, a separator and a value are joined. The last part of the key moves to
 * the value, or the first part of the value to the key.
 */
export function listOtherCuts([key, value]: Entry): Entry[] {
  return separators.flatMap((separator): Entry[] => {
    const [ofKey, ofValue] = [splitAt(separator, key), splitAt(separator, value)];
    const parts = [...ofKey, ...ofValue];
    const end = ofKey.length > 1 ? ofKey.length - 1 : ofKey.length + 1;
    const [newKey, newValue] = [parts.slice(0, end).join(separator), parts.slice(end).join(separator)];
    return newKey === '' || newValue === '' ? [] : [[newKey, newValue]];
  });
}

/** Splits by code points at an empty separator. */
function splitAt(separator: string, text: string): string[] {
  return separator === '' ? [...text] : text.split(separator);
}
