/**
 * Cases about the data of a deployment. In goes a data file, which says what the deployment has; out come the cases of a suite,
 * their requests drawn from it. Every process makes the cases, but only the worker, which sends the requests, draws them: that
 * takes longer than judging.
 *
 * Drawing has five steps. Orders are filled, each for one customer, until every tier is valid for one of them that can be
 * (`propose-orders.ts`). Filters that the data can answer are added to the orders that show them best (`pair-filters-with-orders.ts`), and
 * orders with filters and without are varied in one aspect each (`request-variations.ts`, `list-candidate-requests.ts`). The oracle says
 * which tiers each of these candidates must get and must not get, and from that follows which goals the candidate reaches
 * (`list-tested-tier-decisions.ts`, `list-coverage-goals.ts`), such as a detail that a deployment may get wrong
 * (`decision-facets.ts`). Candidates are then chosen one after the other, always the one that
 * shows most that no chosen one shows, until the number of requests is reached (`draw-requests.ts`). What is expected of their
 * responses becomes rows by topic, and the rows become a case for each requirement (`rows-by-topic.ts`, `requirement-cases.ts`).
 *
 * What the chosen requests show of the details, and what not, is a part of the certificate (`data-decisions.ts`).
 *
 * Questions are not drawn: they send what they send for the test data of the suite, with the ids of things that have the same
 * roles (`bind-questions.ts`).
 */

import type { SuiteWithoutCases } from '../cases/case-file-context.js';
import { createRequestsOnData } from '../cases/named-requests.js';
import type { QuestionCase, TestCase } from '../cases/test-case.js';
import { readDataFile } from '../contract/data-file.js';
import { type TargetWorld, windowSize, worldListNames } from '../contract/world.js';
import type { DataFileReference } from '../contract/world-file.js';
import type { HttpRequest } from '../http/exchange.js';
import { computeOnce } from '../support/caches.js';
import { createInputError } from '../support/problem.js';
import { createQuestionBinder } from './bind-questions.js';
import type { CandidateRequest } from './candidate-request.js';
import { type DataDecision, listDataDecisions } from './data-decisions.js';
import { drawRequests } from './draw-requests.js';
import { defaultRequests, limitQuestions } from './limit-questions.js';
import { createDrawnRequirementCases, createDrawnRows } from './requirement-cases.js';

/** What a certificate says of a data file. */
export interface DataFileSummary extends Pick<DataFileReference, 'file' | 'requests'> {
  readonly digest: string;
  readonly counts: Readonly<Record<(typeof counted)[number], number>>;
  readonly covered: DataCoverage;
}

/** What the drawn requests show of a data file. */
export interface DataCoverage {
  /** How many of the newest tiers a request must get, and how many there are. */
  readonly tiers: number;
  readonly of: number;
  /** The rules of the newest tiers, by kind. Those of the kind `other` are open. */
  readonly rules: Readonly<Record<string, number>>;
  /** How many different filters are sent. */
  readonly filters: number;
  readonly decisions: readonly DataDecision[];
}

const counted = ['tiers', 'campaigns', 'customers', 'products', 'skus'] as const;

/** Those that are not drawn: the examination of the target sends two alone, and the first ones are sent again at the end. */
const otherRequests = 10;

/** The test data of the suite, or a data file, and which version of it. */
export interface TestDataVersion {
  readonly kind: 'world' | 'data-file';
  readonly digest: string;
  /** What a data file has: its lists that are not empty, and the kinds of its rules. */
  readonly holds?: readonly string[];
}

interface PlainSuite extends SuiteWithoutCases {
  readonly basis: TestDataVersion;
  readonly cases: readonly TestCase[];
  readonly calibration: readonly HttpRequest[];
  readonly data?: DataFileSummary;
}

