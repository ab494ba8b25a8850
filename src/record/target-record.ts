import type { RecordedBodies } from '../judge/recorded-bodies.js';
import { refuse } from '../support/problem.js';
import { compileSchema, validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import type { BodyShape } from './body-shape.js';

/** The outcomes of one target. The schema of its file is `schemas/record.schema.json`. */
export interface TargetRecord {
  readonly target: string;
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly questions: Readonly<Record<string, RecordedAnswer>>;
  readonly response_schema?: BodyShape;
  /** For a mock. */
  readonly bodies?: RecordedBodies;
}

export interface RecordedAnswer {
  readonly outcome: string;
  readonly request?: string;
  readonly response?: string;
}

/** Reads a record. It may have questions that the contract lacks. @throws UnusableInput with every problem of the file */
export function readRecord(file: string, yaml = readYaml(file, file)): TargetRecord {
  const record = validateFile('record', yaml) as TargetRecord;
  try {
    if (record.response_schema !== undefined) compileSchema(record.response_schema);
    return record;
  } catch (error) {
    const message = `'response_schema' is not a JSON Schema: ${(error as Error).message}`;
    throw refuse(yaml.locate(['response_schema']), message, 'Record the target again.');
  }
}
