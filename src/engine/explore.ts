import fc from 'fast-check';
import { stringify } from 'yaml';
import { listAlternativeTiers } from '../assertions/alternative-tiers.js';
import type { Assertion } from '../assertions/assertion.js';
import { judgeAssertion } from '../assertions/registry.js';
import { applyPatch, assembleRequest, documentedRequestDraft, type RequestPatch } from '../cases/request-draft.js';
import { type RequestForm, requestForms } from '../cases/request-forms.js';
import type { Suite } from '../cases/suite.js';
import { tag } from '../cases/test-case.js';
import type { Contract, ExplorationFinding } from '../contract/contract.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { explainLengthRequired } from '../http/response-status.js';
import { createRowEvidence, type TargetContext } from '../judge/judge-case.js';
import { InternalError } from '../support/internal-error.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import type { NamedWorld, ThingKind } from '../world/named-world.js';
import type { World } from '../world/world.js';
import { explorationId, type ShownResult } from './case-result.js';

/** How far exploring goes. Equal seeds send the same to equal worlds. */
export interface Exploration {
  readonly requests: number;
  readonly seed: number;
}

/** Exploring ends after so many requests that showed nothing: the target is not in a state to answer. */
const maxUnclear = 10;

/** Where a statement stands that no case file makes. */
const nowhere = { file: 'cases/contract.yaml', line: 1, column: 1 };

/** Changes to a request after which a part of its result is open. */
function openVariants({ ids }: NamedWorld): RequestPatch[] {
  const [product = ''] = ids.product.keys();
  const [sku = ''] = ids.sku.keys();
  const ordering = (...items: object[]): RequestPatch => ({ body: { order: { items } } });
  return [
    { query: { audienceRulesOnly: 'true' } },
    { without: ['body.customer'] },
    { without: ['body.order'] },
    { without: ['body.order.metadata'] },
    { without: ['body.options'] },
    { without: ['body.metadata'] },
    { raw: '{}' },
    ordering(),
    ordering({ product_id: `<product ${product}>` }),
    ordering({ product_id: `<product ${product}>`, quantity: 0 }),
    ordering({ sku_id: `<sku ${sku}>`, quantity: 1 }, { sku_id: `<sku ${sku}>`, quantity: 2 }),
  ];
}

/** A documented request in the words of the world. */
interface Draw extends Said {
  /** What is sent before it, or side by side with it: the same save for one member. */
  readonly twin: Said | undefined;
  readonly areTogether: boolean;
  readonly sent: RequestForm | undefined;
  /** What the documentation leaves open of the request, if anything: the rest still binds. */
  readonly open: RequestPatch | undefined;
  /** Whether what is open stands before the filters in the query. */
  readonly isOpenFirst: boolean;
}

/** What a request says. */
interface Said {
  readonly customer: string;
  readonly items: readonly (
    | { readonly product: string; readonly times: number; readonly differs: boolean }
    | { readonly sku: string }
  )[];
  readonly quantities: readonly number[];
  readonly orderMetadata: Readonly<Record<string, string[]>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expand: boolean;
  /** As a case file writes them: what each is on, and the value. */
  readonly filters: readonly (readonly [subject: string, value: string])[];
}

/** Members in which twins differ. */
const members = ['customer', 'items', 'quantities', 'orderMetadata', 'metadata', 'expand', 'filters'] as const;

/**
 * Goes beyond the written cases: draws documented requests over the world, holds the answers against what the
 * documentation says of them, and shrinks a failure to the smallest request that shows it.
 *
 * @param suite with the whole world: settings for a part of it have no exploration
 * @returns a result whose subject is the requirement that was found broken; `explore` where none was
 */
