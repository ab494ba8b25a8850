/** What the documentation says of exchanges that belong to no case. Pure. */

import { accept, exclude, include } from '../assertions/create-assertions.js';
import type { AnsweredExchange } from '../assertions/row-evidence.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { getWindowSize, listAvailableTiers } from '../contract/world.js';
import { decodePercent } from '../http/request-content.js';
import { isSuccessful } from '../http/response-status.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { omitUndefined } from '../support/collections.js';
import { createReason, type Reason } from '../support/reason.js';
import { type CaseEvidence, collectEvidence, judgeCase, type TargetContext } from './judge-case.js';

export interface ExchangeJudgement {
  /** `open`: the documentation requires nothing of the response. `undocumented`: it does not describe the request. */
  readonly verdict: 'pass' | 'fail' | 'inconclusive' | 'open' | 'undocumented';
  /** Undefined for `pass` only. */
  readonly reason?: Reason;
}

/** The name of the request in its evidence. */
const of = 'request';
const at = { file: '', line: 1, column: 1 };

/** Judges exchanges. All of them help to find out how responses and filters are read. */
export function judgeExchanges(exchanges: readonly AnsweredExchange[], target: TargetContext): ExchangeJudgement[] {
  const rows = exchanges.map((exchange) => new Map([[of, exchange]]));
  const judged = collectEvidence(rows, target).map((evidence, n) => {
    const exchange = exchanges[n] as AnsweredExchange;
    const { request } = exchange;
    const judgement = judgeExchange(exchange, evidence);
    const path = leaveOutFilters(request.path);
    if (path === request.path) return { judgement };
    // A deployment may read filters in one of two spellings only: with literal brackets, or percent-encoded.
    const spelling = request.path.includes('[') ? 'literal' : 'percent-encoded';
    const judgeUnfiltered = () => judgeExchange({ ...exchange, request: { ...request, path } }, evidence);
    const isFilterRead = judgement.verdict === 'pass' && judgeUnfiltered().verdict === 'fail';
    return { judgement, spelling, isFilterRead };
  });
  const filtered = judged.filter(({ spelling }) => spelling !== undefined);
  const read = filtered.flatMap(({ isFilterRead, spelling }) => (isFilterRead ? spelling : []));
  const failing = filtered.filter(({ judgement }) => judgement.verdict === 'fail');
  const isFailingInBoth = new Set(failing.map(({ spelling }) => spelling)).size === 2;
  return judged.map(({ judgement, spelling }) => {
    const isFilterUnread = spelling !== undefined && !read.includes(spelling) && !isFailingInBoth;
    const { verdict, reason } = judgement;
    if (verdict !== 'fail' || reason === undefined || !isFilterUnread) return judgement;
    return { verdict: 'inconclusive', reason: createReason('spelling-unread', { reason }) };
  });
}

/** In characters and bytes. The documentation limits no size, so a deployment may. */
const [maxPath, maxBody] = [8 * 1024, 64 * 1024];

function judgeExchange(exchange: AnsweredExchange, evidence: CaseEvidence): ExchangeJudgement {
  const { request, response } = exchange;
  const { world } = evidence;
  const { path, body = '' } = request;
  const stated = createOracle(request, world);
  if (stated.undocumentedReason !== undefined)
    return { verdict: 'undocumented', reason: createReason('undocumented', { why: stated.undocumentedReason }) };
  const isSuccess = isSuccessful(response);
  const isAnyReturned = isSuccess && readReturned(response.body, evidence).returned.length > 0;
  const { returned, accepted, openReason, alternatives } = (isAnyReturned && stated.whenReturning) || stated;
  const newest = world.tiers.slice(0, getWindowSize(world));
  const isWhole = newest.every(({ id }) => !world.unavailable.has(id));
  // If the deployment lacks one of the newest, an older one takes its place.
  const tiers = listAvailableTiers(isWhole ? world : { ...world, tiers: newest });
  const select = (obligation: Obligation) => tiers.flatMap((tier) => (returned(tier) === obligation ? tier.id : []));
  const required = select('required');
  const isLong = path.length > maxPath || Buffer.byteLength(body) > maxBody;
  const why = isLong ? 'whether so long a request is accepted is open' : openReason;
  const reason = createReason('shows-nothing', { why: why ?? 'no promotion must be returned' });
  const open = { verdict: 'open', reason } as const;
  if (isLong || (required.length > 0 && !accepted && !isSuccess)) return open;
  const expect = [
    ...(required.length > 0 && accepted ? [accept(of)] : []),
    ...include(of, required),
    ...exclude(of, select('forbidden')),
    // With a filter, the documentation has two readings: the response must agree with one.
    ...(alternatives.length > 0 && isWhole ? [{ kind: 'returned.window-as', of, at, data: { compared: of } }] : []),
  ];
  if (expect.length === 0) return open;
  const rows = [{ title: '', requests: new Map([[of, request]]), given: [], unavailable: [], expect }];
  const testCase = { kind: 'requirement', id: of, verifies: of, title: '', at, tags: [], rows } as const;
  const judged = judgeCase(testCase, [{ ...evidence, exchanges: new Map([[of, exchange]]) }]);
  if (judged.verdict === 'fail' || judged.verdict === 'inconclusive')
    return { verdict: judged.verdict, ...omitUndefined({ reason: judged.reason }) };
  // An absence shows something only beside a promotion that is returned as it must be.
  return required.length > 0 ? { verdict: 'pass' } : open;
}

function leaveOutFilters(path: string): string {
  const [operation = '', query = ''] = path.split(/\?(.*)/s);
  const kept = query.split('&').filter((pair) => !decodePercent(pair).startsWith('[filters]'));
  return kept.join('') === '' ? operation : `${operation}?${kept.join('&')}`;
}