/** Replaces the cases of a suite by cases about a data file, and those of the user. @throws UnusableInput as `readDataFile` */
export function createDataSuite<S extends PlainSuite>(
  suite: S,
  data: DataFileReference,
  ownCases: readonly TestCase[] = [],
): S {
  const { digest, world } = readStatedFile(data);
  const draw = createDrawer(suite, world, data.requests ?? defaultRequests);
  return {
    ...suite,
    world,
    namedRequests: createRequestsOnData(world),
    basis: { kind: 'data-file', digest, holds: listHoldings(world) },
    cases: [
      ...createDrawnRequirementCases(suite.contract, (requirement) => draw.rows().get(requirement) ?? []),
      ...draw.questions,
      ...ownCases,
    ],
    get calibration() {
      return draw.calibration();
    },
    data: {
      file: data.file,
      digest,
      requests: data.requests,
      counts: Object.fromEntries(counted.map((name) => [name, world[name].length])),
      get covered() {
        return draw.covered();
      },
    },
  };
}

/** Lists what a data file has: a later export that lacks some of it may be broken. */
function listHoldings(world: TargetWorld): string[] {
  const lists = Object.values(worldListNames).filter((name) => world[name].length > 0);
  const rules = new Set(world.tiers.flatMap((tier) => tier.rules.map(({ kind }) => `${kind} rules`)));
  return [...lists, ...[...rules].toSorted()];
}

/** Reads a data file. @throws UnusableInput as `readDataFile`, or if the file has changed since the run that is replayed */
function readStatedFile({ file, movedTo = file, digest: expected }: DataFileReference) {
  const read = readDataFile(movedTo);
  if (expected === undefined || expected === read.digest) return read;
  throw createInputError(
    movedTo,
    `has changed since the run: ${read.digest}`,
    `Name the file with the digest ${expected}.`,
  );
}

/** Binds questions and draws requests when the first of them is needed: only the worker sends any. */
function createDrawer({ contract, world: testData, cases }: PlainSuite, world: TargetWorld, requests: number) {
  const count = Math.max(1, requests - otherRequests);
  const stated = cases.filter((testCase) => testCase.kind === 'question');
  const bind = computeOnce(() =>
    limitQuestions(stated.map(createQuestionBinder(testData, world)), requests, otherRequests),
  );
  const drawn = computeOnce(() => drawRequests(world, count - bind().added));
  const questions = stated.map((question, n): QuestionCase => {
    const getBound = () => bind().questions[n] ?? question;
    return {
      ...question,
      get rows() {
        return getBound().rows;
      },
      get answer() {
        return getBound().answer;
      },
    };
  });
  return {
    questions,
    rows: computeOnce(() => createDrawnRows(contract, world, drawn())),
    calibration: computeOnce(() => selectTelling(drawn(), world)),
    covered: computeOnce(() => summarize(world, drawn())),
  };
}

/** Selects orders that together show all tiers that any order shows. */
function selectTelling(drawn: readonly CandidateRequest[], { tiers }: TargetWorld): HttpRequest[] {
  const unseen = new Set(tiers.slice(0, windowSize));
  const telling: HttpRequest[] = [];
  for (const { base, oracle, request } of drawn) {
    const shown = base === undefined ? [...unseen].filter((tier) => oracle.returned(tier) === 'required') : [];
    for (const tier of shown) unseen.delete(tier);
    if (shown.length > 0) telling.push(request);
  }
  return telling;
}

function summarize(world: TargetWorld, drawn: readonly CandidateRequest[]): DataCoverage {
  const { tiers } = world;
  const newest = tiers.slice(0, windowSize);
  const rules: Record<string, number> = {};
  for (const { kind } of newest.flatMap((tier) => tier.rules)) rules[kind] = (rules[kind] ?? 0) + 1;
  const shown = newest.filter((tier) => drawn.some(({ oracle }) => oracle.returned(tier) === 'required'));
  const filters = drawn.flatMap(({ parts }) => (parts.filters ?? []).map((filter) => JSON.stringify(filter)));
  const decisions = listDataDecisions(world, drawn);
  return { tiers: shown.length, of: newest.length, rules, filters: new Set(filters).size, decisions };
}
