/**
 * Deployments that nobody wrote: shapes, statuses, orders and answers to open questions, any two of which meet in one of
 * them; and many more drawn at random. None of them may be failed, and none of them may hide a fault.
 */

import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { type Behaviours, closedQuestions, openQuestions } from '../../reference/behaviours.js';
import { createDeployment, type DeploymentOptions } from '../../reference/deployment.js';
import { faults } from '../../reference/faults/index.js';
import { determineRunVerdict } from '../../src/report/certificate.js';
import {
  type Answer,
  type DeploymentJudgement,
  inProcessCredentials,
  judgeDeployment,
  listVerdicts,
} from '../proof/judge-deployment.js';
import { type CoveringParameters, createCoveringArray } from './support/covering-array.js';
import { recognizer, suite } from './support/in-process.js';
import { createIndependentDeployment, type ShapeName, shapes, type Traits } from './support/independent-deployment.js';

/** Fixed, so that a run can be repeated; PROPERTY_SEED draws others. */
const seed = Number(process.env.PROPERTY_SEED ?? 20_240_120);

const { world } = suite;

// Choices -------------------------------------------------------------------------------------------------------------

/** How the answers of a deployment look. */
interface Look {
  readonly shape: ShapeName;
  /** Whether a target file states where the promotions stand. */
  readonly stated: boolean;
}

/** The only shape in which promotions that were not returned are named too. */
const rejecting: ShapeName = 'with-rejected';

const shapeNames = Object.keys(shapes) as ShapeName[];
/** Ten times as slow as the others; deployments.spec.ts has it. */
const slow: ShapeName = 'huge-records';
const looks: readonly Look[] = [
  ...shapeNames.filter((name) => name !== slow).map((shape) => ({ shape, stated: false })),
  { shape: rejecting, stated: true },
];

const headerLines = ['none', 'age: 0 | etag', 'deprecation: true | sunset: Sat, 01 Jan 2028 00:00:00 GMT'];

/** Answers to the open questions, by question. */
const answers: Readonly<Record<string, readonly string[]>> = {
  ...closedQuestions,
  'response-status': ['200', '201', '202', '203', '206', '299'],
  'response-media-type': ['application/json', 'application/vnd.api+json', 'text/plain', 'none'],
  'deprecation-headers': headerLines,
  'rate-limit-headers': headerLines,
  'caching-headers': headerLines,
  'cors-headers': headerLines,
};

const traits: CoveringParameters<Traits> = {
  status: [200, 201, 203, 206],
  empty: ['list', 404, 204, 'no-body'],
  order: ['newest-first', 'oldest-first', 'by-name'],
  numericStrings: ['read', 'rejected'],
  unknownCustomer: ['accepted', 'rejected'],
  bothFilters: ['intersection', 'union'],
  omitted: ['accepted', 'rejected'],
  repeated: ['summed', 'each-item-alone'],
  orderMetadataRules: ['applied', 'ignored'],
  audienceRulesOnly: ['no-effect', 'skips-order-rules', 'returns-nothing'],
  filteredWindow: ['window-first', 'filter-first', 'campaign-filter-first'],
};

/** Rows of a covering array, each in another look: the looks in turn. */
const inTurn = <Row extends object>(rows: readonly Row[]) =>
  rows.map((row, n) => [looks[n % looks.length] as Look, row] as const);

// Draws of the same ---------------------------------------------------------------------------------------------------

const drawn = <Row extends object>(parameters: CoveringParameters<Row>) => {
  const values = Object.entries(parameters) as [string, readonly unknown[]][];
  const members = values.map(([name, choices]) => [name, fc.constantFrom(...choices)]);
  return fc.record(Object.fromEntries(members)) as fc.Arbitrary<Row>;
};

const shape = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...shapeNames.filter((name) => name !== slow)) },
  { weight: 1, arbitrary: fc.constant(slow) },
);
const look: fc.Arbitrary<Look> = fc.record({ shape, stated: fc.boolean() });

const usualOutcomes: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(closedQuestions).map(([question, [usual]]) => [question, usual]),
  ...Object.entries(openQuestions).map(([question, { default: usual }]) => [question, usual]),
]);

