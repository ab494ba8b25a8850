/**
 * Whether the test data seems to be loaded otherwise than the world says: in another order of creation, in part, without
 * metadata or rules, under other ids. Each would look like a mistake of the deployment. The first responses of a run are
 * compared with those of a deployment that has such data. Further requests are sent only where something looks wrong.
 */

import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import { createOracle } from '../../contract/oracle.js';
import {
  findById,
  listAvailableTiers,
  type TargetWorld,
  type Tier,
  type TierRule,
  tellDataFile,
  windowSize,
} from '../../contract/world.js';
import type { Exchange, HttpRequest, RequestChannel } from '../../http/exchange.js';
import { describeResponse, isContentRefusal } from '../../http/response-status.js';
import { findOtherReadings } from '../../judge/other-readings.js';
import { findOwnPromotionsReason } from '../../judge/own-promotions.js';
import {
  agreesWithOtherWorlds,
  type ResponseReadingContext,
  type SuspectedWrongDataLoad,
} from '../../judge/suspected-wrong-data-load.js';
import type { Suite } from '../../suite/suite.js';
import { getMember, parseJson } from '../../support/json.js';
import { createReason, type Reason } from '../../support/reason.js';
import { listRequestsOfCase } from '../case-sender.js';
import { findCreationOrder } from './creation-order.js';
import { examineMissingMetadata } from './missing-metadata.js';
import { suspectUnloadedTiers } from './missing-tiers.js';

/**
 * Compares the first responses with those of a deployment that has other data. Returns undefined if nothing looks wrong, or
 * if no wrong load explains it.
 * @param filtered a request with a metadata filter
 */
export async function examineDataLoad(
  suite: Pick<Suite, 'cases'>,
  filtered: Exchange | undefined,
  send: RequestChannel['send'],
  evidence: ResponseReadingContext,
): Promise<SuspectedWrongDataLoad | undefined> {
  const { calibration, reading } = evidence;
  if (reading.kind !== 'agreed' && reading.kind !== 'stated') return undefined;
  // Promotions of the deployment take places of the test data.
  if (findOwnPromotionsReason(calibration, { ...evidence, calibration: [] }) !== undefined) return undefined;
  const world = { ...evidence.world, tiers: listAvailableTiers(evidence.world) };
  const ofTiers = await examineTiers(suite, send, { ...evidence, world });
  const ofMetadata = await examineMissingMetadata(suite, filtered, send, evidence);
  if (ofMetadata === undefined) return ofTiers;
  const worlds = (ofTiers?.worlds ?? [world]).map(withoutMetadata);
  if (ofTiers === undefined) return { ...ofMetadata, worlds };
  return {
    worlds,
    isProven: ofTiers.isProven && ofMetadata.isProven,
    reason: createReason('and', { reason: ofTiers.reason, next: ofMetadata.reason }),
  };
}

/** Examines what the responses without a filter show of the tiers and their rules. */
async function examineTiers(
  suite: Pick<Suite, 'cases'>,
  send: RequestChannel['send'],
  evidence: ResponseReadingContext,
): Promise<SuspectedWrongDataLoad | undefined> {
  const { calibration, world, reading } = evidence;
  const fits = (worlds: SuspectedWrongDataLoad['worlds']) => agreesWithOtherWorlds(calibration, worlds, evidence);
  if (fits([world]) || findOtherReadings(calibration, reading, evidence).length > 0) return undefined;
  const reversed = [{ ...world, tiers: world.tiers.toReversed() }];
  if (fits(reversed)) return judgeOrder(reversed, evidence);
  const refused = suspectRefusedIds(calibration, world);
  const suspicions = [
    ...listLostRules(world),
    ...listUnknownThings(world),
    ...(refused === undefined ? [] : [refused]),
  ];
  const suspected = suspicions.find(({ worlds }) => fits(worlds));
  if (suspected === undefined) return await suspectUnloadedTiers(suite, send, evidence);
  const probes = await Promise.all(chooseTellingRequests(suite, suspected.worlds, world).map(send));
  return agreesWithOtherWorlds(probes, suspected.worlds, evidence) ? suspected : undefined;
}

/** How many requests are sent to find out whether a suspicion is right. */
const maxProbes = 2;

/** Chooses the shortest requests of the cases that must get something which a deployment with other data cannot have. */
function chooseTellingRequests(
  { cases }: Pick<Suite, 'cases'>,
  worlds: SuspectedWrongDataLoad['worlds'],
  world: TargetWorld,
): HttpRequest[] {
  const measure = ({ path, body = '' }: HttpRequest) => path.length + body.length;
  const isTelling = (request: HttpRequest) => {
    const documented = createOracle(request, world);
    const others = worlds.map((suspected) => ({ ...createOracle(request, suspected), tiers: suspected.tiers }));
    const isLost = ({ id }: Tier) =>
      others.every(({ tiers, returned }) => {
        const tier = findById(tiers, id);
        return tier === undefined || returned(tier) === 'forbidden';
      });
    return documented.accepted && world.tiers.some((tier) => documented.returned(tier) === 'required' && isLost(tier));
  };
  const sorted = cases.flatMap(listRequestsOfCase).toSorted((left, right) => measure(left) - measure(right));
  const telling: HttpRequest[] = [];
  for (const request of sorted) {
    if (telling.length === maxProbes) break;
    if (isTelling(request)) telling.push(request);
  }
  return telling;
}

