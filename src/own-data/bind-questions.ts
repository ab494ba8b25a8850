import type { QuestionCase } from '../cases/test-case.js';
import {
  findProduct,
  type NamedWorld,
  type Rule,
  type Tier,
  thingKinds,
  type World,
  windowSize,
} from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { encodeQueryText, parseRequest } from '../http/request-content.js';
import { groupBy, renderShortList } from '../support/collections.js';
import { parseJson } from '../support/json.js';

type StandIns = ReadonlyMap<string, string>;

const testDataId = /\b(?:cust|prod|sku|cat|camp|promo)_[0-9a-f]{24}\b/g;

/**
 * Creates a function that asks a question about the data of a deployment: each thing of the test data is replaced by one that
 * has the same role in the requests of the case. Where something has no stand-in, the case is not applicable.
 */
export function createQuestionBinder(world: NamedWorld, data: World): (testCase: QuestionCase) => QuestionCase {
  const { unit, things } = chooseThings(world, data);
  const names = new Map(
    thingKinds.flatMap((kind) => [...world.ids[kind]].map(([name, id]) => [id, `${kind} ${name}`])),
  );
  return (testCase) => {
    const [row] = testCase.rows;
    const requests = [...row.requests.values()];
    const judged = JSON.stringify([row.given, testCase.answer]);
    const needed = new Set((JSON.stringify(requests) + judged).match(testDataId));
    const { createDescriber, areUnits } = createRoleReader(requests, world);
    const describe = createDescriber(world, new Map([...things.keys()].map((id) => [id, id])), 1);
    const byRole = groupBy<Tier, string>(data.tiers.slice(0, windowSize), createDescriber(data, things, unit));
    const standIns = new Map(things);
    for (const tier of world.tiers.slice(0, windowSize)) {
      const standIn = needed.has(tier.id) ? byRole.get(describe(tier))?.shift() : undefined;
      if (standIn !== undefined) standIns.set(tier.id, standIn.id);
    }
    // A body may contain a short id by chance.
    const searched = new Set((judged.match(/"texts":\[[^\]]*\]/g) ?? []).join().match(testDataId));
    const lacking = [...needed].filter((id) => !standIns.has(id) || searched.has(id));
    const unavailable = lacking.flatMap((id) => names.get(id) ?? []);
    if (unavailable.length > 0) {
      const what = `what stands for ${renderShortList(unavailable)} of the test data of the suite`;
      return { ...testCase, rows: [{ ...row, unavailable: [what] }] };
    }
    const revive = (_: string, value: unknown) => (typeof value === 'string' ? (standIns.get(value) ?? value) : value);
    const [given, answer] = parseJson(judged, revive) as [typeof row.given, typeof testCase.answer];
    const bound = [...row.requests].map(
      ([name, request]) => [name, bindRequest(request, standIns, areUnits ? unit : 1)] as const,
    );
    return { ...testCase, rows: [{ ...row, requests: new Map(bound), given }], answer };
  };
}

function bindRequest({ path, body, ...request }: HttpRequest, standIns: StandIns, unit: number): HttpRequest {
  const bind = (text: string, encode: (id: string) => string) =>
    text.replace(testDataId, (id) => encode(standIns.get(id) ?? id));
  const bound = { ...request, path: bind(path, encodeQueryText) };
  if (body === undefined) return bound;
  const ordered = body.replaceAll(/("quantity": ?)1\b/g, `$1${unit}`);
  return { ...bound, body: bind(ordered, (id) => JSON.stringify(id).slice(1, -1)) };
}

