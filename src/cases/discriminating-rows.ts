import { createHash } from 'node:crypto';
import path from 'node:path';
import { UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import { readYaml, type YamlFile } from '../support/yaml-file.js';
import { type Suite, suiteFolder } from './suite.js';
import type { RequirementCase, RequirementRow } from './test-case.js';

/** The rows that catch the known faults, the most telling first: each is worth the requests that it adds. */
export interface DiscriminatingRows {
  readonly rows: readonly DiscriminatingRow[];
  /** How many faults are known. */
  readonly faultsKnown: number;
  /** How many of them all rows together catch: some show only in what one request leaves over for another. */
  readonly faultsCaught: number;
  /** Of the rows and faults from which they were chosen; see {@link computeRowsDigest}. */
  readonly chosenFrom: string;
}

export interface DiscriminatingRow {
  readonly testCase: RequirementCase;
  readonly row: RequirementRow;
  /** How many requests a run takes that sends this row and those before it, calibration included. */
  readonly requests: number;
  /** How many of the known faults one of them catches by itself: some requirement fails. */
  readonly faults: number;
}

/** The file as it is written. See `schemas/telling-rows.schema.json`. */
interface Document {
  readonly chosen_from: string;
  readonly faults: number;
  readonly caught: number;
  readonly rows: readonly { case: string; row?: string; requests: number; faults: number }[];
}

/** `npm run proof` writes it. */
export const discriminatingRowsFile = path.join(suiteFolder, 'telling-rows.yaml');

const hint = 'npm run proof writes the file anew.';

/**
 * Finds the rows of a suite that a file lists.
 *
 * @throws UnusableInput where the file is not as its schema asks, or names a case or a row that the suite does not have
 */
export function readDiscriminatingRows(
  { cases }: Suite,
  file: YamlFile = readYaml(discriminatingRowsFile),
): DiscriminatingRows {
  const { chosen_from, faults, caught, rows } = validateFile('telling-rows', file) as Document;
  const known = new Map(cases.flatMap((each) => (each.kind === 'requirement' ? [[each.id, each] as const] : [])));
  const problems: { at: ReturnType<YamlFile['locate']>; message: string; hint: string }[] = [];
  const found = rows.flatMap(({ case: id, row: title = '', requests, faults }, n): DiscriminatingRow[] => {
    const testCase = known.get(id);
    const row = testCase?.rows.find((each) => each.title === title);
    if (testCase !== undefined && row !== undefined) return [{ testCase, row, requests, faults }];
    const [key, what, names] =
      testCase === undefined
        ? ['case', `there is no requirement's case '${id}'`, [...known.keys()]]
        : ['row', `the case '${id}' has no row '${title}'`, testCase.rows.map((each) => each.title)];
    const meant = suggest(testCase === undefined ? id : title, names as string[]);
    problems.push({ at: file.locate(['rows', n, key as string]), message: what as string, hint: `${meant} ${hint}` });
    return [];
  });
  if (problems.length > 0) throw new UnusableInput(problems);
  return { rows: found, faultsKnown: faults, faultsCaught: caught, chosenFrom: chosen_from };
}

/**
 * A digest of all that decides which rows are telling, save for what is expected of the responses: the rows of the
 * requirement cases with their requests, and the known faults.
 *
 * @param faults their ids
 */
export function computeRowsDigest({ cases, calibration }: Suite, faults: readonly string[]): string {
  const ofCases = cases.flatMap((testCase) => {
    if (testCase.kind === 'question') return [];
    return [[testCase.id, testCase.verifies, testCase.tags, testCase.rows.map((row) => [row.title, ...row.requests])]];
  });
  const text = JSON.stringify([calibration, ofCases, faults]);
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
