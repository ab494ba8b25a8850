import type { RecordedBodies } from '../judge/recorded-bodies.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import type { BodyShape } from './body-shape.js';
import type { ShownResponse } from './exchange-text.js';

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
  readonly response?: ShownResponse;
}

/** Reads a record. It may have questions that the contract lacks. @throws UnusableInput with every problem of the file */
export function readRecord(file: string, yaml = readYaml(file, file)): TargetRecord {
  return validateFile('record', yaml) as TargetRecord;
}
