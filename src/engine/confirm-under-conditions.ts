import type { RequirementCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import { isSuccessful, isTransient } from '../http/response-status.js';
import { findLeak, findMistakes } from '../judge/find-leak.js';
import {
  type CaseJudgement,
  createRowEvidence,
  judgeRowAgain,
  type RowJudgement,
  replaceRow,
  type TargetContext,
} from '../judge/judge-case.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { CaseExchanges } from './case-result.js';
import type { CaseSender } from './case-sender.js';
import { parsePartnerName, renderCondition, type Suspect, type Trial } from './condition-sender.js';

// A bad proxy may damage one response in twenty, and hundreds are judged in a run. With these numbers, a sequential test
// (A. Wald, 1945), even a row that fails by accident in one of eight attempts is confirmed only twice in 100,000 trials. A
// race that shows in one of two attempts is confirmed in two of three trials, one that shows in two of three in 24 of 25.
const pointsPerFailure = 5;
const pointsPerPass = -2;
const pointsToConfirm = 36;
const pointsToGiveUp = -6;
const maxAttempts = 30;
/** How often a row must pass alone, before and after, so that the condition is what makes the difference. */
const attemptsAlone = 6;

/** A row that failed when it was sent again. */
interface FailedAgain {
  readonly sent: CaseExchanges;
  readonly judgement: RowJudgement;
}

/**
 * Repeats the rows that failed the first time but not alone, under the conditions of the first time. Fails the case if one
 * fails again, and names the condition.
 *
 * @param first what was sent the first time, and judged `once`
 * @param judgement after the case was sent alone; it is unstable
 */
export async function confirmUnderConditions(
  testCase: RequirementCase,
  sender: CaseSender,
  background: TargetContext,
  first: CaseExchanges,
  once: CaseJudgement,
  judgement: CaseJudgement,
): Promise<{ readonly judgement: CaseJudgement; readonly attempts: readonly CaseExchanges[] }> {
  const attempts: CaseExchanges[] = [];
  /** Judges a row that is sent again. Returns undefined if it does not fail. */
  const findFailure = async (row: number, sending: Promise<CaseExchanges>): Promise<FailedAgain | undefined> => {
    const sent = await sending;
    attempts.push(sent);
    const again = judgeRowAgain(testCase, row, first.exchanges, sent.exchanges, background);
    return again.verdict === 'fail' ? { sent, judgement: again } : undefined;
  };
  const repeatAlone = async (row: number): Promise<'passes' | 'fails' | 'unstable'> => {
    let failures = 0;
    for (let count = 0; count < attemptsAlone; count += 1)
      if ((await findFailure(row, sender.sendSerially(testCase, row))) !== undefined) failures += 1;
    if (failures === 0) return 'passes';
    return failures === attemptsAlone ? 'fails' : 'unstable';
  };
  // What fails by accident needs no condition, and a trial of it takes many requests.
  const accidents = new Map<number, boolean>();
  const failsByAccident = async (row: number): Promise<boolean> => {
    const known = accidents.get(row);
    if (known !== undefined) return known;
    // The first attempt may show what earlier requests left behind.
    await findFailure(row, sender.sendSerially(testCase, row));
    const fails = (await repeatAlone(row)) === 'unstable';
    accidents.set(row, fails);
    return fails;
  };
  const repeatUnderCondition = async (trial: Trial): Promise<FailedAgain | undefined> => {
    let points = 0;
    let failed: FailedAgain | undefined;
    for (let count = 0; count < maxAttempts && points > pointsToGiveUp && points < pointsToConfirm; count += 1) {
      const failure = await findFailure(trial.row, sender.sendUnder(trial, testCase));
      if (failure !== undefined && (await failsByAccident(trial.row))) return undefined;
      points += failure === undefined ? pointsPerPass : pointsPerFailure;
      failed ??= failure;
    }
    return points >= pointsToConfirm ? failed : undefined;
  };

  const trials = sender.listTrials(testCase, listSuspects(testCase, background, first, once, judgement));
  for (const trial of trials) {
    const failed = await repeatUnderCondition(trial);
    if (failed === undefined) continue;
    const afterwards = await repeatAlone(trial.row);
    if (afterwards === 'unstable') continue;
    sender.noteResult(trial.kind);
    const fail = (row: RowJudgement) => ({ judgement: replaceRow(judgement, testCase, trial.row, row), attempts });
    if (afterwards === 'fails') return fail(failed.judgement);
    const after: Trial = { ...trial, kind: 'after' };
    // A new connection tells state of a connection from state of the whole deployment.
    const isOfDeployment = trial.kind === 'reused-connection' && (await repeatUnderCondition(after)) !== undefined;
    const condition = isOfDeployment ? after : trial;
    const leak = findLeakIn(failed, testCase, trial.row, background);
    const reason = `${renderCondition(condition)}: ${failed.judgement.reason}${leak?.words ?? ''}`;
    return fail({
      ...failed.judgement,
      reason,
      condition: { kind: condition.kind, ...omitUndefined({ part: leak?.part }) },
    });
  }
  if (trials.length > 0) sender.noteResult(undefined);
  return { judgement, attempts };
}

/** How many rows of a case are repeated. */
const maxSuspects = 2;

function listSuspects(
  { rows }: RequirementCase,
  background: TargetContext,
  { exchanges }: CaseExchanges,
  once: CaseJudgement,
  judgement: CaseJudgement,
): Suspect[] {
  const { world } = background;
  const evidence = createRowEvidence(exchanges, background);
  const suspects = rows.flatMap(({ requests }, row): Suspect[] => {
    const failed = once.rows[row];
    const own = evidence[row];
    if (failed?.verdict !== 'fail' || judgement.rows[row]?.isUnstable !== true || own === undefined) return [];
    const isWrong = (name: string) => {
      const [request, exchange] = [requests.get(name), own.exchanges.get(name)];
      if (request === undefined || exchange === undefined) return false;
      if (!('response' in exchange) || isTransient(exchange.response)) return false;
      return !isSuccessful(exchange.response) || findMistakes(request, listReturned(exchange, own), world).length > 0;
    };
    // A comparison shows one response, though the other may be the wrong one.
    const shown = failed.exchange ?? '';
    const name = [shown, ...requests.keys()].find(isWrong) ?? shown;
    const [request, exchange] = [requests.get(name), own.exchanges.get(name)];
    if (request === undefined || exchange === undefined) return [];
    const returned = listReturned(exchange, own);
    return [{ row, name, exchange, findLeak: (other) => findLeak(request, other, returned, world) }];
  });
  return suspects.slice(0, maxSuspects);
}

/** Returns the ids of the promotions that a response returned. */
function listReturned(exchange: Exchange, evidence: Parameters<typeof readReturned>[1]): ReadonlySet<string> {
  if (!('response' in exchange) || !isSuccessful(exchange.response)) return new Set();
  return new Set(readReturned(exchange.response.body, evidence).returned);
}

/** Finds the request of a condition that explains all of a wrong response. */
function findLeakIn(
  { sent: { exchanges, partners = new Map() }, judgement }: FailedAgain,
  { rows }: RequirementCase,
  row: number,
  background: TargetContext,
): { readonly part: string; readonly words: string } | undefined {
  const name = judgement.exchange ?? '';
  const request = rows[row]?.requests.get(name);
  const own = createRowEvidence(exchanges, background)[row];
  const exchange = own?.exchanges.get(name);
  if (request === undefined || own === undefined || exchange === undefined) return undefined;
  if (!('response' in exchange) || !isSuccessful(exchange.response)) return undefined;
  for (const [partner, { request: other }] of [...partners].toReversed()) {
    const leak = findLeak(request, other, listReturned(exchange, own), background.world);
    const { kind, label } = parsePartnerName(partner) ?? {};
    const whose = kind === 'overlapping' ? 'an overlapping request' : 'the request before';
    if (leak?.isComplete)
      return { part: leak.part, words: ` What came back is what ${whose} asked for (${leak.part}): ${label}.` };
  }
  return undefined;
}
