/**
 * The reference deployment, or a record of another one, as a part of your own tests:
 * `import { createMock } from 'promotion-validation-conformance/mock'`.
 */

import type { RequestListener } from 'node:http';
import {
  type Behaviours,
  completeBehaviours,
  convertOutcomesToBehaviours,
  shapeQuestions,
} from '../reference/behaviours.js';
import { createDeployment, type DeploymentOptions } from '../reference/deployment.js';
import type { Change } from '../reference/handlers.js';
import { referenceCredentials } from '../reference/reference-credentials.js';
import { createRequestListener } from '../reference/server.js';
import { loadSuite } from './cases/suite.js';
import { readKnownCauses } from './certificate/known-causes.js';
import { readDataFile } from './contract/data-file.js';
import type { World } from './contract/world.js';
import { loadWorld } from './contract/world-file.js';
import type { Credentials } from './http/connection-options.js';
import type { HttpRequest, HttpResponse } from './http/exchange.js';
import { isSuccessful } from './http/response-status.js';
import { fillBody } from './judge/recorded-bodies.js';
import type { ShownResponse } from './record/exchange-text.js';
import { readKnownDeviations } from './record/known-deviations.js';
import { readRecord, type TargetRecord } from './record/target-record.js';
import { omitUndefined } from './support/collections.js';

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
  return createDeployment(readMockOptions(options).options);
}

/** Creates the same as a listener for `createServer` of `node:http`. It reads the bodies of requests. */
export function createMockListener(options: MockOptions = {}): RequestListener {
  return createRequestListener(createMock(options));
}

/**
 * Reads the files of a mock. @throws UnusableInput with every problem of a file
 * @returns the options of the deployment, and what it cannot imitate: questions, requirements and causes
 */
export function readMockOptions({ record, data, known, behaviours = {}, credentials }: MockOptions) {
  completeBehaviours(behaviours);
  const world = data === undefined ? loadWorld() : readDataFile(data).world;
  const recorded = record === undefined ? undefined : imitateRecord(readRecord(record), behaviours, world);
  const deviations = known === undefined ? undefined : imitateDeviations(known);
  const options: DeploymentOptions = {
    world,
    credentials: credentials ?? referenceCredentials,
    behaviours: { ...recorded?.behaviours, ...behaviours },
    faults: deviations?.faults ?? [],
    ...omitUndefined({ change: recorded?.change }),
  };
  return { options, inimitable: [...(recorded?.inimitable ?? []), ...(deviations?.inimitable ?? [])] };
}

function imitateRecord({ questions: all, bodies }: TargetRecord, chosen: Behaviours, world: World) {
  const kept = Object.entries(all).filter(([id, { outcome }]) => (chosen[id] ?? outcome) === outcome);
  const questions = Object.fromEntries(kept);
  const outcomes = Object.fromEntries(kept.map(([id, { outcome }]) => [id, outcome]));
  const { behaviours, inimitable } = convertOutcomesToBehaviours(outcomes);
  // Recorded bodies answer these questions.
  const isImitated = (id: string) =>
    (id === shapeQuestions.list && bodies?.promotions !== undefined) ||
    (id === shapeQuestions.error && questions[id]?.response?.body !== undefined);
  const change = mockFromRecord({ questions, ...omitUndefined({ bodies }) }, world);
  return { behaviours, change, inimitable: inimitable.filter((id) => !isImitated(id)) };
}

function imitateDeviations(file: string) {
  const { contract, world } = loadSuite();
  const { causes, requirements } = readKnownCauses(readKnownDeviations(file, contract), world);
  // A fault concerns all requests.
  const limited = causes.filter(({ features }) => features.length > 0);
  const whole = causes.filter(({ features }) => features.length === 0);
  return {
    faults: whole.flatMap(({ mistake }) => mistake ?? []),
    inimitable: [...requirements, ...limited.map(({ id }) => id)],
  };
}

/** Answers with the recorded bodies, and with the recorded status and text if a question ends a request. */
export function mockFromRecord(
  { questions, bodies = {} }: Pick<TargetRecord, 'questions' | 'bodies'>,
  world: World,
): Change {
  const { promotions, expanded = promotions, none = promotions } = bodies;
  const shown = questions['error-shape']?.response;
  const error = shown !== undefined && shown.status >= 400 ? shown : undefined;
  let responses = 0;
  return (handlers) => ({
    list: (tiers, request) => {
      const response = handlers.list(tiers, request);
      const template = tiers.length === 0 ? none : request.expand.length > 0 ? expanded : promotions;
      if (promotions === undefined) return response;
      responses += 1;
      return { ...response, body: JSON.stringify(fillBody(template, tiers, world, responses)) };
    },
    // Where a question ends a request, its own response follows.
    refused: (refusal) => replaceBody(handlers.refused(refusal), error),
    end: (response, question) => {
      const recorded = questions[question ?? '']?.response;
      if (recorded === undefined) return response;
      const { status, body } = recorded;
      // The request that shows the answer to a question may be another one than the one that was refused.
      const isSameKind = Math.trunc(status / 100) === Math.trunc(response.status / 100);
      if (!isSuccessful(response) && !isSameKind) return response;
      const keepsBody = isSuccessful({ ...response, status }) && body !== '';
      return { ...replaceBody(response, keepsBody ? undefined : recorded), status };
    },
  });
}

function replaceBody(response: HttpResponse, { body, media_type }: Partial<ShownResponse> = {}): HttpResponse {
  if (body === undefined) return response;
  const others = response.headers.filter(([name]) => name !== 'content-type');
  const type = media_type === undefined ? [] : [['content-type', media_type] as const];
  // A number that changes must stay a number.
  return { ...response, headers: [...type, ...others], body: body.replaceAll(/(?<=[:,[])…(?=[,\]}])/g, '0') };
}