export async function explore(
  suite: Suite,
  channel: Channel,
  background: TargetContext,
  { requests, seed }: Exploration,
): Promise<ShownResult> {
  const startedMs = getMonotonicMs();
  const blank = {
    id: explorationId,
    rows: [],
    drift: [],
    at: nowhere,
  };
  let sent = 0;
  let requestsSent = 0;
  let unclear: { count: number; reason: string } = { count: 0, reason: '' };
  const budget = requests * 2;
  let found: { draw: Draw; broken: Broken; exchange: Exchange } | undefined;
  /** What others are compared with, by name: see {@link Names}. */
  const references: References = new Map();

  const send = async (request: HttpRequest): Promise<Exchange> => {
    sent += 1;
    const exchange = await channel.send(request);
    requestsSent += exchange.attempts ?? 1;
    return exchange;
  };
  const sendAndJudge = async (draw: Draw) => {
    const request = requestOf(draw, suite.world);
    const { twin } = draw;
    const before = twin === undefined ? [] : [send(requestOf({ ...draw, ...twin }, suite.world))];
    if (!draw.areTogether) await Promise.all(before);
    const [exchange] = await Promise.all([send(request), ...before]);
    return { request, exchange, judged: judge(request, exchange, references, background) };
  };
  const nothingValid = requestForNothing(suite.world);

  const property = fc.asyncProperty(draws(suite.world), async (draw) => {
    // Shrinking has a budget of its own; past it, what was found so far is small enough.
    if (sent >= (found === undefined ? requests : budget) || unclear.count >= maxUnclear) return;
    if (nothingValid !== undefined && !references.has('nothing-valid'))
      references.set('nothing-valid', { request: nothingValid, exchange: await send(nothingValid) });
    const { request, exchange, judged } = await sendAndJudge(draw);
    const kind = tellingName(request, background.world);
    if (judged === undefined && kind !== undefined && !references.has(kind))
      references.set(kind, { request, exchange });
    if (judged?.is === 'unclear') unclear = { count: unclear.count + 1, reason: judged.because };
    if (judged?.is !== 'violated') return;
    // As with a case: what is refuted only once proves nothing.
    channel.reconnect();
    for (const [name, reference] of references)
      references.set(name, { ...reference, exchange: await send(reference.request) });
    const again = (await sendAndJudge(draw)).judged;
    if (again?.is !== 'violated' || again.part !== judged.part) {
      const reason = `Unstable: refuted once, and not alike when it was sent again. ${judged.because}`;
      unclear = { count: unclear.count + 1, reason };
      return;
    }
    found = { draw, broken: judged, exchange };
    throw new Error(judged.because);
  });
  const { failed, errorInstance } = await fc.check(property, { numRuns: requests, seed });

  const origin = `Drawn with --explore ${requests} --seed ${seed}.`;
  const result = (): ShownResult => {
    const durationMs = getMonotonicMs() - startedMs;
    const common = { ...blank, durationMs, subject: explorationId, exchangesJudged: sent, requestsSent };
    if (found !== undefined) {
      const { draw, broken, exchange } = found;
      const subject = requirementOf(broken, draw, suite.contract);
      const at = suite.contract.requirements.find(({ id }) => id === subject)?.at ?? common.at;
      const reason = `${broken.because} ${origin}`;
      return {
        ...common,
        subject,
        verdict: 'fail',
        reason,
        at,
        exchange: exchange,
        asCase: caseText(draw, broken, subject, references),
      };
    }
    if (failed)
      return {
        ...common,
        verdict: 'error',
        reason: `Exploring broke off. ${new InternalError(errorInstance).message} ${origin}`,
      };
    if (unclear.count > 0) {
      const reason = `${unclear.count} of ${sent} random requests showed nothing. ${unclear.reason} ${origin}`;
      return { ...common, verdict: 'inconclusive', reason };
    }
    return { ...common, verdict: 'pass', reason: `${sent} random requests were answered as documented. ${origin}` };
  };
  return result();
}

/** Documented requests of whose result the documentation says something. */
function draws(world: NamedWorld): fc.Arbitrary<Draw> {
  const kindsOfSending = Object.keys(requestForms) as RequestForm[];
  const said = saidIn(world);
  return fc
    .record({
      said,
      other: said,
      // Mostly a request by itself, which is what a failure is shrunk to.
      differingIn: fc.oneof(
        { weight: 1, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...members) },
      ),
      areTogether: fc.boolean(),
      sent: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...kindsOfSending) },
      ),
      open: fc.oneof(
        { weight: 2, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...openVariants(world)) },
      ),
      isOpenFirst: fc.boolean(),
    })
    .map(({ said, other, differingIn, ...rest }) => ({
      ...said,
      ...rest,
      twin: differingIn === undefined ? undefined : twinOf(said, other, differingIn),
    }));
}

/** What another request says that differs from one in a single member, there in as little as can be. */
function twinOf(said: Said, other: Said, member: (typeof members)[number]): Said {
  const [first, ...rest] = said.items;
  const keys = Object.keys(said.metadata);
  if (member === 'items' && first !== undefined) {
    const like = other.items.find((item) => 'sku' in item === 'sku' in first);
    return { ...said, items: [like ?? first, ...rest] };
  }
  if (member === 'metadata' && keys.length > 0) {
    const values = Object.values(other.metadata);
    return { ...said, metadata: Object.fromEntries(keys.map((key, n) => [key, values[n] ?? 'another value'])) };
  }
  return { ...said, [member]: other[member] };
}

