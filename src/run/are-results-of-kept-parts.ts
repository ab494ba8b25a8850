import { type AnsweredExchange, readReturnedTiersOfExchange } from '../assertions/row-evidence.js';
import { createOracle } from '../contract/oracle.js';
import { type Tier, windowSize } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { collectRowEvidence, type TargetContext } from '../judge/collect-row-evidence.js';
import { cacheByObject } from '../support/caches.js';
import { isJsonObject, parseJson } from '../support/json.js';

/** The members of a request that a process may keep. */
const parts = ['customer', 'order', 'metadata'] as const;
type Part = (typeof parts)[number];

/** How many different ones processes keep at most, and how many other ones must be sent in vain. */
const [maxKept, minLost] = [8, 3];

/**
 * Whether each process of a deployment keeps a part of an early request, such as its customer, and answers all others for that one.
 * At the end of a run, this looks like a change of the data. Data that changed would hardly agree with the data file, for each
 * request with the same few customers in the place of its own, and with promotions too many and others too few.
 *
 * @param exchanges of the requests that are sent again at the end
 */
export function areResultsOfKeptParts(exchanges: readonly Exchange[], target: TargetContext): boolean {
  const results = exchanges.flatMap((exchange) => readResult(exchange, target) ?? []);
  return results.length === exchanges.length && parts.some((part) => isPartKept(part, results, target));
}

interface Result {
  readonly request: HttpRequest;
  readonly returned: ReadonlySet<string>;
}

function readResult(exchange: Exchange, target: TargetContext): Result | undefined {
  if (!isSuccess(exchange)) return undefined;
  const evidence = collectRowEvidence([new Map([['request', exchange]])], target);
  const returned = evidence.flatMap((row) => readReturnedTiersOfExchange(exchange, row).returned);
  return { request: exchange.request, returned: new Set(returned) };
}

function isSuccess(exchange: Exchange): exchange is AnsweredExchange {
  return 'response' in exchange && isSuccessful(exchange.response);
}

function isPartKept(part: Part, results: readonly Result[], target: TargetContext): boolean {
  const readValue = cacheByObject((request: HttpRequest) => JSON.stringify(readBody(request)[part]));
  const byValue = new Map(results.map(({ request }) => [readValue(request), request]));
  const replace = cacheByObject((request: HttpRequest) => {
    const body = readBody(request);
    const replaced = [...byValue].map(([value, other]): [string | undefined, HttpRequest] => {
      const isSame = value === readValue(request);
      return [
        value,
        isSame ? request : { ...request, body: JSON.stringify({ ...body, [part]: readBody(other)[part] }) },
      ];
    });
    return new Map(replaced);
  });
  const isRightFor = (value: string | undefined, { request, returned }: Result) => {
    const wrong = listWrong(replace(request).get(value) ?? request, returned, target);
    return wrong !== undefined && wrong.length === 0;
  };
  const kept = findKept([...byValue.keys()], results, isRightFor);
  if (kept === undefined) return false;
  const others = results.filter(({ request }) => !kept.includes(readValue(request)));
  const wrong = others.map(({ request, returned }) => ({
    request,
    returned,
    tiers: listWrong(request, returned, target) ?? [],
  }));
  const lost = new Set(wrong.flatMap(({ request, tiers }) => (tiers.length > 0 ? [readValue(request)] : [])));
  const kinds = new Set(wrong.flatMap(({ returned, tiers }) => tiers.map(({ id }) => returned.has(id))));
  return lost.size >= minLost && kinds.size === 2;
}

/** Finds the few values with which all results are right, that which explains most first. */
function findKept<Value>(
  values: readonly Value[],
  results: readonly Result[],
  isRightFor: (value: Value, result: Result) => boolean,
): Value[] | undefined {
  const kept: Value[] = [];
  let unexplained = results;
  while (unexplained.length > 0 && kept.length < maxKept) {
    const rated = values.map((value) => ({ value, left: unexplained.filter((result) => !isRightFor(value, result)) }));
    const [best] = rated.toSorted((a, b) => a.left.length - b.left.length);
    if (best === undefined || best.left.length === unexplained.length) return undefined;
    kept.push(best.value);
    unexplained = best.left;
  }
  return unexplained.length === 0 ? kept : undefined;
}

/** Lists the promotions that were wrongly returned, or wrongly not; undefined if a part of the result is open. */
function listWrong(request: HttpRequest, returned: ReadonlySet<string>, { world }: TargetContext): Tier[] | undefined {
  const oracle = createOracle(request, world);
  if (oracle.openReason !== undefined) return undefined;
  const newest = world.tiers.slice(0, windowSize);
  return newest.filter((tier) => oracle.returned(tier) === (returned.has(tier.id) ? 'forbidden' : 'required'));
}

function readBody({ body = '' }: HttpRequest): Readonly<Record<string, unknown>> {
  const value = parseJson(body);
  return isJsonObject(value) ? value : {};
}
