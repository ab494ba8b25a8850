import type { IdFinders } from '../recognition/id-finders.js';
import { describeViolation } from '../support/describe-violation.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { compileSchema } from '../support/schema-validation.js';

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
export const maxShapeDepth = 20;
/** The size of a shape as JSON. A larger shape is replaced by one that allows everything. */
const maxShapeLength = 64 * 1024;

/** Infers the shape of all bodies that are JSON. Returns undefined if none is. */
export function inferShape(bodies: readonly string[], ids: IdFinders): BodyShape | undefined {
  const values = [...new Set(bodies)].map((body) => parseJson(body)).filter((value) => value !== undefined);
  const shape = mergeShapes(values.map((value) => describeValue(value, ids, 0)));
  return shape !== undefined && JSON.stringify(shape).length > maxShapeLength ? {} : shape;
}

function describeValue(value: unknown, ids: IdFinders, depth: number): BodyShape {
  if (depth > maxShapeDepth) return {};
  const describe = (member: unknown) => describeValue(member, ids, depth + 1);
  if (Array.isArray(value)) return { type: 'array', items: mergeShapes(value.map(describe)) };
  if (value === null) return { type: 'null' };
  if (!isJsonObject(value)) return { type: Number.isInteger(value) ? 'integer' : typeof value };
  const names = Object.keys(value).sort();
  const required = names.filter((name) => isNamed(name, ids));
  const others = names.filter((name) => !isNamed(name, ids)).map((name) => describe(value[name]));
  // Metadata is data of promotions: its members come and go with them.
  const describeMember = (name: string) =>
    name === 'metadata' && isJsonObject(value[name]) ? { type: 'object' } : describe(value[name]);
  return {
    type: 'object',
    properties: Object.fromEntries(required.map((name) => [name, describeMember(name)])),
    required,
    additionalProperties: mergeShapes(others) ?? false,
  };
}

/** Whether a member is described by its name, and not together with others, as those whose keys are ids or indices. */
function isNamed(key: string, { tiers, keys }: IdFinders): boolean {
  // Validators read names such as `constructor` from the prototype where a value lacks them.
  // Ajv ignores a property named `__proto__`, and it rejects lone surrogates in names of properties.
  if (key in Object.prototype || /^\d+$|\p{Cs}/u.test(key)) return false;
  return tiers.findExact(key) === undefined && keys.findExact(key) === undefined;
}

/** Merges shapes into one that accepts what any of them accepts. The order of shapes does not matter. */
export function mergeShapes(shapes: readonly BodyShape[]): BodyShape | undefined {
  if (shapes.length < 2) return shapes[0];
  if (shapes.some(({ type }) => type === undefined)) return {};
  const seen = [...new Set(shapes.flatMap(({ type = [] }) => type))].sort();
  const types = seen.filter((type) => type !== 'integer' || !seen.includes('number'));
  return {
    type: types.length === 1 ? types.join() : types,
    items: mergeShapes(shapes.flatMap(({ items }) => items ?? [])),
    ...mergeMembers(shapes.filter(({ type = [] }) => [type].flat().includes('object'))),
  };
}

function mergeMembers(objects: readonly BodyShape[]): BodyShape {
  if (objects.length === 0 || objects.some(({ properties }) => properties === undefined)) return {};
  const names = [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))].sort();
  const merge = (name: string) => mergeShapes(objects.flatMap(({ properties }) => properties?.[name] ?? []));
  return {
    properties: Object.fromEntries(names.map((name) => [name, merge(name) ?? {}])),
    required: names.filter((name) => objects.every(({ required }) => required?.includes(name))),
    additionalProperties: mergeShapes(objects.flatMap((object) => object.additionalProperties || [])) ?? false,
  };
}

/** A sentence about what changed, or the place of a new member, which clients ignore. */
export interface ShapeDrift {
  readonly kind: 'shape' | 'new-member';
  readonly message: string;
}

/** Locations are JSON Pointers (RFC 6901) with `*` for array indices. */
export function findShapeDrift(bodies: readonly string[], schema: object): ShapeDrift[] {
  const validate = compileSchema(schema);
  const found = bodies.flatMap((body): ShapeDrift[] => {
    // An empty result may have no body.
    if (body === '' || validate(parseJson(body))) return [];
    return (validate.errors ?? []).map((error) => {
      const { instancePath, params } = error;
      const location = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '/*');
      const { additionalProperty } = params;
      return additionalProperty === undefined
        ? {
            kind: 'shape',
            message: `A value at ${location || 'the top'} does not fit the record: it ${describeViolation(error)}.`,
          }
        : { kind: 'new-member', message: `${location}/${additionalProperty}` };
    });
  });
  return [...new Map(found.map((drift) => [drift.message, drift])).values()];
}
