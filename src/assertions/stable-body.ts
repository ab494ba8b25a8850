import { isDeepStrictEqual } from 'node:util';
import { serializeWithoutRepetition } from '../http/exchange.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { defineAssertion, type JudgeContext, type ResponseKind } from './assertion.js';
import { holdsIf, unclear } from './assertion-result.js';
import type { RowEvidence } from './row-evidence.js';

/**
 * Creates a kind that compares the bodies of two responses without their volatile values: times, counters and ids that
 * differ between responses to the same request. A case that sends a request twice shows which values are volatile.
 */
export function createStableBodyKind(
  key: string,
  description: string,
  wantsSame: boolean,
): ResponseKind<string, { readonly compared: string }> {
  return defineAssertion({
    key,
    schema: { description, type: 'string' },
    read: (name, { resolveRequest }) => ({ compared: resolveRequest(name) }),
    describe: ({ compared }) =>
      `has ${wantsSame ? 'the same body as' : 'another body than'} '${compared}', except for volatile values`,
    judge: ({ compared: name }, { exchange, evidence, compareWith }: JudgeContext) =>
      compareWith(name, (compared) => {
        const volatile = findVolatilePaths(evidence);
        if (volatile.has('')) return unclear('The whole body differs between responses to the same request.');
        const [body, comparedBody] = [exchange, compared].map(({ response }) =>
          removeVolatile(response.body, volatile),
        );
        const isSame = isDeepStrictEqual(body, comparedBody);
        const ignored = volatile.size === 0 ? '' : `, ignoring ${[...volatile].sort().join(', ')}`;
        const relation = isSame ? 'equals' : 'differs from';
        return holdsIf(isSame === wantsSame, `The body ${relation} that of '${name}'${ignored}.`);
      }),
  });
}

/** Finds the path patterns at which responses to the same request differ. '' stands for the whole body. */
export function findVolatilePaths({ exchanges }: Pick<RowEvidence, 'exchanges'>): ReadonlySet<string> {
  const bodies = new Map<string, string[]>();
  for (const exchange of exchanges.values()) {
    if (!('response' in exchange)) continue;
    const request = serializeWithoutRepetition(exchange.request);
    bodies.set(request, [...(bodies.get(request) ?? []), exchange.response.body]);
  }
  const paths = new Set<string>();
  for (const [first = '', ...others] of bodies.values()) {
    for (const compared of others) {
      if (first !== compared) collectDifferences(parseJson(first) ?? first, parseJson(compared) ?? compared, '', paths);
    }
  }
  return paths;
}

/** Values below this depth count as different: a body can be nested deeper than the call stack allows. */
const maxDepth = 100;

function collectDifferences(body: unknown, compared: unknown, path: string, paths: Set<string>, depth = 0): void {
  if (Object.is(body, compared)) return;
  if (depth > maxDepth) paths.add(path);
  else if (Array.isArray(body) && Array.isArray(compared) && body.length === compared.length) {
    for (const [n, item] of body.entries()) collectDifferences(item, compared[n], `${path}/*`, paths, depth + 1);
  } else if (isJsonObject(body) && isJsonObject(compared)) {
    for (const key of new Set([...Object.keys(body), ...Object.keys(compared)]))
      collectDifferences(body[key], compared[key], `${path}/${key}`, paths, depth + 1);
  } else {
    paths.add(path);
  }
}

function removeVolatile(body: string, volatile: ReadonlySet<string>): unknown {
  const value = parseJson(body);
  return value === undefined ? body : removePaths(value, '', volatile);
}

function removePaths(value: unknown, path: string, volatile: ReadonlySet<string>): unknown {
  if (volatile.has(path)) return undefined;
  if (Array.isArray(value)) return value.map((item) => removePaths(item, `${path}/*`, volatile));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !volatile.has(`${path}/${key}`))
      .map(([key, part]) => [key, removePaths(part, `${path}/${key}`, volatile)]),
  );
}
