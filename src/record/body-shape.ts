import type { KnownIds } from '../recognition/known-ids.js';
import { areIndices } from '../recognition/walk-texts.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
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
const maxDepth = 40;
/** The number of members of one object that are described by name. Further members are described together. */
const maxMembers = 200;
/** The size of a shape as JSON. A larger shape is replaced by one that allows everything. */
const maxShapeLength = 64 * 1024;

/** Infers the shape of all bodies that are JSON. Returns undefined if none is. */
export function inferShape(bodies: readonly string[], ids: KnownIds): BodyShape | undefined {
  const values = [...new Set(bodies)].map((body) => parseJson(body)).filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  const seen = new SeenValues();
  for (const value of values) addValue(seen, value, ids);
  const shape = seen.toShape();
  return JSON.stringify(shape).length > maxShapeLength ? {} : shape;
}

/**
 * Merges shapes into one that accepts what any of them accepts. Sorts keys and types, so the order does not matter.
 *
 * @returns undefined if there is none
 */
export function mergeShapes(shapes: readonly BodyShape[]): BodyShape | undefined {
  if (shapes.length === 0) return undefined;
  const seen = new SeenValues();
  for (const shape of shapes) addShape(seen, shape);
  return seen.toShape();
}

/** Stands for the type of a value that is not described. */
const anything = 'anything';

/** What was seen at one place of bodies. Values are counted rather than described one by one: most of them are alike. */
class SeenValues {
  readonly types = new Set<string>();
  /** The number of objects. */
  objects = 0;
  /** The members of the objects by name, and how many objects must have them. */
  readonly members = new Map<string, { readonly values: SeenValues; required: number }>();
  readonly #parts: { items?: SeenValues; collective?: SeenValues } = {};

  /** The items of lists, or the members of objects that are described together. */
  part(name: 'items' | 'collective'): SeenValues {
    this.#parts[name] ??= new SeenValues();
    return this.#parts[name];
  }

  addMember(name: string, required: 0 | 1): SeenValues {
    const member = this.members.get(name) ?? { values: new SeenValues(), required: 0 };
    member.required += required;
    this.members.set(name, member);
    return member.values;
  }

  /** Describes members in the order of their names. Of too many, the last ones are described together. */
  toShape(): BodyShape {
    if (this.types.has(anything)) return {};
    const types = [...this.types].sort().filter((type) => type !== 'integer' || !this.types.has('number'));
    const { items, collective } = this.#parts;
    const sorted = [...this.members].sort(([a], [b]) => (a < b ? -1 : 1));
    const named = sorted.slice(0, maxMembers);
    const unnamed = sorted.slice(maxMembers).map(([, { values }]) => values.toShape());
    const others = [...(collective ? [collective.toShape()] : []), ...unnamed];
    return {
      type: types.length === 1 ? (types[0] as string) : types,
      ...omitUndefined({ items: items?.toShape() }),
      ...(this.objects > 0 && {
        properties: Object.fromEntries(named.map(([name, { values }]) => [name, values.toShape()])),
        required: named.flatMap(([name, { required }]) => (required === this.objects ? name : [])),
        // One is not merged again: that would double the time with each level.
        additionalProperties: (unnamed.length > 0 ? mergeShapes(others) : others[0]) ?? false,
      }),
    };
  }
}

function addValue(seen: SeenValues, value: unknown, ids: KnownIds, depth = 0): void {
  if (depth > maxDepth) {
    seen.types.add(anything);
  } else if (Array.isArray(value)) {
    seen.types.add('array');
    for (const item of value) addValue(seen.part('items'), item, ids, depth + 1);
  } else if (isJsonObject(value)) {
    seen.types.add('object');
    seen.objects += 1;
    const isList = areIndices(Object.keys(value));
    for (const [name, member] of Object.entries(value)) {
      const isNamed = !isList && (seen.members.has(name) || !isCollective(name, ids));
      addValue(isNamed ? seen.addMember(name, 1) : seen.part('collective'), member, ids, depth + 1);
    }
  } else {
    seen.types.add(value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value);
  }
}

/** Whether a member is described together with others: its key is an id. */
function isCollective(key: string, { tiers, keys }: KnownIds): boolean {
  // Validators read names such as `constructor` from the prototype where a value lacks them.
  // Ajv ignores a property named `__proto__`, and it rejects lone surrogates in names of properties.
  if (key in Object.prototype || /\p{Cs}/u.test(key)) return true;
  return tiers.findExact(key) !== undefined || keys.findExact(key) !== undefined;
}

function addShape(seen: SeenValues, { type = anything, items, properties, required, additionalProperties }: BodyShape) {
  for (const name of [type].flat()) seen.types.add(name);
  if (items !== undefined) addShape(seen.part('items'), items);
  if (properties !== undefined) seen.objects += 1;
  for (const [name, shape] of Object.entries(properties ?? {}))
    addShape(seen.addMember(name, required?.includes(name) ? 1 : 0), shape);
  if (additionalProperties) addShape(seen.part('collective'), additionalProperties);
}

/** A sentence about what changed, or the place of a new member, which clients ignore. */
export interface ShapeDrift {
  readonly kind: 'shape' | 'new-member';
  readonly message: string;
}

/**
 * Finds where bodies do not match the schema of a record. Locations are JSON Pointers (RFC 6901) with `*` for array
 * indices, so a mismatch in all records is reported once. A body that is not JSON matches no schema.
 */
export function findMismatches(bodies: readonly string[], schema: object | boolean): ShapeDrift[] {
  const mismatches = new Map<string, ShapeDrift>();
  const add = (kind: ShapeDrift['kind'], message: string) => mismatches.set(message, { kind, message });
  const validate = compileSchema(schema);
  for (const body of new Set(bodies)) {
    // An empty result may have no body.
    if (body === '') continue;
    const value = parseJson(body);
    if (value === undefined) {
      add('shape', 'A body is not JSON, as all of the record are.');
      continue;
    }
    validate(value);
    for (const { instancePath, message, params } of validate.errors ?? []) {
      const location = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '/*');
      const { additionalProperty, missingProperty } = params;
      if (additionalProperty !== undefined) add('new-member', `${location}/${additionalProperty}`);
      else if (missingProperty !== undefined)
        add('shape', `Responses lack ${location}/${missingProperty}, which all of the record have.`);
      else add('shape', `A value at ${location || 'the top'} does not fit the record: it ${message}.`);
    }
  }
  return [...mismatches.values()];
}
