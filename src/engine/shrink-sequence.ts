import type { RandomRequest, RequestSequence } from './request-values.js';

/** A sequence that may fail like a larger one. */
export interface SmallerSequence {
  readonly sequence: RequestSequence;
  /** Means the same, but was not sent before: a deployment with a cache would repeat what it answered then. */
  readonly disguised?: RequestSequence;
}

/** Returns the members that become simpler. */
type Simplify = (request: RandomRequest) => Partial<RandomRequest>;

/**
 * Lists sequences that are smaller in one respect. A part that several requests have in common is simplified in all of
 * them, so that they still differ in the same way.
 *
 * @param known texts of the world: they stay as they are, since a shorter one would be one more difference
 * @param disguise a text that no request had before
 */
export function* listSmallerSequences(
  sequence: RequestSequence,
  known: ReadonlySet<string>,
  disguise: string,
): Generator<SmallerSequence> {
  const { steps } = sequence;
  for (const n of steps.slice(0, -1).keys()) {
    const fewer = { ...sequence, steps: steps.filter((_, at) => at !== n) };
    yield { sequence: fewer, disguised: addEntry(fewer, disguise) };
  }
  if (sequence.isSentTogether) yield { sequence: { ...sequence, isSentTogether: false } };
  const before = JSON.stringify(steps);
  for (const simplify of steps.flatMap((step) => [...listSimplifications(step, known)])) {
    const simpler = steps.map((step) => ({ ...step, ...simplify(step) }));
    if (JSON.stringify(simpler) !== before) yield { sequence: { ...sequence, steps: simpler } };
  }
}

function addEntry({ steps, ...rest }: RequestSequence, key: string): RequestSequence {
  return { ...rest, steps: steps.map((step) => ({ ...step, metadata: { ...step.metadata, [key]: 'unused' } })) };
}

function* listSimplifications(
  { filters, orderMetadata, metadata, items }: RandomRequest,
  known: ReadonlySet<string>,
): Generator<Simplify> {
  yield () => ({ form: undefined });
  yield () => ({ openChange: undefined });
  for (const [subject] of filters) yield (each) => ({ filters: each.filters.filter(([other]) => other !== subject) });
  yield () => ({ orderMetadata: {} });
  for (const key of Object.keys(orderMetadata)) yield (each) => ({ orderMetadata: omit(each.orderMetadata, key) });
  for (const [key, values] of Object.entries(orderMetadata))
    for (const value of values) yield (each) => ({ orderMetadata: { ...each.orderMetadata, [key]: [value] } });
  yield () => ({ metadata: {} });
  for (const key of Object.keys(metadata)) yield (each) => ({ metadata: omit(each.metadata, key) });
  yield () => ({ expand: false });
  for (const n of items.keys())
    yield (each) => ({ items: each.items.length < 2 ? each.items : each.items.filter((_, at) => at !== n) });
  for (const n of items.keys())
    yield (each) => ({ items: each.items.map((item, at) => (at === n ? { ...item, quantity: 1 } : item)) });
  const values = filters.flatMap(([on, value]) => (on === 'campaign' ? [] : [value]));
  for (const text of [...Object.entries(metadata).flat(), ...values])
    if (!known.has(text)) yield* listShorterTexts(text);
}

function omit<T>(entries: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== name));
}

/** Replaces a text in metadata and filters by a shorter one, cut by code point. */
function listShorterTexts(text: string): Simplify[] {
  const letters = [...text];
  const half = Math.ceil(letters.length / 2);
  return [letters.slice(0, half), letters.slice(half), letters.slice(0, -1), letters.slice(1)]
    .filter(({ length }) => length > 0 && length < letters.length)
    .map((shorter): Simplify => {
      const replace = (each: string) => (each === text ? shorter.join('') : each);
      return (each) => ({
        metadata: Object.fromEntries(
          Object.entries(each.metadata).map(([key, value]) => [replace(key), replace(value)]),
        ),
        filters: each.filters.map(([subject, value]) => [subject, replace(value)]),
      });
    });
}
