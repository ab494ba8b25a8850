import { type Location, type Problem, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { type NamedWorld, ownPrefix, type ThingKind, thingKinds, type UnavailableThing } from './named-world.js';
import type { Rule, Tier, World } from './world.js';

/** The id of a thing in a deployment, and where it is stated. */
export interface BoundId {
  readonly id: string;
  readonly at: Location;
}

/** The parts of the world that a deployment has. */
export interface Availability {
  /** Ids by kind and name. Default: the ids of the world. */
  readonly bindings?: Readonly<Record<ThingKind, ReadonlyMap<string, BoundId>>>;
  /** The kinds of rules that it supports. Default: all. */
  readonly capabilities?: ReadonlySet<Rule['kind']>;
  /** How many promotions of its own are newer than the 150th tier. Default: unknown. */
  readonly ownPromotions?: number;
}

/**
 * Replaces the ids of the world by those of a deployment. Names without a binding keep their unique ids, so everything that
 * needs them can be found.
 *
 * @throws UnusableInput for unknown names, and for ids that are bound twice
 */
export function bindWorld(world: NamedWorld, { bindings, capabilities, ownPromotions }: Availability): NamedWorld {
  const named = ownPromotions === undefined ? world : { ...world, ownPromotions };
  if (bindings === undefined && capabilities === undefined) return named;
  const problems = bindings === undefined ? [] : findBindingProblems(named, bindings);
  if (problems.length > 0) throw new UnusableInput(problems);

  const own = new Map<string, string>();
  const unavailable = new Map<string, UnavailableThing>();
  const tiers = new Map(named.tiers.map((tier) => [tier.id, tier]));
  for (const kind of thingKinds) {
    for (const [name, id] of named.ids[kind]) {
      const needed = listMissingCapabilities(tiers.get(id), capabilities);
      const bound = bindings === undefined ? id : bindings[kind].get(name)?.id;
      if (bound === undefined || needed.length > 0) unavailable.set(id, { kind, name, capabilities: needed });
      else own.set(id, bound);
    }
  }
  const idOf = (id: string) => own.get(id) ?? id;
  const idsOf = (kind: ThingKind) => new Map([...named.ids[kind]].map(([name, id]) => [name, idOf(id)]));
  const ids = Object.fromEntries(thingKinds.map((kind) => [kind, idsOf(kind)])) as unknown as NamedWorld['ids'];
  const known = bindings === undefined ? {} : ({ hasOwnIds: true } as const);
  return { ...named, ...replaceIds(named, idOf), ids, unavailable, ...known };
}

function listMissingCapabilities(tier: Tier | undefined, capabilities: Availability['capabilities']): Rule['kind'][] {
  if (tier === undefined || capabilities === undefined) return [];
  return [...new Set(tier.rules.map(({ kind }) => kind))].filter((kind) => !capabilities.has(kind));
}

function replaceIds(world: World, idOf: (id: string) => string): World {
  const withOwnId = <T extends { readonly id: string }>(thing: T): T => ({ ...thing, id: idOf(thing.id) });
  const ruleOf = (rule: Rule): Rule => {
    if (rule.kind === 'customer') return { ...rule, any_of: rule.any_of.map(idOf) };
    return 'id' in rule ? withOwnId(rule) : rule;
  };
  return {
    customers: world.customers.map(withOwnId),
    products: world.products.map(withOwnId),
    skus: world.skus.map((sku) => ({ ...withOwnId(sku), product_id: idOf(sku.product_id) })),
    categories: world.categories.map(withOwnId),
    campaigns: world.campaigns.map((campaign) => ({
      ...withOwnId(campaign),
      category_ids: campaign.category_ids.map(idOf),
    })),
    tiers: world.tiers.map((tier) => ({
      ...withOwnId(tier),
      campaign_id: idOf(tier.campaign_id),
      rules: tier.rules.map(ruleOf),
    })),
  };
}

function isOwnName(name: string): boolean {
  return name.startsWith(ownPrefix);
}

function findBindingProblems({ ids }: NamedWorld, bindings: NonNullable<Availability['bindings']>): Problem[] {
  const hasOwn = thingKinds.some((kind) => [...ids[kind].keys()].some(isOwnName));
  return thingKinds.flatMap((kind) => {
    const names = new Map<string, string>();
    return [...bindings[kind]].flatMap(([name, { id, at }]): Problem[] => {
      const known = ids[kind];
      // A binding for the user's own cases, which are not part of this run.
      if (isOwnName(name) && !hasOwn) return [];
      if (!known.has(name))
        return [{ at, message: `there is no ${kind} '${name}' in the world`, hint: suggest(name, [...known.keys()]) }];
      const other = names.get(id);
      names.set(id, name);
      if (other === undefined) return [];
      return [
        {
          at,
          message: `${kind} '${name}' has the id of ${kind} '${other}'`,
          hint: 'Ids must be unique. Leave out names that the deployment does not have.',
        },
      ];
    });
  });
}