/** Tiers that were created in reverse look like a window of the oldest: something else must show which it is. */
function judgeOrder(
  worlds: readonly TargetWorld[],
  evidence: ResponseReadingContext,
): SuspectedWrongDataLoad | undefined {
  const order = findCreationOrder(listSuccesses(evidence.calibration), evidence);
  if (order?.isReversed === false) return undefined;
  const reason = createReason('load-reversed', { evidence: order?.evidence ?? '' });
  return { reason, isProven: order !== undefined, worlds };
}

function changeTiers(world: TargetWorld, change: (tier: Tier) => Tier): TargetWorld {
  return { ...world, tiers: world.tiers.map(change) };
}

function withoutMetadata<T extends SuspectedWrongDataLoad['worlds'][number]>(world: T): T {
  return { ...world, tiers: world.tiers.map((tier) => ({ ...tier, metadata: {} })) };
}

const decidingKinds = ['customer', 'product', 'sku', 'metadata'] as const;

function listLostRules(world: TargetWorld): SuspectedWrongDataLoad[] {
  const lose = (isLost: (rule: TierRule) => boolean) => [
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

/** What may be missing together. A rule about what a deployment does not know never holds. */
const unknownKinds = [['customer'], ['product'], ['sku'], ['product', 'sku'], ['customer', 'product', 'sku']] as const;

function listUnknownThings(world: TargetWorld): SuspectedWrongDataLoad[] {
  const neverHolds: TierRule = { kind: 'customer', any_of: [] };
  return unknownKinds.map((kinds: readonly TierRule['kind'][]) => {
    const change = (rule: TierRule) => (kinds.includes(rule.kind) ? neverHolds : rule);
    const lacking = changeTiers(world, (tier) => ({ ...tier, rules: tier.rules.map(change) }));
    return { reason: createReason('load-without-things', { kinds }), isProven: false, worlds: [lacking] };
  });
}

/** Finds the ids that only refused requests name, if a response says 404 or names one of them. */
function suspectRefusedIds(exchanges: readonly Exchange[], world: TargetWorld): SuspectedWrongDataLoad | undefined {
  const refused = exchanges.flatMap((exchange) =>
    'response' in exchange && isContentRefusal(exchange.response) ? [exchange] : [],
  );
  const accepted = listSuccesses(exchanges);
  const [first] = refused;
  if (first === undefined || accepted.length === 0) return undefined;
  const isNamedIn = (id: string) => (exchange: Exchange) =>
    exchange.request.body?.includes(JSON.stringify(id)) === true;
  const isSuspect = ({ id }: { readonly id: string }) => refused.some(isNamedIn(id)) && !accepted.some(isNamedIn(id));
  const lists = { customers: world.customers, products: world.products, skus: world.skus };
  const ids = Object.values(lists).flatMap((things) => things.filter(isSuspect).map(({ id }) => id));
  const isAboutIds = ({ response: { status, body } }: AnsweredExchange) =>
    status === 404 || ids.some((id) => body.includes(id));
  if (ids.length === 0 || !refused.every(isAboutIds)) return undefined;
  const isLeft = ({ id }: { readonly id: string }) => !ids.includes(id);
  const lacking: TargetWorld = {
    ...world,
    customers: world.customers.filter(isLeft),
    products: world.products.filter(isLeft),
    skus: world.skus.filter(isLeft),
  };
  const reason = createReason('load-refused', { ids, answer: describeResponse(first.response) });
  return { reason, isProven: false, worlds: [lacking] };
}

/**
 * Finds out whether a refused request is refused for the ids that it names, and not for its body: the same request without
 * them is accepted. @param refused how the deployment answered
 */
export async function explainRefusedIds(
  request: HttpRequest,
  { response }: AnsweredExchange,
  send: RequestChannel['send'],
  world: TargetWorld,
): Promise<Reason | undefined> {
  const withoutIds = await send({ ...request, body: '{}' });
  if (listSuccesses([withoutIds]).length === 0) return undefined;
  const data = { answer: describeResponse(response), ...tellDataFile(world) };
  const customer = getMember(parseJson(request.body ?? ''), 'customer');
  const withCustomer = await send({ ...request, body: JSON.stringify({ customer }) });
  const isOfCustomer = 'response' in withCustomer && withCustomer.response.status === response.status;
  const id = String(getMember(customer, 'id'));
  return isOfCustomer ? createReason('customer-refused', { id, ...data }) : createReason('order-refused', data);
}
