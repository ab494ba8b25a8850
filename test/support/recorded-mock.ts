/** A deployment in this process, recorded and served again as `record` and `serve --as` do. */

import { type BodyFiller, imitateRecord } from '../../reference/deployment/recorded-responses.js';
import { fillBody } from '../../src/record/body-templates.js';
import { createRecord, readRecord, renderRecord, type TargetRecord } from '../../src/record/target-record.js';
import type { StartRunOptions } from '../../src/run/run.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { type Answer, certifyInProcess, createReference, suite } from './in-process.js';

/** Only the cases that answer questions: a record has their answers, and no requirements. */
export const questionSuite = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'question') };

/** Records a deployment, and reads the record as it is read from a file. */
export async function recordInProcess(respond: Answer, options: StartRunOptions = {}): Promise<TargetRecord> {
  const run = await certifyInProcess(respond, { infersShape: true, suite: questionSuite, ...options });
  return readRecord('record.yaml', parseYaml(renderRecord(createRecord(suite, run, 'mock')), 'record.yaml'));
}

/** Creates what `serve --as` serves. */
export function createMockOfRecord(record: TargetRecord): Answer {
  const fill: BodyFiller = (template, tiers, turn) => fillBody(template, tiers, suite.world, turn);
  return createReference(imitateRecord(record, {}, fill));
}
