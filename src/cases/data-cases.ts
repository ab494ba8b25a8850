import type { AlternativeTiers, Assertion } from '../assertions/assertion.js';
import type { Contract, Topic } from '../contract/contract.js';
import { listExercises } from '../contract/find-topic.js';
import { getWindowSize, type NamedWorld, windowSize } from '../contract/named-world.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import type { Tier, World } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/group-by.js';
import type { Location } from '../support/problem.js';
import type { Candidate } from './draw-candidates.js';
import type { RequirementCase, RequirementRow } from './test-case.js';

/** The prefix of the ids of cases whose requests are drawn from a data file: one for each requirement. */
const dataPrefix = 'data-';

export function isDataCase({ id }: { readonly id: string }): boolean {
  return id.startsWith(dataPrefix);
}

/** Creates a case for each requirement, without rows: what they send depends on the data file. */
export function createDataCases({ requirements }: Pick<Contract, 'requirements'>): RequirementCase[] {
  return requirements.map(({ id, statement, at }) => {
    const title = `On its own data: ${statement}`;
    return { kind: 'requirement', id: `${dataPrefix}${id}`, verifies: id, title, at, tags: [], rows: [] };
  });
}

/**
 * Creates the rows for drawn requests, by the id of the requirement. A requirement that they cannot show is not applicable,
 * and the reason is named.
 */
export function createDrawnRows(
  { requirements }: Contract,
  world: NamedWorld,
  drawn: readonly Candidate[],
): ReadonlyMap<string, readonly RequirementRow[]> {
  const rows = createRows(world, drawn);
  return new Map(
    requirements.map(({ id, about = 'body', at }) => {
      const found = selectRows(about, rows.get(about) ?? []).map((row) => placeRow(row, at));
      const lack = () => ({
        title: '',
        requests: new Map(),
        given: [],
        expect: [],
        unavailable: [describeLack(about, world)],
      });
      return [id, found.length > 0 ? found : [lack()]];
    }),
  );
}

/** Topics that need a promotion that is returned because of them, and one that is not. */
const lacks: Readonly<Partial<Record<Topic, string>>> = {
  'customer-rule': 'a promotion for some customers only, and a customer who must not get it',
  'product-rule': 'a promotion that only a product decides about, and an order without that product',
  'sku-rule': 'a promotion that only a SKU decides about, and an order without that SKU',
  quantity: 'a promotion that only a quantity above 1 decides about',
  rank: `a promotion tier that is older than the newest ${windowSize} and valid for a request`,
  'metadata-rule': 'a promotion that only the metadata of the request decides about',
};

/** Rows of a rule, or of the window, prove something only if a promotion is seen with it and without it. */
function selectRows(topic: Topic, rows: readonly RowDraft[]): readonly RowDraft[] {
  const has = (kind: string) => rows.some(({ expect }) => expect.some((assertion) => assertion.kind === kind));
  const isShown = lacks[topic] === undefined || (has('returned.include') && has('returned.exclude'));
  return isShown ? rows : [];
}

function describeLack(topic: Topic, { tiers, customers, products, skus }: World): string {
  if (customers.length === 0) return 'a customer in its data file';
  if (products.length + skus.length === 0) return 'a product or a SKU in its data file';
  if (topic === 'rank' && tiers.length <= windowSize)
    return `a promotion tier that is older than the newest ${windowSize}: the data file has ${tiers.length} tiers`;
  if (topic === 'filter-by-campaign' || topic === 'filter-by-metadata')
    return 'a promotion that such a filter selects, and a request for which it is valid';
  return lacks[topic] ?? 'a promotion that a request must get, and a request that shows this';
}

/** Rows before it is known which statement they are about. */
type RowDraft = Omit<RequirementRow, 'unavailable'>;

function placeRow({ given, expect, ...row }: RowDraft, at: Location): RequirementRow {
  const place = (assertions: readonly Assertion[]) => assertions.map((assertion) => ({ ...assertion, at }));
  return { ...row, given: place(given), expect: place(expect), unavailable: [] };
}

const at: Location = { file: '', line: 1, column: 1 };
const assertTiers =
  (kind: string) =>
  (of: string, tiers: readonly string[]): Assertion[] =>
    tiers.length === 0 ? [] : [{ kind, of, at, data: { tiers } }];
const include = assertTiers('returned.include');
const exclude = assertTiers('returned.exclude');
const accept = (of: string): Assertion => ({ kind: 'status', of, at, data: { patterns: ['2xx'] } });

/** The names of the requests of a row: the drawn one, and the one that proves that the deployment answers as expected. */
const [probe, control] = ['request', 'control'];

/** A drawn request with what the documentation says about it for all data. */
interface Sent {
  readonly candidate: Candidate;
  readonly oracle: Oracle;
  readonly request: HttpRequest;
  readonly title: string;
  /** The tiers among the newest that must be returned, those with the fewest rules first. */
  readonly required: readonly string[];
  /** The tiers about which the readings of the documentation differ. */
  readonly differences: readonly AlternativeTiers[];
}

