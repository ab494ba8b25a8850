import type { Assertion } from '../assertions/assertion.js';
import { accept, arrive, exclude, include } from '../assertions/create-assertions.js';
import type { RequirementCase, RequirementRow } from '../cases/test-case.js';
import type { Contract, Topic } from '../contract/contract.js';
import { createOracle, listWindowTiers, type Obligation, type Oracle } from '../contract/oracle.js';
import { type Tier, type World, windowSize } from '../contract/world.js';
import { remember } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import type { Location } from '../support/problem.js';
import type { Candidate } from './draw-candidates.js';
import { listExercises } from './list-exercises.js';

/** Creates a case for each requirement. What it sends depends on the data file, and is drawn when it is first needed. */
export function createDataCases(
  { requirements }: Pick<Contract, 'requirements'>,
  drawRows: (requirement: string) => readonly RequirementRow[] = () => [],
): RequirementCase[] {
  return requirements.map(({ id, statement, at }) => ({
    kind: 'requirement',
    id: `data-${id}`,
    verifies: id,
    title: `On its own data: ${statement}`,
    at,
    tags: [],
    get rows() {
      return drawRows(id);
    },
  }));
}

/**
 * Creates the rows for drawn requests, by the id of the requirement. A requirement that they cannot show is not applicable,
 * and the reason is named.
 */
export function createDrawnRows(
  { requirements }: Contract,
  world: World,
  drawn: readonly Candidate[],
): ReadonlyMap<string, readonly RequirementRow[]> {
  const compared = compareRequests(world, drawn);
  const rowsOfAll = compared.flatMap((sent) => [
    ...(sent.candidate.filter === '' ? listPlainRows(sent, world) : listFilterRows(sent, world)),
    ...listVariationRows(sent, world),
  ]);
  const byTopic = groupBy(rowsOfAll, ([topic]) => topic);
  const arrivals = compared.flatMap(listArrivalRows);
  return new Map(
    requirements.map(({ id, about = 'body', at }) => {
      const place = (assertions: readonly Assertion[]) => assertions.map((assertion) => ({ ...assertion, at }));
      const shown = byTopic.get(about) ?? [];
      // That responses arrive does not show that the body decides.
      const rows = [...shown, ...(about === 'body' && shown.length > 0 ? arrivals : [])].map(([, row]) => row);
      const has = (kind: string) => rows.some(({ expect }) => expect.some((assertion) => assertion.kind === kind));
      // A rule, or the window, is shown only if a promotion is seen with it and without it.
      const isShown = !twoSided.includes(about) || (has('returned.include') && has('returned.exclude'));
      if (isShown && rows.length > 0)
        return [id, rows.map((row) => ({ ...row, given: place(row.given), expect: place(row.expect) }))];
      const unavailable = [describeLack(about, world)];
      return [id, [{ title: '', requests: new Map(), given: [], expect: [], unavailable }]];
    }),
  );
}

/** Topics that need a promotion that is returned because of them, and one that is not. */
const twoSided: readonly Topic[] = ['customer-rule', 'product-rule', 'sku-rule', 'quantity', 'metadata-rule', 'rank'];

function describeLack(topic: Topic, { tiers }: World): string {
  if (topic === 'rank' && tiers.length <= windowSize)
    return `a promotion tier that is older than the newest ${windowSize}: the data file has ${tiers.length} tiers`;
  if (!twoSided.includes(topic)) return 'a promotion that a request must get, and a request that shows this';
  return `a promotion that only the ${topic.replace('-', ' ')} decides about, a request that must get it, and one that must not`;
}

const at: Location = { file: '', line: 1, column: 1 };
/** The names of the requests of a row: the drawn one, and the one that proves that the deployment answers as expected. */
const [probe, control] = ['request', 'control'];

type TopicRow = readonly [topic: Topic, row: RequirementRow];

type Sent = ReturnType<typeof compareRequests>[number];

