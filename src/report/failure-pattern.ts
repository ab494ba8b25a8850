import { findResponseKind } from '../assertions/registry.js';
import type { TestCase } from '../cases/test-case.js';
import { audienceParameter, parseFilterParameter } from '../contract/operation.js';
import type { ShownResult } from '../engine/case-result.js';
import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import type { Verdict } from '../judge/verdict.js';
import { getMember, isJsonObject } from '../support/json.js';
import { type NamedWorld, thingKinds } from '../world/named-world.js';

/** The features of a request, and its quantities by name. */
interface Traits {
  readonly features: ReadonlySet<string>;
  readonly quantities: ReadonlyMap<string, number>;
}

interface JudgedRow {
  readonly requirement: string;
  readonly isFailing: boolean;
  readonly traits: Traits;
}

/**
 * Finds what all failing rows have and no passing row of the same cases has. Other cases are left out: they may not
 * examine the same.
 *
 * @returns undefined unless several requirements fail and a feature separates the rows without exception
 */
export function findFailurePattern(
  cases: readonly TestCase[],
  results: readonly ShownResult[],
  world: NamedWorld,
): string | undefined {
  // By title: perhaps only some rows of a case were sent.
  const verdicts = new Map(
    results.map(({ id, rows }) => [id, new Map(rows.map(({ title, verdict }) => [title, verdict]))]),
  );
  const rows = cases.flatMap((testCase): JudgedRow[] => {
    if (testCase.kind !== 'requirement') return [];
    const ofRows = verdicts.get(testCase.id) ?? new Map<string, Verdict>();
    if (![...ofRows.values()].includes('fail')) return [];
    return testCase.rows.flatMap(({ title, requests, expect }) => {
      const verdict = ofRows.get(title);
      if (verdict !== 'fail' && verdict !== 'pass') return [];
      const examined = expect.flatMap((each) => ('of' in each ? [each] : []));
      // Two wrong responses may be equal, so a comparison alone proves neither right.
      if (verdict === 'pass' && examined.every((each) => findResponseKind(each).shows === undefined)) return [];
      // Other requests are only compared with.
      const examinedRequests = [...requests].filter(([name]) => examined.some(({ of }) => of === name));
      const traits = mergeTraits(examinedRequests.map(([, request]) => findTraits(request, world)));
      return [{ requirement: testCase.verifies, isFailing: verdict === 'fail', traits }];
    });
  });
  const [failing, passing] = [rows.filter(({ isFailing }) => isFailing), rows.filter(({ isFailing }) => !isFailing)];
  if (new Set(failing.map(({ requirement }) => requirement)).size < 2 || passing.length === 0) return undefined;
  const separating = [...findSeparatingFeatures(failing, passing), ...findSeparatingQuantities(failing, passing)];
  if (separating.length === 0) return undefined;
  return `One pattern: all ${failing.length} failing rows have a request ${separating.join(', ')}; none of the ${passing.length} passing rows of the same cases has one.`;
}

function findSeparatingFeatures([first, ...others]: readonly JudgedRow[], passing: readonly JudgedRow[]): string[] {
  return [...(first?.traits.features ?? [])].filter(
    (feature) =>
      others.every(({ traits }) => traits.features.has(feature)) &&
      passing.every(({ traits }) => !traits.features.has(feature)),
  );
}

function findSeparatingQuantities(failing: readonly JudgedRow[], passing: readonly JudgedRow[]): string[] {
  return [...(failing[0]?.traits.quantities.keys() ?? [])].flatMap((what) => {
    const quantitiesOf = (rows: readonly JudgedRow[]) => rows.map(({ traits }) => traits.quantities.get(what) ?? 0);
    const least = Math.min(...quantitiesOf(failing));
    return least > Math.max(...quantitiesOf(passing)) ? [`with ${least} or more ${what}`] : [];
  });
}

function mergeTraits(all: readonly Traits[]): Traits {
  const quantities = new Map<string, number>();
  for (const [what, quantity] of all.flatMap((traits) => [...traits.quantities]))
    quantities.set(what, Math.max(quantity, quantities.get(what) ?? 0));
  return { features: new Set(all.flatMap(({ features }) => [...features])), quantities };
}

function findTraits(request: HttpRequest, world: NamedWorld): Traits {
  const { query, body } = parseRequest(request);
  const isFilled = (value: unknown) => isJsonObject(value) && Object.keys(value).length > 0;
  const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const order = getMember(body, 'order');
  const items = listOf(getMember(order, 'items')).filter(isJsonObject);
  const filters = query.flatMap(([name]) => parseFilterParameter(name)?.on ?? []);
  const products = items.flatMap(({ product_id }) => (product_id === undefined ? [] : [product_id]));
  const text = `${request.path}\n${request.body ?? ''}`;
  const features: Readonly<Record<string, boolean>> = {
    'with metadata': isFilled(getMember(body, 'metadata')),
    'with order metadata': isFilled(getMember(order, 'metadata')),
    'with expand': listOf(getMember(getMember(body, 'options'), 'expand')).length > 0,
    [`with ${audienceParameter}`]: query.some(([name]) => name === audienceParameter),
    'with a filter': filters.length > 0,
    'with a filter by campaign': filters.includes('campaign'),
    'with a filter by metadata': filters.includes('metadata'),
    'with filters of both kinds': new Set(filters).size > 1,
    'with an item that has a product': products.length > 0,
    'with an item that has a SKU': items.some(({ sku_id }) => sku_id !== undefined),
    'with an item without quantity': items.some(({ quantity }) => quantity === undefined),
    'with a product in several items': new Set(products).size < products.length,
    'with characters beyond ASCII': /[^\0-\u007f]|%[89A-Fa-f]/.test(text),
    ...Object.fromEntries(
      thingKinds.flatMap((kind) =>
        [...world.ids[kind]].map(([name, id]) => [`with the ${kind} ${name}`, text.includes(id)]),
      ),
    ),
  };
  const quantities = items.flatMap(({ quantity }) => (typeof quantity === 'number' ? [quantity] : []));
  return {
    features: new Set(Object.entries(features).flatMap(([feature, has]) => (has ? [feature] : []))),
    quantities: new Map([
      ['items', items.length],
      ['of a product or SKU', Math.max(0, ...quantities)],
    ]),
  };
}
