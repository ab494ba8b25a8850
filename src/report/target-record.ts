import { isDeepStrictEqual } from 'node:util';
import type { Suite } from '../cases/suite.js';
import type { ShownResult } from '../engine/case-result.js';
import { type BodyShape, mergeShapes } from '../judge/body-shape.js';
import { mergeTemplates, type ResponseTemplates } from '../judge/extract-templates.js';
import { UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { findSchemaFlaw } from '../support/user-schema.js';
import { parseYaml, readYaml, type YamlFile } from '../support/yaml-file.js';
import { createResponseRenderer, type ResponseRenderer, renderRequest } from './exchange-text.js';
import { renderYaml } from './render-yaml.js';

/** A file of outcomes of one target. Its schema is `schemas/record.schema.json`. */
export interface TargetRecord {
  readonly target: string;
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly questions: Readonly<Record<string, RecordedAnswer>>;
  readonly response_schema?: BodyShape;
  /** How it answers, for a mock in its shape. */
  readonly answers?: ResponseTemplates;
}

export interface RecordedAnswer {
  readonly outcome: string;
  readonly request?: string;
  readonly response?: string;
}

/** Makes the record of a run: every question that was answered. */
export function createRecord(suite: Suite, results: readonly ShownResult[], target: string): TargetRecord {
  const responseText = createResponseRenderer(suite.world);
  const answers = results
    .filter((result) => result.outcome !== undefined)
    .sort((one, other) => (one.subject < other.subject ? -1 : 1))
    .map(
      ({ subject, outcome = '', exchange: evidence }) =>
        [subject, { outcome, ...shownBy(evidence, responseText) }] as const,
    );
  const shape = mergeShapesOfRun(results);
  return {
    target,
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    questions: Object.fromEntries(answers),
    ...(shape === undefined ? {} : { response_schema: shape }),
    ...answersOf(results),
  };
}

/** What a template of more characters is for, nobody would want to read in a record. */
const maxCharacters = 64 * 1024;

function answersOf(results: readonly ShownResult[]): Pick<TargetRecord, 'answers'> {
  const answers = results
    .flatMap(({ answers }) => answers ?? [])
    .reduce<ResponseTemplates | undefined>(mergeTemplates, undefined);
  if (answers === undefined || JSON.stringify(answers).length > maxCharacters) return {};
  const { expanded, ...others } = answers;
  return { answers: isDeepStrictEqual(expanded, answers.list) || expanded === undefined ? others : answers };
}

/** The shape that fits the successful bodies of all cases. */
export function mergeShapesOfRun(results: readonly ShownResult[]): BodyShape | undefined {
  return results.flatMap(({ shape }) => shape ?? []).reduce<BodyShape | undefined>(mergeShapes, undefined);
}

function shownBy(evidence: ShownResult['exchange'], responseText: ResponseRenderer): Omit<RecordedAnswer, 'outcome'> {
  if (evidence === undefined) return {};
  return {
    request: renderRequest(evidence),
    response: responseText(evidence),
  };
}

/** A record as the YAML that people commit: the same text for the same record. */
export function renderRecord(record: TargetRecord): string {
  const heading = [
    '# What this target was seen to do where the documentation of the endpoint is silent.',
    '# Compare a target with it: npx conformance certify --against FILE',
    '# Serve a mock that answers so: npx conformance serve --as FILE',
  ];
  return `${heading.join('\n')}\n${renderYaml(record)}`;
}

/**
 * Reads a record. Questions that this ledger does not know are no mistake: it may be of another version.
 *
 * @throws UnusableInput with every problem of the file
 */
export function readRecord(file: string): TargetRecord {
  return recordIn(readYaml(file, file));
}

/** Reads the text of a record. @throws UnusableInput with every problem of it, in a file of this name */
export function parseRecord(text: string, file: string): TargetRecord {
  return recordIn(parseYaml(text, file));
}

function recordIn(yaml: YamlFile): TargetRecord {
  const record = validateFile('record', yaml) as TargetRecord;
  const flaw = record.response_schema === undefined ? undefined : findSchemaFlaw(record.response_schema);
  if (flaw === undefined) return record;
  const message = `'response_schema' is no JSON Schema: ${flaw}`;
  throw new UnusableInput([{ at: yaml.locate(['response_schema']), message, hint: 'Record the target anew.' }]);
}