/** Finds what the documentation says about drawn requests for all data, and the requests that each is compared with. */
function compareRequests(world: World, drawn: readonly Candidate[]) {
  const simplest = world.tiers.slice(0, windowSize).toSorted((tier, next) => tier.rules.length - next.rules.length);
  const all = drawn.map((candidate, n) => {
    const oracle = createOracle(candidate.request, world);
    return {
      candidate,
      oracle,
      title: `${n + 1} ${candidate.name}`.trim(),
      /** The tiers among the newest that must be returned, those with the fewest rules first. */
      required: listIds(simplest, oracle.returned, 'required'),
      /** Whether it shows if the newest tiers are taken before filtering or after it. */
      showsWindow: listWindowTiers(oracle).length > 0,
    };
  });
  const withTiers = all.filter(({ required }) => required.length > 0);
  const orders = withTiers.filter(({ candidate }) => candidate.base === undefined);
  /** A request for which nothing must be returned. */
  const empty = all.find(({ oracle: { openReason, matched, returned } }) => {
    return openReason === undefined && matched.every((tier) => returned(tier) === 'forbidden');
  });
  return all.map((sent) => {
    /** The request that it varies, if a tier must be returned for that one. */
    const base = orders.find(({ candidate }) => candidate === sent.candidate.base);
    /** The base, or any request for which a tier must be returned. */
    const control = base ?? orders.find((order) => order !== sent);
    const { filteredOn } = sent.oracle;
    /** The first request with a filter of the same kind that shows the window. */
    const first = withTiers.find(({ oracle, showsWindow }) => oracle.filteredOn === filteredOn && showsWindow);
    return { ...sent, base, control, sameFilter: first === sent ? undefined : first, empty };
  });
}

function listIds(tiers: readonly Tier[], judge: Oracle['returned'], wanted: Obligation): string[] {
  return tiers.filter((tier) => judge(tier) === wanted).map(({ id }) => id);
}

/** A data file may have thousands. */
const listOlderIds = remember((tiers: readonly Tier[]) => tiers.slice(windowSize).map(({ id }) => id));

/** @param compared sent as `control` */
function createRow(
  { title, candidate }: Sent,
  compared: Pick<Sent, 'candidate'> | undefined,
  expect: readonly Assertion[],
  given: readonly Assertion[] = [],
): RequirementRow {
  const before = compared === undefined ? [] : [[control, compared.candidate.request] as const];
  return { title, requests: new Map([...before, [probe, candidate.request]]), given, expect, unavailable: [] };
}

/** Creates a row about tiers that must be returned or must not be: first, something must be returned at all. */
function createRowAboutTiers(
  topic: Topic,
  sent: Sent,
  required: readonly string[],
  absent: readonly string[],
  { given = [], expect = [] }: { readonly given?: readonly Assertion[]; readonly expect?: readonly Assertion[] } = {},
): TopicRow[] {
  const [of, { required: returned = [] } = {}] = sent.required.length > 0 ? [probe, sent] : [control, sent.control];
  const present = include(of, returned.slice(0, 1));
  const isControlled = required.length > 0 || present.length > 0;
  const expected = [...expect, ...include(probe, required), ...(isControlled ? exclude(probe, absent) : [])];
  const before = [...given, ...(required.length > 0 ? [] : present)];
  return expected.length === 0 ? [] : [[topic, createRow(sent, sent.control, expected, before)]];
}

function listArrivalRows(sent: Sent): TopicRow[] {
  return sent.oracle.accepted ? [['body', createRow(sent, undefined, [arrive(probe)])]] : [];
}

/** How many of the last tiers among the newest show the edge. */
const edgeSize = 10;
/** Topics of requests that are accepted only if the deployment knows what they contain. */
const acceptedContents: readonly Topic[] = ['repeated-item', 'sku-rule', 'metadata-rule'];