/** Chooses what requests name by the rules of promotions, and how many units of a product stand for one. */
function chooseThings({ ids }: NamedWorld, { customers, products, skus, campaigns, tiers }: World) {
  const newest = tiers.slice(0, windowSize);
  const rules = newest.flatMap((tier) => (tier.rules.length === 1 ? tier.rules : []));
  const thresholds = rules.flatMap((rule) => (rule.kind === 'product' ? rule.at_least : []));
  const unit = thresholds.length === 0 ? 1 : Math.min(...thresholds);
  /** Those with most promotions first. */
  const rank = (kind: 'product' | 'sku', all: World['products']) => {
    const asked = rules.flatMap((rule) => (rule.kind === kind ? [rule] : []));
    const met = new Set(asked.flatMap(({ id, at_least }) => (at_least <= unit ? id : [])));
    const ranked = sortByCount(asked.map(({ id }) => id)).filter((id) => met.has(id));
    return [...new Set([...ranked, ...all.map(({ id }) => id)])];
  };
  const [mug, ...others] = rank('product', products);
  const shirtBlue = rank('sku', skus).find((id) => findProduct(skus, id) !== mug);
  const shirt = findProduct(skus, shirtBlue ?? '');
  const [plate, chair] = others.filter((id) => id !== shirt);
  const audiences = rules.flatMap((rule) => (rule.kind === 'customer' ? [rule.any_of] : []));
  const listed = [...findDistinctCustomers(audiences), ...(audiences[0] ?? []), ...customers.map(({ id }) => id)];
  const [ann, ben, bulk] = new Set(listed);
  const reserved = new Set(
    tiers.flatMap((tier) => tier.rules).flatMap((rule) => ('any_of' in rule ? rule.any_of : [])),
  );
  const byCampaign = groupBy(tiers, (tier) => tier.campaign_id);
  const [spring, summer] = sortByCount(newest.flatMap((tier) => (tier.rules.length === 0 ? tier.campaign_id : [])));
  const isReserved = (tier: Tier) => tier.rules.some(({ kind }) => kind === 'customer');
  const chosen = {
    customer: { ann, ben, bulk, ordinary: customers.find(({ id }) => !reserved.has(id))?.id },
    product: { mug, plate, chair, shirt },
    sku: { 'shirt-blue': shirtBlue, 'mug-white': skus.find(({ product_id }) => product_id === mug)?.id },
    campaign: {
      ...{ spring, summer },
      autumn: [...byCampaign].find(([, found]) => found.every(isReserved))?.[0],
      winter: campaigns.find(({ id }) => !byCampaign.has(id))?.id,
    },
  };
  const all = Object.entries(chosen).flatMap(([kind, found]) =>
    Object.entries(found).map(([name, id]) => [ids[kind as keyof typeof chosen].get(name) ?? '', id ?? ''] as const),
  );
  return { unit, things: new Map(all.filter(([, id]) => id !== '')) };
}

function sortByCount(ids: readonly string[]): string[] {
  const groups = [...groupBy(ids, (id) => id).values()];
  return groups.toSorted((group, next) => next.length - group.length).map(([id]) => id);
}

/** Finds two customers each of whom is in a list without the other one. */
function findDistinctCustomers(lists: readonly (readonly string[])[]): string[] {
  const sets = lists.map((list) => new Set(list));
  for (const [n, list] of lists.entries())
    for (const [m, further] of lists.entries()) {
      const [first, second] = [list.find((id) => !sets[m]?.has(id)), further.find((id) => !sets[n]?.has(id))];
      if (first !== undefined && second !== undefined) return [first, second];
    }
  return [];
}

/**
 * Reads what some requests, documented or not, are about. The describers that it creates say what decides whether a tier of
 * some data is returned, in ids of the test data: of two tiers with one description, either both are returned or none.
 */
function createRoleReader(requests: readonly HttpRequest[], { campaigns, skus }: World) {
  const query = requests.flatMap((request) => parseRequest(request).query.map(([name]) => name)).join();
  const bodies = requests.map(({ body = '' }) => body).join();
  const sent = new Set(JSON.stringify(requests).match(testDataId));
  // Whether a SKU counts as its product is open.
  for (const { id, product_id } of skus) if (sent.has(id)) sent.add(product_id);
  // A filter may name a tier, and select its campaign.
  if (query.includes('filters')) for (const { id } of campaigns) sent.add(id);
  const filteredOn = [...query.matchAll(/\[metadata\.(.+?)\]/g)].map(([, key = '']) => key);
  const items = bodies.match(/"(?:product|sku)_id"[^}]*/g) ?? [];
  /** Whether one unit of everything is ordered, which may be any quantity. */
  const areUnits = items.every((item) => /"quantity": ?1$/.test(item));

  /** @param unit the quantity that stands for one unit */
  const createDescriber = (data: World, standIns: StandIns, unit: number) => {
    const named = [...standIns].filter(([id]) => sent.has(id));
    const listSent = (prefix: string, ids: readonly string[]) =>
      named.flatMap(([id, standIn]) => (id.startsWith(prefix) && ids.includes(standIn) ? id : []));
    const describeRule = (rule: Rule): unknown => {
      if (rule.kind === 'customer') return [rule.kind, listSent('cust', rule.any_of).sort()];
      if (rule.kind === 'other') return rule;
      if (!('id' in rule)) return bodies.includes(JSON.stringify(rule.key)) ? rule : rule.kind;
      const { kind, id, at_least } = rule;
      const product = kind === 'product' ? id : (findProduct(data.skus, id) ?? '');
      const ordered = [...listSent('prod', [product]), ...(kind === 'sku' ? listSent('sku', [id]) : [])];
      return [kind, ordered, ordered.length > 0 && (areUnits ? at_least <= unit : at_least)];
    };
    return ({ campaign_id, metadata, rules }: Tier): string => {
      const values = filteredOn.map((key) => metadata[key] ?? null);
      return JSON.stringify([listSent('camp', [campaign_id]), values, rules.map(describeRule)]);
    };
  };
  return { createDescriber, areUnits };
}
