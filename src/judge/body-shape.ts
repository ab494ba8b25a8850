import type { KnownIds } from '../recognition/known-ids.js';
import { areIndices } from '../recognition/walk-texts.js';
import { cacheByText } from '../support/cache-by-text.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { listSchemaErrors } from '../support/user-schema.js';

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

/** Describes one value. @param isNamed whether a member is described by its name; the others are described together */
function describeValue(value: unknown, isNamed: (key: string) => boolean, depth = 0): BodyShape {
  if (depth > maxDepth) return {};
  if (Array.isArray(value)) {
    const items = mergeShapes(value.map((item) => describeValue(item, isNamed, depth + 1)));
    return { type: 'array', ...omitUndefined({ items }) };
  }
  if (!isJsonObject(value)) return describeScalar(value);
  const isList = areIndices(Object.keys(value));
  const named: [string, BodyShape][] = [];
  const others: BodyShape[] = [];
  for (const [key, part] of Object.entries(value)) {
    const shape = describeValue(part, isNamed, depth + 1);
    if (isList || !isNamed(key)) others.push(shape);
    else named.push([key, shape]);
  }
  named.sort(([one], [other]) => (one < other ? -1 : 1));
  const properties = Object.fromEntries(named);
  const required = named.map(([key]) => key);
  const members: BodyShape = { properties, required, additionalProperties: mergeShapes(others) ?? false };
  return { type: 'object', ...(named.length > maxMembers ? mergeMembers([members]) : members) };
}

const scalars = new Map<string, BodyShape>();

/** Describes equal types by the same object, so that they are told apart quickly. */
function describeScalar(value: unknown): BodyShape {
  const type = value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value;
  const shape = scalars.get(type) ?? { type };
  scalars.set(type, shape);
  return shape;
}

/** Merges shapes into one that accepts what any of them accepts. Sorts keys and types, so the order does not matter. */
export function mergeShapes(all: readonly BodyShape[]): BodyShape | undefined {
  const different = [...new Set(all)];
  if (different.length < 2) return different[0];
  // A body repeats its records many times.
  const shapes = [...new Map(different.map((shape) => [JSON.stringify(shape), shape])).values()];
  if (shapes.length < 2) return shapes[0];
  if (shapes.some(({ type }) => type === undefined)) return {};
  const types = new Set(shapes.flatMap(({ type }) => type ?? []));
  if (types.has('number')) types.delete('integer');
  const [first = '', ...others] = [...types].sort();
  const objects = shapes.filter(({ properties }) => properties !== undefined);
  return {
    type: others.length === 0 ? first : [first, ...others],
    ...omitUndefined({ items: mergeShapes(shapes.flatMap(({ items }) => items ?? [])) }),
    ...(objects.length === 0 ? {} : mergeMembers(objects)),
  };
}

function mergeMembers(objects: readonly BodyShape[]): BodyShape {
  // A map, because a lookup in an object finds `constructor`.
  const byKey = new Map<string, BodyShape[]>();
  for (const [key, shape] of objects.flatMap(({ properties = {} }) => Object.entries(properties)))
    if (byKey.get(key)?.push(shape) === undefined) byKey.set(key, [shape]);
  const known = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1));
  const named = known.slice(0, maxMembers);
  const others = [
    ...known.slice(maxMembers).flatMap(([, shapes]) => shapes),
    ...objects.flatMap(({ additionalProperties }) => additionalProperties || []),
  ];
  return {
    properties: Object.fromEntries(named.map(([key, shapes]) => [key, mergeShapes(shapes) ?? {}])),
    required: named.map(([key]) => key).filter((key) => objects.every(({ required }) => required?.includes(key))),
    additionalProperties: mergeShapes(others) ?? false,
  };
}

/**
 * Infers the shape of all bodies that are JSON. Returns undefined if none is.
 *
 * @param isShown whether a key may be shown. A key that contains a secret must not be shown: the members with such keys,
 *   and with ids as keys, are described together.
 */
export function inferShape(
  bodies: readonly string[],
  { tiers, keys }: KnownIds,
  isShown: (key: string) => boolean = () => true,
): BodyShape | undefined {
  const isNamed = cacheByText((key) => {
    // Validators read names such as `constructor` from the prototype where a value lacks them.
    // Ajv ignores a property named `__proto__`, and it rejects lone surrogates in names of properties.
    if (key in Object.prototype || /\p{Cs}/u.test(key)) return false;
    return tiers.findExact(key) === undefined && keys.findExact(key) === undefined && isShown(key);
  });
  const values = [...new Set(bodies)].map((body) => parseJson(body)).filter((value) => value !== undefined);
  const shape = mergeShapes(values.map((value) => describeValue(value, isNamed)));
  return shape !== undefined && JSON.stringify(shape).length > maxShapeLength ? {} : shape;
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
  for (const body of new Set(bodies)) {
    // An empty result may have no body.
    if (body === '') continue;
    const value = parseJson(body);
    if (value === undefined) {
      mismatches.set('', { message: `A body is not JSON, as the schema of ${statedBy} requires.`, isAddition: false });
      continue;
    }
    const errors = listSchemaErrors(schema, value);
    if (errors === undefined) {
      const message = `The schema of ${statedBy} takes longer than a second to check a body: simplify its patterns.`;
      return [{ message, isAddition: false }];
    }
    for (const { instancePath, message, params } of errors) {
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
