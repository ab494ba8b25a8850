import type { SuiteBasis } from '../cases/case-file-context.js';
import { type QuestionCase, type TestCase, tag } from '../cases/test-case.js';
import { readDataFile } from '../contract/data-file.js';
import { type NamedWorld, windowSize } from '../contract/world.js';
import type { StatedData } from '../contract/world-file.js';
import { type HttpRequest, serializeRequest } from '../http/exchange.js';
import { computeOnce } from '../support/caches.js';
import { omitUndefined } from '../support/collections.js';
import { refuse } from '../support/problem.js';
import { createQuestionBinder } from './bind-questions.js';
import type { Candidate } from './candidate.js';
import { drawRequests } from './draw-requests.js';
import { createDrawnRows, createRequirementCases } from './requirement-cases.js';

/** What a certificate says of a data file. */
export interface DrawnData extends Pick<StatedData, 'file' | 'requests'> {
  readonly digest: string;
  readonly counts: Readonly<Record<(typeof counted)[number], number>>;
  readonly covered: ReturnType<typeof summarize>;
}

const counted = ['tiers', 'campaigns', 'customers', 'products', 'skus'] as const;

const defaultRequests = 230;
/** Those that are not drawn: the examination of the target sends two alone, and the first ones are sent again at the end. */
const otherRequests = 10;

/** The test data of the suite, or a data file, and which version of it. */
export interface DataBasis {
  readonly kind: 'world' | 'data-file';
  readonly digest: string;
}

interface PlainSuite extends SuiteBasis {
  readonly basis: DataBasis;
  readonly cases: readonly TestCase[];
  readonly calibration: readonly HttpRequest[];
  readonly data?: DrawnData;
}

/** Replaces the cases of a suite by cases about a data file, and those of the user. @throws UnusableInput as `readDataFile` */
export function createDataSuite<S extends PlainSuite>(
  suite: S,
  data: StatedData,
  ownCases: readonly TestCase[] = [],
): S {
  const { file, movedTo = file, requests = defaultRequests } = data;
  const { digest, world } = readDataFile(movedTo);
  if (data.digest !== undefined && data.digest !== digest)
    throw refuse(movedTo, `has changed since the run: ${digest}`, `Name the file with the digest ${data.digest}.`);
  const count = Math.max(1, requests - otherRequests);
  const stated = suite.cases.flatMap((testCase) => (testCase.kind === 'question' ? testCase : []));
  // Both are done when they are first needed: only the worker sends requests, and they take longer to draw than to judge.
  const bind = computeOnce(() =>
    limitRequests(stated.map(createQuestionBinder(suite.world, world)), count * questionShare),
  );
  const draw = computeOnce(() => {
    const drawn = drawRequests(world, count - bind().added);
    const rows = createDrawnRows(suite.contract, world, drawn);
    return { calibration: selectTelling(drawn, world), rows, covered: summarize(world, drawn) };
  });
  const questions = stated.map((question, n) => ({
    ...question,
    get rows() {
      return (bind().questions[n] ?? question).rows;
    },
    get answer() {
      return (bind().questions[n] ?? question).answer;
    },
  }));
  return {
    ...suite,
    world,
    basis: { kind: 'data-file', digest },
    cases: [
      ...createRequirementCases(suite.contract, (requirement) => draw().rows.get(requirement) ?? []),
      ...questions,
      ...ownCases,
    ],
    get calibration() {
      return draw().calibration;
    },
    data: {
      file,
      digest,
      ...omitUndefined({ requests: data.requests }),
      counts: Object.fromEntries(counted.map((name) => [name, world[name].length])),
      get covered() {
        return draw().covered;
      },
    },
  };
}

const questionShare = 1 / 6;

/** Leaves out questions without room: first intrusive ones, which run only on demand, then those with many requests. */
function limitRequests(stated: readonly QuestionCase[], room: number) {
  const rate = ({ rows: [{ requests }], tags }: QuestionCase) =>
    tags.includes(tag.intrusive) ? Number.MAX_VALUE : requests.size;
  const sent = new Set<string>();
  const asked = new Set<QuestionCase>();
  for (const question of stated.toSorted((question, next) => rate(question) - rate(next))) {
    const [{ requests, unavailable }] = question.rows;
    // Serial cases share no request.
    const prefix = question.tags.includes(tag.serial) ? question.id : '';
    const all = new Set([...sent, ...[...requests.values()].map((request) => prefix + serializeRequest(request))]);
    if (unavailable.length > 0 || all.size > room) continue;
    asked.add(question);
    for (const request of all) sent.add(request);
  }
  const questions = stated.map((question): QuestionCase => {
    const [row] = question.rows;
    if (row.unavailable.length > 0 || asked.has(question)) return question;
    return { ...question, rows: [{ ...row, unavailable: ["room for it within 'requests' of the target file"] }] };
  });
  return { questions, added: sent.size };
}

/** Selects orders that together show all tiers that any order shows. */
function selectTelling(drawn: readonly Candidate[], { tiers }: NamedWorld): HttpRequest[] {
  const unseen = new Set(tiers.slice(0, windowSize));
  const telling = drawn.filter(({ base, oracle }) => {
    const shown = base === undefined ? [...unseen].filter((tier) => oracle.returned(tier) === 'required') : [];
    for (const tier of shown) unseen.delete(tier);
    return shown.length > 0;
  });
  return telling.map(({ request }) => request);
}

/** Counts the newest tiers that a request must get, their rules by kind (those of the kind `other` are open), and filters. */
function summarize({ tiers }: NamedWorld, drawn: readonly Candidate[]) {
  const newest = tiers.slice(0, windowSize);
  const rules: Record<string, number> = {};
  for (const { kind } of newest.flatMap((tier) => tier.rules)) rules[kind] = (rules[kind] ?? 0) + 1;
  const shown = newest.filter((tier) => drawn.some(({ oracle }) => oracle.returned(tier) === 'required'));
  const filters = drawn.flatMap(({ parts }) => (parts.filters ?? []).map((filter) => JSON.stringify(filter)));
  return { tiers: shown.length, of: newest.length, rules, filters: new Set(filters).size };
}
