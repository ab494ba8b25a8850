import { createHash } from 'node:crypto';
import { createDeployment } from '../../reference/deployment/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import type { RequirementCase, RequirementRow } from '../../src/cases/test-case.js';
import type { FaultCatchingRows } from '../../src/config/selection.js';
import { serializeRequest } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { isSerial, listRequestsOfCase } from '../../src/run/case-sender.js';
import { countPlannedRequests, createRunPlan } from '../../src/run/plan.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import type { Suite } from '../../src/suite/suite.js';
import { inProcessCredentials, judgeDeployment } from './judge-deployment.js';
import type { FaultProof } from './proof.js';

/** The help of `--quick` promises it. */
export const maxQuickRequests = 60;

/** A row to which a run can be restricted. */
interface Candidate {
  readonly testCase: RequirementCase;
  readonly row: RequirementRow;
  /** The requests that it sends. Those of serial cases are not shared. */
  readonly requests: readonly string[];
  /** The faults that it catches alone. */
  readonly catches: ReadonlySet<string>;
}

/**
 * Chooses rows with at most 60 requests that catch all faults that the suite catches, or almost all. A fault is caught when
 * some requirement fails; that may be another requirement than the one that the fault breaks.
 *
 * @param proofs of the same suite and faults
 */
export async function chooseDiscriminatingRows(
  suite: Suite,
  faults: readonly Fault[],
  proofs: readonly FaultProof[],
): Promise<FaultCatchingRows> {
  const candidates = listCandidates(suite, proofs);
  const chosen = chooseFewRequests(candidates);
  const findCaught = (rows: readonly Candidate[], some: readonly Fault[]) =>
    findCaughtFaults(selectRows(suite, rows), some);
  // A fault with state may show in no row alone. Such a row is added to the others, and tried together with them.
  const caught = listCaught(chosen);
  const withState = faults.filter(({ id, hasState }) => hasState && !caught.has(id));
  for (const id of await findCaught(chosen, withState)) caught.add(id);
  for (const fault of withState) {
    if (caught.has(fault.id)) continue;
    const failedRows = proofs.find(({ id }) => id === fault.id)?.failedRows ?? {};
    const byCost = candidates
      .filter(({ testCase, row }) => failedRows[testCase.id]?.includes(row.title))
      .map((candidate) => ({ candidate, cost: countRequests([...chosen, candidate]) }))
      .toSorted((a, b) => a.cost - b.cost);
    for (const { candidate } of byCost) {
      if ((await findCaught([...chosen, candidate], [fault])).length === 0) continue;
      chosen.push(candidate);
      break;
    }
    for (const id of await findCaught(chosen, withState)) caught.add(id);
  }
  // What few rows catch is left out, if the requests would be too many.
  const countSent = () => countPlannedRequests(createRunPlan(selectRows(suite, chosen), { excludesIntrusive: false }));
  while (countSent() > maxQuickRequests) {
    const marginal = chosen.map((row) => caught.size - listCaught(chosen.filter((entry) => entry !== row)).size);
    chosen.splice(marginal.lastIndexOf(Math.min(...marginal)), 1);
  }
  const caughtInAll = await findCaught(chosen, faults);
  const ids = faults.map(({ id }) => id);
  return {
    chosen_from: computeRowsDigest(suite, ids),
    faults: faults.length,
    caught: caughtInAll.length,
    rows: chosen.map(({ testCase, row }, n) => {
      const title = row.title === '' ? {} : { row: row.title };
      return { case: testCase.id, ...title, faults: listCaught(chosen.slice(0, n + 1)).size };
    }),
  };
}

/** How often the search starts. */
const starts = 6;

/**
 * Chooses rows that catch all that any row catches. Of rows that are worth the same, the search takes the first one. So it
 * starts several times, each time elsewhere in the list, and the choice with the fewest requests counts.
 */
function chooseFewRequests(candidates: readonly Candidate[]): Candidate[] {
  const choices = Array.from({ length: starts }, (_, n) => {
    const first = Math.floor((n * candidates.length) / starts);
    const list = [...candidates.slice(first), ...candidates.slice(0, first)];
    return replaceRows(dropSuperfluousRows(addGreedily([], list)), list);
  });
  const [best = []] = choices.toSorted((a, b) => countRequests(a) - countRequests(b));
  return [...best];
}

