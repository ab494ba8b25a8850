import { isOwnWord } from '../contract/operation.js';
import { minSecretLength } from '../http/redactor.js';
import { decodePercent } from '../http/request-content.js';
import type { Problem } from '../support/problem.js';
import type { Environment } from './run-options.js';

/** A problem without its location. Its texts never contain the secret. */
export type Flaw = Omit<Problem, 'at'>;

/** Valid header values: visible characters of Latin-1 with spaces between them (RFC 9110, section 5.5). */
const validHeaderValue = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** The pattern that finds longer ones would be too large. */
const maxSecretLength = 4_000;

/** Checks whether a secret can be sent. @param name the variable that contains it */
export function findSecretFlaw(name: string, value: string, environment: Environment): Flaw | undefined {
  if (value.trim() === '') return { message: `${name} is blank`, hint: 'Set it or remove it.' };
  if (!validHeaderValue.test(value.trim())) {
    const message = `${name} contains a character that is not allowed in headers`;
    return { message, hint: 'Set it again, without line breaks or invisible characters at its end.' };
  }
  if (value.length > maxSecretLength)
    return { message: `${name} has more than ${maxSecretLength} characters`, hint: 'Servers accept no such header.' };
  // The user probably expects its value.
  const names = [...value.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g)].map(([, each = '']) => each);
  const reference = names.find((each) => environment[each] !== undefined);
  if (reference === undefined) return undefined;
  const message = `${name} contains $${reference}, which was not replaced by its value`;
  return { message, hint: 'Variables within a value are not replaced: write the value itself.' };
}

/** Whether a text contains a secret, as it is or percent-encoded, in any letter case. */
export function containsSecret(text: string, secrets: readonly string[]): boolean {
  const forms = [text, decodePercent(text)].map((each) => each.toLowerCase());
  return secrets
    .map((secret) => secret.trim().toLowerCase())
    .filter((secret) => secret.length >= minSecretLength) // Short secrets are parts of many words.
    .some((secret) => forms.some((form) => form.includes(secret)));
}

/** Creates a note for a secret that cannot be redacted everywhere: it is too short, or an ordinary word. */
export function describeWeakSecret(name: string, value: string): string | undefined {
  if (value.trim().length < minSecretLength)
    return `${name} has fewer than ${minSecretLength} characters, so it is replaced only as a whole value, and beside its header name.`;
  if (!isOwnWord(value)) return undefined;
  return `${name} is a word of the suite's own requests, so it is redacted only as a whole value and after its header.`;
}
