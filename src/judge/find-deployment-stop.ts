/**
 * Finds out whether a deployment stopped working during a run, and since which request. The exchanges of a run in the order of
 * sending go in. Pure: the worker asks it at the end of a run, and the certificate and `verify` ask it with the evidence.
 */

import { hasDocumentedCredentials } from '../contract/operation.js';
import { createOracle } from '../contract/oracle.js';
import type { TargetWorld } from '../contract/world.js';
import { maskChangingWords } from '../http/changing-words.js';
import {
  type Exchange,
  findRefusableEncoding,
  type HttpRequest,
  serializeRequestIgnoringRepetition,
  type TransportErrorKind,
} from '../http/exchange.js';
import { hasTransientStatus, isSuccessful } from '../http/response-status.js';
import { findFirstFailedAttempt } from '../http/silence-watch.js';
import { groupBy } from '../support/collections.js';
import { createReason, type Reason } from '../support/reason.js';

/** What is kept of an exchange. */
export interface ExchangeSummary {
  /** Of the evidence. */
  readonly id: string;
  readonly request: HttpRequest;
  /** See {@link Exchange.numbers}. */
  readonly numbers: readonly number[];
  /** The status of the response, or why there is none. */
  readonly outcome: number | TransportErrorKind;
  /** A summary of the response that is equal for equal refusals; empty for one that is accepted. */
  readonly refusal: string;
  readonly startedAt?: number;
  /** Whether it was sent at the end, to find out whether a refusal lasts. */
  readonly isCheck?: true;
}

/** When a deployment stopped working. */
export interface DeploymentStop {
  /** `fail` if the exchanges prove that the deployment refuses documented requests; they do not if it may be a quota. */
  readonly verdict: 'fail' | 'inconclusive';
  /** The number of the first request that was refused or had no answer. */
  readonly since: number;
  readonly reason: Reason;
  /** What more was seen, or what to do. */
  readonly advice: Reason;
  /** The id of the exchange that shows it. */
  readonly shownBy: string;
  /** The ids of all exchanges since then: they show nothing else of the deployment. Empty if other requests are accepted. */
  readonly exchanges: ReadonlySet<string>;
}

/** How often each request is sent at the end before a refusal counts as lasting. */
export const rechecksPerRequest = 6;

/** Without a check at the end, such as in one of several shards, fewer refused requests may be a mishap. */
const minRefused = 3;

/** @returns undefined if nothing was sent */
export function summarizeExchange(id: string, exchange: Exchange, isCheck = false): ExchangeSummary | undefined {
  const { request, numbers = [], timing } = exchange;
  if (numbers.length === 0) return undefined;
  const outcome = 'response' in exchange ? exchange.response.status : exchange.transportError;
  return {
    id,
    request,
    numbers,
    outcome,
    refusal: summarizeRefusal(exchange),
    ...(timing !== undefined && { startedAt: timing.startedAt }),
    ...(isCheck && { isCheck }),
  };
}

/** Summarizes a response that is not accepted, without what changes with each request. */
function summarizeRefusal(exchange: Exchange): string {
  if (!('response' in exchange) || isSuccessful(exchange.response)) return '';
  const { status, body } = exchange.response;
  return `${status} ${maskChangingWords(body.slice(0, 1_000))}`;
}

/** @returns undefined if the deployment works to the last request, or never worked */
export function findDeploymentStop(traces: readonly ExchangeSummary[], world: TargetWorld): DeploymentStop | undefined {
  const sent = orderTraces(traces);
  const relevant = listRelevant(sent, world);
  const accepted = relevant.filter(isAccepted);
  if (accepted.length === 0) return undefined;
  const lastAccepted = Math.max(...accepted.map(getEnd));
  const refused = relevant.filter((trace) => getEnd(trace) > lastAccepted);
  const checks = refused.filter(({ isCheck }) => isCheck);
  // A refusal of what was never accepted may be about what these requests have in common.
  const acceptedBefore = new Set(accepted.map(getKey));
  const telling = refused.filter(
    (trace) => acceptedBefore.has(getKey(trace)) || classifyExchangeOutcome(trace.outcome) === 'unavailable',
  );
  if (telling.length === 0 || (checks.length === 0 && telling.length < minRefused))
    return findPartialStop(relevant, accepted);
  const later = new Set([...refused, ...listUnanswered(sent), ...listRefusedAlike(sent, refused)]);
  const overlapping = listOverlapping(sent, refused, lastAccepted);
  const since = findStart([...later, ...overlapping], lastAccepted);
  const after = sent.filter((trace) => getEnd(trace) >= since && getEnd(trace) > lastAccepted);
  const explanation = explain(refused, checks, since);
  const lockedOutBy = findLockedOutBy(sent, refused, lastAccepted);
  return {
    ...explanation,
    ...(lockedOutBy && { advice: createReason('perhaps-locked-out', { number: getEnd(lockedOutBy) }) }),
    since,
    shownBy: chooseExample(refused, checks),
    exchanges: new Set([...after, ...overlapping].map(({ id }) => id)),
  };
}

