import { type AnsweredExchange, readReturnedTiersOfExchange } from '../assertions/row-evidence.js';
import { createOracle, type DocumentedRequestBody, type ObligationReason, type Oracle } from '../contract/oracle.js';
import { type ItemRule, type Tier, type TierRule, windowSize } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { collectRowEvidence, type TargetContext } from '../judge/collect-row-evidence.js';

/** How many promotions must become wrong, and at how many different times: one of these pairs. */
const enough = [
  { learned: 3, times: 3 },
  { learned: 6, times: 2 },
] as const;

/**
 * Whether a deployment adds what earlier requests had to later ones, such as items or metadata. Its results are then wrong for good,
 * which looks like a change of the data. Four things together tell it from a change: no promotion is ever missing; those that are
 * wrongly returned lack one thing alone, such as items; an earlier request had what they lack; and they become wrong at different
 * times, right after such a request, which nobody who changes the data knows about.
 *
 * @param first the first exchanges of a run, in their order
 * @param atEnd those of the same requests at its end
 */
export function areResultsLeftOver(
  first: readonly Exchange[],
  atEnd: readonly Exchange[],
  target: TargetContext,
): boolean {
  const seen = [...first, ...atEnd].map((exchange, n) => readResult(exchange, n, target));
  const results = seen.filter((result) => result !== undefined);
  if (results.length < seen.length || results.some(({ isIncomplete }) => isIncomplete)) return false;
  const isExplained = results.every((result) => {
    const earlier = results.filter((other) => other !== result && other.start < result.end);
    return [...result.wrong].every((tier) => hasLacking(earlier, tier, result));
  });
  return isExplained && isOneThingLacking(results) && hasLearned(results.slice(0, first.length));
}

interface Result {
  readonly oracle: Oracle;
  /** When the request was sent, and when its response was there: times, or its place if there are none. */
  readonly start: number;
  readonly end: number;
  readonly quantities: ReadonlyMap<string, number>;
  /** The promotions that were returned and must not be. */
  readonly wrong: ReadonlySet<Tier>;
  /** Those that were rightly not returned. */
  readonly absent: ReadonlySet<Tier>;
  /** Whether a promotion that must be returned was not. */
  readonly isIncomplete: boolean;
}

/** @param place in the order of requests @returns undefined if the response does not show a result */
function readResult(exchange: Exchange, place: number, target: TargetContext): Result | undefined {
  if (!('response' in exchange) || !isSuccessful(exchange.response)) return undefined;
  const oracle = createOracle(exchange.request, target.world);
  if (oracle.openReason !== undefined) return undefined;
  const returned = listReturned(exchange, target);
  const select = (obligation: 'required' | 'forbidden', isReturned: boolean) =>
    target.world.tiers
      .slice(0, windowSize)
      .filter((tier) => oracle.returned(tier) === obligation && returned.has(tier.id) === isReturned);
  // Durations are whole milliseconds. Without them, requests are sent one after another.
  const { startedAt, durationMs } = exchange.timing ?? { startedAt: place, durationMs: -0.5 };
  return {
    oracle,
    start: startedAt,
    end: startedAt + durationMs + 1,
    quantities: countQuantities(exchange),
    wrong: new Set(select('forbidden', true)),
    absent: new Set(select('forbidden', false)),
    isIncomplete: select('required', false).length > 0,
  };
}

function listReturned(exchange: AnsweredExchange, target: TargetContext): ReadonlySet<string> {
  const evidence = collectRowEvidence([new Map([['request', exchange]])], target).slice(0, 1);
  return new Set(evidence.flatMap((row) => readReturnedTiersOfExchange(exchange, row).returned));
}

function countQuantities({ request }: AnsweredExchange): ReadonlyMap<string, number> {
  const { order } = parseRequest(request).body as DocumentedRequestBody;
  const counts = new Map<string, number>();
  for (const { product_id, sku_id, quantity = 1 } of order?.items ?? []) {
    const key = createItemKey(product_id === undefined ? 'sku' : 'product', product_id ?? sku_id ?? '');
    counts.set(key, (counts.get(key) ?? 0) + quantity);
  }
  return counts;
}

function createItemKey(kind: ItemRule['kind'], id: string): string {
  return `${kind} ${id}`;
}

function listLacking(tier: Tier, { oracle }: Result): readonly ObligationReason[] {
  return oracle.listReasons(tier).filter(({ obligation }) => obligation === 'forbidden');
}

/** Whether all promotions that are wrongly returned lack items, or all lack the same other thing. */
function isOneThingLacking(results: readonly Result[]): boolean {
  const lacking = results.flatMap((result) => [...result.wrong].flatMap((tier) => listLacking(tier, result)));
  return new Set(lacking.map(nameThing)).size === 1;
}

function nameThing(reason: ObligationReason): string {
  if (reason.is !== 'rule') return reason.is;
  return 'at_least' in reason.rule ? 'items' : reason.rule.kind;
}

/** Whether earlier requests had all that a promotion lacks in a request. */
function hasLacking(earlier: readonly Result[], tier: Tier, result: Result): boolean {
  return listLacking(tier, result).every((reason) => reason.is === 'rule' && isMet(reason.rule, tier, result, earlier));
}

/** Whether one of these requests meets a rule, or the items of all do. */
function isMet(rule: TierRule, tier: Tier, { quantities }: Result, earlier: readonly Result[]): boolean {
  const isMetAlone = ({ oracle }: Result) =>
    oracle
      .listReasons(tier)
      .some((reason) => reason.is === 'rule' && reason.rule === rule && reason.obligation === 'required');
  if (earlier.some(isMetAlone)) return true;
  if (!('at_least' in rule)) return false;
  const key = createItemKey(rule.kind, rule.id);
  const counts = [quantities, ...earlier.map((other) => other.quantities)].map((counted) => counted.get(key) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0) >= rule.at_least;
}

/** Whether promotions that were rightly absent become wrong one after another, each once a request had what it lacks. */
function hasLearned(results: readonly Result[]): boolean {
  const tiers = new Set(results.flatMap(({ wrong }) => [...wrong]));
  const spans = [...tiers].flatMap((tier) => findSpan(tier, results) ?? []);
  const counted = countTimes(spans);
  return enough.some(({ learned, times }) => spans.length >= learned && counted >= times);
}

/** A promotion became wrong after the one place and until the other. */
interface Span {
  readonly after: number;
  readonly until: number;
}

/** @returns undefined if the promotion was not absent before a request had what it lacks */
function findSpan(tier: Tier, results: readonly Result[]): Span | undefined {
  const until = results.findIndex(({ wrong }) => wrong.has(tier));
  const before = results.slice(0, until);
  const isLearned = before.some(
    (result, n) => result.absent.has(tier) && !hasLacking(results.slice(0, n), tier, result),
  );
  return isLearned ? { after: before.findLastIndex(({ absent }) => absent.has(tier)), until } : undefined;
}

/** Counts how many different times the spans need at least: one time is in as many spans as possible. */
function countTimes(spans: readonly Span[]): number {
  let times = 0;
  let last = -1;
  for (const { after, until } of spans.toSorted((span, next) => span.until - next.until)) {
    if (after < last) continue;
    last = until;
    times += 1;
  }
  return times;
}
