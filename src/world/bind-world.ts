import { parseJson } from '../support/json.js';
import { type Location, type Problem, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { type NamedWorld, ownPrefix, type ThingKind, thingKinds, type UnavailableThing } from './named-world.js';
import type { Rule, Tier } from './world.js';

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
  const { ids, unavailable: _, ...rest } = named;
  // Ids are unique, so a text that equals one refers to it.
  const bindText = (_: string, value: unknown) => (typeof value === 'string' ? (own.get(value) ?? value) : value);
  return {
    ...(parseJson(JSON.stringify(rest), bindText) as typeof rest),
    ids: Object.fromEntries(
      thingKinds.map((kind) => [kind, new Map([...ids[kind]].map(([name, id]) => [name, own.get(id) ?? id]))]),
    ) as unknown as NamedWorld['ids'],
    unavailable,
    ...(bindings === undefined ? {} : { hasOwnIds: true }),
  };
}

function listMissingCapabilities(tier: Tier | undefined, capabilities: Availability['capabilities']): Rule['kind'][] {
  if (tier === undefined || capabilities === undefined) return [];
  return [...new Set(tier.rules.map(({ kind }) => kind))].filter((kind) => !capabilities.has(kind));
}

function findBindingProblems({ ids }: NamedWorld, bindings: NonNullable<Availability['bindings']>): Problem[] {
  const isOwn = (name: string) => name.startsWith(ownPrefix);
  const hasOwn = thingKinds.some((kind) => [...ids[kind].keys()].some(isOwn));
  return thingKinds.flatMap((kind) => {
    const known = [...ids[kind].keys()];
    const names = new Map<string, string>();
    return [...bindings[kind]].flatMap(([name, { id, at }]): Problem[] => {
      // A binding for the user's own cases, which are not part of this run.
      if (isOwn(name) && !hasOwn) return [];
      if (!known.includes(name))
        return [{ at, message: `there is no ${kind} '${name}' in the world`, hint: suggest(name, known) }];
      const other = names.get(id);
      names.set(id, name);
      if (other === undefined) return [];
      const hint = 'Ids must be unique. Leave out names that the deployment does not have.';
      return [{ at, message: `${kind} '${name}' has the id of ${kind} '${other}'`, hint }];
    });
  });
}
