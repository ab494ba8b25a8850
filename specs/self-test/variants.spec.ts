/**
 * Deployments that nobody wrote: shapes, statuses, orders and answers to open questions, drawn at random. None of them
 * may be failed, and none of them may hide a fault.
 */

import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { type Behaviours, closedQuestions, openQuestions } from '../../reference/behaviours.js';
import { createDeployment, type DeploymentOptions } from '../../reference/deployment.js';
import { faults } from '../../reference/faults/index.js';
import { sumOf } from '../../src/report/certificate.js';
import type { DeploymentJudgement } from '../proof/judge-deployment.js';
import { inProcessCredentials, judgeDeployment, verdictsOf } from '../proof/judge-deployment.js';
import { suite } from './support/in-process.js';
import { independentDeployment, type ShapeName, shapes, type Traits } from './support/independent.js';

/** Fixed, so that a run can be repeated; PROPERTY_SEED draws others. */
const seed = Number(process.env.PROPERTY_SEED ?? 20_240_120);

const { world } = suite;

// Draws ---------------------------------------------------------------------------------------------------------------

/** How the answers of a deployment look. */
interface Look {
  readonly shape: ShapeName;
  /** Whether a target file states where the promotions stand. */
  readonly stated: boolean;
}

/** The only shape in which promotions that were not returned are named too. */
const rejecting: ShapeName = 'with-rejected';
const statedPatterns = ['/promotions/*/id'];

const slow: ShapeName = 'huge-records';
const shapeNames = Object.keys(shapes) as ShapeName[];
const shape = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...shapeNames.filter((name) => name !== slow)) },
  { weight: 1, arbitrary: fc.constant(slow) },
);
const look: fc.Arbitrary<Look> = fc.record({ shape, stated: fc.boolean() });

const headerLines = fc.constantFrom(
  'none',
  'age: 0 | etag',
  'deprecation: true | sunset: Sat, 01 Jan 2028 00:00:00 GMT',
);

const usualOutcomes: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(closedQuestions).map(([question, [usual]]) => [question, usual]),
  ...Object.entries(openQuestions).map(([question, { default: usual }]) => [question, usual]),
]);

/** Any answers to the open questions, by question; the usual ones are left out, which keeps a counterexample short. */
const behaviours: fc.Arbitrary<Behaviours> = fc
  .record({
    ...Object.fromEntries(
      Object.entries(closedQuestions).map(([question, outcomes]) => [question, fc.constantFrom<string>(...outcomes)]),
    ),
    'response-status': fc.constantFrom('200', '201', '202', '203', '206', '299'),
    'response-media-type': fc.constantFrom('application/json', 'application/vnd.api+json', 'text/plain', 'none'),
    'deprecation-headers': headerLines,
    'rate-limit-headers': headerLines,
    'caching-headers': headerLines,
    'cors-headers': headerLines,
  })
  .map((drawn) =>
    Object.fromEntries(Object.entries(drawn).filter(([question, outcome]) => outcome !== usualOutcomes[question])),
  );

const traits: fc.Arbitrary<Traits> = fc.record(
  {
    status: fc.constantFrom(200, 201, 203, 206),
    empty: fc.constantFrom<NonNullable<Traits['empty']>>('list', 404, 204, 'no-body'),
    order: fc.constantFrom('newest-first', 'oldest-first', 'by-name'),
    numericStrings: fc.constantFrom('read', 'rejected'),
    unknownCustomer: fc.constantFrom('accepted', 'rejected'),
    bothFilters: fc.constantFrom('intersection', 'union'),
    omitted: fc.constantFrom('accepted', 'rejected'),
    repeated: fc.constantFrom('summed', 'each-item-alone'),
    orderMetadataRules: fc.constantFrom('applied', 'ignored'),
    audienceRulesOnly: fc.constantFrom('no-effect', 'skips-order-rules', 'returns-nothing'),
    filteredWindow: fc.constantFrom('window-first', 'filter-first'),
  },
  { requiredKeys: [] },
);

// Runs ----------------------------------------------------------------------------------------------------------------