/** A drawn request with those that it is compared with. */
interface Compared extends Sent {
  /** The request that it varies, if a tier must be returned for that one. */
  readonly base: Sent | undefined;
  /** The base, or any request for which a tier must be returned. */
  readonly control: Sent | undefined;
  /** The first request with a filter of the same kind that shows whether the newest are taken before filtering. */
  readonly sameFilter: Sent | undefined;
}

/** What the rows of all requests have in common. */
interface RowFacts {
  readonly world: NamedWorld;
  readonly newest: readonly Tier[];
  readonly olderIds: readonly string[];
  /** A request for which nothing must be returned. */
  readonly empty: Sent | undefined;
}

type TopicRow = readonly [topic: Topic, row: RowDraft];

/** Creates the rows of each topic. A row has a drawn request, and another one as a control. */
function createRows(world: NamedWorld, drawn: readonly Candidate[]): ReadonlyMap<Topic, readonly RowDraft[]> {
  const newest = world.tiers.slice(0, getWindowSize(world));
  const simplest = newest.toSorted((tier, next) => tier.rules.length - next.rules.length);
  const sent = drawn.map((candidate, n): Sent => {
    const { request, variation } = candidate;
    const oracle = createOracle(request, world);
    const required = listIds(simplest, oracle.returned, 'required');
    const differences = listDifferences(oracle);
    return { candidate, oracle, request, title: `${n + 1} ${variation}`.trim(), required, differences };
  });
  const olderIds = world.tiers.slice(newest.length).map(({ id }) => id);
  const empty = sent.find(({ oracle: { openReason, matched, returned } }) => {
    return openReason === undefined && matched.every((tier) => returned(tier) === 'forbidden');
  });
  const rowFacts = { world, newest, olderIds, empty };
  const rows = compareRequests(sent).flatMap((compared) => [...listRows(compared, rowFacts)]);
  const byTopic = groupBy(rows, ([topic]) => topic);
  return new Map([...byTopic].map(([topic, found]) => [topic, found.map(([, row]) => row)]));
}

function compareRequests(all: readonly Sent[]): Compared[] {
  const byCandidate = new Map(all.map((sent) => [sent.candidate, sent]));
  const withTiers = all.filter(({ candidate, required }) => candidate.base === undefined && required.length > 0);
  const telling = all.filter(({ required, differences }) => required.length > 0 && differences.length > 0);
  return all.map((sent): Compared => {
    const base = sent.candidate.base && byCandidate.get(sent.candidate.base);
    const usedBase = base !== undefined && base.required.length > 0 ? base : undefined;
    const first = telling.find(({ oracle }) => oracle.filteredOn === sent.oracle.filteredOn);
    return {
      ...sent,
      base: usedBase,
      control: usedBase ?? withTiers.find((candidate) => candidate !== sent),
      sameFilter: first === sent ? undefined : first,
    };
  });
}

function listIds(tiers: readonly Tier[], judge: (tier: Tier) => Obligation, wanted: Obligation): string[] {
  return tiers.filter((tier) => judge(tier) === wanted).map(({ id }) => id);
}

function* listRows(sent: Compared, facts: RowFacts): Generator<TopicRow> {
  yield* sent.candidate.contents.filters === undefined ? listPlainRows(sent, facts) : listFilterRows(sent, facts);
  if (sent.base !== undefined) yield* listVariationRows(sent, sent.base, facts);
  else if (sent.candidate.base === undefined && sent.required.length > 0)
    for (const topic of ['content-type', 'credentials'] as const)
      yield [topic, createRow(sent, undefined, [accept(probe)])];
}

/** Creates a row. @param compared sent as `control` */
function createRow(
  sent: Sent,
  compared: Sent | undefined,
  expect: readonly Assertion[],
  given: readonly Assertion[] = [],
): RowDraft {
  const before = compared === undefined ? [] : [[control, compared.request] as const];
  return { title: sent.title, requests: new Map([...before, [probe, sent.request]]), given, expect };
}

/** Creates a row about tiers that must not be returned: first, something must be returned at all. */
function* createExclusion(
  topic: Topic,
  sent: Compared,
  absent: readonly string[],
  {
    required = [],
    given = [],
    expect = [],
  }: { required?: readonly string[]; given?: readonly Assertion[]; expect?: readonly Assertion[] } = {},
): Generator<TopicRow> {
  const present =
    sent.required.length > 0
      ? include(probe, sent.required.slice(0, 1))
      : include(control, sent.control?.required.slice(0, 1) ?? []);
  const isControlled = required.length > 0 || present.length > 0;
  const expected = [...expect, ...include(probe, required), ...(isControlled ? exclude(probe, absent) : [])];
  const before = [...given, ...(required.length > 0 ? [] : present)];
  if (expected.length > 0) yield [topic, createRow(sent, sent.control, expected, before)];
}

/** Topics of requests that are accepted only if the deployment knows what they contain. */
const acceptedContents: readonly Topic[] = ['repeated-item', 'sku-rule', 'metadata-rule'];