/** The requests of the check at the end. None if the deployment works to its last request. */
export interface RequestsToRecheck {
  readonly refused: readonly HttpRequest[];
  /** One that was accepted until now: it shows whether every request is refused. */
  readonly control: readonly HttpRequest[];
}

/** Lists requests that were accepted first and refused last. If there are none, and the last request shows nothing, others. */
export function selectRequestsToRecheck(traces: readonly ExchangeSummary[], world: TargetWorld): RequestsToRecheck {
  const sent = orderTraces(traces);
  const relevant = listRelevant(sent, world);
  const equal = [...groupBy(relevant, getKey).values()].filter((group) => group.some(isAccepted));
  const isStillAccepted = (group: readonly ExchangeSummary[]) => isAccepted(group.at(-1) as ExchangeSummary);
  const accepted = equal.filter(isStillAccepted).map(([trace]) => trace.request);
  const refused = equal.filter((group) => !isStillAccepted(group)).map(([trace]) => trace.request);
  if (refused.length > 0) return { refused: refused.slice(-4), control: accepted.slice(-1) };
  const last = sent.at(-1);
  const isSettled = last === undefined || (isAccepted(last) && relevant.includes(last));
  return { refused: isSettled ? [] : accepted.slice(0, 2), control: [] };
}

type Kind = 'accepted' | 'refused' | 'unavailable';

/** A quota may answer these, or whoever checks credentials: they do not say that the deployment no longer works. */
const statusesOfQuotas = [401, 402, 403, 407, 511];

/** Says what a status or a transport error shows about whether the deployment still works. */
export function classifyExchangeOutcome(outcome: ExchangeSummary['outcome']): Kind {
  if (typeof outcome === 'string') return 'unavailable';
  const response = { status: outcome, headers: [], body: '' };
  if (isSuccessful(response)) return 'accepted';
  const isRedirect = outcome < 400;
  return hasTransientStatus(response) || isRedirect || statusesOfQuotas.includes(outcome) ? 'unavailable' : 'refused';
}

const isAccepted = ({ outcome }: ExchangeSummary): boolean => classifyExchangeOutcome(outcome) === 'accepted';
const getKey = ({ request }: ExchangeSummary): string => serializeRequestIgnoringRepetition(request);
/** An exchange with retries ends with the last of them. */
const getEnd = ({ numbers }: ExchangeSummary): number => Math.max(...numbers);

/** Orders the exchanges of a run. Several processes count each for themselves: their requests are numbered by time. */
function orderTraces(traces: readonly ExchangeSummary[]): ExchangeSummary[] {
  const numbers = traces.flatMap((trace) => trace.numbers);
  if (new Set(numbers).size === numbers.length) return traces.toSorted((left, right) => getEnd(left) - getEnd(right));
  let count = 0;
  return traces
    .toSorted((left, right) => (left.startedAt ?? 0) - (right.startedAt ?? 0) || getEnd(left) - getEnd(right))
    .map((trace) => ({ ...trace, numbers: trace.numbers.map(() => ++count) }));
}

/**
 * Lists the exchanges that must be accepted: their requests are documented and plain, and something must be returned, or
 * something was returned before. The status of an empty result is open, and no size is documented.
 */
function listRelevant(sent: readonly ExchangeSummary[], world: TargetWorld): ExchangeSummary[] {
  const documented = sent.filter(
    ({ request, outcome }) =>
      findRefusableEncoding(request) === undefined &&
      ![413, 414, 431].includes(Number(outcome)) &&
      createOracle(request, world).accepted,
  );
  const acceptedBefore = new Set(documented.filter(isAccepted).map(getKey));
  const mustReturn = ({ request }: ExchangeSummary): boolean => {
    const { returned } = createOracle(request, world);
    return world.tiers.some((tier) => !world.unavailable.has(tier.id) && returned(tier) === 'required');
  };
  return documented.filter((trace) => acceptedBefore.has(getKey(trace)) || mustReturn(trace));
}

/** Lists the exchanges since the last answer of any kind, if there was none to all of them. */
function listUnanswered(sent: readonly ExchangeSummary[]): ExchangeSummary[] {
  const isAnswered = ({ outcome }: ExchangeSummary) =>
    typeof outcome === 'number' && !hasTransientStatus({ status: outcome, headers: [], body: '' });
  const lastAnswered = Math.max(0, ...sent.filter(isAnswered).map(getEnd));
  return sent.filter((trace) => getEnd(trace) > lastAnswered);
}

