/** What the documentation says of exchanges that belong to no case. Pure. */

import type { Assertion } from '../assertions/assertion.js';
import {
  createAcceptedAssertion,
  createExcludeAssertions,
  createIncludeAssertions,
} from '../assertions/create-assertions.js';
import type { AnsweredExchange } from '../assertions/row-evidence.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import { countWindowPlaces, listAvailableTiers, type TargetWorld } from '../contract/world.js';
import { decodePercent } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { readReturnedTiersOfBody } from '../recognition/returned-tiers.js';
import { createReason, type Reason } from '../support/reason.js';
import { collectRowEvidence, type RowEvidenceWithReadings, type TargetContext } from './collect-row-evidence.js';
import { judgeCase } from './judge-case.js';

/** The judgement on one exchange, without the exchange. The reason is a code with data, which the API renders. */
export interface CodedExchangeJudgement {
  /** `open`: the documentation requires nothing of the response. `undocumented`: it does not describe the request. */
  readonly verdict: 'pass' | 'fail' | 'inconclusive' | 'open' | 'undocumented';
  /** Undefined for `pass` only. */
  readonly reason?: Reason;
}

/** The name of the request in its evidence. */
const of = 'request';
const at = { file: '', line: 1, column: 1 };

/** Judges exchanges. All of them help to find out how responses and filters are read. */
export function judgeExchanges(
  exchanges: readonly AnsweredExchange[],
  target: TargetContext,
): CodedExchangeJudgement[] {
  const rows = exchanges.map((exchange) => new Map([[of, exchange]]));
  const judged = collectRowEvidence(rows, target).map((evidence, n): JudgementWithSpelling => {
    const exchange = exchanges[n] as AnsweredExchange;
    return { exchange, evidence, judgement: judgeExchange(exchange, evidence), spelling: getFilterSpelling(exchange) };
  });
  const unread = findUnreadSpellings(judged);
  return judged.map(({ judgement, spelling }) => {
    const isFilterUnread = spelling !== undefined && unread.has(spelling);
    const { verdict, reason } = judgement;
    if (verdict !== 'fail' || reason === undefined || !isFilterUnread) return judgement;
    return { verdict: 'inconclusive', reason: createReason('spelling-unread', { reason }) };
  });
}

type FilterSpelling = 'literal' | 'percent-encoded';

interface JudgementWithSpelling {
  readonly exchange: AnsweredExchange;
  readonly evidence: RowEvidenceWithReadings;
  readonly judgement: CodedExchangeJudgement;
  /** Undefined if the request has no filter. */
  readonly spelling: FilterSpelling | undefined;
}

function getFilterSpelling({ request: { path } }: AnsweredExchange): FilterSpelling | undefined {
  if (leaveOutFilters(path) === path) return undefined;
  return path.includes('[') ? 'literal' : 'percent-encoded';
}

/**
 * Finds the spelling that no response shows to be read: a deployment may read filters with literal brackets only, or
 * percent-encoded ones only. Where filters fail in both spellings, the spelling is not the reason.
 */
function findUnreadSpellings(judged: readonly JudgementWithSpelling[]): ReadonlySet<FilterSpelling> {
  const failing = listSpellings(judged.filter(({ judgement }) => judgement.verdict === 'fail'));
  if (failing.size !== 1) return new Set();
  const read = listSpellings(judged.filter(isFilterRead));
  return new Set([...failing].filter((spelling) => !read.has(spelling)));
}

function listSpellings(judged: readonly JudgementWithSpelling[]): ReadonlySet<FilterSpelling> {
  return new Set(judged.flatMap(({ spelling }) => spelling ?? []));
}

/** Whether a response is right, and would be wrong if the request had no filter. */
function isFilterRead({ exchange, evidence, judgement, spelling }: JudgementWithSpelling): boolean {
  if (spelling === undefined || judgement.verdict !== 'pass') return false;
  const { request } = exchange;
  const unfiltered = { ...request, path: leaveOutFilters(request.path) };
  return judgeExchange({ ...exchange, request: unfiltered }, evidence).verdict === 'fail';
}

