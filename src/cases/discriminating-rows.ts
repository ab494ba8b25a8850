import path from 'node:path';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import { suiteFolder } from './suite.js';

/** The rows that catch the known faults. See `schemas/discriminating-rows.schema.json`. */
export interface DiscriminatingRows {
  /** A digest of the rows and faults from which they were chosen. */
  readonly chosen_from: string;
  /** The number of known faults. */
  readonly faults: number;
  /** How many of them all rows catch together: some show only in state that one request leaves for another. */
  readonly caught: number;
  readonly rows: readonly DiscriminatingRow[];
}

export interface DiscriminatingRow {
  readonly case: string;
  /** The title of the row; none if its case has only one. */
  readonly row?: string;
  /** The number of known faults that this row or one before it catches alone: some requirement fails. */
  readonly faults: number;
}

/** `npm run update` writes it. */
export const discriminatingRowsFile = path.join(suiteFolder, 'discriminating-rows.yaml');

/** @throws UnusableInput if the file does not match its schema */
export function readDiscriminatingRows(): DiscriminatingRows {
  return validateFile('discriminating-rows', readYaml(discriminatingRowsFile)) as DiscriminatingRows;
}
