/**
 * Replaces secrets in what a deployment sends, before anything else sees it. Nothing behind the client knows a secret.
 *
 * A secret is found in any letter case, whichever of its characters are escaped in JSON or HTML or percent-encoded, and in
 * base64 at any offset. A short one is part of many words: it is replaced as a whole value, or beside its header name. So
 * is a word of the suite's own texts, such as `application`. SECURITY.md lists what is not found.
 */

import escapeStringRegexp from 'escape-string-regexp';
import type { HttpRequest } from './exchange.js';

export interface Secret {
  readonly value: string;
  readonly placeholder: string;
  /** Goes before the value wherever it is sent, such as the name of a header. */
  readonly name?: string;
  /** Whether the value occurs in the suite's own texts. */
  readonly isOwnWord?: boolean;
}

/** Secrets with fewer characters are replaced only as a whole value, and beside their name. */
export const minSecretLength = 8;

/** White space around a secret is ignored. */
export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const known = secrets
    .map((secret) => ({ ...secret, value: secret.value.trim() }))
    .filter(({ value }) => value !== '')
    .sort((a, b) => b.value.length - a.value.length);
  const isWeak = ({ value, isOwnWord = false }: Secret) => isOwnWord || value.length < minSecretLength;
  const long = known.filter((secret) => !isWeak(secret));
  const forms = long.map(({ value }) => `(${[renderAnyEscape(value), ...listBase64(value)].join('|')})`);
  const pattern = new RegExp(forms.join('|'), 'gi');
  const findPlaceholder = (...[, ...groups]: (string | undefined)[]) =>
    long[groups.findIndex((group) => group !== undefined)]?.placeholder ?? '';
  const replacePlain = (text: string) => (long.length === 0 ? text : text.replace(pattern, findPlaceholder));
  const replacers = [replacePlain, ...known.filter(isWeak).map(createWeakReplacer)];
  return (text) => replacers.reduce((redacted, replace) => replace(redacted), text);
}

function renderAnyEscape(value: string): string {
  return [...value].map((character) => `(?:${listEscapes(character).join('|')})`).join('');
}

/** The ways to write a character: as it is, and escaped in JSON, HTML, a JSON Pointer, a URL or a form. */
function listEscapes(character: string): string[] {
  const units = Array.from({ length: character.length }, (_, n) => character.charCodeAt(n));
  const code = character.codePointAt(0) ?? 0;
  const inJson = units.map((unit) => `\\\\u${unit.toString(16).padStart(4, '0')}`).join('');
  const [utf8, latin1] = [Buffer.from(character, 'utf8'), Buffer.from(character, 'latin1')];
  const percent = (bytes: Buffer) => bytes.toString('hex').replace(/../g, '%$&');
  const entities = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
    '~': '~0',
    '/': '~1',
    ' ': '\\+',
  };
  const special = entities[character as keyof typeof entities];
  return [
    // First the longer ones: an escape may begin with the character.
    ...(special === undefined ? [] : [special]),
    ...(/["\\/]/.test(character) ? [`\\\\${escapeStringRegexp(character)}`] : []),
    inJson,
    `&#0*${code};`,
    `&#x0*${code.toString(16)};`,
    percent(utf8),
    // HTTP carries header values in Latin-1: a deployment may take one encoding for the other.
    ...(code > 0x7f ? [percent(latin1), escapeStringRegexp(utf8.toString('latin1')), '\ufffd'] : []),
    escapeStringRegexp(character),
  ];
}

/** Matches the digits of base64 and base64url that depend on nothing but the text, at each offset. */
function listBase64(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  return [0, 1, 2].map((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const stable = digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return stable.replaceAll('+', '[+-]').replaceAll('/', '[/_]');
  });
}

/** What may be between a name and its value, in any notation. */
const separators = '[ \'"`:=,;()[\\]{}<>|&#*\\\\/\\t\\r\\n]';

/** Replaces a word where it is the whole text, a whole value in quotation marks and no key, or beside its name. */
function createWeakReplacer({ value, placeholder, name }: Secret): (text: string) => string {
  const word = escapeStringRegexp(value);
  const isWhole = new RegExp(`^\\s*${word}\\s*$`, 'i');
  // A pattern that begins with a word is a hundred times faster than one that begins with a quotation mark.
  const quoted = new RegExp(`${word}(?<=(["'])${word})(?=\\1(?!\\s*:))`, 'gi');
  const anyName = name?.split(/[-_ ]/).map(escapeStringRegexp).join('[-_ ]');
  const named = anyName === undefined ? undefined : new RegExp(`(${anyName}${separators}+)${word}(?![a-z0-9])`, 'gi');
  return (text) => {
    if (isWhole.test(text)) return placeholder;
    const replaced = text.replace(quoted, () => placeholder);
    return named === undefined ? replaced : replaced.replace(named, (_, before: string) => before + placeholder);
  };
}

export function insertSecrets(request: HttpRequest, secrets: readonly Secret[]): HttpRequest {
  const findValue = (value: string) => secrets.find(({ placeholder }) => placeholder === value)?.value ?? value;
  return { ...request, headers: request.headers.map(([name, value]) => [name, findValue(value)] as const) };
}