/** Lists the rows of a request without filter. */
function* listPlainRows(sent: Compared, { newest, olderIds }: RowFacts): Generator<TopicRow> {
  const { oracle, required, request } = sent;
  if (required.length > 0) yield ['completeness', createRow(sent, undefined, include(probe, required))];
  yield* createExclusion('validity', sent, listIds(newest, oracle.valid, 'forbidden'));
  const isAtEdge = new Set(newest.slice(-edgeSize).map(({ id }) => id));
  if (olderIds.length > 0)
    yield* createExclusion('rank', sent, olderIds, { required: required.filter((id) => isAtEdge.has(id)) });
  const accepted = oracle.accepted && required.length > 0 ? [accept(probe)] : [];
  const exercises = groupBy(listExercises(newest, oracle, request), ({ topic }) => topic);
  for (const [topic, shown] of exercises) {
    const idsOf = (wanted: Obligation) =>
      shown.flatMap(({ tier, isAlone, expects }) => (isAlone && expects === wanted ? tier.id : []));
    const expect = acceptedContents.includes(topic) ? accepted : [];
    yield* createExclusion(topic, sent, idsOf('forbidden'), { required: idsOf('required'), expect });
  }
}

/** Those that are older show nothing more. */
const maxMatching = 2 * windowSize;

/** Lists the rows of a request with filters. */
function* listFilterRows(sent: Compared, { world }: RowFacts): Generator<TopicRow> {
  const { oracle, required, candidate, differences, sameFilter } = sent;
  const matched = new Set(oracle.matched.map(({ id }) => id));
  const excluded = [...world.ids.tier.keys()].filter((id) => !matched.has(id));
  const matching = oracle.matched.slice(0, maxMatching);
  yield* createExclusion('validity', sent, listIds(matching, oracle.valid, 'forbidden'));
  yield* createExclusion('rank', sent, listIds(matching, oracle.checked, 'forbidden'));
  const given = include(
    control,
    required.filter((id) => sent.control?.required.includes(id)),
  );
  const expect = oracle.accepted && required.length > 0 ? [accept(probe)] : [];
  for (const { subject } of candidate.contents.filters ?? [])
    yield* createExclusion(`filter-by-${subject.on}`, sent, excluded, { required, given, expect });
  if (sameFilter !== undefined && differences.length > 0) {
    const data = { compared: control, alternatives: differences, ofOther: sameFilter.differences };
    const shown = include(control, sameFilter.required.slice(0, 1));
    yield ['rank', createRow(sent, sameFilter, [{ kind: 'returned.window-as', of: probe, at, data }], shown)];
  }
}

/** What is added to a base, and the topic of the requirement that it is accepted and removes nothing. */
const additions: Readonly<Record<string, Topic>> = { 'options.expand': 'expand', 'order metadata': 'order-metadata' };

/** Lists the rows about the difference between a request and its base. */
function* listVariationRows(sent: Compared, base: Sent, { newest, empty }: RowFacts): Generator<TopicRow> {
  const { variation, contents } = sent.candidate;
  const kept = base.required.filter((id) => sent.required.includes(id));
  const gone = listIds(newest, sent.oracle.returned, 'forbidden').filter((id) => base.required.includes(id));
  if (gone.length > 0 && contents.filters === undefined)
    yield ['body', createRow(sent, base, [...include(control, gone), ...exclude(probe, gone)])];
  const addition = additions[variation];
  const ofEncoding: Topic[] = ['body', 'content-type', 'credentials'];
  const same = contents.sent === undefined ? [addition ?? []].flat() : ofEncoding;
  if (kept.length > 0)
    for (const topic of same)
      yield [topic, createRow(sent, base, [accept(probe), ...include(probe, kept)], include(control, kept))];
  if (!variation.startsWith('audienceRulesOnly')) return;
  // An empty result may have any status.
  const data = empty === undefined ? { unless: 'empty' } : { unless: 'empty-like', compared: 'nothing-valid' };
  const row = createRow(sent, base, [{ kind: 'accepted', of: probe, at, data }], [accept(control)]);
  const requests = new Map([
    ...row.requests,
    ...(empty === undefined ? [] : [['nothing-valid', empty.request] as const]),
  ]);
  yield ['audience-rules-only', { ...row, requests }];
}

/** How many of the last tiers among the newest show the edge. */
const edgeSize = 10;

/** What the readings of the documentation require and forbid differently; empty if they agree. */
function listDifferences({ alternatives, matched }: Oracle): AlternativeTiers[] {
  const [first, ...others] = alternatives;
  const differing = matched.filter((tier) => others.some(({ returned }) => returned(tier) !== first?.returned(tier)));
  const found = alternatives.map(({ window, returned }) => ({
    window,
    required: listIds(differing, returned, 'required'),
    forbidden: listIds(differing, returned, 'forbidden'),
  }));
  return found.some(({ required, forbidden }) => required.length + forbidden.length > 0) ? found : [];
}