/** Lists what was refused just before the first documented request, such as questions about bad input, in the same way. */
function listRefusedAlike(
  sent: readonly ExchangeSummary[],
  refused: readonly ExchangeSummary[],
): readonly ExchangeSummary[] {
  const refusals = new Set(refused.map(({ refusal }) => refusal));
  const start = Math.min(...refused.map(getEnd));
  const before = sent.filter((trace) => getEnd(trace) < start);
  const lastDifferent = before.findLastIndex(({ refusal }) => refusal === '' || !refusals.has(refusal));
  return before.slice(lastDifferent + 1);
}

function findStart(traces: readonly ExchangeSummary[], lastAccepted: number): number {
  return findFirstFailedAttempt(
    traces.flatMap(({ numbers }) => numbers),
    lastAccepted,
  );
}

/** Lists what ended before the last request was accepted, in the same way as all that came after it. */
function listOverlapping(
  sent: readonly ExchangeSummary[],
  refused: readonly ExchangeSummary[],
  lastAccepted: number,
): readonly ExchangeSummary[] {
  const answers = new Set(refused.map(({ outcome, refusal }) => `${outcome} ${refusal}`));
  const isAlike = ({ outcome, refusal }: ExchangeSummary) => answers.has(`${outcome} ${refusal}`);
  return sent.filter((trace) => getEnd(trace) < lastAccepted && isAlike(trace));
}

/** Finds requests that are refused at the end each time, though others are accepted. */
function findPartialStop(
  relevant: readonly ExchangeSummary[],
  accepted: readonly ExchangeSummary[],
): DeploymentStop | undefined {
  for (const equal of groupBy(relevant, getKey).values()) {
    const lastAccepted = Math.max(0, ...equal.filter((trace) => accepted.includes(trace)).map(getEnd));
    const refused = equal.filter((trace) => getEnd(trace) > lastAccepted);
    const checks = refused.filter(({ isCheck }) => isCheck);
    const [first] = refused;
    if (first === undefined || lastAccepted === 0 || checks.length === 0) continue;
    const since = findStart(refused, lastAccepted);
    const { verdict, advice } = explain(refused, checks, since);
    const reason = createReason('request-stopped', { since, answers: listAnswers(refused) });
    return { verdict, since, reason, advice, shownBy: first.id, exchanges: new Set() };
  }
  return undefined;
}

type Explanation = Pick<DeploymentStop, 'verdict' | 'reason' | 'advice'>;

function explain(refused: readonly ExchangeSummary[], checks: readonly ExchangeSummary[], since: number): Explanation {
  const data = { since, answers: listAnswers(refused) };
  const isUnanswered = refused.every(({ outcome }) => typeof outcome === 'string');
  const reason = createReason(isUnanswered ? 'stopped-answering' : 'stopped', data);
  const kinds = (checks.length > 0 ? checks : refused).map(({ outcome }) => classifyExchangeOutcome(outcome));
  if (kinds.includes('unavailable')) return { verdict: 'inconclusive', reason, advice: createReason('perhaps-quota') };
  const equal = [...groupBy(checks, getKey).values()];
  const isLasting = equal.length > 0 && equal.every(({ length }) => length >= rechecksPerRequest);
  if (!isLasting) return { verdict: 'inconclusive', reason, advice: createReason('stop-unchecked') };
  const advice = createReason('stop-checked', { count: equal.length, times: rechecksPerRequest });
  return { verdict: 'fail', reason, advice };
}

/** Statuses of those who check credentials. */
const statusesOfLockedOut = [401, 403, 429];

/** How many requests may be answered between one with wrong credentials and the first that is refused because of it. */
const maxBetween = 8;

/** Finds a request with missing or wrong credentials after which all others are refused as if they had wrong ones, too. */
function findLockedOutBy(
  sent: readonly ExchangeSummary[],
  refused: readonly ExchangeSummary[],
  lastAccepted: number,
): ExchangeSummary | undefined {
  if (!refused.every(({ outcome }) => statusesOfLockedOut.includes(Number(outcome)))) return undefined;
  const first = Math.min(...refused.map(getEnd));
  return sent.find(
    (trace) =>
      getEnd(trace) < first && getEnd(trace) > lastAccepted - maxBetween && !hasDocumentedCredentials(trace.request),
  );
}

/** Chooses the refused request that is read most easily, if possible one that was accepted before. */
function chooseExample(refused: readonly ExchangeSummary[], checks: readonly ExchangeSummary[]): string {
  const measure = ({ request: { path, body = '' } }: ExchangeSummary) => path.length + body.length;
  const shortest = (checks.length > 0 ? checks : refused).toSorted((left, right) => measure(left) - measure(right));
  return shortest[0]?.id ?? '';
}

/** Lists the statuses, or why there is no response, in the order in which they came. */
function listAnswers(refused: readonly ExchangeSummary[]): string {
  return [...new Set(refused.map(({ outcome }) => String(outcome).replaceAll('-', ' ')))].join(' or ');
}
