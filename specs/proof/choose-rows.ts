import { createDeployment } from '../../reference/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import { selectFromSuite } from '../../src/cases/case-selection.js';
import { computeRowsDigest, type DiscriminatingRows } from '../../src/cases/discriminating-rows.js';
import type { Suite } from '../../src/cases/suite.js';
import type { RequirementCase, RequirementRow } from '../../src/cases/test-case.js';
import { createRequestTally } from '../../src/engine/plan.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { inProcessCredentials, judgeDeployment } from './judge-deployment.js';
import type { Proof } from './proof.js';

/** A row that a run can be restricted to. */
interface Candidate {
  readonly testCase: RequirementCase;
  readonly row: RequirementRow;
  /** The case with this row alone. */
  readonly alone: RequirementCase;
  /** The faults that it catches by itself, whatever else is sent. */
  readonly catches: ReadonlySet<string>;
}

/**
 * The rows that catch all faults that the suite catches, with few requests, and the most telling of them first. A fault is
 * caught where some requirement fails, which need not be the one that it breaks.
 *
 * @param proof of the same suite and faults
 */
export async function chooseDiscriminatingRows(
  suite: Suite,
  faults: readonly Fault[],
  proof: Proof,
): Promise<DiscriminatingRows> {
  const candidates = await candidatesOf(suite, faults, proof);
  const chosen = inBestOrder(withoutSuperfluous(greedyChoice(candidates)));
  const totals = runningTotals(chosen);
  const rows = chosen.map(({ testCase, row }, n): DiscriminatingRows['rows'][number] => {
    const { requests = 0, faults = 0 } = totals[n] ?? {};
    return { testCase, row, requests: suite.calibration.length + requests, faults };
  });
  let { requests = 0, faults: all = 0 } = rows.at(-1) ?? {};
  const tally = createRequestTally();
  for (const { alone } of chosen) tally.addCase(alone);
  // What one request leaves over for another may show in no row by itself, so one is added beside which it does.
  const together = async () => new Set(await findCaughtFaults(suiteOf(suite, rows), faults));
  let caught = await together();
  const wanted = proof.faults.filter(({ id, refuted }) => !caught.has(id) && Object.keys(refuted).length > 0);
  for (const { id, refuted } of wanted) {
    if (caught.has(id)) continue;
    const fault = faults.filter((each) => each.id === id);
    const byCost = candidates
      .filter(({ testCase, row }) => refuted[testCase.id]?.includes(row.title))
      .toSorted((one, other) => tally.listNewRequests(one.alone).length - tally.listNewRequests(other.alone).length);
    for (const candidate of byCost) {
      if ((await findCaughtFaults(suiteOf(suite, [...rows, candidate]), fault)).length === 0) continue;
      requests += tally.listNewRequests(candidate.alone).length;
      tally.addCase(candidate.alone);
      rows.push({ testCase: candidate.testCase, row: candidate.row, requests, faults: all });
      break;
    }
    caught = await together();
  }
  const ids = faults.map(({ id }) => id);
  return { rows, faultsKnown: faults.length, faultsCaught: caught.size, chosenFrom: computeRowsDigest(suite, ids) };
}

/** Of the rows that are left always the one that catches most for each request that it adds, until all is caught. */
function greedyChoice(candidates: readonly Candidate[]): Candidate[] {
  const left = catchesOf(candidates);
  const tally = createRequestTally();
  const rows: Candidate[] = [];
  while (left.size > 0) {
    const worth = candidates.map(({ alone, catches }) => {
      const caught = [...catches].filter((id) => left.has(id)).length;
      return caught === 0 ? 0 : caught / tally.listNewRequests(alone).length;
    });
    const best = candidates[worth.indexOf(Math.max(...worth))] as Candidate;
    tally.addCase(best.alone);
    for (const id of best.catches) left.delete(id);
    rows.push(best);
  }
  return rows;
}

/** What rows that were chosen early catch, later ones may catch as well: one after another, the dearest of them go. */
function withoutSuperfluous(rows: readonly Candidate[]): readonly Candidate[] {
  const requestsFor = (some: readonly Candidate[]) => runningTotals(some).at(-1)?.requests ?? 0;
  const all = catchesOf(rows).size;
  const fewer = rows
    .map((row) => rows.filter((other) => other !== row))
    .filter((others) => catchesOf(others).size === all);
  const costs = fewer.map(requestsFor);
  const cheapest = fewer[costs.indexOf(Math.min(...costs))];
  if (cheapest === undefined || requestsFor(cheapest) === requestsFor(rows)) return rows;
  return withoutSuperfluous(cheapest);
}

