import type { RequirementCase } from '../cases/test-case.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { isSuccessful, isTransient } from '../http/response-status.js';
import { findLeak, findMistakes, type Leak } from '../judge/find-leak.js';
import {
  type CaseJudgement,
  createRowEvidence,
  judgeRowAgain,
  type RowJudgement,
  replaceRow,
  type TargetContext,
} from '../judge/judge-case.js';
import { readReturnedTiers } from '../recognition/returned-tiers.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { CaseExchanges } from './case-exchanges.js';
import type { CaseSender } from './case-sender.js';
import { type ConditionKind, parsePartnerName, renderCondition } from './condition.js';
import type { Suspect, Trial } from './condition-sender.js';

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

/** What came of repeating an unstable case under the conditions of the first time. */
export interface Confirmation {
  readonly judgement: CaseJudgement;
  readonly attempts: readonly CaseExchanges[];
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
  { conditions }: CaseSender,
  background: TargetContext,
  first: CaseExchanges,
  once: CaseJudgement,
  judgement: CaseJudgement,
): Promise<Confirmation> {
  const attempts: CaseExchanges[] = [];
  const suspects = listSuspects(testCase, background, first, once, judgement);
  const trials = conditions.listTrials(testCase, suspects);
  // What fails by accident needs no condition, and a trial of it takes many requests.
  const alone = new Map<number, ReturnType<typeof repeatAlone>>();
  const failsByAccident = async (row: number) => {
    if (!alone.has(row)) alone.set(row, repeatAlone(row, 1));
    return (await alone.get(row)) === 'unstable';
  };
  for (const trial of trials) {
    const failed = await repeatUnderCondition(trial);
    if (failed === undefined) continue;
    const afterwards = await repeatAlone(trial.row);
    if (afterwards === 'unstable') continue;
    conditions.noteResult(trial.kind);
    if (afterwards === 'fails')
      return { judgement: replaceRow(judgement, testCase, trial.row, failed.judgement), attempts };
    const after = trial.kind === 'reused-connection' ? { ...trial, kind: 'after' as ConditionKind } : undefined;
    // A new connection tells state of a connection from state of the whole deployment.
    const refined = after && (await repeatUnderCondition(after)) ? after : trial;
    const leak = findLeakIn(failed.sent, trial.row, failed.judgement, background);
    const condition = { kind: refined.kind, ...omitUndefined({ part: leak?.leak.part }) };
    const reason = `${renderCondition(refined)}: ${failed.judgement.reason}${renderLeak(leak, trial.kind)}`;
    return {
      judgement: replaceRow(judgement, testCase, trial.row, { ...failed.judgement, reason, condition }),
      attempts,
    };
  }
  if (trials.length > 0) conditions.noteResult(undefined);
  return { judgement, attempts };

  async function repeatUnderCondition(
    trial: Trial,
  ): Promise<{ judgement: RowJudgement; sent: CaseExchanges } | undefined> {
    let points = 0;
    let failed: { judgement: RowJudgement; sent: CaseExchanges } | undefined;
    for (let count = 0; count < maxAttempts; count += 1) {
      const sent = await conditions.send(testCase, trial);
      attempts.push(sent);
      const again = judgeRowAgain(testCase, trial.row, first.exchanges, sent.exchanges, background);
      const isFailure = again.verdict === 'fail';
      if (isFailure) failed ??= { judgement: again, sent };
      if (isFailure && (await failsByAccident(trial.row))) return undefined;
      points += isFailure ? pointsPerFailure : pointsPerPass;
      if (points >= pointsToConfirm) return failed;
      if (points <= pointsToGiveUp) return undefined;
    }
    return undefined;
  }

  /** @param ignored the number of attempts first that may show what earlier requests left behind */
  async function repeatAlone(row: number, ignored = 0): Promise<'passes' | 'fails' | 'unstable'> {
    let failures = 0;
    for (let count = -ignored; count < attemptsAlone; count += 1) {
      const sent = await conditions.sendAlone(testCase, row);
      attempts.push(sent);
      const { verdict } = judgeRowAgain(testCase, row, first.exchanges, sent.exchanges, background);
      if (verdict === 'fail' && count >= 0) failures += 1;
    }
    if (failures === 0) return 'passes';
    return failures === attemptsAlone ? 'fails' : 'unstable';
  }
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
  const evidence = createRowEvidence(exchanges, background);
  const suspects = rows.flatMap(({ requests }, row): Suspect[] => {
    const failed = once.rows[row];
    const own = evidence[row];
    if (failed?.verdict !== 'fail' || judgement.rows[row]?.isUnstable !== true || own === undefined) return [];
    const read = (exchange: Exchange | undefined) => readReturned(exchange, background, own.reading);
    const isWrong = ([name, request]: readonly [string, HttpRequest]) => {
      const exchange = own.exchanges.get(name);
      if (exchange === undefined || !('response' in exchange) || isTransient(exchange.response)) return false;
      return !isSuccessful(exchange.response) || findMistakes(request, read(exchange), background.world).length > 0;
    };
    const shown = failed.exchange ?? '';
    // A comparison shows one response, though the other may be the wrong one.
    const wrong = [...requests].filter(isWrong).map(([name]) => name);
    const name = wrong.includes(shown) || wrong[0] === undefined ? shown : wrong[0];
    const [request, exchange] = [requests.get(name), own.exchanges.get(name)];
    if (request === undefined || exchange === undefined) return [];
    const returned = read(exchange);
    return [{ row, name, exchange, findLeak: (other) => findLeak(request, other, returned, background.world) }];
  });
  return suspects.slice(0, maxSuspects);
}

function readReturned(
  exchange: Exchange | undefined,
  { recognizer }: TargetContext,
  reading: Parameters<typeof readReturnedTiers>[1],
): ReadonlySet<string> {
  if (exchange === undefined || !('response' in exchange) || !isSuccessful(exchange.response)) return new Set();
  return new Set(readReturnedTiers(recognizer.findMentions(exchange.response.body, reading.filter), reading).returned);
}

/** Finds the request of a condition that explains all of a wrong response. */
function findLeakIn(
  { exchanges, partners }: CaseExchanges,
  row: number,
  { exchange: name = '' }: RowJudgement,
  background: TargetContext,
): { readonly leak: Leak; readonly label: string } | undefined {
  const own = exchanges[row]?.get(name);
  const reading = createRowEvidence(exchanges, background)[row]?.reading;
  if (own === undefined || !('response' in own) || !isSuccessful(own.response) || reading === undefined)
    return undefined;
  const returned = readReturned(own, background, reading);
  for (const [partner, { request }] of [...(partners?.exchanges ?? [])].toReversed()) {
    const leak = findLeak(own.request, request, returned, background.world);
    if (leak?.isComplete) return { leak, label: parsePartnerName(partner)?.label ?? partner };
  }
  return undefined;
}

function renderLeak(found: ReturnType<typeof findLeakIn>, kind: ConditionKind): string {
  if (found === undefined) return '';
  const other = kind === 'overlapping' ? 'an overlapping request' : 'the request before';
  return ` What came back is what ${other} asked for (${found.leak.part}): ${found.label}.`;
}
