import fc from 'fast-check';
import { stringify } from 'yaml';
import type { Check } from '../cases/case.js';
import { assembled, documentedRequest, patched, type RequestPatch } from '../cases/request.js';
import type { Suite } from '../cases/suite.js';
import { type Oracle, oracleFor } from '../contract/oracle.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { evaluate } from '../judge/check.js';
import { evidenceOf } from '../judge/verdict.js';
import type { Kind, NamedWorld } from '../world/world-file.js';
import { type CaseResult, explored, presentable, type Setting } from './run.js';

/** How far exploring goes. Equal seeds ask the same of equal worlds. */
export interface Exploration {
  readonly requests: number;
  readonly seed: number;
}

/** Exploring stops after so many requests that showed nothing: the target is not in a state to be asked. */
const maxTroubles = 10;

/** A documented request in the words of the world. */
interface Draw {
  readonly customer: string;
  readonly items: readonly ({ readonly product: string; readonly times: number } | { readonly sku: string })[];
  readonly quantities: readonly number[];
  readonly orderMetadata: Readonly<Record<string, string[]>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expand: boolean;
  readonly filter: readonly [name: string, value: string] | undefined;
}

/**
 * Goes beyond the written cases: draws documented requests over the world, holds the answers against what the
 * documentation promises for them, and shrinks a failure to the smallest request that shows it.
 *
 * @param suite with the whole world: settings for a part of it have no exploration
 * @returns a result whose subject is the requirement that was found broken; `explore` where none was
 */
export async function explore(
  suite: Suite,
  channel: Channel,
  setting: Setting,
  { requests, seed }: Exploration,
): Promise<CaseResult> {
  const common = {
    id: explored,
    rows: [],
    drift: [],
    at: { file: 'cases/contract.yaml', line: 1, column: 1 },
  };
  let sent = 0;
  let requestsSent = 0;
  let trouble: { count: number; reason: string } = { count: 0, reason: '' };
  const budget = requests * 2;
  let found: { draw: Draw; broken: Broken; exchange: Exchange } | undefined;

  const property = fc.asyncProperty(draws(suite.world), async (draw) => {
    // Shrinking has a budget of its own; past it, what was found so far is small enough.
    if (sent >= budget || trouble.count >= maxTroubles) return;
    const request = requestOf(draw, suite.world);
    sent += 1;
    const exchange = await channel.send(request);
    requestsSent += exchange.attempts ?? 1;
    const judged = judge(request, exchange, setting);
    if (judged?.is === 'unclear') trouble = { count: trouble.count + 1, reason: judged.because };
    if (judged?.is !== 'violated') return;
    found = { draw, broken: judged, exchange };
    throw new Error(judged.because);
  });
  const { failed, errorInstance } = await fc.check(property, { numRuns: requests, seed });

  const drawn = `Drawn with --explore ${requests} --seed ${seed}.`;
  const result = (): CaseResult => {
    const asked = { ...common, subject: explored, requestsSent };
    if (found !== undefined) {
      const { draw, broken, exchange } = found;
      const subject = requirementOf(broken, draw);
      const at = suite.ledger.requirements.find(({ id }) => id === subject)?.at ?? common.at;
      const reason = `${broken.because} ${drawn} As a case:\n${caseText(draw, subject)}`;
      return { ...asked, subject, verdict: 'fail', reason, at, evidence: exchange };
    }
    if (failed) return { ...asked, verdict: 'error', reason: `Exploring broke off. ${String(errorInstance)} ${drawn}` };
    if (trouble.count > 0) {
      const reason = `${trouble.count} of ${sent} random requests showed nothing. ${trouble.reason} ${drawn}`;
      return { ...asked, verdict: 'inconclusive', reason };
    }
    return { ...asked, verdict: 'pass', reason: `${sent} random requests were answered as documented. ${drawn}` };
  };
  return presentable(result(), (text) => channel.redact(text));
}