/** Moves one row after another to where more is caught early on, until none can be moved so. */
function inBestOrder(rows: readonly Candidate[]): readonly Candidate[] {
  let order = rows;
  let worth = caughtEarly(rows);
  for (const row of rows)
    for (const place of rows.keys()) {
      const others = order.filter((other) => other !== row);
      const moved = [...others.slice(0, place), row, ...others.slice(place)];
      const worthMoved = caughtEarly(moved);
      if (worthMoved > worth) [order, worth] = [moved, worthMoved];
    }
  return worth > caughtEarly(rows) ? inBestOrder(order) : rows;
}

/** How many faults are caught with each number of requests up to that for all rows, added up. */
function caughtEarly(rows: readonly Candidate[]): number {
  const totals = runningTotals(rows);
  return totals.reduce((sum, { requests, faults }, n) => {
    const next = totals[n + 1]?.requests ?? requests;
    return sum + faults * (next - requests);
  }, 0);
}

/** What each row comes to together with those before it. */
function runningTotals(rows: readonly Candidate[]): { requests: number; faults: number }[] {
  const tally = createRequestTally();
  const caught = new Set<string>();
  let requests = 0;
  return rows.map(({ alone, catches }) => {
    requests += tally.listNewRequests(alone).length;
    tally.addCase(alone);
    for (const id of catches) caught.add(id);
    return { requests, faults: caught.size };
  });
}

function catchesOf(rows: readonly Candidate[]): Set<string> {
  return new Set(rows.flatMap(({ catches }) => [...catches]));
}

/** A suite of some rows alone. */
function suiteOf(suite: Suite, rows: readonly Pick<Candidate, 'testCase' | 'row'>[]): Suite {
  const titles = new Map<string, Set<string>>();
  for (const { testCase, row } of rows) titles.set(testCase.id, (titles.get(testCase.id) ?? new Set()).add(row.title));
  return selectFromSuite(suite, { profile: { rows: titles } });
}

/** What one request leaves over for the next may show in a row because of those before it: so each is sent by itself. */
async function candidatesOf(suite: Suite, faults: readonly Fault[], proof: Proof): Promise<Candidate[]> {
  const recognizer = createRecognizer(suite.world);
  const candidates: Candidate[] = [];
  for (const testCase of suite.cases) {
    if (testCase.kind === 'question') continue;
    for (const row of testCase.rows) {
      const own = suiteOf(suite, [{ testCase, row }]);
      const catches = new Set<string>();
      for (const fault of faults) {
        const { refuted = {} } = proof.faults.find(({ id }) => id === fault.id) ?? {};
        if (!refuted[testCase.id]?.includes(row.title)) continue;
        if ((await findCaughtFaults(own, [fault], recognizer)).length > 0) catches.add(fault.id);
      }
      const [alone] = own.cases as readonly RequirementCase[];
      if (alone !== undefined) candidates.push({ testCase, row, alone, catches });
    }
  }
  return candidates;
}

/** The faults that a suite catches: some requirement fails. */
export async function findCaughtFaults(
  suite: Suite,
  faults: readonly Fault[],
  recognizer = createRecognizer(suite.world),
): Promise<string[]> {
  const caught: string[] = [];
  for (const fault of faults) {
    const deployment = createDeployment({
      world: suite.world,
      credentials: inProcessCredentials,
      faults: [fault],
    });
    const { cases } = await judgeDeployment(suite, deployment, { recognizer });
    if (cases.some(({ sent }) => sent.judgement.verdict === 'fail')) caught.push(fault.id);
  }
  return caught;
}

/** Telling rows as a file, for `readTellingRows`. */
export function renderDiscriminatingRows({ rows, faultsKnown, faultsCaught, chosenFrom }: DiscriminatingRows): string {
  return [
    '# yaml-language-server: $schema=../schemas/discriminating-rows.schema.json',
    '#',
    '# The rows that catch the known faults, the most effective ones first, for --quick and --budget. `requests`: the number of',
    '# requests for this row and those before it. `faults`: the number of faults that they catch, each row alone. Written by',
    '# `npm run update`; do not edit it.',
    '',
    `chosen_from: ${chosenFrom}`,
    `faults: ${faultsKnown}`,
    `caught: ${faultsCaught}`,
    'rows:',
    ...rows.map(({ testCase, row, requests, faults }) => {
      const title = row.title === '' ? '' : `row: ${JSON.stringify(row.title)}, `;
      return `  - { case: ${testCase.id}, ${title}requests: ${requests}, faults: ${faults} }`;
    }),
    '',
  ].join('\n');
}