/** The usual answers are left out, which keeps a counterexample short. */
const behaviours: fc.Arbitrary<Behaviours> = drawn<Record<string, string>>(answers).map((all) =>
  Object.fromEntries(Object.entries(all).filter(([question, outcome]) => outcome !== usualOutcomes[question])),
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

function examined({ shape, stated }: Look, respond: Answer, own = suite): Promise<DeploymentJudgement> {
  const tierPatterns = shape === rejecting && stated ? { tierPatterns: ['/promotions/*/id'] } : {};
  return judgeDeployment(own, respond, { recognizer, ...tierPatterns });
}

/** Why a deployment of such a look cannot be found to conform, if so. */
const doubtOf = ({ shape, stated }: Look): RegExp | undefined =>
  shape === rejecting && !stated ? /the paths disagree/ : undefined;

/** Throws unless a deployment is found to conform or, where its answers do not differ, every case says so. */
function expectConforming(examination: DeploymentJudgement, ...doubts: readonly (RegExp | undefined)[]): void {
  const found = determineRunVerdict([...listVerdicts(examination).values()].map((verdict) => ({ verdict })));
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

async function expectReferenceConforms(look: Look, behaviours: Behaviours): Promise<void> {
  expectConforming(await reshaped(look, { behaviours }), doubtOf(look));
}

async function expectIndependentConforms(look: Look, traits: Traits): Promise<void> {
  const deployment = createIndependentDeployment(world, { ...traits, shape: look.shape });
  const { audienceRulesOnly, empty } = traits;
  const isHidden = audienceRulesOnly === 'returns-nothing' && empty === 404;
  const refused = isHidden
    ? /^(sample|any-data)-audience-rules-only: inconclusive\. (a product: )?Answered 404,/
    : undefined;
  expectConforming(await examined(look, deployment), doubtOf(look), refused);
}

/** Each fault under so many looks and behaviours, and the first ones under one more each to make up the total. */
async function expectFaultsCaught(total: number, some = faults): Promise<void> {
  const survivors: string[] = [];
  for (const [n, fault] of some.entries()) {
    const speaking = suite.cases.filter(
      (testCase) => testCase.kind === 'requirement' && testCase.verifies === fault.breaks,
    );
    const draws = Math.floor(total / some.length) + (n < total % some.length ? 1 : 0);
    const { errorInstance } = await fc.check(
      fc.asyncProperty(shape, behaviours, async (shape, drawn) => {
        // What has no effect whatever it says loses nothing, either.
        const withoutEffect = ['expand-not-an-array', 'audience-rules-only-values'];
        const shown = Object.entries(drawn).filter(
          ([question, outcome]) =>
            !fault.hiddenBy?.includes(question) && !(outcome === 'no-effect' && withoutEffect.includes(question)),
        );
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
        const verdict = listVerdicts(examination).get(fault.breaks);
        if (verdict !== 'fail')
          throw new Error(
            `${fault.id} survives: ${fault.breaks} is found: ${verdict}, with ${JSON.stringify(behaviours)}.`,
          );
      }),
      { seed: seed + n, numRuns: draws, endOnFailure: true },
    );
    if (errorInstance !== null) survivors.push(String(errorInstance));
  }
  expect(survivors).toEqual([]);
}

for (const [each, tag] of [
  [6, []],
  [1, ['@long']],
] as const)
  test(`Variants of the reference deployment with any two outcomes conform: one of ${each}`, {
    tag: [...tag],
  }, async () => {
    const variants = inTurn(createCoveringArray(answers));
    const pairsOf = (of: readonly (readonly string[])[]) =>
      of.flatMap((one, n) => of.slice(n + 1).flatMap((other) => one.flatMap((a) => other.map((b) => `${a} ${b}`))));
    const label = (id: string, all: readonly string[]) => all.map((answer) => `${id} ${answer}`);
    const met = new Set(
      variants.flatMap(([, row]) => pairsOf(Object.keys(answers).map((id) => label(id, [row[id] ?? ''])))),
    );
    expect(met).toEqual(new Set(pairsOf(Object.entries(answers).map(([id, all]) => label(id, all)))));
    for (const [look, row] of variants.filter((_, n) => n % each === 0)) await expectReferenceConforms(look, row);
  });

test('Variants of the independent deployment with any two traits conform', async () => {
  for (const [look, row] of inTurn(createCoveringArray(traits))) await expectIndependentConforms(look, row);
});

test('Every tenth fault is caught in some shape with some behaviours', () => {
  const some = faults.filter((_, n) => n % 10 === 0);
  return expectFaultsCaught(some.length, some);
});

test.describe('Large draws:', { tag: '@long' }, () => {
  test('350 variants of the reference deployment conform', () =>
    fc.assert(fc.asyncProperty(look, behaviours, expectReferenceConforms), { seed, numRuns: 350 }));

  test('150 variants of the independent deployment conform', () =>
    fc.assert(fc.asyncProperty(look, drawn(traits), expectIndependentConforms), { seed, numRuns: 150 }));

  test('every fault is caught in 500 shapes with behaviours', () => expectFaultsCaught(500));
});
