/**
 * The `.env` file of the working folder. A file that is there and sets nothing is an error: without it, a run would certify
 * the reference deployment instead of the one that the user meant.
 */

import { statSync } from 'node:fs';
import dotenv from 'dotenv';
import { distance } from 'fastest-levenshtein';
import { type Location, type Problem, UnusableInput } from '../support/problem.js';
import { readTextFile } from '../support/text-file.js';

const envFile = '.env';

/** What the suite reads from the environment. A target file may name others. */
export const environmentVariableNames = ['BASE_URL', 'CLIENT_APPLICATION_ID', 'CLIENT_TOKEN', 'TARGET'] as const;

const form = "Write one NAME=value per line, such as BASE_URL=https://api.example.com, without 'set' or '$env:'.";

interface EnvFile {
  readonly text: string;
  readonly values: Readonly<Record<string, string>>;
}

function readEnvText(): string {
  const stats = statSync(envFile, { throwIfNoEntry: false });
  // A virtual environment of Python may have this name. `findFolderInPlaceOfEnvFile` names it where something is missing.
  if (stats === undefined || stats.isDirectory()) return '';
  return readTextFile(envFile, 'Allow to read it, or remove it.', { at: locateLine(1) });
}

function parseEnvFile(): EnvFile {
  const text = readEnvText();
  return { text, values: dotenv.parse(text) };
}

function locateLine(line: number): Location {
  return { file: envFile, line, column: 1 };
}

/** Adds what the file sets to an environment, unless that has a variable of the same name. Problems are left to others. */
export function loadEnvFile(environment: Record<string, string | undefined>): void {
  try {
    const { values } = parseEnvFile();
    for (const [name, value] of Object.entries(values)) environment[name] ??= value;
  } catch (error) {
    // Only commands that need the file refuse it.
    if (!(error instanceof UnusableInput)) throw error;
  }
}

/** Reads what the file sets; nothing if there is none. @throws UnusableInput if it sets nothing, or has a line that sets nothing */
export function readEnvFile(): EnvFile['values'] {
  const { text, values } = parseEnvFile();
  const problems = findUnreadLines(text, values);
  if (problems.length > 0) throw new UnusableInput(problems);
  const line = text.split('\n').findIndex((content) => content.trim() !== '') + 1;
  if (line === 0 || Object.keys(values).length > 0) return values;
  const message = 'the file is not empty, but sets no variable';
  throw new UnusableInput([{ at: locateLine(line), message, hint: `${form} Or remove the file.` }]);
}

/** Finds lines that name a variable of the suite, but set none, such as `set BASE_URL=…` or `$env:BASE_URL = …`. */
function findUnreadLines(text: string, values: EnvFile['values']): Problem[] {
  const longValues = Object.values(values).filter((value) => value.includes('\n'));
  return text.split(/\r\n?|\n/).flatMap((line, n): Problem[] => {
    const isComment = /^\s*(?:#|$)/.test(line);
    const isInValue = longValues.some((value) => value.includes(line.trim()));
    const isRead = Object.keys(dotenv.parse(line)).length > 0;
    const words = line.match(/[A-Za-z][\w-]*/g) ?? [];
    const name = environmentVariableNames.find((variable) => words.some((word) => isSpelling(word, variable)));
    if (isComment || isInValue || isRead || name === undefined) return [];
    return [{ at: locateLine(n + 1), message: `the line does not set ${name}`, hint: form }];
  });
}

const normalize = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '');

/** Whether both names have the same letters, in any case and with any separators. */
function isSpelling(name: string, variable: string): boolean {
  return normalize(name) === normalize(variable);
}

/** Whether a name is probably meant to be that of a variable: at most one letter of five differs. */
function isMisspelling(name: string, variable: string): boolean {
  const wanted = normalize(variable);
  return name !== variable && distance(normalize(name), wanted) <= Math.floor(wanted.length / 5);
}

/** Finds what the file has in place of variables that are missing. @param missing their names */
export function findMisspeltVariables(missing: readonly string[]): Problem[] {
  const { text, values } = parseEnvFile();
  return missing.flatMap((variable): Problem[] => {
    const name = Object.keys(values).find((stated) => isMisspelling(stated, variable));
    if (name === undefined) return [];
    const at = locateVariable(name, text) ?? locateLine(1);
    return [{ at, message: `'${name}' is not read: the variable is called ${variable}`, hint: `Write ${variable}=…` }];
  });
}

/** Finds a folder in the place of the file. Docker makes one where it is to mount a file that does not exist. */
export function findFolderInPlaceOfEnvFile(): Problem[] {
  if (statSync(envFile, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const hint = 'Write a file with BASE_URL=… in its place, or set the variables in the environment.';
  return [{ at: locateLine(1), message: 'is a folder, so no variable is read from it', hint }];
}

/** Finds the line of the file that sets a variable; undefined if none does. */
function locateVariable(name: string, text: string): Location | undefined {
  const lines = text.split(/\r\n?|\n/);
  // The last one counts.
  const n = lines.findLastIndex((line) => Object.hasOwn(dotenv.parse(line), name));
  return n === -1 ? undefined : locateLine(n + 1);
}

/** Finds where a value of the environment comes from: a line of the file, or else the variable. */
export function locateEnvironmentValue(name: string, value: string): Problem['at'] {
  const { text, values } = parseEnvFile();
  const line = values[name] === value ? locateVariable(name, text) : undefined;
  return line ?? { setting: name };
}
