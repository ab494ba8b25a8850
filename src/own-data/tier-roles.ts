import {
  type EntityKind,
  entityKinds,
  findProductIdOfSku,
  type ItemRule,
  type TargetWorld,
  type Tier,
  type TierRule,
  type World,
} from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { isJsonContainer, isJsonObject, parseJson } from '../support/json.js';
import type { TestDataStandIns } from './stand-ins.js';
import { listKeysAndStrings, listTestDataIds } from './test-data-ids.js';

/** What some requests, documented or not, are about. */
export interface RequestSubject {
  /** The things of the test data that decide what is returned, by their ids. */
  readonly kinds: ReadonlyMap<string, EntityKind>;
  /** The keys of metadata that filters name. */
  readonly filteredOn: readonly string[];
  /** All texts of the bodies, and the names of their members. */
  readonly texts: ReadonlySet<string>;
  /** Whether one unit of everything is ordered. Any other quantity may then stand for one. */
  readonly areUnits: boolean;
}

export function readRequestSubject(requests: readonly HttpRequest[], world: TargetWorld): RequestSubject {
  const parameters = requests.flatMap((request) => parseRequest(request).query.map(([name]) => name));
  const bodies = requests.map(({ body = '' }) => parseJson(body));
  const decisive = new Set(listTestDataIds(requests));
  // Whether a SKU counts as its product is open.
  for (const { id, product_id } of world.skus) if (decisive.has(id)) decisive.add(product_id);
  // A filter of any spelling may name a tier, and select its campaign.
  if (parameters.some((name) => name.includes('filters'))) for (const { id } of world.campaigns) decisive.add(id);
  const kinds = entityKinds.flatMap((kind) => [...world.ids[kind].values()].map((id) => [id, kind] as const));
  return {
    kinds: new Map(kinds.filter(([id]) => decisive.has(id))),
    filteredOn: parameters.flatMap((name) => [...name.matchAll(/\[metadata\.(.+?)\]/g)].map(([, key = '']) => key)),
    texts: new Set(listKeysAndStrings(bodies)),
    areUnits: listItems(bodies).every((item) => item.quantity === 1),
  };
}

/** Lists the order items of bodies, wherever they are: a question may send them in another place. */
function listItems(value: unknown): Readonly<Record<string, unknown>>[] {
  if (!isJsonContainer(value)) return [];
  const items = isJsonObject(value) && ('product_id' in value || 'sku_id' in value) ? [value] : [];
  return [...items, ...Object.values(value).flatMap(listItems)];
}

/**
 * Creates a function that says what decides whether a tier of some data is returned, in ids of the test data. Of two tiers
 * with one description, a deployment returns either both or none.
 */
export function createTierRoleDescriber(
  subject: RequestSubject,
  data: World,
  standIns: TestDataStandIns,
): (tier: Tier) => string {
  const named = [...standIns.things].filter(([id]) => subject.kinds.has(id));
  /** Lists the ids of the test data for which one of these ids stands. */
  const listNamed = (kind: EntityKind, ids: readonly string[]) =>
    named.flatMap(([id, standIn]) => (subject.kinds.get(id) === kind && ids.includes(standIn) ? id : []));
  const describeItemRule = ({ kind, id, at_least }: ItemRule): unknown => {
    const product = kind === 'product' ? id : (findProductIdOfSku(data.skus, id) ?? '');
    const ordered = [...listNamed('product', [product]), ...(kind === 'sku' ? listNamed('sku', [id]) : [])];
    return [kind, ordered, ordered.length > 0 && (subject.areUnits ? at_least <= standIns.unit : at_least)];
  };
  const describeRule = (rule: TierRule): unknown => {
    if (rule.kind === 'customer') return [rule.kind, listNamed('customer', rule.any_of).sort()];
    if (rule.kind === 'other') return rule;
    if ('id' in rule) return describeItemRule(rule);
    // What no request mentions never holds, whatever its text is.
    return subject.texts.has(rule.key) ? rule : rule.kind;
  };
  return ({ campaign_id, metadata, rules }) => {
    const values = subject.filteredOn.map((key) => metadata[key] ?? null);
    return JSON.stringify([listNamed('campaign', [campaign_id]), values, rules.map(describeRule)]);
  };
}