/** In characters and bytes. The documentation limits no size, so a deployment may. */
const [maxPath, maxBody] = [8 * 1024, 64 * 1024];

function judgeExchange(exchange: AnsweredExchange, evidence: RowEvidenceWithReadings): CodedExchangeJudgement {
  const { request } = exchange;
  const stated = createOracle(request, evidence.world);
  if (stated.undocumentedReason !== undefined)
    return { verdict: 'undocumented', reason: createReason('undocumented', { why: stated.undocumentedReason }) };
  const oracle = chooseOracle(stated, exchange, evidence);
  const { required, forbidden, areNewestLoaded } = listObligations(oracle, evidence.world);
  const isLong = isLongRequest(request);
  const why = isLong ? 'whether so long a request is accepted is open' : oracle.openReason;
  const reason = createReason('shows-nothing', { why: why ?? 'no promotion must be returned' });
  const open = { verdict: 'open', reason } as const;
  const mayBeRefused = required.length > 0 && !oracle.accepted;
  if (isLong || (mayBeRefused && !isSuccessful(exchange.response))) return open;
  const expect = [
    ...(required.length > 0 && oracle.accepted ? [createAcceptedAssertion(of)] : []),
    ...createIncludeAssertions(of, required),
    ...createExcludeAssertions(of, forbidden),
    // With a filter, the documentation has two readings: the response must agree with one.
    ...(oracle.alternatives.length > 0 && areNewestLoaded ? [agreeWithWindow] : []),
  ];
  if (expect.length === 0) return open;
  const { verdict, reason: found } = judgeExpected(expect, exchange, evidence);
  if (verdict === 'fail' || verdict === 'inconclusive') return { verdict, reason: found };
  // An absence shows something only beside a promotion that is returned as it must be.
  return required.length > 0 ? { verdict: 'pass' } : open;
}

const agreeWithWindow: Assertion = { kind: 'returned.window-as', of, at, data: { compared: of } };

/** A response that returns anything may be bound by more than one that returns nothing. */
function chooseOracle(stated: Oracle, { response }: AnsweredExchange, evidence: RowEvidenceWithReadings): Oracle {
  if (stated.whenReturning === undefined || !isSuccessful(response)) return stated;
  return readReturnedTiersOfBody(response.body, evidence).returned.length > 0 ? stated.whenReturning : stated;
}

function isLongRequest({ path, body = '' }: HttpRequest): boolean {
  return path.length > maxPath || Buffer.byteLength(body) > maxBody;
}

function listObligations({ returned }: Oracle, world: TargetWorld) {
  const newest = world.tiers.slice(0, countWindowPlaces(world));
  const areNewestLoaded = newest.every(({ id }) => !world.unavailable.has(id));
  // If the deployment lacks one of the newest, an older one takes its place.
  const tiers = listAvailableTiers(areNewestLoaded ? world : { ...world, tiers: newest });
  const select = (obligation: Obligation) => tiers.flatMap((tier) => (returned(tier) === obligation ? tier.id : []));
  return { required: select('required'), forbidden: select('forbidden'), areNewestLoaded };
}

/** Judges an exchange as a case with one row and one request. */
function judgeExpected(expect: readonly Assertion[], exchange: AnsweredExchange, evidence: RowEvidenceWithReadings) {
  const rows = [{ title: '', requests: new Map([[of, exchange.request]]), given: [], unavailable: [], expect }];
  const testCase = { kind: 'requirement', id: of, verifies: of, title: '', at, tags: [], rows } as const;
  return judgeCase(testCase, [{ ...evidence, exchanges: new Map([[of, exchange]]) }]);
}

function leaveOutFilters(path: string): string {
  const [operation = '', query = ''] = path.split(/\?(.*)/s);
  const kept = query.split('&').filter((pair) => !decodePercent(pair).startsWith('[filters]'));
  return kept.join('') === '' ? operation : `${operation}?${kept.join('&')}`;
}
