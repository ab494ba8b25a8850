/** Volatile values: times, counters and ids that differ between responses to a request that a case sends twice. */

import { serializeRequestIgnoringRepetition } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { isJsonObject, NumberText, parseJsonExactly } from '../support/json.js';
import type { RowEvidence } from './row-evidence.js';

/** Finds the path patterns at which responses to the same request differ. '' stands for the whole body. */
export function findVolatilePaths(exchanges: RowEvidence['exchanges']): ReadonlySet<string> {
  const answered = [...exchanges.values()].filter((exchange) => 'response' in exchange);
  const repeated = groupBy(answered, ({ request }) => serializeRequestIgnoringRepetition(request)).values();
  return new Set(
    [...repeated].flatMap(([first, ...others]) =>
      others.flatMap(({ response }) => [...findDifferences(first.response.body, response.body)]),
    ),
  );
}

function findDifferences(body: string, compared: string): Set<string> {
  const paths = new Set<string>();
  if (body !== compared)
    collectDifferences(parseJsonExactly(body) ?? body, parseJsonExactly(compared) ?? compared, '', paths);
  return paths;
}

/** Values below this depth count as different: a body can be nested deeper than the call stack allows. */
const maxDepth = 100;

function collectDifferences(body: unknown, compared: unknown, path: string, paths: Set<string>, depth = 0): void {
  if (Object.is(body, compared)) return;
  if (body instanceof NumberText && compared instanceof NumberText && body.text === compared.text) return;
  const next = depth + 1;
  if (depth > maxDepth) paths.add(path);
  else if (Array.isArray(body) && Array.isArray(compared) && body.length === compared.length)
    for (const [n, item] of body.entries()) collectDifferences(item, compared[n], `${path}/*`, paths, next);
  else if (isJsonObject(body) && isJsonObject(compared))
    for (const key of new Set([...Object.keys(body), ...Object.keys(compared)]))
      collectDifferences(body[key], compared[key], `${path}/${key}`, paths, next);
  else paths.add(path);
}

/** Whether two bodies are equal except for volatile values. */
export function areBodiesAlike(body: string, compared: string, volatile: ReadonlySet<string>): boolean {
  const isVolatile = (path: string) => [...volatile].some((place) => path === place || path.startsWith(`${place}/`));
  return [...findDifferences(body, compared)].every(isVolatile);
}
