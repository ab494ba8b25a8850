import { parseJson } from '../support/json.js';
import { type Location, type Problem, UnusableInput } from '../support/problem.js';
import { type NamedWorld, type ThingKind, thingKinds } from './world.js';

/** The parts of the world that a deployment has. */
export interface Availability {
  /** By ids of the world: the id in the deployment, and where it is stated. Default: it has the ids of the world. */
  readonly bindings?: Readonly<Record<string, { readonly id: string; readonly at: Location }>>;
  /** How many promotions of its own are newer than the 150th tier. Default: unknown. */
  readonly ownPromotions?: number;
  /** The data file of the deployment, whose requests are drawn from it. Default: it has the test data of the suite. */
  readonly data?: StatedData;
}

/** A data file as a run names it. */
export interface StatedData {
  readonly file: string;
  /** Where the file of a recorded run is now. */
  readonly movedTo?: string;
  /** The digest of the file in a recorded run: another content cannot be judged by its exchanges. */
  readonly digest?: string;
  readonly requests?: number;
}

/**
 * Replaces the ids of the world by those of a deployment. Things without a binding keep their unique ids.
 *
 * @throws UnusableInput for ids that are bound twice
 */
export function bindWorld(named: NamedWorld, { bindings, ownPromotions }: Availability): NamedWorld {
  const world = ownPromotions === undefined ? named : { ...named, ownPromotions };
  if (bindings === undefined) return world;
  const { ids, unavailable: _, ...rest } = world;
  const problems: Problem[] = [];
  const names = new Map<string, string>();
  const unavailable = new Map<string, { kind: ThingKind; name: string }>();
  for (const kind of thingKinds)
    for (const [name, id] of ids[kind]) {
      const bound = bindings[id];
      const key = `${kind} ${bound?.id}`;
      const message = `${kind} '${name}' has the id of ${kind} '${names.get(key)}'`;
      const hint = 'Ids must be unique. Leave out what the deployment does not have.';
      if (bound === undefined) unavailable.set(id, { kind, name });
      else if (names.has(key)) problems.push({ at: bound.at, message, hint });
      else names.set(key, name);
    }
  if (problems.length > 0) throw new UnusableInput(problems);
  const bind = (id: string) => bindings[id]?.id ?? id;
  // Ids are unique, so a text that equals one refers to it.
  const bindText = (_: string, value: unknown) => (typeof value === 'string' ? bind(value) : value);
  const bound = thingKinds.map((kind) => [kind, new Map([...ids[kind]].map(([name, id]) => [name, bind(id)]))]);
  return {
    ...(parseJson(JSON.stringify(rest), bindText) as typeof rest),
    ids: Object.fromEntries(bound) as unknown as NamedWorld['ids'],
    unavailable,
    hasOwnIds: true,
  };
}
