import type { KnownIds } from '../recognition/known-ids.js';
import { areIndices } from '../recognition/walk-texts.js';
import { groupBy } from '../support/group-by.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
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

/** Infers the shape of all bodies that are JSON. Returns undefined if none is. */
export function inferShape(bodies: readonly string[], ids: KnownIds): BodyShape | undefined {
  const values = [...new Set(bodies)].map((body) => parseJson(body)).filter((value) => value !== undefined);
  const shape = mergeShapes(values.map((value) => describeValue(value, ids)));
  return JSON.stringify(shape ?? '').length > maxShapeLength ? {} : shape;
}

const scalarTypes = ['null', 'boolean', 'integer', 'number', 'string'];
const scalars: Readonly<Record<string, BodyShape>> = Object.fromEntries(scalarTypes.map((type) => [type, { type }]));

function describeValue(value: unknown, ids: KnownIds, depth = 0): BodyShape {
  if (depth > maxDepth) return {};
  const describeInner = (inner: unknown) => describeValue(inner, ids, depth + 1);
  if (Array.isArray(value))
    return { type: 'array', ...omitUndefined({ items: mergeShapes(value.map(describeInner)) }) };
  if (!isJsonObject(value))
    return scalars[value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value] ?? {};
  const isList = areIndices(Object.keys(value));
  const members = Object.entries(value).map(([key, member]) => ({
    key,
    shape: describeInner(member),
    isNamed: !isList && !isCollective(key, ids),
  }));
  const named = members.filter(({ isNamed }) => isNamed).map(({ key, shape }) => [key, [shape]] as const);
  const collective = members.filter(({ isNamed }) => !isNamed).map(({ shape }) => shape);
  return { type: 'object', ...describeMembers(new Map(named), () => true, collective) };
}

/** Whether a member is described together with others: its key is an id. */
function isCollective(key: string, { tiers, keys }: KnownIds): boolean {
  // Validators read names such as `constructor` from the prototype where a value lacks them.
  // Ajv ignores a property named `__proto__`, and it rejects lone surrogates in names of properties.
  if (key in Object.prototype || /\p{Cs}/u.test(key)) return true;
  return tiers.findExact(key) !== undefined || keys.findExact(key) !== undefined;
}

/**
 * Merges shapes into one that accepts what any of them accepts. Sorts keys and types, so the order does not matter.
 *
 * @returns undefined if there is none
 */
export function mergeShapes(shapes: readonly BodyShape[]): BodyShape | undefined {
  // Most records have the same: this takes a quarter of the time.
  if (new Set(shapes).size <= 1) return shapes[0];
  const types = shapes.flatMap(({ type }) => type ?? anything);
  if (types.includes(anything)) return {};
  const objects = shapes.filter(({ properties }) => properties !== undefined);
  const members = groupBy(
    objects.flatMap(({ properties = {} }) => Object.entries(properties)),
    ([key]) => key,
  );
  const times = groupBy(
    objects.flatMap(({ required = [] }) => required),
    (key) => key,
  );
  return {
    type: mergeTypes(types),
    ...omitUndefined({ items: mergeShapes(shapes.flatMap(({ items }) => items ?? [])) }),
    ...(objects.length > 0 &&
      describeMembers(
        new Map([...members].map(([key, entries]) => [key, entries.map(([, shape]) => shape)])),
        (key) => times.get(key)?.length === objects.length,
        objects.flatMap(({ additionalProperties }) => additionalProperties || []),
      )),
  };
}

/** Stands for the type of a shape that has none. */
const anything = 'anything';

function mergeTypes(types: readonly string[]): string | string[] {
  const known = [...new Set(types)].sort().filter((type) => type !== 'integer' || !types.includes('number'));
  return known.length === 1 ? (known[0] as string) : known;
}

/** Describes the members of objects, in the order of their names. Of too many, the last ones are described together. */
function describeMembers(
  members: ReadonlyMap<string, readonly BodyShape[]>,
  isRequired: (key: string) => boolean,
  collective: readonly BodyShape[],
): BodyShape {
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  const named = sorted.slice(0, maxMembers);
  const unnamed = sorted.slice(maxMembers).flatMap(([, shapes]) => shapes);
  return {
    properties: Object.fromEntries(named.map(([key, shapes]) => [key, mergeShapes(shapes) ?? {}])),
    required: named.map(([key]) => key).filter(isRequired),
    additionalProperties: mergeShapes([...collective, ...unnamed]) ?? false,
  };
}

/**
 * Finds where bodies do not match the schema of a record. Locations are JSON Pointers (RFC 6901) with `*` for array
 * indices, so a mismatch in all records is reported once. A body that is not JSON matches no schema.
 */
export function findMismatches(bodies: readonly string[], schema: object | boolean): string[] {
  const mismatches = new Set<string>();
  const validate = compileSchema(schema);
  for (const body of new Set(bodies)) {
    // An empty result may have no body.
    if (body === '') continue;
    const value = parseJson(body);
    if (value === undefined) {
      mismatches.add('A body is not JSON, as the schema of the record requires.');
      continue;
    }
    validate(value);
    for (const { instancePath, message, params } of validate.errors ?? []) {
      const member: unknown = params.additionalProperty;
      const what = typeof member === 'string' ? `must not have the member '${member}'` : message;
      const location = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '/*') || 'its root';
      mismatches.add(`A response body does not fit the schema of the record at ${location}: ${what}.`);
    }
  }
  return [...mismatches];
}
