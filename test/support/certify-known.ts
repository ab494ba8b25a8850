/** Runs in this process that know deviations, as `certify --known` does. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { getRequirementOrQuestionId, type TestCase } from '../../src/cases/test-case.js';
import { determineExitStatusOfCertificate } from '../../src/cli/exit-status.js';
import { addDeviations } from '../../src/record/add-deviations.js';
import { createTimedChannel } from '../../tools/proof/judge-deployment.js';
import { makeTestFolder } from './cli.js';
import { type Answer, createReference } from './in-process.js';
import { type RunWithEvidence, runWithEvidence } from './run-with-evidence.js';

export const deploy = (...faults: readonly string[]): Answer => createReference({ faults });

export interface Setting {
  /** A file of known deviations. */
  readonly known?: string | undefined;
  /** A record. */
  readonly against?: string;
  /** The ids of cases, as `--only` names them. */
  readonly only?: readonly string[];
  /** Prefixes of the ids of requirements; by default, all cases run. */
  readonly about?: readonly string[] | undefined;
}

/** Certifies a deployment in this process, as `certify` does. */
export async function certify(answer: Answer, { known, against, only, about = [''] }: Setting = {}) {
  const selects = (testCase: TestCase) =>
    about.some((prefix) => getRequirementOrQuestionId(testCase).startsWith(prefix));
  const options = { known, against, only };
  const run = await runWithEvidence(createTimedChannel(answer), { options, selects });
  return { ...run, status: determineExitStatusOfCertificate(run.certificate) };
}

/** Writes the known deviations of a run, with reasons, as `record --known` does. */
export function writeKnown({ newDeviations }: RunWithEvidence, more = ''): string {
  const { text } = addDeviations('', newDeviations);
  return writeFile(text.replaceAll('reason: ""', `reason: It is an old index.${more}`));
}

let files = 0;
export const folder = makeTestFolder();
export function writeFile(text: string): string {
  files += 1;
  const file = path.join(folder, `known-${files}.yaml`);
  writeFileSync(file, text);
  return file;
}