/** Documented requests of which the documentation promises a result: what is open is not drawn. */
function draws({ world, ids }: NamedWorld): fc.Arbitrary<Draw> {
  const names = (kind: Kind) => [...ids[kind].keys()];
  const skusOf = new Map(world.skus.map(({ id, product_id }) => [id, product_id]));
  const rules = world.tiers.flatMap((tier) => tier.rules);
  const thresholds = rules.flatMap((rule) =>
    'at_least' in rule ? [rule.at_least - 1, rule.at_least, rule.at_least + 1, rule.at_least * 2] : [],
  );
  const quantity = fc.constantFrom(...new Set([1, ...thresholds.filter((each) => each > 0)]));
  const asked = rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
  // Values that are nearly right, too: those of other keys, and longer and shorter ones.
  const keys = [...new Set(asked.map(([key]) => key))];
  const values = [...new Set(asked.flatMap(([, value]) => [value, `${value} West`, value.slice(0, -1)]))];
  const payments = rules.flatMap((rule) =>
    rule.kind === 'order_metadata' ? [[rule.key, rule.includes] as const] : [],
  );
  const entries = world.tiers.flatMap(({ metadata }) =>
    Object.entries(metadata).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
  );
  const filters: Draw['filter'][] = [
    ...names('campaign').map((name) => ['[filters][promotion_id][conditions][$is]', `<campaign ${name}>`] as const),
    ...[...new Map(entries.map((entry) => [entry.join(' '), entry])).values()].map(
      ([key, value]) => [`[filters][metadata.${key}][conditions][$is]`, value] as const,
    ),
    ...new Map(
      entries.map(([key]) => [key, [`[filters][metadata.${key}][conditions][$is]`, 'no tier has this'] as const]),
    ).values(),
  ];
  const product = fc.record({ product: fc.constantFrom(...names('product')), times: fc.constantFrom(1, 1, 1, 2, 5) });
  const sku = fc.record({ sku: fc.constantFrom(...names('sku')) });
  const owner = (name: string) => [...ids.product].find(([, id]) => id === skusOf.get(ids.sku.get(name) ?? ''))?.[0];
  return fc
    .record({
      customer: fc.constantFrom(...names('customer')),
      items: fc.uniqueArray(fc.oneof(product, sku), {
        minLength: 1,
        maxLength: 10,
        selector: (item) => ('product' in item ? item.product : item.sku),
      }),
      quantities: fc.array(quantity, { minLength: 10, maxLength: 10 }),
      orderMetadata: fc.dictionary(
        fc.constantFrom(...keys, ...payments.map(([key]) => key)),
        fc.subarray([...values, ...payments.map(([, value]) => value)], { minLength: 1, maxLength: 3 }),
        { maxKeys: 2 },
      ),
      metadata: fc.dictionary(fc.constantFrom(...keys, 'another_key'), fc.constantFrom(...values), { maxKeys: 3 }),
      expand: fc.boolean(),
      filter: fc.oneof(fc.constant(undefined), fc.constantFrom(...filters)),
    })
    .map((draw) => {
      // What a product beside its own SKU means is open.
      const products = new Set(draw.items.flatMap((item) => ('product' in item ? item.product : [])));
      return { ...draw, items: draw.items.filter((item) => 'product' in item || !products.has(owner(item.sku) ?? '')) };
    })
    .filter(({ items }) => items.length > 0);
}

/** The body and the query of a draw, as a case file writes them. */
function patchOf({ customer, items, quantities, orderMetadata, metadata, expand, filter }: Draw): RequestPatch {
  const lines = items.flatMap((item, n): object[] => {
    const quantity = quantities[n] ?? 1;
    if ('sku' in item) return [{ sku_id: `<sku ${item.sku}>`, quantity }];
    return Array.from({ length: item.times }, () => ({ product_id: `<product ${item.product}>`, quantity }));
  });
  return {
    ...(filter === undefined ? {} : { query: Object.fromEntries([filter]) }),
    body: {
      customer: { id: `<customer ${customer}>` },
      order: { items: lines, metadata: orderMetadata },
      options: expand ? { expand: ['category'] } : {},
      metadata,
    },
  };
}

function requestOf(draw: Draw, { ids }: NamedWorld): HttpRequest {
  return assembled(patched(documentedRequest, patchOf(draw)), (kind, name) => ids[kind as Kind].get(name) ?? name);
}