/** What requests say: what is open is not drawn. */
function saidIn(world: NamedWorld): fc.Arbitrary<Said> {
  const { ids, skus, tiers } = world;
  const names = (kind: ThingKind) => [...ids[kind].keys()];
  const skusOf = new Map(skus.map(({ id, product_id }) => [id, product_id]));
  const rules = tiers.flatMap((tier) => tier.rules);
  const thresholds = rules.flatMap((rule) =>
    'at_least' in rule ? [rule.at_least - 1, rule.at_least, rule.at_least + 1, rule.at_least * 2] : [],
  );
  const quantity = fc.constantFrom(...new Set([1, ...thresholds.filter((each) => each > 0)]));
  const metadataEntries = rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
  // Values that are nearly right, too: those of other keys, and longer and shorter ones.
  const keys = [...new Set(metadataEntries.map(([key]) => key))];
  const values = [...new Set(metadataEntries.flatMap(([, value]) => [value, `${value} West`, value.slice(0, -1)]))];
  const payments = rules.flatMap((rule) =>
    rule.kind === 'order_metadata' ? [[rule.key, rule.includes] as const] : [],
  );
  const entries = tiers.flatMap(({ metadata }) =>
    Object.entries(metadata).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
  );
  const campaigns = names('campaign').map((name) => ['campaign', name] as const);
  const metadataFilters = [
    ...entries,
    // A value that no tier has, once for each key.
    ...new Map(entries.map(([key]) => [key, [key, 'no tier has this'] as const])).values(),
  ].map(([key, value]) => [`metadata.${key}`, value] as const);
  const metadataValues = [...new Map(metadataFilters.map((filter) => [filter.join(' '), filter])).values()];
  const campaign = fc.constantFrom(...campaigns);
  // Those that many tiers have, more often: most may be said of what they find.
  const frequent = entries.map(([key, value]) => [`metadata.${key}`, value] as const);
  const entry = fc.oneof(fc.constantFrom(...metadataValues), fc.constantFrom(...frequent));
  const product = fc.record({
    product: fc.constantFrom(...names('product')),
    times: fc.constantFrom(1, 1, 1, 2, 5),
    differs: fc.constantFrom(false, false, true),
  });
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
      metadata: fc
        .array(
          fc.oneof(
            fc.constantFrom(...metadataEntries),
            fc.tuple(fc.constantFrom(...keys, 'another_key'), fc.constantFrom(...values)),
          ),
          { maxLength: 3 },
        )
        .map((entries) => Object.fromEntries(entries)),
      expand: fc.boolean(),
      // Seldom two of them: what they mean together is mostly open.
      filters: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.tuple(campaign) },
        { weight: 3, arbitrary: fc.tuple(entry) },
        { weight: 1, arbitrary: fc.tuple(campaign, entry) },
        { weight: 1, arbitrary: fc.tuple(entry, campaign) },
      ),
    })
    .map((draw) => {
      // What a product beside its own SKU means is open.
      const products = new Set(draw.items.flatMap((item) => ('product' in item ? item.product : [])));
      return { ...draw, items: draw.items.filter((item) => 'product' in item || !products.has(owner(item.sku) ?? '')) };
    })
    .filter(({ items }) => items.length > 0);
}

/** The body and the query of a draw, as a case file writes them. */
function patchOf({ customer, items, quantities, orderMetadata, metadata, expand, filters }: Said): RequestPatch {
  const lines = items.flatMap((item, n): object[] => {
    const quantity = quantities[n] ?? 1;
    if ('sku' in item) return [{ sku_id: `<sku ${item.sku}>`, quantity }];
    return Array.from({ length: item.times }, (_, more) => ({
      product_id: `<product ${item.product}>`,
      quantity: item.differs ? quantity + more : quantity,
    }));
  });
  return {
    ...(filters.length === 0 ? {} : { filter: Object.fromEntries(filters) }),
    body: {
      customer: { id: `<customer ${customer}>` },
      order: { items: lines, metadata: orderMetadata },
      options: expand ? { expand: ['category'] } : {},
      metadata,
    },
  };
}

/** The patches that make a draw, in the order in which they are applied. */
function patchesOf({ open, isOpenFirst, sent, ...said }: Draw): RequestPatch[] {
  const { filter, ...body } = patchOf(said);
  const filtered = filter === undefined ? [] : [{ filter }];
  const opened = open === undefined ? [] : [open];
  return [
    body,
    ...(isOpenFirst ? [...opened, ...filtered] : [...filtered, ...opened]),
    ...(sent === undefined ? [] : [{ sent }]),
  ];
}

