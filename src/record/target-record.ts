/**
 * A record keeps how a target answers open questions. The results of a run go in, and a file that users commit comes out; later
 * the file and the results of another run go in, and the drift comes out. The worker finds drift and templates of bodies, while
 * it has the whole responses. The reporter writes the file, and the mock and the command line read it.
 */

import { isDeepStrictEqual } from 'node:util';
import type { TestDataVersion } from '../own-data/data-suite.js';
import { getIdFinders } from '../recognition/id-finders.js';
import type { Suite } from '../suite/suite.js';
import { renderYaml } from '../support/render-yaml.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import { type BodyShape, mergeShapes } from './body-shape.js';
import { type BodyTemplates, maskChangingValues } from './body-templates.js';
import {
  createResponseSummarizer,
  type DisplayableExchange,
  type ResponseSummary,
  renderShortCurlCommand,
} from './exchange-text.js';

/** The outcomes of one target. The schema of its file is `schemas/record.schema.json`. */
export interface TargetRecord {
  readonly target: string;
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  /** Older records lack it. */
  readonly data?: TestDataVersion;
  readonly questions: Readonly<Record<string, RecordedAnswer>>;
  readonly response_schema?: BodyShape;
  /** For a mock. */
  readonly bodies?: BodyTemplates;
}

export interface RecordedAnswer {
  readonly outcome: string;
  readonly request?: string;
  readonly response?: ResponseSummary;
}

export interface RecordableResult {
  readonly subject: string;
  readonly outcome?: string;
  /** The exchange that shows the outcome. */
  readonly exchangeId?: string;
  readonly shape?: BodyShape;
  readonly bodies?: BodyTemplates;
  /** Patterns of places whose values differ between responses to the same request. */
  readonly volatile?: readonly string[];
}

/** A run whose answers are recorded. */
interface AnsweredRun {
  readonly results: readonly RecordableResult[];
  /** Finds an exchange by its id, fit for display. */
  readonly showExchange: (id: string | undefined) => DisplayableExchange | undefined;
}

/** Summarizes the answers of a run. An unchanged target gives the same record. */
export function createRecord(suite: Suite, { results, showExchange }: AnsweredRun, target: string): TargetRecord {
  const summarize = createResponseSummarizer(suite.world);
  const shapes = results.flatMap(({ shape }) => shape ?? []);
  const questions = results
    .filter((result) => result.outcome !== undefined)
    .sort((a, b) => (a.subject < b.subject ? -1 : 1))
    .map(({ subject, outcome = '', exchangeId }): [string, RecordedAnswer] => {
      const exchange = showExchange(exchangeId);
      const request = exchange && renderShortCurlCommand(exchange);
      const response = exchange && 'response' in exchange ? summarize(exchange.response, exchange.mentions) : undefined;
      return [subject, { outcome, request, response }];
    });
  return {
    target,
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    data: suite.basis,
    questions: Object.fromEntries(questions),
    response_schema: mergeShapes(shapes),
    bodies: mergeBodies(suite, results),
  };
}

/** Merges the bodies of all cases, without what differs between responses: an unchanged target has the same record. */
function mergeBodies({ world }: Suite, results: readonly RecordableResult[]): BodyTemplates | undefined {
  const bodies: BodyTemplates = Object.assign({}, ...results.map((result) => result.bodies));
  if (Object.keys(bodies).length === 0) return undefined;
  const { tiers } = getIdFinders(world);
  const replaceId = (step: string) => (tiers.findExact(step) === undefined ? step : '*');
  const patterns = results.flatMap(({ volatile }) => volatile ?? []);
  const changing = new Set(patterns.map((pattern) => pattern.split('/').map(replaceId).join('/')));
  const entries = Object.entries(bodies).map(([name, body]) => [name, maskChangingValues(body, changing)]);
  const { expanded, ...others }: BodyTemplates = Object.fromEntries(entries);
  return expanded === undefined || isDeepStrictEqual(expanded, others.promotions) ? others : { ...others, expanded };
}

const heading = ` What this target does where the documentation is silent.
 A run compares with the file that the target file names: record: FILE
 Serve a mock that answers like it: npx conformance serve --as FILE`;

/** Renders the file of a record. */
export function renderRecord(record: TargetRecord): string {
  return renderYaml(record, heading);
}

/** Reads a record. It may have questions that the contract lacks. @throws UnusableInput with every problem of the file */
export function readRecord(file: string, yaml = readYaml(file, file)): TargetRecord {
  return validateFile('record', yaml) as TargetRecord;
}
