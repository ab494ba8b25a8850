/**
 * Replaces secrets in what a deployment sends, before anything else sees it. Nothing behind the client knows a secret.
 *
 * A secret and each of its parts are found in any letter case, whichever of their characters are escaped in JSON or HTML or
 * percent-encoded, in hexadecimal digits, and in base64 at any offset. A short one is part of many words: it is replaced as a
 * whole value, or beside its header name. So is a word of the suite's own texts, such as `application`. SECURITY.md lists
 * what is not found.
 */

import escapeStringRegexp from 'escape-string-regexp';
import { cacheByText } from '../support/caches.js';
import { listDecodedViews, type TextRange } from './decoded-views.js';
import type { HttpRequest } from './exchange.js';
import { minSecretLengthInsideText, splitSecret } from './split-secret.js';

export interface Secret {
  readonly value: string;
  readonly placeholder: string;
  /** Goes before the value wherever it is sent, such as the name of a header. */
  readonly name?: string;
  /** Whether a text occurs in the suite's own texts: the value, or a part of it. */
  readonly occursInSuiteRequests?: (text: string) => boolean;
}

/** A text that shows a secret, and what replaces it. */
interface SecretForm {
  readonly text: string;
  readonly placeholder: string;
}

interface Finding extends TextRange {
  readonly placeholder: string;
}

/** How much of what was read is kept. */
const maxCharacters = 16 * 1024 * 1024;

/** White space around a secret is ignored. */
export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const known = secrets
    .flatMap((secret) => [secret.value, ...splitSecret(secret.value)].map((value) => ({ ...secret, value })))
    .map((secret) => ({ ...secret, value: secret.value.trim() }))
    .filter(({ value }, n, all) => value !== '' && all.findIndex((earlier) => earlier.value === value) === n)
    .sort((a, b) => b.value.length - a.value.length);
  const isWeak = ({ value, occursInSuiteRequests }: Secret) =>
    value.length < minSecretLengthInsideText || occursInSuiteRequests?.(value) === true;
  const forms = known
    .filter((secret) => !isWeak(secret))
    .flatMap(({ value, placeholder }) => listForms(value).map((text) => ({ text, placeholder })));
  const replaceStrong = (text: string) => (forms.length === 0 ? text : replaceForms(text, forms));
  const replacers = [replaceStrong, ...known.filter(isWeak).map(createWeakReplacer)];
  // Equal bodies come again: from caches, and when a request is repeated.
  return cacheByText((text) => replacers.reduce((redacted, replace) => replace(redacted), text), maxCharacters);
}

function replaceForms(text: string, forms: readonly SecretForm[]): string {
  const findings = mergeFindings(findForms(text, forms));
  let end = 0;
  const pieces = findings.flatMap((finding) => {
    const before = text.slice(end, finding.start);
    end = finding.end;
    return [before, finding.placeholder];
  });
  return [...pieces, text.slice(end)].join('');
}

/** Finds secrets in a text, and in what it says without its escapes. */
function findForms(text: string, forms: readonly SecretForm[]): Finding[] {
  const find = (read: string) => {
    const plain = ignoreCase(read);
    return forms.flatMap((form) => findText(plain, form.text).map((range) => ({ ...range, ...form })));
  };
  const decoded = listDecodedViews(text).flatMap((view) =>
    find(view.text).map((finding) => ({ ...finding, ...view.locate(finding) })),
  );
  return [...find(text), ...decoded];
}

function findText(text: string, wanted: string): TextRange[] {
  const found: TextRange[] = [];
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + wanted.length))
    found.push({ start, end: start + wanted.length });
  return found;
}

/** Findings that overlap become one, with the placeholder of the longest of them. */
function mergeFindings(findings: readonly Finding[]): Finding[] {
  const merged: { start: number; end: number; placeholder: string; longest: number }[] = [];
  for (const { start, end, placeholder } of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    const longest = end - start;
    if (last === undefined || start >= last.end) merged.push({ start, end, placeholder, longest });
    else {
      last.end = Math.max(last.end, end);
      if (longest > last.longest) Object.assign(last, { placeholder, longest });
    }
  }
  return merged;
}

/** Keeps the length. A tab may become a space on the way. */
function ignoreCase(text: string): string {
  const lower = text.replaceAll('\t', ' ').toLowerCase();
  // Of the letters beyond Latin-1, which no header can carry, one is two in lower case.
  return lower.length === text.length
    ? lower
    : text.replaceAll('\t', ' ').replace(/[A-ZÀ-Þ]/g, (letter) => letter.toLowerCase());
}

/** Lists the ways to write a secret that are no escapes of its characters. */
function listForms(value: string): string[] {
  const inLatin1 = Buffer.from(value, 'latin1');
  const inUtf8 = Buffer.from(value, 'utf8');
  const forms = [
    value,
    // HTTP carries header values in Latin-1: a deployment may take one encoding for the other.
    inUtf8.toString('latin1'),
    inLatin1.toString('utf8'),
    ...[inUtf8, inLatin1].flatMap((bytes) => [...listBase64(bytes), ...listHexadecimal(bytes)]),
  ];
  return [...new Set(forms.map(ignoreCase))];
}

function listHexadecimal(bytes: Buffer): string[] {
  const digits = bytes.toString('hex').match(/../g) ?? [];
  return ['', ' ', ':', '-'].map((separator) => digits.join(separator));
}

/** Lists the digits of base64 and base64url that depend on nothing but the bytes, at each offset. */
function listBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const [start, end] = [Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)];
    return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(start, end));
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
