/**
 * Replaces secrets in any text by placeholders.
 *
 * 1. Each secret yields a list of forms in which somebody may write it: plain, escaped, encoded (`encoded-forms.ts`).
 * 2. One automaton finds all forms of all secrets in a single pass over the text (`automaton.ts`).
 * 3. Matches that overlap are replaced as one, by the placeholder of the longest secret, so that no part is left.
 *
 * A secret of few characters is part of many words. It is replaced only as a whole word after the name that goes with it.
 * So is a secret that is a word of the suite's own texts, such as `application`; also where it is a whole text or a whole
 * quoted value, and where it is encoded.
 * SECURITY.md lists what is not found.
 */

import escapeStringRegexp from 'escape-string-regexp';
import { createAutomaton } from './automaton.js';
import { listEncodedForms } from './encoded-forms.js';

export interface Secret {
  readonly value: string;
  /** Replaces the value. */
  readonly placeholder: string;
  /** Goes before the value wherever it is sent, such as the name of a header. */
  readonly name?: string;
  /** Whether the value occurs in the suite's own texts. */
  readonly isOwnWord?: boolean;
}

/** Secrets with fewer characters are replaced only after their name. */
export const minSecretLength = 6;

/**
 * Creates the function that replaces all secrets in a text.
 *
 * @param secrets white space around a value is ignored; an empty value is skipped
 */
export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const known = secrets
    .map((secret) => ({ ...secret, value: secret.value.trim() }))
    .filter(({ value }) => value !== '')
    .sort((one, other) => other.value.length - one.value.length);
  const long = known.filter(({ value }) => value.length >= minSecretLength);
  const weak = known.filter(({ value, isOwnWord }) => isOwnWord || value.length < minSecretLength);
  const replacers = [
    createLongReplacer(long),
    ...weak.map(replaceAfterName),
    ...long.filter(({ isOwnWord }) => isOwnWord).map(replaceWhole),
  ];
  return (text) => replacers.reduce((redacted, replace) => replace(redacted), text);
}

/** @param secrets longest first */
function createLongReplacer(secrets: readonly Secret[]): (text: string) => string {
  const placeholder = -1;
  const find = createAutomaton([
    // A secret may be a word of a placeholder, which stays.
    ...secrets.map((secret) => [secret.placeholder, placeholder] as const),
    ...secrets.flatMap(({ value, isOwnWord }, owner) =>
      [...listEncodedForms(value)].filter((form) => !isOwnWord || form !== value).map((form) => [form, owner] as const),
    ),
  ]);
  return (text) => {
    const found: { from: number; to: number; owner: number }[] = [];
    find(text, (from, to, owner) => {
      let whole = { from, to, owner };
      for (let last = found.at(-1); last !== undefined && last.to > from; last = found.at(-1)) {
        if (owner === placeholder && last.from < from) break;
        found.pop();
        whole = { from: Math.min(whole.from, last.from), to, owner: Math.min(whole.owner, last.owner) };
      }
      if (owner !== placeholder) found.push(whole);
    });
    let redacted = '';
    let at = 0;
    for (const { from, to, owner } of found) {
      redacted += text.slice(at, from) + secrets[owner]?.placeholder;
      at = to;
    }
    return redacted + text.slice(at);
  };
}

/** What may be between a name and its value, in any notation. */
const separators = '[ \'"`:=,;()[\\]{}<>|&#*\\\\/\\t\\r\\n]';

function replaceAfterName({ value, placeholder, name }: Secret): (text: string) => string {
  if (name === undefined) return (text) => text;
  const anyName = name.split(/[-_ ]/).map(escapeStringRegexp).join('[-_ ]');
  const pattern = new RegExp(`(${anyName}${separators}+)${escapeStringRegexp(value)}(?![a-z0-9])`, 'gi');
  return (text) => text.replace(pattern, (_, before: string) => before + placeholder);
}

/** Replaces a word where it is the whole text, or a whole value in quotation marks and no key. */
function replaceWhole({ value, placeholder }: Secret): (text: string) => string {
  const word = escapeStringRegexp(value);
  const isWhole = new RegExp(`^\\s*${word}\\s*$`, 'i');
  // A pattern that begins with a word is a hundred times faster than one that begins with a quotation mark.
  const quoted = new RegExp(`${word}(?<=(["'])${word})(?=\\1(?!\\s*:))`, 'gi');
  return (text) => (isWhole.test(text) ? placeholder : text.replace(quoted, () => placeholder));
}
