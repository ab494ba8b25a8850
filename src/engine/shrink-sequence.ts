import type { RandomItem, RandomRequest, RequestSequence } from './request-values.js';

/** A sequence that may fail like a larger one. */
export interface SmallerSequence {
  readonly sequence: RequestSequence;
  /** Means the same, but was not sent before: a deployment with a cache would repeat what it answered then. */
  readonly disguised?: RequestSequence;
}

type Simplify = (request: RandomRequest) => RandomRequest;

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
  for (const simplify of steps.flatMap((step) => listSimplifications(step, known))) {
    const simpler = steps.map(simplify);
    if (JSON.stringify(simpler) !== before) yield { sequence: { ...sequence, steps: simpler } };
  }
}

function addEntry({ steps, ...rest }: RequestSequence, key: string): RequestSequence {
  return { ...rest, steps: steps.map((step) => ({ ...step, metadata: { ...step.metadata, [key]: 'unused' } })) };
}

function listSimplifications(
  { filters, orderMetadata, metadata, items }: RandomRequest,
  known: ReadonlySet<string>,
): Simplify[] {
  const texts = [
    ...Object.values(metadata),
    ...filters.flatMap(([on, value]) => (on === 'campaign' ? [] : [value])),
    ...Object.keys(metadata),
  ];
  return [
    (each) => ({ ...each, form: undefined }),
    (each) => ({ ...each, openChange: undefined }),
    ...filters.map(
      ([subject]): Simplify =>
        (each) => ({ ...each, filters: each.filters.filter(([other]) => other !== subject) }),
    ),
    (each) => ({ ...each, orderMetadata: {} }),
    ...Object.keys(orderMetadata).map(
      (key): Simplify =>
        (each) => ({ ...each, orderMetadata: omit(each.orderMetadata, key) }),
    ),
    ...Object.entries(orderMetadata).flatMap(([key, values]) =>
      values.map(
        (value): Simplify =>
          (each) => ({ ...each, orderMetadata: { ...each.orderMetadata, [key]: [value] } }),
      ),
    ),
    (each) => ({ ...each, metadata: {} }),
    ...Object.keys(metadata).map(
      (key): Simplify =>
        (each) => ({ ...each, metadata: omit(each.metadata, key) }),
    ),
    (each) => ({ ...each, expand: false }),
    ...items.map(
      (_, n): Simplify =>
        (each) => ({ ...each, items: each.items.length < 2 ? each.items : each.items.filter((_, at) => at !== n) }),
    ),
    ...items.map(
      (_, n): Simplify =>
        (each) =>
          changeItem(each, n, { times: 1, differs: false }),
    ),
    ...items.map(
      (_, n): Simplify =>
        (each) =>
          changeItem(each, n, { quantity: 1 }),
    ),
    ...texts.filter((text) => !known.has(text)).flatMap(listShorterTexts),
  ];
}

function omit<T>(entries: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== name));
}

function changeItem(request: RandomRequest, at: number, change: object): RandomRequest {
  const items = request.items.map((item, n): RandomItem => {
    if (n !== at) return item;
    return 'sku' in item && 'times' in change ? item : { ...item, ...change };
  });
  return { ...request, items };
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
        ...each,
        metadata: Object.fromEntries(
          Object.entries(each.metadata).map(([key, value]) => [replace(key), replace(value)]),
        ),
        filters: each.filters.map(([subject, value]) => [subject, replace(value)]),
      });
    });
}
