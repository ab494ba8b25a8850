import { credentialHeaders, isOwnWord } from '../contract/operation.js';
import type { PartialConnectionOptions } from '../http/connection-options.js';
import type { Secret } from '../http/redactor.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { Problem } from '../support/problem.js';
import { readBeside, type TargetDocument, type TargetFile } from './target-file.js';

/** Reads an environment variable. An unset variable is a problem at the given location. */
export type ReadVariable = (name: string, at: Problem['at']) => string;

/** Parses a reference such as `$GATEWAY_KEY`. @returns the name of the variable, or undefined for other values */
function parseVariableReference(value: string): string | undefined {
  return /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
}

/** Returns the value of the variable that a text refers to, or the text itself. */
export function resolveReference(text: string, at: Problem['at'], readVariable: ReadVariable): string {
  const name = parseVariableReference(text);
  return name === undefined ? text : readVariable(name, at);
}

/**
 * Reads the connection options of a target file.
 *
 * @param report receives problems
 * @throws UnusableInput if a file that the target file names cannot be read
 */
export function readStatedOptions(
  file: TargetFile,
  readVariable: ReadVariable,
  report: (problem: Problem) => void,
): PartialConnectionOptions {
  const { proxy, tls, limits, pacing, retry, allow_http } = file.document;
  return omitUndefined({
    ...readHeaders(file, readVariable, report),
    limits,
    pacing,
    retry,
    allowHttp: allow_http,
    proxy: proxy === undefined ? undefined : resolveReference(proxy, file.yaml.locate(['proxy']), readVariable),
    tls: tls && readTlsFiles(tls, file, report),
  });
}

/** Headers that test cases or the client set. */
const framing = 'content-.*|transfer-.*|host|connection|keep-alive|upgrade|expect|te|trailer';
const reservedHeaders = new RegExp(`^(${Object.values(credentialHeaders).join('|')}|${framing})$`, 'i');

/** Headers whose names suggest that their values are secrets. */
const secretHeaders = /auth|cookie|token|secret|password|api-?key/i;

function readHeaders(
  { document, yaml }: TargetFile,
  readVariable: ReadVariable,
  report: (problem: Problem) => void,
): Pick<PartialConnectionOptions, 'extraHeaders' | 'secrets'> {
  if (document.headers === undefined) return {};
  const extraHeaders = Object.entries(document.headers);
  const secrets: Secret[] = [];
  for (const [name, value] of extraHeaders) {
    const at = yaml.locate(['headers', name]);
    const reference = parseVariableReference(value);
    if (reservedHeaders.test(name)) {
      const hint = "Remove it: 'credentials', the test cases or the client set this header.";
      report({ at: yaml.locateKey(['headers', name]), message: `the header '${name}' cannot be set here`, hint });
    } else if (reference !== undefined) {
      const secret = readVariable(reference, at);
      secrets.push({ value: secret, placeholder: value, name, isOwnWord: isOwnWord(secret) });
    } else if (/\$\{?[A-Za-z_]/.test(value)) {
      const hint = 'Use a variable for the whole value, such as $GATEWAY_KEY.';
      report({ at, message: `the value of '${name}' contains a variable and other text`, hint });
    } else if (secretHeaders.test(name)) {
      const hint = 'Use an environment variable, such as $GATEWAY_KEY.';
      report({ at, message: `the value of '${name}' looks like a secret`, hint });
    }
  }
  return { extraHeaders, ...(secrets.length === 0 ? {} : { secrets }) };
}

function readTlsFiles(
  names: NonNullable<TargetDocument['tls']>,
  file: TargetFile,
  report: (problem: Problem) => void,
): NonNullable<PartialConnectionOptions['tls']> {
  const texts = Object.entries(names).map(([use, name]) => {
    const text = readBeside(file, name, ['tls', use]);
    if (!/-----BEGIN [A-Z0-9 ]+-----/.test(text)) {
      const hint = 'A PEM file contains -----BEGIN …-----.';
      report({ at: file.yaml.locate(['tls', use]), message: `'${name}' is not a PEM file`, hint });
    }
    return [use, text];
  });
  return Object.fromEntries(texts);
}
