import { isDeepStrictEqual } from 'node:util';
import { serializeWithoutRepetition } from '../http/exchange.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { defineAssertion, type JudgeContext, type ResponseKind } from './assertion.js';
import { holdsIf, unclear } from './assertion-result.js';
import type { RowEvidence } from './row-evidence.js';

/**
 * A kind that compares the bodies of two responses apart from what is volatile: times, counters and identifiers, which
 * differ between responses to the same request. What these are is seen where a case sends a request twice.
 */
export function createStableBodyKind(
  key: string,
  description: string,
  wantsSame: boolean,
): ResponseKind<string, { readonly other: string }> {
  return defineAssertion({
    key,
    schema: { description, type: 'string' },
    read: (name, { resolveRequest: request }) => ({ other: request(name) }),
    describe: ({ other }) =>
      `has ${wantsSame ? 'the' : 'another'} body ${wantsSame ? 'of' : 'than'} '${other}', apart from volatile values`,
    judge({ other: name }, { exchange: { response }, evidence, findAnswer: other }: JudgeContext) {
      const one = other(name);
      if ('because' in one) return unclear(`'${name}': ${one.because}`);
      const volatile = findVolatilePaths(evidence);
      if (volatile.has('')) return unclear('The body differs between responses to the same request, as a whole.');
      const isSame = isDeepStrictEqual(steady(response.body, volatile), steady(one.response.body, volatile));
      const aside = volatile.size === 0 ? '' : `, apart from ${[...volatile].sort().join(', ')}`;
      return holdsIf(isSame === wantsSame, `The body ${isSame ? 'equals' : 'differs from'} that of '${name}'${aside}.`);
    },
  });
}

/** The places, as patterns, in which responses to one and the same request differ; '' for bodies as a whole. */
export function findVolatilePaths({ exchanges }: Pick<RowEvidence, 'exchanges'>): ReadonlySet<string> {
  const bodies = new Map<string, string[]>();
  for (const exchange of exchanges.values()) {
    if (!('response' in exchange)) continue;
    const request = serializeWithoutRepetition(exchange.request);
    bodies.set(request, [...(bodies.get(request) ?? []), exchange.response.body]);
  }
  const paths = new Set<string>();
  for (const [first = '', ...others] of bodies.values()) {
    for (const other of others) {
      if (first !== other) collectDifferences(parseJson(first) ?? first, parseJson(other) ?? other, '', paths);
    }
  }
  return paths;
}

/** What is deeper counts as different: a body can nest deeper than the call stack is tall. */
const deepest = 100;

/** Adds the patterns under which two values differ. */
function collectDifferences(one: unknown, other: unknown, path: string, paths: Set<string>, depth = 0): void {
  if (Object.is(one, other)) return;
  if (depth > deepest) paths.add(path);
  else if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    for (const [n, item] of one.entries()) collectDifferences(item, other[n], `${path}/*`, paths, depth + 1);
  } else if (isJsonObject(one) && isJsonObject(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      collectDifferences(one[key], other[key], `${path}/${key}`, paths, depth + 1);
  } else {
    paths.add(path);
  }
}

/** What a body says apart from what is volatile. */
function steady(body: string, volatile: ReadonlySet<string>): unknown {
  const value = parseJson(body);
  return value === undefined ? body : without(value, '', volatile);
}

function without(value: unknown, path: string, volatile: ReadonlySet<string>): unknown {
  if (volatile.has(path)) return undefined;
  if (Array.isArray(value)) return value.map((item) => without(item, `${path}/*`, volatile));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !volatile.has(`${path}/${key}`))
      .map(([key, part]) => [key, without(part, `${path}/${key}`, volatile)]),
  );
}