/** Adds the row that catches most for each request that it adds, again and again, until all is caught. */
function addGreedily(chosen: readonly Candidate[], candidates: readonly Candidate[]): Candidate[] {
  const rows = [...chosen];
  const left = listCaught(candidates);
  for (const id of listCaught(rows)) left.delete(id);
  while (left.size > 0) {
    const sent = listSent(rows);
    const worth = candidates.map(({ requests, catches }) => {
      const caught = [...catches].filter((id) => left.has(id)).length;
      return caught === 0 ? 0 : caught / requests.filter((request) => !sent.has(request)).length;
    });
    const best = candidates[worth.indexOf(Math.max(...worth))] as Candidate;
    for (const id of best.catches) left.delete(id);
    rows.push(best);
  }
  return rows;
}

/** Replaces a row by cheaper ones, again and again, as long as that saves requests. */
function replaceRows(rows: readonly Candidate[], candidates: readonly Candidate[]): readonly Candidate[] {
  for (const row of rows) {
    const kept = rows.filter((entry) => entry !== row);
    const replaced = dropSuperfluousRows(addGreedily(kept, candidates));
    if (countRequests(replaced) < countRequests(rows)) return replaceRows(replaced, candidates);
  }
  return rows;
}

/** Drops rows whose catches later rows share, the most expensive row first. */
function dropSuperfluousRows(rows: readonly Candidate[]): readonly Candidate[] {
  const all = listCaught(rows).size;
  const fewer = rows
    .map((row) => rows.filter((entry) => entry !== row))
    .filter((others) => listCaught(others).size === all);
  const costs = fewer.map(countRequests);
  const cheapest = fewer[costs.indexOf(Math.min(...costs))];
  if (cheapest === undefined || countRequests(cheapest) === countRequests(rows)) return rows;
  return dropSuperfluousRows(cheapest);
}

function listSent(rows: readonly Candidate[]): Set<string> {
  return new Set(rows.flatMap(({ requests }) => requests));
}

function countRequests(rows: readonly Candidate[]): number {
  return listSent(rows).size;
}

function listCaught(rows: readonly Candidate[]): Set<string> {
  return new Set(rows.flatMap(({ catches }) => [...catches]));
}

/** A suite of some rows alone. */
function selectRows(suite: Suite, rows: readonly Candidate[]): Suite {
  const titles: Record<string, string[]> = {};
  for (const { testCase, row } of rows) titles[testCase.id] = [...(titles[testCase.id] ?? []), row.title];
  return selectFromSuite(suite, { quick: { rows: titles } });
}

/** A fault with state may show in a row because of the rows before it. So a candidate counts what its row catches alone. */
function listCandidates(suite: Suite, proofs: readonly FaultProof[]): Candidate[] {
  return suite.cases.flatMap((testCase) => {
    if (testCase.kind === 'question') return [];
    return testCase.rows.map((row): Candidate => {
      const catching = proofs.filter(({ failedAlone }) => failedAlone[testCase.id]?.includes(row.title));
      const owner = isSerial(testCase) ? `${testCase.id}, ${row.title}: ` : '';
      const requests = listRequestsOfCase({ ...testCase, rows: [row] }).map(
        (request) => owner + serializeRequest(request),
      );
      return { testCase, row, requests, catches: new Set(catching.map(({ id }) => id)) };
    });
  });
}

/** The faults with which some requirement fails. */
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

/** Discriminating rows as a file, for `readDiscriminatingRows`. */
export function renderDiscriminatingRows({ chosen_from, faults, caught, rows }: FaultCatchingRows): string {
  return [
    '# yaml-language-server: $schema=../schemas/internal/discriminating-rows.schema.json',
    '#',
    '# The rows that catch the known faults: --quick sends them. Each row has the number of faults that it and the rows before',
    '# it catch, each row alone. `npm run update` writes this file.',
    '',
    `chosen_from: ${chosen_from}`,
    `faults: ${faults}`,
    `caught: ${caught}`,
    'rows:',
    ...rows.map((entry) => {
      const title = entry.row === undefined ? '' : `row: ${JSON.stringify(entry.row)}, `;
      return `  - { case: ${entry.case}, ${title}faults: ${entry.faults} }`;
    }),
    '',
  ].join('\n');
}

/**
 * Computes a digest of everything that decides which rows are chosen, except what is expected of the responses: the
 * rows of the requirement cases with their requests, and the known faults.
 *
 * @param faults their ids
 */
export function computeRowsDigest({ cases, calibration }: Suite, faults: readonly string[]): string {
  const ofCases = cases.flatMap((testCase) => {
    if (testCase.kind === 'question') return [];
    return [[testCase.id, testCase.verifies, testCase.tags, testCase.rows.map((row) => [row.title, ...row.requests])]];
  });
  const text = JSON.stringify([calibration, ofCases, faults]);
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
