import { occursInSuiteRequests } from '../contract/operation.js';
import { minSecretLengthInsideText } from '../http/split-secret.js';
import type { Problem } from '../support/problem.js';
import { findMisspeltVariables, locateEnvironmentValue } from './env-file.js';
import type { Environment } from './run-options.js';
import { findUnreplacedVariable } from './unreplaced-variable.js';

export const variableReference = /^\$[A-Za-z_][A-Za-z0-9_]*$/;

/** Valid header values: visible characters of Latin-1 with spaces between them (RFC 9110, section 5.5). */
const validHeaderValue = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/**
 * White space around a header value is no part of it (RFC 9110, section 5.5). A secret that comes from a file often has a line
 * end, and no request with one can be sent.
 */
export function trimValue(value: string): string {
  return value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}

export type TargetValueReader = ReturnType<typeof createVariableReader>;

/** Creates what reads the values of a target file, each of which may be a reference to a variable of the environment. */
export function createVariableReader(environment: Environment) {
  const problems: Problem[] = [];
  const notes: string[] = [];
  /** Returns a text without white space around it, or nothing and a problem if it has a variable that was not replaced. */
  const readText = (
    text: string,
    locate: () => Problem['at'],
    name?: string,
    find = findUnreplacedVariable,
  ): string => {
    if (find(text) === undefined) return trimValue(text);
    const at = locate();
    const subject = name === undefined || 'setting' in at ? '' : `${name} `;
    const hint =
      'Nothing replaces variables there: write the value, or let the shell or the pipeline replace the variable.';
    problems.push({ at, message: `${subject}contains a variable that was not replaced`, hint });
    return '';
  };
  const checkHeaderValue = (value: string, name: string, at: Problem['at']): void => {
    if (!validHeaderValue.test(value)) {
      const message = `${name} cannot be sent in a header: it is blank, or has characters that are not allowed`;
      problems.push({ at, message, hint: 'Set it again, without line breaks or invisible characters.' });
    }
    if (value.length < minSecretLengthInsideText || occursInSuiteRequests(value)) {
      const reason = `is a word of the suite's own requests, or has fewer than ${minSecretLengthInsideText} characters`;
      notes.push(`${name} ${reason}, so it is replaced only as a whole value, and beside its header name.`);
    }
  };
  /** Replaces a reference such as `$GATEWAY_KEY` by the value of the variable. An unset one is a problem at its place. */
  const resolve = (text: string, at: Problem['at']): string => {
    if (!variableReference.test(text)) return readText(text, () => at);
    const name = text.slice(1);
    const stated = environment[name];
    if (!stated) {
      const message = `${'setting' in at ? '' : `${name} `}is not set, but the target needs it`;
      problems.push({ at, message, hint: `Set ${name}=… in the environment or in a .env file.` });
      problems.push(...findMisspeltVariables([name]));
      return '';
    }
    const known = problems.length;
    const value = readText(stated, () => locateEnvironmentValue(name, stated), name);
    if (problems.length === known) checkHeaderValue(value, name, at);
    return value;
  };
  return { problems, notes, resolve, readText };
}