function requestOf(draw: Draw, world: NamedWorld): HttpRequest {
  return withIds(patchesOf(draw), world);
}

function withIds(patches: readonly RequestPatch[], { ids }: NamedWorld): HttpRequest {
  return assembleRequest(
    patches.reduce(applyPatch, documentedRequestDraft),
    (kind, name) => ids[kind as ThingKind].get(name) ?? name,
  );
}

/** Requests that others are compared with, with what they were last answered. */
type References = Map<Names, { readonly request: HttpRequest; readonly exchange: Exchange }>;

/** One for which nothing is valid, and one for each kind of filter that tells where its window is. */
type Names = 'nothing-valid' | 'telling-campaign' | 'telling-metadata';

/** A request for a campaign that has no tiers, which shows how an empty result is answered. */
function requestForNothing(world: NamedWorld): HttpRequest | undefined {
  const [customer = ''] = world.ids.customer.keys();
  const [product = ''] = world.ids.product.keys();
  const campaign = [...world.ids.campaign].find(([, id]) => world.tiers.every((tier) => tier.campaign_id !== id))?.[0];
  if (campaign === undefined) return undefined;
  const items = [{ product_id: `<product ${product}>`, quantity: 1 }];
  const body = {
    customer: { id: `<customer ${customer}>` },
    order: { items, metadata: {} },
    options: {},
    metadata: {},
  };
  return withIds([{ body, filter: { campaign } }], world);
}

/** The name of a request that tells where the window of its filter is. */
function tellingName(request: HttpRequest, world: World): Names | undefined {
  const oracle = createOracle(request, world);
  const differs = listAlternativeTiers(oracle, world).some(
    ({ required, forbidden }) => required.length + forbidden.length > 0,
  );
  return differs && oracle.filteredOn !== undefined ? `telling-${oracle.filteredOn}` : undefined;
}

/** A statement that an exchange refutes. */
interface Broken {
  readonly is: 'violated';
  readonly because: string;
  readonly part: 'status' | 'window' | 'older' | 'unmatching' | 'invalid' | 'not-returned';
}

/** Holds an answer against everything that the documentation says of its request. */
function judge(
  request: HttpRequest,
  exchange: Exchange,
  references: References,
  background: TargetContext,
): Broken | { is: 'unclear'; because: string } | undefined {
  const oracle = createOracle(request, background.world);
  if (oracle.openReason !== undefined && background.world.tiers.every((tier) => oracle.returned(tier) === 'open'))
    throw new Error(`A request was drawn of which the documentation says nothing: ${oracle.openReason}.`);
  const others = [...references].map(([name, reference]) => [name, reference.exchange] as const);
  const [evidence] = createRowEvidence([new Map<string, Exchange>([[drawn, exchange], ...others])], background);
  if (evidence === undefined) throw new Error('An exchange leads to its evidence.');
  const refuses = explainLengthRequired(exchange) !== undefined;
  let unclear: { is: 'unclear'; because: string } | undefined;
  for (const [part, assertion] of refuses ? [] : assertionsFor(request, oracle, references, background)) {
    const truth = judgeAssertion(assertion, evidence, 'requirement');
    if (truth.is === 'violated') return { is: 'violated', because: truth.explain(), part };
    // A request that may have an empty result may be answered as one that has.
    if (truth.is === 'unclear' && assertion.kind !== 'accepted')
      unclear ??= { is: 'unclear', because: truth.explain() };
  }
  return unclear;
}

/** The name of the request that is judged. */
const drawn = 'request';

