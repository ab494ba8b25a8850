/** Confirms that results are wrong among overlapping requests, whichever these are. */

import type { AnsweredExchange } from '../../assertions/row-evidence.js';
import { type Exchange, serializeRequest } from '../../http/exchange.js';
import { isSuccessful } from '../../http/response-status.js';
import type { TargetContext } from '../../judge/collect-row-evidence.js';
import { judgeExchanges } from '../../judge/judge-exchange.js';
import type { RowJudgement } from '../../judge/judgement.js';
import { createReason } from '../../support/reason.js';
import type { CaseExchanges } from '../case-result.js';
import { maxInBatches, maxInPromisingBatches, type SuspectRequest } from '../case-sender.js';
import { type BatchResult, type FailedCase, isDamaged } from './failed-case.js';

/** How many batches must have wrong results, how many results must be wrong in all, and which share of all results. */
const [minWrongBatches, minWrong, minWrongShare] = [3, 6, 1 / 20];
/** How many new batches without a wrong result are sent for one suspect: others may show more. */
const maxRightBatches = 3;

/**
 * Confirms that overlapping requests get wrong results: the suspect each time, or whichever requests. The batches of the run count,
 * and some more around the suspect. What is wrong in a batch is sent alone, too. A response that is damaged refutes it: then the
 * network may have changed others. A proxy that takes one response in twenty for another makes one request wrong three times once in
 * 8,000 times, and six of 36 once in 150 times, seldom in three batches, and then it spares those that are sent alone in two of
 * three times.
 */
export async function confirmAnyRequest(failed: FailedCase, suspect: SuspectRequest): Promise<BatchResult> {
  const { results, repetitions, isNew } = await repeatUntilEnough(failed, suspect);
  const unconfirmed = { repetitions: isNew ? repetitions : [] };
  const { reason, ...judgement } = failed.firstJudgement.rows[suspect.row] as RowJudgement;
  if (!isEnough(results, suspect) || reason === undefined) return unconfirmed;
  const wrong = listWrong(results).map(({ length }) => length);
  const data = { reason, wrong: sum(wrong), batches: wrong.filter(Boolean).length };
  return { judgement: { ...judgement, reason: createReason('among-overlapping', data) }, repetitions };
}

/** Sends batches until enough results are wrong, or it does not look like that. What refutes the suspicion leaves no results. */
async function repeatUntilEnough(failed: FailedCase, suspect: SuspectRequest) {
  const repetitions: CaseExchanges[] = [];
  let results: BatchResults = { together: [], alone: new Map() };
  let rightInNew = 0;
  let isNew = false;
  while (!isEnough(results, suspect) && rightInNew < maxRightBatches) {
    const turn = await repeatOnce(failed, suspect, results);
    if (turn === undefined) break;
    repetitions.push(...turn.repetitions);
    results = turn.results;
    isNew ||= turn.isNew;
    if (isDamagedOnce(results)) return { results: { together: [], alone: new Map() }, repetitions, isNew };
    if (turn.isNewAndRight) rightInNew += 1;
  }
  return { results, repetitions, isNew };
}

/** Sends one more batch, and what is wrong in it alone, unless it is known how that is alone. */
async function repeatOnce({ sender, target }: FailedCase, suspect: SuspectRequest, before: BatchResults) {
  const number = before.together.length + 1;
  const maxOfRun = listWrong(before).flat().length > 0 ? maxInPromisingBatches : maxInBatches;
  const repeated = await sender.repeatBatch(suspect, number, maxOfRun);
  if (repeated === undefined) return undefined;
  const together = readResults(repeated.sent, target);
  const isUnknown = ([request, result]: readonly [string, Result]) => result === 'wrong' && !before.alone.has(request);
  const unknown = new Set([...together].filter(isUnknown).map(([request]) => request));
  const isWanted = ({ request }: Exchange) => unknown.has(serializeRequest(request));
  const alone =
    unknown.size > 0 ? await sender.repeatBatchAlone(suspect, number, maxInPromisingBatches, isWanted) : undefined;
  const ofAlone = alone === undefined ? [] : readResults(alone.sent, target);
  return {
    repetitions: [repeated.sent, ...(alone === undefined ? [] : [alone.sent])],
    results: { together: [...before.together, together], alone: new Map([...before.alone, ...ofAlone]) },
    isNew: repeated.isNew || alone?.isNew === true,
    isNewAndRight: repeated.isNew && ![...together.values()].includes('wrong'),
  };
}

/** The results of each batch, and of the requests that were wrong in one when each is sent alone. */
interface BatchResults {
  readonly together: readonly Results[];
  readonly alone: Results;
}

function isEnough(results: BatchResults, { first }: SuspectRequest): boolean {
  const wrong = listWrong(results);
  const count = wrong.flat().length;
  const all = sum(results.together.map(({ size }) => size));
  const key = serializeRequest(first.request);
  const isSuspectWrong = wrong.filter((requests) => requests.includes(key)).length >= minWrongBatches;
  const isMany = count >= minWrong && wrong.filter(({ length }) => length > 0).length >= minWrongBatches;
  return (isSuspectWrong || isMany) && count >= all * minWrongShare;
}

/** Lists for each batch the requests that are wrong in it and right alone. */
function listWrong({ together, alone }: BatchResults): string[][] {
  return together.map((results) =>
    [...results].flatMap(([request, result]) =>
      result === 'wrong' && alone.get(request) === 'right' ? [request] : [],
    ),
  );
}

function isDamagedOnce({ together, alone }: BatchResults): boolean {
  return [...together, alone].some((results) => [...results.values()].includes('damaged'));
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** `damaged`: the response did not arrive, or not as JSON, so the network or a proxy may have changed others, too. */
type Result = 'wrong' | 'right' | 'damaged';

/** By the request. */
type Results = ReadonlyMap<string, Result>;

/** Reads the results of a batch. Wrong is only what a successful response itself proves. */
function readResults({ batch }: CaseExchanges, target: TargetContext): Results {
  const sent = batch?.exchanges ?? [];
  const whole = sent.filter((exchange): exchange is AnsweredExchange => !isDamaged(exchange));
  const judged = judgeExchanges(whole, target);
  const isWrong = new Map<Exchange, boolean>(
    whole.map((exchange, n) => [exchange, isSuccessful(exchange.response) && judged[n]?.verdict === 'fail']),
  );
  const read = (exchange: Exchange): Result => {
    if (!isWrong.has(exchange)) return 'damaged';
    return isWrong.get(exchange) ? 'wrong' : 'right';
  };
  return new Map(sent.map((exchange) => [serializeRequest(exchange.request), read(exchange)]));
}