/** The reference deployment, its results in the shape of another. */
function reshaped(
  look: Look,
  options: Pick<DeploymentOptions, 'behaviours' | 'faults'>,
  own = suite,
): Promise<DeploymentJudgement> {
  const change: DeploymentOptions['change'] = (handlers, { catalogue }) => ({
    list: (tiers, request) => ({
      ...handlers.list([], request),
      body: JSON.stringify(shapes[look.shape](tiers, world, handlers.newest(catalogue.tiers))),
    }),
  });
  return examined(look, createDeployment({ world, credentials: inProcessCredentials, change, ...options }), own);
}

function examined(
  { shape, stated }: Look,
  respond: Parameters<typeof judgeDeployment>[1],
  own = suite,
): Promise<DeploymentJudgement> {
  return judgeDeployment(own, respond, shape === rejecting && stated ? { tierPatterns: statedPatterns } : {});
}

/** Why a deployment of such a look cannot be found to conform, if so. */
const doubtOf = ({ shape, stated }: Look): RegExp | undefined =>
  shape === rejecting && !stated ? /\/promotions\/\*\/id and \/skipped\/\*\/id, which disagree/ : undefined;

/** Throws unless a deployment is found to conform or, where its answers do not differ, every case says so. */
function expectConforming(examination: DeploymentJudgement, ...doubts: readonly (RegExp | undefined)[]): void {
  const found = sumOf([...verdictsOf(examination).values()].map((verdict) => ({ verdict })));
  const lines = examination.cases
    .filter(({ sent }) => sent.judgement.verdict !== 'pass')
    .map(({ testCase, sent: { judgement } }) => `${testCase.id}: ${judgement.verdict}. ${judgement.reason}`);
  const isDoubted = (line: string) => doubts.some((doubt) => doubt?.test(line));
  const isRight = doubts.every((doubt) => doubt === undefined)
    ? found === 'conforms'
    : found === 'incomplete' && lines.every(isDoubted);
  if (!isRight) throw new Error([`It is found: ${found}.`, ...lines].join('\n'));
}

test.describe.configure({ mode: 'parallel' });

test('there are at least 12 shapes', () => {
  expect(shapeNames.length).toBeGreaterThanOrEqual(12);
});

test('350 conforming variants of the reference deployment are found to conform', async () => {
  await fc.assert(
    fc.asyncProperty(look, behaviours, async (look, behaviours) => {
      expectConforming(await reshaped(look, { behaviours }), doubtOf(look));
    }),
    { seed, numRuns: 350 },
  );
});

test('150 conforming variants of the independent deployment are found to conform', async () => {
  await fc.assert(
    fc.asyncProperty(look, traits, async (look, traits) => {
      const deployment = independentDeployment(world, { ...traits, shape: look.shape });
      const { audienceRulesOnly, empty } = traits;
      const isHidden = audienceRulesOnly === 'returns-nothing' && empty === 404;
      const refused = isHidden ? /^(sample|any-data)-audience-rules-only: inconclusive\. Answered 404,/ : undefined;
      expectConforming(await examined(look, deployment), doubtOf(look), refused);
    }),
    { seed, numRuns: 150 },
  );
});

test('every fault is caught, under 500 looks and behaviours', async () => {
  for (const [n, fault] of faults.entries()) {
    // As many of each, and the rest of the first ones.
    const speaking = suite.cases.filter(
      (testCase) => testCase.kind === 'requirement' && testCase.verifies === fault.breaks,
    );
    const draws = Math.floor(500 / faults.length) + (n < 500 % faults.length ? 1 : 0);
    await fc.assert(
      fc.asyncProperty(shape, behaviours, async (shape, drawn) => {
        const shown = Object.entries(drawn).filter(([question]) => !fault.hiddenBy?.includes(question));
        const behaviours: Behaviours = Object.fromEntries(shown);
        // Where an empty result looks like its refusal, it looks like a result that is empty.
        const { 'empty-result': empty = '' } = behaviours;
        fc.pre(fault.breaks !== 'query.audience-rules-only' || !['rejected', 'server-error'].includes(empty));
        // What answers the same request otherwise the second time may be refuted once only, which is unstable.
        fc.pre(behaviours.repeatability !== 'different-promotions');
        const examination = await reshaped(
          { shape, stated: true },
          { behaviours, faults: [fault] },
          { ...suite, cases: speaking },
        );
        const verdict = verdictsOf(examination).get(fault.breaks);
        if (verdict !== 'fail') throw new Error(`${fault.id} survives: ${fault.breaks} is found: ${verdict}.`);
      }),
      { seed: seed + n, numRuns: draws },
    );
  }
});
