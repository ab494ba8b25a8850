import { minSecretLength } from '../redaction/redactor.js';
import type { Problem } from '../support/problem.js';
import type { Environment } from './environment.js';

/** What is wrong with a secret before it is sent. Neither text shows anything of it. */
type Flaw = Omit<Problem, 'at'>;

/** What may stand in a header: printing characters of Latin-1, and spaces between them (RFC 9110, section 5.5). */
const sendable = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/**
 * Why a secret cannot be sent as it stands, if so.
 *
 * @param name of the variable that holds it
 */
export function findSecretFlaw(name: string, value: string, environment: Environment): Flaw | undefined {
  if (value.trim() === '') return { message: `${name} is blank`, hint: 'Set it, or leave it out.' };
  if (!sendable.test(value.trim())) {
    const message = `${name} holds a character that no header can carry`;
    return { message, hint: 'A line break or an invisible character at its end, perhaps; set it anew.' };
  }
  const reference = variableIn(value, environment);
  if (reference === undefined) return undefined;
  const message = `${name} holds $${reference}, which was not replaced by its value`;
  return { message, hint: 'Nothing is replaced within a value; write it out.' };
}

/** The name of a variable that a value refers to, and that is set: somebody meant it to be replaced. */
function variableIn(value: string, environment: Environment): string | undefined {
  const names = [...value.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g)].map(([, name = '']) => name);
  return names.find((name) => environment[name] !== undefined);
}

/** Whether a text of the target, such as its base URL, contains a secret: plain or percent-encoded, in any letter case. */
export function containsSecret(text: string, secrets: readonly string[]): boolean {
  const readings = [text, decoded(text)].map((each) => each.toLowerCase());
  // A short one is part of many words.
  const wanted = secrets
    .map((secret) => secret.trim().toLowerCase())
    .filter((secret) => secret.length >= minSecretLength);
  return wanted.some((secret) => readings.some((reading) => reading.includes(secret)));
}

/** That a secret has too few characters to be recognised wherever it is echoed; undefined where it has enough. */
export function describeShortSecret(name: string, value: string): string | undefined {
  if (value.trim().length >= minSecretLength) return undefined;
  return `${name} has fewer than ${minSecretLength} characters, so it may not be recognised, and replaced, where a response echoes it.`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
