import path from 'node:path';
import { UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml, type YamlFile } from '../support/yaml-file.js';
import { type Suite, suiteFolder } from './suite.js';
import type { RequirementCase, RequirementRow } from './test-case.js';

/** The rows that catch the known faults, the most effective ones first: each is worth the requests that it adds. */
export interface DiscriminatingRows {
  readonly rows: readonly DiscriminatingRow[];
  readonly faultsKnown: number;
  /** How many of them all rows catch together: some show only in state that one request leaves for another. */
  readonly faultsCaught: number;
  /** A digest of the rows and faults from which they were chosen. */
  readonly chosenFrom: string;
}

export interface DiscriminatingRow {
  readonly testCase: RequirementCase;
  readonly row: RequirementRow;
  /** The number of requests for this row and those before it, calibration included. */
  readonly requests: number;
  /** The number of known faults that this row or one before it catches alone: some requirement fails. */
  readonly faults: number;
}

/** The file as it is written. See `schemas/discriminating-rows.schema.json`. */
interface DiscriminatingRowsDocument {
  readonly chosen_from: string;
  readonly faults: number;
  readonly caught: number;
  readonly rows: readonly { case: string; row?: string; requests: number; faults: number }[];
}

/** `npm run update` writes it. */
export const discriminatingRowsFile = path.join(suiteFolder, 'discriminating-rows.yaml');

/**
 * Finds the rows of a suite that a file lists.
 *
 * @throws UnusableInput if the file does not match its schema, or names an unknown case or row
 */
export function readDiscriminatingRows(
  { cases }: Pick<Suite, 'cases'>,
  file: YamlFile = readYaml(discriminatingRowsFile),
): DiscriminatingRows {
  const { chosen_from, faults, caught, rows } = validateFile('discriminating-rows', file) as DiscriminatingRowsDocument;
  const known = new Map(cases.flatMap((each) => (each.kind === 'requirement' ? [[each.id, each] as const] : [])));
  const found = rows.map(({ case: id, row: title = '', requests, faults }, n): DiscriminatingRow => {
    const testCase = known.get(id);
    const row = testCase?.rows.find((each) => each.title === title);
    if (testCase !== undefined && row !== undefined) return { testCase, row, requests, faults };
    const at = file.locate(['rows', n]);
    const message = testCase === undefined ? `unknown case '${id}'` : `unknown row '${title}' of the case '${id}'`;
    throw new UnusableInput([{ at, message, hint: 'Run `npm run update`.' }]);
  });
  return { rows: found, faultsKnown: faults, faultsCaught: caught, chosenFrom: chosen_from };
}
