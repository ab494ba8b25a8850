/**
 * Whether the test data seems to be loaded otherwise than the world says: in another order of creation, in part, without
 * metadata or rules, under other ids. Each would look like a mistake of the deployment. The first responses of a run are
 * compared with those of a deployment that has such data. Further requests are sent only where something looks wrong.
 */

import { type AnsweredExchange, listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import { createOracle } from '../contract/oracle.js';
import { listAvailableTiers, type NamedWorld, type Rule, type Tier, windowSize } from '../contract/world.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { describeAnswer, isRefusal, isSuccessful } from '../http/response-status.js';
import { findOtherReadings } from '../judge/other-readings.js';
import { agreesWithLoad, type SuspectedLoad } from '../judge/suspected-load.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { groupBy } from '../support/collections.js';
import { getMember, isJsonObject, parseJson } from '../support/json.js';
import { createReason, type Reason } from '../support/reason.js';
import { listRequests } from './case-sender.js';
import { findCreationOrder } from './creation-order.js';

type Evidence = Omit<RowEvidence, 'exchanges'>;

/**
 * Compares the first responses with those of a deployment that has other data. Returns undefined if nothing looks wrong, or
 * if no wrong load explains it.
 * @param filtered a request with a metadata filter
 */
export async function examineLoad(
  suite: Pick<Suite, 'cases'>,
  filtered: Exchange | undefined,
  send: Channel['send'],
  evidence: Evidence,
): Promise<SuspectedLoad | undefined> {
  const { world, calibration, reading } = evidence;
  if (reading.kind !== 'agreed' && reading.kind !== 'stated') return undefined;
  const ofTiers = suspectTiers(calibration, evidence);
  const ofMetadata = await suspectMetadata(suite, filtered, send, evidence);
  if (ofMetadata === undefined) return ofTiers;
  const worlds = (ofTiers?.worlds ?? [world]).map(withoutMetadata);
  if (ofTiers === undefined) return { ...ofMetadata, worlds };
  return {
    worlds,
    isProven: ofTiers.isProven && ofMetadata.isProven,
    reason: createReason('and', { reason: ofTiers.reason, next: ofMetadata.reason }),
  };
}

/** What the responses without a filter show of the tiers and their rules. Pure. */
function suspectTiers(exchanges: readonly Exchange[], evidence: Evidence): SuspectedLoad | undefined {
  const { reading } = evidence;
  const world = { ...evidence.world, tiers: listAvailableTiers(evidence.world) };
  const fits = (worlds: SuspectedLoad['worlds']) => agreesWithLoad(exchanges, worlds, evidence);
  if (fits([evidence.world]) || fits([world]) || findOtherReadings(exchanges, reading, evidence).length > 0) return undefined;
  const reversed = [{ ...world, tiers: world.tiers.toReversed() }];
  if (fits(reversed)) return judgeOrder(listSuccesses(exchanges), reversed, evidence);
  const suspicions = [...listLostRules(world), ...listUnknownThings(world)];
  const suspected = suspicions.find(({ worlds }) => fits(worlds));
  if (suspected !== undefined) return suspected;
  const others = [suspectRefusedIds(exchanges, world), suspectMissingTiers(exchanges, { ...evidence, world })];
  return others.find((other) => other !== undefined && fits(other.worlds));
}

/** Tiers that were created in reverse look like a window of the oldest: something else must show which it is. */
function judgeOrder(
  successes: readonly AnsweredExchange[],
  worlds: readonly NamedWorld[],
  evidence: Evidence,
): SuspectedLoad | undefined {
  const order = findCreationOrder(successes, evidence);
  if (order?.isReversed === false) return undefined;
  const reason = createReason('load-reversed', { evidence: order?.evidence ?? '' });
  return { reason, isProven: order !== undefined, worlds };
}

function changeTiers(world: NamedWorld, change: (tier: Tier) => Tier): NamedWorld {
  return { ...world, tiers: world.tiers.map(change) };
}

function withoutMetadata<T extends SuspectedLoad['worlds'][number]>(world: T): T {
  return { ...world, tiers: world.tiers.map((tier) => ({ ...tier, metadata: {} })) };
}

const decidingKinds = ['customer', 'product', 'sku', 'metadata'] as const;

function listLostRules(world: NamedWorld): SuspectedLoad[] {
  const lose = (isLost: (rule: Rule) => boolean) => [
    changeTiers(world, (tier) => ({ ...tier, rules: tier.rules.filter((rule) => !isLost(rule)) })),
  ];
  const ofKinds = decidingKinds.map((kind) => ({
    reason: createReason('load-without-rules', { kind }),
    isProven: false,
    worlds: lose((rule) => rule.kind === kind),
  }));
  return [
    ...ofKinds,
    { reason: createReason('load-without-any-rules', { size: windowSize }), isProven: false, worlds: lose(() => true) },
  ];
}

/** A rule about what a deployment does not know never holds. */
function listUnknownThings(world: NamedWorld): SuspectedLoad[] {
  const unknown: Readonly<Partial<Record<Rule['kind'], (rule: Rule) => Rule>>> = {
    customer: () => ({ kind: 'customer', any_of: [] }),
    product: (rule) => ({ ...rule, id: '' }) as Rule,
    sku: (rule) => ({ ...rule, id: '' }) as Rule,
  };
  return Object.entries(unknown).map(([kind, change]) => ({
    reason: createReason('load-without-things', { kind }),
    isProven: false,
    worlds: [
      changeTiers(world, (tier) => ({
        ...tier,
        rules: tier.rules.map((rule) => (rule.kind === kind ? change(rule) : rule)),
      })),
    ],
  }));
}

/** Finds the ids that only refused requests name, if a response says 404 or names one of them. */
function suspectRefusedIds(exchanges: readonly Exchange[], world: NamedWorld): SuspectedLoad | undefined {
  const refused = exchanges.flatMap((exchange) =>
    'response' in exchange && isRefusal(exchange.response) ? [exchange] : [],
  );
  const accepted = listSuccesses(exchanges);
  const [first] = refused;
  if (first === undefined || accepted.length === 0) return undefined;
  const isNamedIn = (id: string) => (exchange: Exchange) => exchange.request.body?.includes(JSON.stringify(id)) === true;
  const isSuspect = ({ id }: { readonly id: string }) => refused.some(isNamedIn(id)) && !accepted.some(isNamedIn(id));
  const lists = { customers: world.customers, products: world.products, skus: world.skus };
  const ids = Object.values(lists).flatMap((things) => things.filter(isSuspect).map(({ id }) => id));
  const isAboutIds = ({ response: { status, body } }: AnsweredExchange) =>
    status === 404 || ids.some((id) => body.includes(id));
  if (ids.length === 0 || !refused.every(isAboutIds)) return undefined;
  const isLeft = ({ id }: { readonly id: string }) => !ids.includes(id);
  const lacking: NamedWorld = {
    ...world,
    customers: world.customers.filter(isLeft),
    products: world.products.filter(isLeft),
    skus: world.skus.filter(isLeft),
  };
  const reason = createReason('load-refused', { ids, answer: describeAnswer(first.response) });
  return { reason, isProven: false, worlds: [lacking] };
}

/** Finds the tiers that were valid for a request and that no response names, up to the oldest one that is named. */
function suspectMissingTiers(exchanges: readonly Exchange[], evidence: Evidence): SuspectedLoad | undefined {
  const { world } = evidence;
  const successes = listSuccesses(exchanges);
  const named = new Set(successes.flatMap(({ response }) => readReturned(response.body, evidence).returned));
  const oracles = successes.map(({ request }) => createOracle(request, world));
  const { tiers: available } = world;
  const isReachable = (tier: Tier) => oracles.some((oracle) => oracle.valid(tier) === 'required');
  const isRequired = (tier: Tier) => oracles.some((oracle) => oracle.returned(tier) === 'required');
  const unnamed = available.filter((tier) => !named.has(tier.id) && isReachable(tier));
  if (!unnamed.some(isRequired)) return undefined;
  const last = available.findLastIndex(({ id }) => named.has(id));
  const isOlder = (tier: Tier) => available.indexOf(tier) > last;
  const gaps = unnamed.filter((tier) => !isOlder(tier));
  // If the oldest tier that is named is the 150th, the older ones are not missing: they are beyond the window.
  const tail = last === windowSize - 1 ? [] : available.filter(isOlder);
  const missing = new Set([...gaps, ...tail]);
  const isCertain = (tier: Tier) => named.has(tier.id) || isReachable(tier);
  const keep = (isKept: (tier: Tier) => boolean): NamedWorld => ({ ...world, tiers: available.filter(isKept) });
  const isLoaded = (tier: Tier) => !missing.has(tier);
  return {
    reason: describeMissing([...missing], available),
    isProven: isScattered(available, named, isReachable),
    // Whether tiers are loaded that were valid for no request is not known.
    worlds: [keep(isLoaded), keep((tier) => isLoaded(tier) && isCertain(tier))],
  };
}

function describeMissing(missing: readonly Tier[], available: readonly Tier[]): Reason {
  const ranks = missing.map((tier) => available.indexOf(tier) + 1).sort((left, right) => left - right);
  const total = available.length;
  const [first = 0, last = 0] = [ranks[0], ranks.at(-1)];
  const names = missing.map(({ name }) => `'${name}'`);
  const common = { total, names, count: missing.length };
  // Between missing tiers there may be some that no request could show.
  const isWhole = available.slice(first - 1, last).every((tier) => missing.includes(tier) || tier.rules.length > 0);
  if (isWhole && first === 1) return createReason('load-lacks-newest', { ...common, last });
  if (isWhole && last === total) return createReason('load-lacks-oldest', { ...common, first });
  return createReason('load-lacks-some', common);
}

/**
 * Whether tiers are missing that only their ids tell from others that are there. A mistake that sorts, cuts or compares
 * splits equal tiers at one place: by rank, by name or by id.
 */
function isScattered(
  available: readonly Tier[],
  named: ReadonlySet<string>,
  isReachable: (tier: Tier) => boolean,
): boolean {
  const alike = groupBy(available.filter(isReachable), ({ campaign_id, metadata, rules }) =>
    JSON.stringify([campaign_id, metadata, rules]),
  );
  const compare = (left: string, right: string) => (left < right ? -1 : 1);
  return [...alike.values()].some((tiers) => {
    const orders = [
      tiers,
      tiers.toSorted((left, right) => compare(left.name, right.name)),
      tiers.toSorted((left, right) => compare(left.id, right.id)),
    ];
    return orders.every((order) => countChanges(order.map(({ id }) => named.has(id))) > 1);
  });
}

function countChanges(values: readonly boolean[]): number {
  return values.filter((value, n) => n > 0 && value !== values[n - 1]).length;
}

/** How many metadata filters must find nothing before the metadata counts as missing. */
const minEmpty = 3;

/** Sends further requests with metadata filters if the first one finds nothing. */
async function suspectMetadata(
  { cases }: Pick<Suite, 'cases'>,
  filtered: Exchange | undefined,
  send: Channel['send'],
  evidence: Evidence,
): Promise<Omit<SuspectedLoad, 'worlds'> | undefined> {
  const { world, calibration } = evidence;
  const findsNothing = (exchange: Exchange) => {
    if (!('response' in exchange)) return false;
    const { response } = exchange;
    if (!isSuccessful(response)) return isRefusal(response);
    const { returned, unclear } = readReturned(response.body, evidence);
    return returned.length === 0 && unclear.size === 0;
  };
  if (filtered === undefined || !isMetadataRequest(filtered.request, world) || !findsNothing(filtered)) return undefined;
  const successes = listSuccesses(calibration);
  if (successes.some((success) => showsMetadata(success, evidence))) return undefined;
  const others = cases
    .flatMap((testCase) => (testCase.rows.length > 0 ? listRequests(testCase) : []))
    .filter((request) => isMetadataRequest(request, world) && request.path !== filtered.request.path);
  const byFilter = [...groupBy(others, ({ path }) => path).values()].map(([request]) => request);
  const shortest = byFilter.toSorted((left, right) => left.path.length - right.path.length).slice(0, minEmpty - 1);
  const probes = await Promise.all(shortest.map(send));
  if (probes.length + 1 < minEmpty || !probes.every(findsNothing)) return undefined;
  const isProven = successes.length > 0 && successes.every((success) => showsEmptyMetadata(success, evidence));
  return { isProven, reason: createReason('load-without-metadata', { shown: Number(isProven) }) };
}

/** Whether the documentation requires a result of a request, and one metadata filter restricts it. */
function isMetadataRequest(request: HttpRequest, world: NamedWorld): boolean {
  const oracle = createOracle(request, world);
  if (oracle.filteredOn !== 'metadata' || !oracle.accepted || oracle.openReason !== undefined) return false;
  return oracle.matched.some((tier) => oracle.returned(tier) === 'required');
}

const listReturned = ({ response }: AnsweredExchange, evidence: Evidence): Tier[] => {
  const returned = new Set(readReturned(response.body, evidence).returned);
  return evidence.world.tiers.filter(({ id }) => returned.has(id));
};

/** Whether a response has an entry of the metadata of a tier that it returns: its key and its value, as words. */
function showsMetadata(success: AnsweredExchange, evidence: Evidence): boolean {
  const words = new Set(success.response.body.match(/[\w-]{3,}/g));
  const entries = listReturned(success, evidence).flatMap(({ metadata }) => Object.entries(metadata));
  return entries.some(([key, value]) => words.has(key) && words.has(String(value)));
}

/** Whether a response has a member for the metadata of each tier, and all are empty. */
function showsEmptyMetadata(success: AnsweredExchange, evidence: Evidence): boolean {
  let empty = 0;
  parseJson(success.response.body, (name, value) => {
    if (/meta/i.test(name) && isEmpty(value)) empty += 1;
    return value;
  });
  return empty > 0 && empty >= listReturned(success, evidence).length;
}

function isEmpty(value: unknown): boolean {
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === '' || value === '{}' || (Array.isArray(value) && value.length === 0);
}

/**
 * Finds out whether a refused request is refused for the ids that it names, and not for its body: the same request without
 * them is accepted. @param refused how the deployment answered
 */
export async function explainRefusedIds(
  request: HttpRequest,
  { response }: AnsweredExchange,
  send: Channel['send'],
): Promise<Reason | undefined> {
  const withoutIds = await send({ ...request, body: '{}' });
  if (listSuccesses([withoutIds]).length === 0) return undefined;
  const answer = describeAnswer(response);
  const customer = getMember(parseJson(request.body ?? ''), 'customer');
  const withCustomer = await send({ ...request, body: JSON.stringify({ customer }) });
  const isOfCustomer = 'response' in withCustomer && withCustomer.response.status === response.status;
  const id = String(getMember(customer, 'id'));
  return isOfCustomer ? createReason('customer-unknown', { id, answer }) : createReason('ids-refused', { answer });
}
