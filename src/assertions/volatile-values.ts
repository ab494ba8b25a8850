/** Volatile values: times, counters and ids that differ between responses to a request that a case sends twice. */

import { serializeWithoutRepetition } from '../http/exchange.js';
import { groupBy } from '../support/group-by.js';
import { isJsonObject, parseJson } from '../support/json.js';
import type { RowEvidence } from './row-evidence.js';

/** Finds the path patterns at which responses to the same request differ. '' stands for the whole body. */
export function findVolatilePaths({ exchanges }: Pick<RowEvidence, 'exchanges'>): ReadonlySet<string> {
  const answered = [...exchanges.values()].filter((exchange) => 'response' in exchange);
  const paths = new Set<string>();
  for (const [first, ...others] of groupBy(answered, ({ request }) => serializeWithoutRepetition(request)).values()) {
    const { body } = first.response;
    for (const { response } of others)
      if (response.body !== body)
        collectDifferences(parseJson(body) ?? body, parseJson(response.body) ?? response.body, '', paths);
  }
  return paths;
}

/** Values below this depth count as different: a body can be nested deeper than the call stack allows. */
const maxDepth = 100;

function collectDifferences(body: unknown, compared: unknown, path: string, paths: Set<string>, depth = 0): void {
  if (Object.is(body, compared)) return;
  const next = depth + 1;
  if (depth > maxDepth) paths.add(path);
  else if (Array.isArray(body) && Array.isArray(compared) && body.length === compared.length)
    for (const [n, item] of body.entries()) collectDifferences(item, compared[n], `${path}/*`, paths, next);
  else if (isJsonObject(body) && isJsonObject(compared))
    for (const key of new Set([...Object.keys(body), ...Object.keys(compared)]))
      collectDifferences(body[key], compared[key], `${path}/${key}`, paths, next);
  else paths.add(path);
}

/** Returns the JSON value of a body without volatile values; the text if it is not JSON. */
export function removeVolatile(body: string, volatile: ReadonlySet<string>): unknown {
  const value = parseJson(body);
  return value === undefined ? body : removePaths(value, '', volatile);
}

function removePaths(value: unknown, path: string, volatile: ReadonlySet<string>): unknown {
  if (volatile.has(path)) return undefined;
  if (Array.isArray(value)) return value.map((item) => removePaths(item, `${path}/*`, volatile));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => !volatile.has(`${path}/${key}`));
  return Object.fromEntries(members.map(([key, part]) => [key, removePaths(part, `${path}/${key}`, volatile)]));
}