function listPlainRows(sent: Sent, { tiers }: World): TopicRow[] {
  const { oracle, required, candidate } = sent;
  const newest = tiers.slice(0, windowSize);
  const olderIds = listOlderIds(tiers);
  const edge = new Set(newest.slice(-edgeSize).map(({ id }) => id));
  const atEdge = olderIds.length === 0 ? [] : required.filter((id) => edge.has(id));
  const accepted = oracle.accepted && required.length > 0 ? [accept(probe)] : [];
  const exercises = groupBy(listExercises(newest, oracle, candidate.request), ({ topic }) => topic);
  return [
    ...createRowAboutTiers('completeness', sent, required, []),
    ...createRowAboutTiers('validity', sent, [], listIds(newest, oracle.valid, 'forbidden')),
    ...createRowAboutTiers('rank', sent, atEdge, olderIds),
    ...[...exercises].flatMap(([topic, shown]) => {
      const idsOf = (wanted: Obligation) =>
        shown.flatMap(({ tier, isAlone, expects }) => (isAlone && expects === wanted ? tier.id : []));
      const expect = acceptedContents.includes(topic) ? accepted : [];
      return createRowAboutTiers(topic, sent, idsOf('required'), idsOf('forbidden'), { expect });
    }),
  ];
}

/** Those that are older show nothing more of filters. */
const maxMatching = 2 * windowSize;

function listFilterRows(sent: Sent, { tiers }: World): TopicRow[] {
  const { oracle, required, candidate, showsWindow, sameFilter } = sent;
  const matching = oracle.matched.slice(0, maxMatching);
  const excluded = listIds(tiers.slice(0, maxMatching), oracle.matching, 'forbidden');
  const shared = required.filter((id) => sent.control?.required.includes(id));
  const expect = oracle.accepted && required.length > 0 ? [accept(probe)] : [];
  const rows = [
    ...createRowAboutTiers('validity', sent, [], listIds(matching, oracle.valid, 'forbidden')),
    ...createRowAboutTiers('rank', sent, [], listIds(matching, oracle.checked, 'forbidden')),
    ...(candidate.contents.filters ?? []).flatMap(({ subject }) =>
      createRowAboutTiers(`filter-by-${subject.on}`, sent, required, excluded, {
        given: include(control, shared),
        expect,
      }),
    ),
  ];
  if (sameFilter === undefined || !showsWindow) return rows;
  const windowAs = { kind: 'returned.window-as', of: probe, at, data: { compared: control } };
  return [
    ...rows,
    ['rank', createRow(sent, sameFilter, [windowAs], include(control, sameFilter.required.slice(0, 1)))],
  ];
}

/** What is added to a base, or changed in its text, and the topics of the requirements that say that it still counts. */
const harmless: Readonly<Record<string, readonly Topic[]>> = {
  'options.expand': ['expand'],
  'order metadata': ['order-metadata'],
  sent: ['body', 'content-type', 'credentials'],
};

function listVariationRows(sent: Sent, { tiers }: World): TopicRow[] {
  const { candidate, oracle, base, required, empty } = sent;
  const { name, contents } = candidate;
  const row = createRow(sent, undefined, [accept(probe)]);
  if (candidate.base === undefined && required.length > 0)
    return [
      ['content-type', row],
      ['credentials', row],
    ];
  if (base === undefined) return [];
  const kept = base.required.filter((id) => required.includes(id));
  const topics = kept.length === 0 ? [] : (harmless[contents.sent === undefined ? name : 'sent'] ?? []);
  const rows = topics.map((topic): TopicRow => {
    return [topic, createRow(sent, base, [accept(probe), ...include(probe, kept)], include(control, kept))];
  });
  const forbidden = new Set(listIds(tiers.slice(0, windowSize), oracle.returned, 'forbidden'));
  const gone = base.required.filter((id) => forbidden.has(id));
  if (gone.length > 0 && contents.filters === undefined)
    rows.push(['body', createRow(sent, base, [...include(control, gone), ...exclude(probe, gone)])]);
  if (!name.startsWith('audienceRulesOnly')) return rows;
  // An empty result may have any status.
  const data = empty === undefined ? { unless: 'empty' } : { unless: 'empty-like', compared: 'nothing-valid' };
  const probed = createRow(sent, base, [{ kind: 'accepted', of: probe, at, data }], [accept(control)]);
  const compared = empty === undefined ? [] : [['nothing-valid', empty.candidate.request] as const];
  return [...rows, ['audience-rules-only', { ...probed, requests: new Map([...probed.requests, ...compared]) }]];
}