/** A statement that an exchange refutes. */
interface Broken {
  readonly is: 'violated';
  readonly because: string;
  readonly part: 'status' | 'beyond' | 'unmatching' | 'invalid' | 'missing';
}

/** Holds an answer against everything that is promised for its request. */
function judge(
  request: HttpRequest,
  exchange: Exchange,
  setting: Setting,
): Broken | { is: 'unclear'; because: string } | undefined {
  const promised = oracleFor(request, setting.world);
  if (promised.because !== undefined)
    throw new Error(`A request was drawn of which nothing is promised: ${promised.because}.`);
  const exchanges = new Map([['request', exchange]]);
  const [evidence] = evidenceOf([exchanges], setting);
  if (evidence === undefined) throw new Error('An exchange leads to its evidence.');
  let unclear: { is: 'unclear'; because: string } | undefined;
  for (const [part, check] of promisedChecks(promised, setting)) {
    const truth = evaluate(check, evidence, 'requirement');
    if (truth.is === 'violated') return { is: 'violated', because: truth.because, part };
    if (truth.is === 'unclear') unclear ??= { is: 'unclear', because: truth.because };
  }
  return unclear;
}

function promisedChecks(promised: Oracle, { world }: Setting): [Broken['part'], Check][] {
  const at = { file: 'explore', line: 1, column: 1 };
  const standing = (wanted: 'yes' | 'no') => world.tiers.filter((tier) => promised.returned(tier) === wanted);
  const wanted = standing('yes').map(({ id }) => id);
  const unwanted = standing('no');
  const unmatching = unwanted.filter((tier) => promised.matching(tier) === 'no');
  const invalid = unwanted.filter((tier) => promised.matching(tier) !== 'no' && promised.valid(tier) === 'no');
  const beyond = unwanted.filter((tier) => promised.matching(tier) !== 'no' && promised.valid(tier) !== 'no');
  const common = { at, of: 'request' };
  const without = (part: Broken['part'], tiers: typeof unwanted): [Broken['part'], Check][] =>
    tiers.length === 0 ? [] : [[part, { ...common, claim: 'exclude', tiers: tiers.map(({ id }) => id) }]];
  return [
    ...(wanted.length === 0
      ? []
      : [['status', { ...common, claim: 'status', patterns: ['2xx'] }] as [Broken['part'], Check]]),
    ...without('beyond', beyond),
    ...without('unmatching', unmatching),
    ...without('invalid', invalid),
    ...(wanted.length === 0
      ? []
      : [['missing', { ...common, claim: 'include', tiers: wanted }] as [Broken['part'], Check]]),
  ];
}

/** The requirement that a finding speaks of, as far as the smallest request tells. */
function requirementOf({ part }: Broken, { filter, expand, items, orderMetadata }: Draw): string {
  const filtered = filter?.[0].includes('promotion_id') ? 'filter.promotion-id' : 'filter.tier-metadata';
  switch (part) {
    case 'beyond':
      return 'limit.newest-150';
    case 'invalid':
      return 'result.valid-only';
    case 'unmatching':
      return filtered;
    case 'missing':
      return filter === undefined ? 'result.all-valid' : filtered;
    case 'status':
      if (expand) return 'options.expand-category';
      if (items.some((item) => 'times' in item && item.times > 1)) return 'order.repeated-product';
      if (Object.keys(orderMetadata).length > 0) return 'order.metadata';
      return filter === undefined ? 'request.get-with-body' : filtered;
  }
}

/** A draw as a case, ready to be added to a file under cases/requirements/. */
function caseText(draw: Draw, verifies: string): string {
  const { query, body } = patchOf(draw);
  const expectation = { returned: { exactly: 'promised' } };
  const asked =
    query === undefined
      ? { request: { body }, expect: [expectation] }
      : {
          requests: { unfiltered: { body }, filtered: { like: 'unfiltered', query } },
          given: [{ of: 'unfiltered', returned: { include: 'greeting' } }],
          expect: [{ of: 'filtered', ...expectation }],
        };
  const title = 'Found by exploring';
  return stringify({ cases: [{ id: 'found-by-exploring', verifies, title, ...asked }] }, { lineWidth: 0 });
}
