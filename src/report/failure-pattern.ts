import { findResponseKind } from '../assertions/registry.js';
import type { TestCase } from '../cases/test-case.js';
import { parseFilterParameter } from '../contract/operation.js';
import type { ShownResult } from '../engine/case-result.js';
import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import type { Verdict } from '../judge/verdict.js';
import { getMember, isJsonObject } from '../support/json.js';
import { type NamedWorld, thingKinds } from '../world/named-world.js';

/** What is to be seen in a request: features that it has, and quantities, by what they are of. */
interface Traits {
  readonly features: ReadonlySet<string>;
  readonly quantities: ReadonlyMap<string, number>;
}

interface JudgedRow {
  readonly requirement: string;
  readonly isRefuted: boolean;
  readonly traits: Traits;
}

/**
 * What tells the requests that were answered wrongly from those that were answered rightly: of the cases that fail, each
 * row that fails has a request with it, and no row that passes has one. The rows of a case expect the same; what passes
 * elsewhere may not have been looked at in this respect.
 *
 * @returns undefined unless several requirements fail, and something tells them apart without exception
 */
export function findFailurePattern(
  cases: readonly TestCase[],
  results: readonly ShownResult[],
  world: NamedWorld,
): string | undefined {
  // By title: of a case some rows may have been sent alone.
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
      // Two wrong answers may be alike: what only compares them tells of none.
      if (verdict === 'pass' && examined.every((each) => findResponseKind(each).shows === undefined)) return [];
      // The other requests are there for comparison.
      const telling = [...requests].filter(([name]) => examined.some(({ of }) => of === name));
      const traits = together(telling.map(([, request]) => traitsOf(request, world)));
      return [{ requirement: testCase.verifies, isRefuted: verdict === 'fail', traits }];
    });
  });
  const [refuted, passed] = [rows.filter(({ isRefuted }) => isRefuted), rows.filter(({ isRefuted }) => !isRefuted)];
  if (new Set(refuted.map(({ requirement }) => requirement)).size < 2 || passed.length === 0) return undefined;
  const telling = [...featuresOfAll(refuted, passed), ...limitsBetween(refuted, passed)];
  if (telling.length === 0) return undefined;
  return `One pattern: all ${refuted.length} rows that fail have a request ${telling.join(', ')}; of the ${passed.length} rows that pass in the same cases none has.`;
}

function featuresOfAll([first, ...others]: readonly JudgedRow[], passed: readonly JudgedRow[]): string[] {
  return [...(first?.traits.features ?? [])].filter(
    (feature) =>
      others.every(({ traits }) => traits.features.has(feature)) &&
      passed.every(({ traits }) => !traits.features.has(feature)),
  );
}

function limitsBetween(refuted: readonly JudgedRow[], passed: readonly JudgedRow[]): string[] {
  return [...(refuted[0]?.traits.quantities.keys() ?? [])].flatMap((what) => {
    const quantitiesOf = (rows: readonly JudgedRow[]) => rows.map(({ traits }) => traits.quantities.get(what) ?? 0);
    const least = Math.min(...quantitiesOf(refuted));
    return least > Math.max(...quantitiesOf(passed)) ? [`with ${least} or more ${what}`] : [];
  });
}

function together(all: readonly Traits[]): Traits {
  const quantities = new Map<string, number>();
  for (const [what, quantity] of all.flatMap((traits) => [...traits.quantities]))
    quantities.set(what, Math.max(quantity, quantities.get(what) ?? 0));
  return { features: new Set(all.flatMap(({ features }) => [...features])), quantities };
}

function traitsOf(request: HttpRequest, world: NamedWorld): Traits {
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
    'with audienceRulesOnly': query.some(([name]) => name === 'audienceRulesOnly'),
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
