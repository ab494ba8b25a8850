import type { KnownIds } from '../recognition/known-ids.js';
import { parseJson } from '../support/json.js';
import { compileSchema } from '../support/user-schema.js';

/** A JSON Schema (draft 2020-12) as it is inferred from bodies: of the keywords below only. */
export interface BodyShape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, BodyShape>>;
  readonly required?: readonly string[];
  /** `false` where all members are known; a shape where the keys are ids. */
  readonly additionalProperties?: BodyShape | false;
  readonly items?: BodyShape;
}

/** What is deeper may be anything: a body can nest deeper than the call stack is tall. */
const deepest = 40;
/** Of one object. What has more is keyed by something, and its further members are described together. */
const maxMembers = 200;
/** Of a shape as JSON. What is more manifold may be anything: such a shape describes nothing any more. */
const maxCharacters = 64 * 1024;

/** What values at one place had in common so far; grown in place, since a body repeats its records many times. */
interface Seen {
  readonly types: Set<string>;
  objects: number;
  readonly members: Map<string, { times: number; readonly seen: Seen }>;
  byId?: Seen;
  items?: Seen;
}

function nothingSeen(): Seen {
  return { types: new Set(), objects: 0, members: new Map() };
}

/** How the members of objects are distinguished. */
interface Telling {
  readonly ids: KnownIds;
  /** Whether a key may be shown: one that holds a secret may not. */
  isShown(key: string): boolean;
}

/** Whether a member is described together with others: its key is an id, not to be shown, or one too many. */
function isCollective(key: string, { members }: Seen, { ids, isShown }: Telling): boolean {
  // Ajv passes over a property of that name, so that as a member of its own it would always be one too many; and half a
  // character in the name of a property is more than it takes.
  if (key === '__proto__' || /\p{Cs}/u.test(key)) return true;
  return (
    ids.tiers.findExact(key) !== undefined ||
    ids.keys.findExact(key) !== undefined ||
    (!members.has(key) && (members.size >= maxMembers || !isShown(key)))
  );
}

function see(seen: Seen, value: unknown, telling: Telling, depth: number): void {
  if (depth > deepest) {
    seen.types.add(anything);
  } else if (Array.isArray(value)) {
    seen.types.add('array');
    for (const item of value) {
      seen.items ??= nothingSeen();
      see(seen.items, item, telling, depth + 1);
    }
  } else if (typeof value === 'object' && value !== null) {
    seen.types.add('object');
    seen.objects += 1;
    for (const [key, part] of Object.entries(value)) {
      if (isCollective(key, seen, telling)) {
        seen.byId ??= nothingSeen();
        see(seen.byId, part, telling, depth + 1);
        continue;
      }
      const member = seen.members.get(key) ?? { times: 0, seen: nothingSeen() };
      seen.members.set(key, member);
      member.times += 1;
      see(member.seen, part, telling, depth + 1);
    }
  } else {
    seen.types.add(value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value);
  }
}

/** Stands among the types of a place that is too deep to be described. */
const anything = 'anything';

function shapeOf({ types, objects, members, byId, items }: Seen): BodyShape {
  if (types.has(anything)) return {};
  const known = [...members].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    type: typesOf([...types]),
    ...(items === undefined ? {} : { items: shapeOf(items) }),
    ...(objects === 0
      ? {}
      : {
          properties: Object.fromEntries(known.map(([key, { seen }]) => [key, shapeOf(seen)])),
          required: known.filter(([, { times }]) => times === objects).map(([key]) => key),
          additionalProperties: byId === undefined ? false : shapeOf(byId),
        }),
  };
}

function typesOf(types: readonly string[]): string | string[] {
  const known = [...new Set(types)].sort().filter((type) => type !== 'integer' || !types.includes('number'));
  return known.length === 1 ? (known[0] as string) : known;
}

/** A shape that fits whatever fits one of two. Keys and types are sorted, so that the order of merging does not show. */
export function mergeShapes(one: BodyShape | undefined, other: BodyShape): BodyShape {
  if (one === undefined) return other;
  if (one.type === undefined || other.type === undefined) return {};
  const items =
    one.items === undefined ? other.items : other.items === undefined ? one.items : mergeShapes(one.items, other.items);
  return {
    type: typesOf([one.type, other.type].flat()),
    ...(items === undefined ? {} : { items }),
    ...mergedMembers(one, other),
  };
}

function mergedMembers(one: BodyShape, other: BodyShape): BodyShape {
  if (one.properties === undefined || other.properties === undefined) {
    const { properties, required, additionalProperties } = one.properties === undefined ? other : one;
    return properties === undefined
      ? {}
      : { properties, required: required ?? [], additionalProperties: additionalProperties ?? false };
  }
  // Not by looking keys up in an object, which finds `constructor` in any.
  const members = new Map(Object.entries(one.properties));
  for (const [key, shape] of Object.entries(other.properties)) members.set(key, mergeShapes(members.get(key), shape));
  const [byId, alsoById] = [one.additionalProperties, other.additionalProperties];
  return {
    properties: Object.fromEntries([...members].sort(([a], [b]) => (a < b ? -1 : 1))),
    required: (one.required ?? []).filter((key) => other.required?.includes(key)),
    additionalProperties: byId && alsoById ? mergeShapes(byId, alsoById) : byId || alsoById || false,
  };
}

/**
 * The shape of all bodies that are JSON; undefined where none is.
 *
 * @param isShown whether a key may be shown: the members whose keys may not are described together
 */
export function inferShape(
  bodies: readonly string[],
  ids: KnownIds,
  isShown: Telling['isShown'] = () => true,
): BodyShape | undefined {
  const seen = nothingSeen();
  for (const body of new Set(bodies)) {
    const value = parseJson(body);
    if (value !== undefined) see(seen, value, { ids, isShown }, 0);
  }
  if (seen.types.size === 0) return undefined;
  const shape = shapeOf(seen);
  return JSON.stringify(shape).length > maxCharacters ? {} : shape;
}

/** A schema that successful bodies should fit, and who says so. */
export interface ExpectedSchema {
  readonly schema: object | boolean;
  /** As in "the record" or "the target file". */
  readonly statedBy: string;
}

/** Where bodies do not fit a schema. */
export interface SchemaMismatch {
  readonly message: string;
  /** Whether a body has a member too many, and is otherwise as it should be there. */
  readonly isAddition: boolean;
}

/**
 * Where bodies do not fit a schema, as JSON Pointers (RFC 6901), in which * stands for the places in an array, with what
 * is wrong there; a body that is no JSON fits none. What recurs from record to record is said once.
 */
export function findMismatches(bodies: readonly string[], { schema, statedBy }: ExpectedSchema): SchemaMismatch[] {
  const validate = compileSchema(schema);
  const said = new Map<string, SchemaMismatch>();
  for (const body of new Set(bodies)) {
    // No body is no shape: an empty result may look like anything.
    if (body === '') continue;
    const value = parseJson(body);
    if (value === undefined) {
      said.set('', { message: `A body is not JSON, as the schema of ${statedBy} asks.`, isAddition: false });
    } else if (!validate(value)) {
      for (const { instancePath, message, params } of validate.errors ?? []) {
        const member: unknown = params.additionalProperty;
        const isAddition = typeof member === 'string';
        const what = isAddition ? `must not have the member '${member}'` : message;
        const place = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '/*') || 'its root';
        const sentence = `A body does not fit the schema of ${statedBy} at ${place}: ${what}.`;
        said.set(sentence, { message: sentence, isAddition });
      }
    }
  }
  return [...said.values()];
}