/** All that the documentation says of a request, as assertions, each with the part of it that would be broken. */
function assertionsFor(
  request: HttpRequest,
  oracle: Oracle,
  references: References,
  { world }: TargetContext,
): [Broken['part'], Assertion][] {
  const tiersThat = (obligation: Obligation) => world.tiers.filter((tier) => oracle.returned(tier) === obligation);
  const idsOf = (tiers: readonly { readonly id: string }[]) => tiers.map(({ id }) => id);
  const required = idsOf(tiersThat('required'));
  const forbidden = tiersThat('forbidden');
  const unmatching = forbidden.filter((tier) => oracle.matching(tier) === 'forbidden');
  const matching = forbidden.filter((tier) => oracle.matching(tier) !== 'forbidden');
  const invalid = matching.filter((tier) => oracle.valid(tier) === 'forbidden');
  const older = matching.filter((tier) => oracle.valid(tier) !== 'forbidden');
  const about = (kind: string, data: object): Assertion => ({ kind, of: drawn, at: nowhere, data });
  const excluding = (part: Broken['part'], tiers: readonly string[]): [Broken['part'], Assertion][] =>
    tiers.length === 0 ? [] : [[part, about('returned.exclude', { tiers })]];
  const whereRequired = (part: Broken['part'], kind: string, data: object): [Broken['part'], Assertion][] =>
    required.length === 0 ? [] : [[part, about(kind, data)]];
  const isOpen = oracle.openReason !== undefined;
  const like = { unless: 'empty-like', other: 'nothing-valid' };
  const name = tellingName(request, world);
  const telling = name === undefined ? undefined : references.get(name);
  const ofTelling = telling === undefined ? oracle : createOracle(telling.request, world);
  const windows = {
    other: telling === undefined ? drawn : name,
    alternatives: listAlternativeTiers(oracle, world),
    ofOther: listAlternativeTiers(ofTelling, world),
  };
  return [
    ...(oracle.accepted ? whereRequired('status', 'status', { patterns: ['2xx'] }) : []),
    ...(oracle.accepted && isOpen && references.has('nothing-valid')
      ? [['status', about('accepted', like)] satisfies [Broken['part'], Assertion]]
      : []),
    ...(name === undefined
      ? []
      : [['window', about('returned.window-as', windows)] satisfies [Broken['part'], Assertion]]),
    ...excluding('older', idsOf(older)),
    ...excluding('unmatching', idsOf(unmatching)),
    ...excluding('invalid', idsOf(invalid)),
    ...whereRequired('not-returned', 'returned.include', { tiers: required }),
  ];
}

/** The requirement that a finding speaks of, as far as the smallest request tells. */
function requirementOf({ part }: Broken, draw: Draw, { requirements }: Contract): string {
  const finding = findingOf(part, draw);
  return requirements.find(({ findings }) => findings.includes(finding))?.id ?? explorationId;
}

function findingOf(part: Broken['part'], { filters, open, expand, items, orderMetadata }: Draw): ExplorationFinding {
  const filterFinding = filters[0]?.[0] === 'campaign' ? 'campaign-filter-wrong' : 'metadata-filter-wrong';
  switch (part) {
    case 'window':
    case 'older':
      return 'older-returned';
    case 'invalid':
      // Where a part is open, only reservations speak against a tier.
      return open === undefined ? 'invalid-returned' : 'reserved-returned';
    case 'unmatching':
      return filterFinding;
    case 'not-returned':
      return filters.length === 0 ? 'valid-not-returned' : filterFinding;
    case 'status':
      if (open !== undefined) return 'audience-rules-only-refused';
      if (expand) return 'expand-refused';
      if (items.some((item) => 'times' in item && item.times > 1)) return 'repeated-product-refused';
      if (Object.keys(orderMetadata).length > 0) return 'order-metadata-refused';
      return filters.length === 0 ? 'request-refused' : filterFinding;
  }
}

/** A draw as a case, ready to be added to a file under cases/requirements/. */
function caseText(draw: Draw, { part }: Broken, verifies: string, references: References): string {
  const { filter: _, ...plain } = patchOf(draw);
  const [, ...patches] = patchesOf(draw);
  const changes = Object.assign({}, ...patches);
  const control = { of: 'plain', returned: { include: 'greeting' } };
  const title = 'Found by exploring';
  const entry = (sending: object) =>
    stringify(
      { cases: [{ id: 'found-by-exploring', verifies, title, ...sending }] },
      { lineWidth: 0, aliasDuplicateObjects: false },
    );
  const expectation =
    draw.open === undefined ? { include: 'required', exclude: 'forbidden' } : { exclude: 'forbidden' };
  if (patches.length === 0 && draw.twin === undefined)
    return entry({ request: plain, expect: [{ returned: expectation }] });
  const twin = draw.twin === undefined ? {} : { twin: patchOf(draw.twin) };
  const name: Names | undefined =
    part === 'window' ? `telling-${draw.filters[0]?.[0] === 'campaign' ? 'campaign' : 'metadata'}` : undefined;
  const telling = name === undefined ? undefined : references.get(name);
  const requests = {
    plain,
    ...twin,
    ...(telling === undefined
      ? {}
      : { telling: { raw: telling.request.body, query: telling.request.path.split('?')[1] } }),
    probe: { like: 'plain', ...changes },
  };
  const statement = { of: 'probe', returned: telling === undefined ? expectation : { 'window-as': 'telling' } };
  // What one request leaves over for the next shows where nothing comes between.
  const tags = draw.twin === undefined ? {} : { tags: [tag.serial] };
  return entry({ ...tags, requests, given: [control], expect: [statement] });
}
