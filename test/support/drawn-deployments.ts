/** Conforming deployments that are drawn: how their responses look, and how they answer open questions. */

import fc from 'fast-check';
import { type Behaviours, closedQuestions } from '../../reference/deployment/behaviours.js';
import { type Deploy, type DeploymentRow, reshape } from './check-deployment.js';
import { createReference } from './in-process.js';
import { type Shape, shapes } from './independent-deployment.js';
import { markingShapes } from './marking-shapes.js';

// 'huge-records' is ten times as slow as the others; deployments.spec.ts has it.
const { 'huge-records': _slow, 'with-rejected': rejecting, ...clearShapes } = shapes;

/** How responses look, and the line that the target file needs. */
export interface Look {
  readonly shape: Shape;
  readonly line?: string;
}

export const looks: Readonly<Record<string, Look>> = {
  ...Object.fromEntries(Object.entries<Shape>(clearShapes).map(([name, shape]) => [name, { shape }])),
  'with-rejected': { shape: rejecting, line: 'response: { tier: /promotions/*/id }' },
  ...markingShapes,
};

const headerLines = ['none', 'age: 0 | etag', 'deprecation: true | sunset: Sat, 01 Jan 2028 00:00:00 GMT'];

/** The possible values of each member of a row. */
type Choices<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/** Answers to the open questions, the usual one first. */
const answers: Readonly<Record<string, readonly string[]>> = {
  ...closedQuestions,
  'response-status': ['200', '201', '202', '203', '206', '299'],
  'response-media-type': ['application/json', 'application/vnd.api+json', 'text/plain', 'none'],
  'deprecation-headers': headerLines,
  'rate-limit-headers': headerLines,
  'caching-headers': headerLines,
  'cors-headers': headerLines,
};

function draw<Row extends object>(parameters: Choices<Row>): fc.Arbitrary<Row> {
  const entries = Object.entries<readonly unknown[]>(parameters);
  const members = entries.map(([name, choices]) => [name, fc.constantFrom(...choices)]);
  return fc.record(Object.fromEntries(members)) as fc.Arbitrary<Row>;
}

export const drawnLook = fc.constantFrom(...Object.keys(looks));
/** Without usual answers, which keeps a counterexample short. */
export const drawnBehaviours = draw<Record<string, string>>(answers).map((drawn): Behaviours => {
  return Object.fromEntries(Object.entries(drawn).filter(([question, answer]) => answer !== answers[question]?.[0]));
});

export const readLook = (name: string): Look => looks[name] ?? { shape: shapes.wrapped };

/** The reference deployment with a look and answers, and the lines of its target file. */
export function describeDrawnDeployment(
  look: string,
  behaviours: Behaviours,
  faults: readonly string[] = [],
): Required<Pick<DeploymentRow, 'deploy' | 'target'>> {
  const { shape, line = '' } = readLook(look);
  const deploy: Deploy = (world) => createReference({ world, behaviours, faults, change: reshape(shape, world) });
  return { deploy, target: `world: loaded\n${line}` };
}
