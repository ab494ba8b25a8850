import {
  type Behaviours,
  completeBehaviours,
  convertOutcomesToBehaviours,
  shapeQuestions,
} from '../reference/behaviours.js';
import type { DeploymentOptions } from '../reference/deployment.js';
import { referenceCredentials } from '../reference/reference-credentials.js';
import { loadSuite } from './cases/suite.js';
import { readKnownCauses } from './certificate/diagnosis/known-causes.js';
import { readDataFile } from './contract/data-file.js';
import { loadWorld } from './contract/world-file.js';
import type { Credentials } from './http/connection-options.js';
import { mockFromRecord } from './mock-from-record.js';
import { readShownResponse } from './record/exchange-text.js';
import { readKnownDeviations } from './record/known-deviations.js';
import { readRecord, type TargetRecord } from './record/target-record.js';

export interface MockOptions {
  /** A record: the mock answers as the recorded deployment did. */
  readonly record?: string;
  /** A data file; see docs/own-data.md. Default: the test data of the suite. */
  readonly data?: string;
  /** A file of known deviations: the mock has them, too. */
  readonly known?: string;
  /** Outcomes by question, as for `conformance serve --behaviour`. They win over those of the record. */
  readonly behaviours?: Behaviours;
  /** Which credentials it accepts. Default: the public ones that `conformance serve` prints. */
  readonly credentials?: Credentials;
}

/**
 * Reads the files of a mock.
 *
 * @returns with what the mock cannot imitate: questions by their recorded answers, and known deviations by requirement or
 *   cause
 */
export function readMockOptions({
  record,
  data,
  known,
  behaviours = {},
  credentials = referenceCredentials,
}: MockOptions): {
  options: DeploymentOptions;
  inimitable: readonly string[];
} {
  completeBehaviours(behaviours);
  const recorded = record === undefined ? undefined : readMock(record, behaviours);
  const served = data === undefined ? loadWorld() : readDataFile(data).world;
  const deviations = known === undefined ? undefined : readDeviations(known);
  return {
    options: {
      world: served,
      faults: deviations?.faults ?? [],
      credentials,
      behaviours: { ...recorded?.behaviours, ...behaviours },
      ...(recorded === undefined ? {} : { change: mockFromRecord(recorded.record, served) }),
    },
    inimitable: [...(recorded?.inimitable ?? []), ...(deviations?.inimitable ?? [])],
  };
}

/** @param file a record @param chosen outcomes that win over the recorded ones */
function readMock(
  file: string,
  chosen: Behaviours,
): ReturnType<typeof convertOutcomesToBehaviours> & { readonly record: TargetRecord } {
  const record = readRecord(file);
  const kept = Object.entries(record.questions).filter(([id, { outcome }]) => (chosen[id] ?? outcome) === outcome);
  const questions = Object.fromEntries(kept);
  const outcomes = kept.map(([id, { outcome }]) => [id, outcome]);
  const { behaviours, inimitable } = convertOutcomesToBehaviours(Object.fromEntries(outcomes));
  // Recorded bodies answer these questions.
  const isImitated = (id: string) =>
    (id === shapeQuestions.list && record.bodies?.promotions !== undefined) ||
    (id === shapeQuestions.error && readShownResponse(questions[id]?.response ?? '')?.body !== undefined);
  return { behaviours, inimitable: inimitable.filter((id) => !isImitated(id)), record: { ...record, questions } };
}

/** Reads the faults that the causes of known deviations name. @throws UnusableInput with every problem of the file */
function readDeviations(file: string) {
  const { contract, world } = loadSuite();
  const { causes, requirements } = readKnownCauses(readKnownDeviations(file, contract), world);
  // A fault concerns all requests.
  const isLimited = ({ features }: (typeof causes)[number]) => features.length > 0;
  return {
    faults: causes.flatMap((cause) => (isLimited(cause) ? [] : (cause.mistake ?? []))),
    inimitable: [...requirements, ...causes.filter(isLimited).map(({ id }) => id)],
  };
}
