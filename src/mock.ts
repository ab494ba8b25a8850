/**
 * The reference deployment, or a record of another one, as a part of your own tests:
 * `import { createMock } from 'promotion-validation-conformance/mock'`.
 */

import type { RequestListener } from 'node:http';
import { type Behaviours, completeBehaviours } from '../reference/deployment/behaviours.js';
import { createDeployment, type DeploymentOptions } from '../reference/deployment/deployment.js';
import { type BodyFiller, imitateRecord } from '../reference/deployment/recorded-responses.js';
import { referenceCredentials } from '../reference/deployment/reference-credentials.js';
import { createRequestListener } from '../reference/deployment/server.js';
import { readDataFile } from './contract/data-file.js';
import { loadWorld } from './contract/world-file.js';
import { readKnownCauses } from './explanation/known-causes.js';
import type { Credentials } from './http/connection-options.js';
import type { HttpRequest, HttpResponse } from './http/exchange.js';
import { fillBody } from './record/body-templates.js';
import { readKnownDeviations } from './record/known-deviations.js';
import { readRecord } from './record/target-record.js';
import { loadSuite } from './suite/suite.js';

export type { Credentials } from './http/connection-options.js';
export type { Headers, HttpRequest, HttpResponse } from './http/exchange.js';
export { UnusableInput } from './support/problem.js';

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
 * Creates a mock: a function that answers one request, whose `path` includes the query string.
 * @throws UnusableInput if a file is unusable, and an Error for an unknown behaviour
 */
export function createMock(options: MockOptions = {}): (request: HttpRequest) => HttpResponse {
  return createDeployment(readMockFiles(options).options);
}

/** Creates the same as a listener for `createServer` of `node:http`. It reads the bodies of requests. */
export function createMockListener(options: MockOptions = {}): RequestListener {
  return createRequestListener(createMock(options));
}

/**
 * Reads the files of a mock. @throws UnusableInput with every problem of a file
 * @returns the options of the deployment, and what it cannot imitate: questions, requirements and causes
 */
export function readMockFiles({ record, data, known, behaviours = {}, credentials }: MockOptions) {
  completeBehaviours(behaviours);
  const world = data === undefined ? loadWorld() : readDataFile(data).world;
  const fill: BodyFiller = (template, tiers, turn) => fillBody(template, tiers, world, turn);
  const recorded = record === undefined ? undefined : imitateRecord(readRecord(record), behaviours, fill);
  const deviations = known === undefined ? undefined : imitateDeviations(known);
  const options: DeploymentOptions = {
    world,
    credentials: credentials ?? referenceCredentials,
    behaviours: { ...recorded?.behaviours, ...behaviours },
    faults: deviations?.faults ?? [],
    change: recorded?.change,
  };
  return { options, inimitable: [...(recorded?.inimitable ?? []), ...(deviations?.inimitable ?? [])] };
}

function imitateDeviations(file: string) {
  const { contract, world } = loadSuite();
  const known = readKnownDeviations(file, contract);
  const { causes, refusals } = readKnownCauses(known, world);
  // That some rows fail does not say what is wrong.
  const withoutCause = known.entries.filter(({ rows, isExpired }) => rows !== undefined && !isExpired);
  const inimitable = [...withoutCause.map(({ requirement }) => requirement), ...refusals.map(({ id }) => id)];
  return { faults: causes, inimitable };
}
