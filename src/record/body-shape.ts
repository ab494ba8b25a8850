import type { KnownIds } from '../recognition/known-ids.js';
import { areIndices } from '../recognition/walk-texts.js';
import { parseJson } from '../support/json.js';
import { compileSchema } from '../support/user-schema.js';

/** A JSON Schema (draft 2020-12), inferred from bodies. It has only the keywords below. */
export interface BodyShape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, BodyShape>>;
  readonly required?: readonly string[];
  /** `false` if all members are known. The shape of the others if the keys are ids. */
  readonly additionalProperties?: BodyShape | false;
  readonly items?: BodyShape;
}

/** Values below this depth may be anything: a body can be nested deeper than the call stack allows. */
const maxDepth = 40;
/** The number of members of one object that are described by name. Further members are described together. */
const maxMembers = 200;
/** The size of a shape as JSON. A larger shape is replaced by one that allows everything. */
const maxShapeLength = 64 * 1024;

/** Statistics about the values at one path. Mutable, because a body repeats its records many times. */
interface Statistics {
  readonly types: Set<string>;
  objects: number;
  readonly members: Map<string, { times: number; readonly statistics: Statistics }>;
  byId?: Statistics;
  items?: Statistics;
}

function createStatistics(): Statistics {
  return { types: new Set(), objects: 0, members: new Map() };
}

/** Whether a member is described together with others: its key is an id, or there are too many members. */
function isCollective(key: string, { members }: Statistics, ids: KnownIds): boolean {
  // Validators read names such as `constructor` from the prototype where a value lacks them.
  // Ajv ignores a property named `__proto__`, and it rejects lone surrogates in names of properties.
  if (key in Object.prototype || /\p{Cs}/u.test(key)) return true;
  return (
    ids.tiers.findExact(key) !== undefined ||
    ids.keys.findExact(key) !== undefined ||
    (!members.has(key) && members.size >= maxMembers)
  );
}

function addValue(statistics: Statistics, value: unknown, ids: KnownIds, depth: number): void {
  if (depth > maxDepth) {
    statistics.types.add(anything);
  } else if (Array.isArray(value)) {
    statistics.types.add('array');
    for (const item of value) {
      statistics.items ??= createStatistics();
      addValue(statistics.items, item, ids, depth + 1);
    }
  } else if (typeof value === 'object' && value !== null) {
    statistics.types.add('object');
    statistics.objects += 1;
    const isList = areIndices(Object.keys(value));
    for (const [key, part] of Object.entries(value)) {
      if (isList || isCollective(key, statistics, ids)) {
        statistics.byId ??= createStatistics();
        addValue(statistics.byId, part, ids, depth + 1);
        continue;
      }
      const member = statistics.members.get(key) ?? { times: 0, statistics: createStatistics() };
      statistics.members.set(key, member);
      member.times += 1;
      addValue(member.statistics, part, ids, depth + 1);
    }
  } else {
    statistics.types.add(value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value);
  }
}

/** The type of values below the maximum depth. */
const anything = 'anything';

function buildShape({ types, objects, members, byId, items }: Statistics): BodyShape {
  if (types.has(anything)) return {};
  const known = [...members].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    type: mergeTypes([...types]),
    ...(items === undefined ? {} : { items: buildShape(items) }),
    ...(objects === 0
      ? {}
      : {
          properties: Object.fromEntries(known.map(([key, { statistics }]) => [key, buildShape(statistics)])),
          required: known.filter(([, { times }]) => times === objects).map(([key]) => key),
          additionalProperties: byId === undefined ? false : buildShape(byId),
        }),
  };
}

function mergeTypes(types: readonly string[]): string | string[] {
  const known = [...new Set(types)].sort().filter((type) => type !== 'integer' || !types.includes('number'));
  return known.length === 1 ? (known[0] as string) : known;
}

/** Merges two shapes into one that accepts what either accepts. Sorts keys and types, so the order does not matter. */
export function mergeShapes(one: BodyShape | undefined, other: BodyShape): BodyShape {
  if (one === undefined) return other;
  if (one.type === undefined || other.type === undefined) return {};
  const items =
    one.items === undefined ? other.items : other.items === undefined ? one.items : mergeShapes(one.items, other.items);
  return {
    type: mergeTypes([one.type, other.type].flat()),
    ...(items === undefined ? {} : { items }),
    ...mergeMembers(one, other),
  };
}

function mergeMembers(one: BodyShape, other: BodyShape): BodyShape {
  if (one.properties === undefined || other.properties === undefined) {
    const { properties, required, additionalProperties } = one.properties === undefined ? other : one;
    return properties === undefined
      ? {}
      : { properties, required: required ?? [], additionalProperties: additionalProperties ?? false };
  }
  // A map, because a lookup in an object finds `constructor`.
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
 * Infers the shape of all bodies that are JSON. Returns undefined if none is.
 *
 */
export function inferShape(bodies: readonly string[], ids: KnownIds): BodyShape | undefined {
  const statistics = createStatistics();
  for (const body of new Set(bodies)) {
    const value = parseJson(body);
    if (value !== undefined) addValue(statistics, value, ids, 0);
  }
  if (statistics.types.size === 0) return undefined;
  const shape = buildShape(statistics);
  return JSON.stringify(shape).length > maxShapeLength ? {} : shape;
}

/** A schema for successful bodies, and where it is stated. */
export interface ExpectedSchema {
  readonly schema: object | boolean;
  /** "the record" or "the target file". */
  readonly statedBy: string;
}

/** One way in which bodies do not match a schema. */
export interface SchemaMismatch {
  readonly message: string;
  /** Whether the body has an additional member. */
  readonly isAddition: boolean;
}

/**
 * Finds where bodies do not match a schema. Locations are JSON Pointers (RFC 6901) with `*` for array indices, so a
 * mismatch in all records is reported once. A body that is not JSON matches no schema.
 */
export function findMismatches(bodies: readonly string[], { schema, statedBy }: ExpectedSchema): SchemaMismatch[] {
  const mismatches = new Map<string, SchemaMismatch>();
  const validate = compileSchema(schema);
  for (const body of new Set(bodies)) {
    // An empty result may have no body.
    if (body === '') continue;
    const value = parseJson(body);
    if (value === undefined) {
      mismatches.set('', { message: `A body is not JSON, as the schema of ${statedBy} requires.`, isAddition: false });
      continue;
    }
    validate(value);
    for (const { instancePath, message, params } of validate.errors ?? []) {
      const member: unknown = params.additionalProperty;
      const isAddition = typeof member === 'string';
      const what = isAddition ? `must not have the member '${member}'` : message;
      const location = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '/*') || 'its root';
      const sentence = `A response body does not fit the schema of ${statedBy} at ${location}: ${what}.`;
      mismatches.set(sentence, { message: sentence, isAddition });
    }
  }
  return [...mismatches.values()];
}
