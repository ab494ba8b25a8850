/** What the documentation says of exchanges that belong to no case. Pure. */

import type { AnsweredExchange } from '../assertions/row-evidence.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import { getWindowSize, listAvailableTiers, type NamedWorld, type Tier } from '../contract/world.js';
import { decodePercent } from '../http/request-content.js';
import { isSuccessful } from '../http/response-status.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { remember } from '../support/caches.js';
import { type CaseEvidence, collectEvidence, judgeCase, type TargetContext } from './judge-case.js';

export interface ExchangeJudgement {
  /** `open`: the documentation requires nothing of the response. `undocumented`: it does not describe the request. */
  readonly verdict: 'pass' | 'fail' | 'inconclusive' | 'open' | 'undocumented';
  /** Empty for `pass` only. */
  readonly reason: string;
}

/** Judges exchanges. All of them help to find out how responses and filters are read. */
export function judgeExchanges(exchanges: readonly AnsweredExchange[], target: TargetContext): ExchangeJudgement[] {
  const rows = exchanges.map((exchange) => new Map([[of, exchange]]));
  const judged = collectEvidence(rows, target).map((evidence, n) => {
    const exchange = exchanges[n] as AnsweredExchange;
    const judgement = judgeExchange(exchange, evidence);
    const path = leaveOutFilters(exchange.request.path);
    const isFiltered = path !== exchange.request.path;
    const plain = { ...exchange, request: { ...exchange.request, path } };
    return {
      judgement,
      spelling: isFiltered ? getSpelling(exchange) : undefined,
      isFilterRead: isFiltered && judgement.verdict === 'pass' && judgeExchange(plain, evidence).verdict === 'fail',
    };
  });
  const read = new Set(judged.flatMap(({ isFilterRead, spelling }) => (isFilterRead ? spelling : [])));
  const failing = new Set(
    judged.flatMap(({ judgement, spelling = [] }) => (judgement.verdict === 'fail' ? spelling : [])),
  );
  return judged.map(({ judgement, spelling }) => {
    const isDoubtful = spelling !== undefined && !read.has(spelling) && failing.size < 2;
    if (judgement.verdict !== 'fail' || !isDoubtful) return judgement;
    return { verdict: 'inconclusive', reason: `${judgement.reason} ${spellingDoubt}` };
  });
}

/** A deployment may read filters in one of two spellings only: with literal brackets, or percent-encoded. */
function getSpelling({ request }: AnsweredExchange): 'literal' | 'percent-encoded' {
  return request.path.includes('[') ? 'literal' : 'percent-encoded';
}

const spellingDoubt =
  'But nothing shows that filters are read in this spelling: a deployment may read literal brackets or their percent-encoding alone.';

/** The name of the request in its evidence. */
const of = 'request';
/** In characters and bytes. The documentation limits no size, so a deployment may. */
const [maxPath, maxBody] = [8 * 1024, 64 * 1024];
const at = { file: '', line: 1, column: 1 };

function judgeExchange(exchange: AnsweredExchange, evidence: CaseEvidence): ExchangeJudgement {
  const { request, response } = exchange;
  const stated = createOracle(request, evidence.world);
  if (stated.undocumentedReason !== undefined)
    return { verdict: 'undocumented', reason: `The request is not documented: ${stated.undocumentedReason}.` };
  const { path, body = '' } = request;
  if (path.length > maxPath || Buffer.byteLength(body) > maxBody)
    return { verdict: 'open', reason: 'It shows nothing: whether so long a request is accepted is open.' };
  const isAnyReturned = isSuccessful(response) && readReturned(response.body, evidence).returned.length > 0;
  const oracle = (isAnyReturned && stated.whenReturning) || stated;
  // With a filter, the documentation has two readings: the response must agree with one.
  const readings = oracle.alternatives.length > 0 ? oracle.alternatives : [oracle];
  const judgements = readings.map(({ returned }) => judgeByReading(exchange, oracle, returned, evidence));
  const [first, ...others] = judgements.filter(({ verdict }) => verdict !== 'fail');
  const agreeing = others.find(({ verdict }) => verdict === 'pass') ?? first;
  if (agreeing !== undefined) return agreeing;
  return judgements[0] as ExchangeJudgement;
}

function judgeByReading(
  exchange: AnsweredExchange,
  { accepted, openReason }: Oracle,
  returned: Oracle['returned'],
  evidence: CaseEvidence,
): ExchangeJudgement {
  const tiers = listKnownTiers(evidence.world);
  const select = (obligation: Obligation) => tiers.flatMap((tier) => (returned(tier) === obligation ? tier.id : []));
  const [required, forbidden] = [select('required'), select('forbidden')];
  const open = {
    verdict: 'open',
    reason: `It shows nothing: ${openReason ?? 'no promotion must be returned'}.`,
  } as const;
  if (required.length > 0 && !accepted && !isSuccessful(exchange.response)) return open;
  const expectTiers = (kind: string, ids: readonly string[]) =>
    ids.length === 0 ? [] : [{ kind, of, at, data: { tiers: ids } }];
  const expect = [
    ...(required.length > 0 && accepted ? [{ kind: 'status', of, at, data: { patterns: ['2xx'] } }] : []),
    ...expectTiers('returned.include', required),
    ...expectTiers('returned.exclude', forbidden),
  ];
  if (expect.length === 0) return open;
  const requests = new Map([[of, exchange.request]]);
  const rows = [{ title: '', requests, given: [], unavailable: [], expect }];
  const testCase = { kind: 'requirement', id: of, verifies: of, title: '', at, tags: [], rows } as const;
  const { verdict, reason } = judgeCase(testCase, [{ ...evidence, exchanges: new Map([[of, exchange]]) }]);
  if (verdict === 'fail' || verdict === 'inconclusive') return { verdict, reason };
  // An absence shows something only beside a promotion that is returned as it must be.
  return verdict === 'pass' && required.length > 0 ? { verdict, reason } : open;
}

/** Lists the tiers that a response can be judged by. If a deployment lacks one of the newest, an older one takes its place. */
const listKnownTiers = remember((world: NamedWorld): readonly Tier[] => {
  const newest = world.tiers.slice(0, getWindowSize(world));
  const isWhole = newest.every(({ id }) => !world.unavailable.has(id));
  return listAvailableTiers(isWhole ? world : { ...world, tiers: newest });
});

function leaveOutFilters(path: string): string {
  const [operation = '', query = ''] = path.split(/\?(.*)/s);
  const kept = query.split('&').filter((pair) => !decodePercent(pair).startsWith('[filters]'));
  return kept.join('') === '' ? operation : `${operation}?${kept.join('&')}`;
}
