import type { Assertion } from '../assertions/assertion.js';
import {
  createAcceptedAssertion,
  createAnsweredAssertion,
  createExcludeAssertions,
  createIncludeAssertions,
} from '../assertions/create-assertions.js';
import type { RequirementRow } from '../cases/test-case.js';
import type { RequirementTopic } from '../contract/contract.js';
import { createOracle, listWindowDependentTiers, type Obligation, type Oracle } from '../contract/oracle.js';
import { type Tier, type World, windowSize } from '../contract/world.js';
import { cacheByObject } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import type { Location } from '../support/problem.js';
import { type CandidateRequest, describeVariation } from './candidate-request.js';
import { listTestedTierDecisions } from './list-tested-tier-decisions.js';
import type { RequestVariationKind } from './request-variations.js';

/** No file states these assertions. Whoever makes cases of the rows says where their requirement is. */
const at: Location = { file: '', line: 1, column: 1 };
/** The names of the requests of a row: the drawn one, and the one that proves that the deployment answers as expected. */
const [probe, control] = ['request', 'control'];

/** A row, and the topic of the requirements that it is about. */
type TopicRow = readonly [topic: RequirementTopic, row: RequirementRow];

interface TopicRows {
  readonly byTopic: ReadonlyMap<RequirementTopic, readonly RequirementRow[]>;
  /** Rows about documented requests, which expect a whole response and nothing else. */
  readonly arrivals: readonly RequirementRow[];
}

/** Creates rows for drawn requests: what the documentation says of their responses, and what must be seen before that. */
export function createRowsByTopic(world: World, drawn: readonly CandidateRequest[]): TopicRows {
  const compared = compareRequests(world, drawn);
  const rows = compared.flatMap((sent) => [...listResultRows(sent, world), ...listVariationRows(sent, world)]);
  const groups = [...groupBy(rows, ([topic]) => topic)];
  const accepted = compared.filter(({ oracle }) => oracle.accepted);
  return {
    byTopic: new Map(groups.map(([topic, ofTopic]) => [topic, ofTopic.map(([, row]) => row)])),
    arrivals: accepted.map((sent) => createRow(sent, undefined, [createAnsweredAssertion(probe)])),
  };
}

/** A drawn request and what the documentation says of it, for all data. */
interface SentRequest {
  readonly candidate: CandidateRequest;
  readonly oracle: Oracle;
  readonly title: string;
  /** The tiers among the newest that must be returned, those with the fewest rules first. */
  readonly required: readonly string[];
  /** Whether it shows if the newest tiers are taken before filtering or after it. */
  readonly showsWindow: boolean;
}

/** The requests that a request is compared with. */
interface ComparedRequest extends SentRequest {
  /** The request that it varies, if a tier must be returned for that one. */
  readonly base: SentRequest | undefined;
  /** The base, or any other order for which a tier must be returned. */
  readonly control: SentRequest | undefined;
  /** The first other request with a filter of the same kind that shows the window. */
  readonly sameFilter: SentRequest | undefined;
  /** A request for which nothing must be returned. */
  readonly empty: SentRequest | undefined;
}

/** Finds what the documentation says about drawn requests, and the requests that each is compared with. */
function compareRequests(world: World, drawn: readonly CandidateRequest[]): ComparedRequest[] {
  const simplest = world.tiers.slice(0, windowSize).toSorted((tier, next) => tier.rules.length - next.rules.length);
  const all = drawn.map((candidate, n): SentRequest => {
    const oracle = createOracle(candidate.request, world);
    return {
      candidate,
      oracle,
      title: `${n + 1} ${describeVariation(candidate)}`.trim(),
      required: listIds(simplest, oracle.returned, 'required'),
      showsWindow: listWindowDependentTiers(oracle).length > 0,
    };
  });
  const withTiers = all.filter(({ required }) => required.length > 0);
  const orders = withTiers.filter(({ candidate }) => candidate.base === undefined);
  const empty = all.find(({ oracle }) => isEmpty(oracle));
  return all.map((sent) => {
    const base = orders.find(({ candidate }) => candidate === sent.candidate.base);
    const anyOrder = base ?? orders.find((order) => order !== sent);
    const { filteredOn } = sent.oracle;
    const first = withTiers.find(({ oracle, showsWindow }) => oracle.filteredOn === filteredOn && showsWindow);
    return { ...sent, base, control: anyOrder, sameFilter: first === sent ? undefined : first, empty };
  });
}

/** Whether the documentation says that nothing is returned. */
function isEmpty({ openReason, matched, returned }: Oracle): boolean {
  return openReason === undefined && matched.every((tier) => returned(tier) === 'forbidden');
}

function listIds(tiers: readonly Tier[], judge: Oracle['returned'], wanted: Obligation): string[] {
  return tiers.filter((tier) => judge(tier) === wanted).map(({ id }) => id);
}

/** A data file may have thousands of older tiers, so that the list is made once. */
const listOlderIds = cacheByObject((tiers: readonly Tier[]) => tiers.slice(windowSize).map(({ id }) => id));

/** @param compared sent as `control` */
function createRow(
  { title, candidate }: SentRequest,
  compared: SentRequest | undefined,
  expect: readonly Assertion[],
  given: readonly Assertion[] = [],
): RequirementRow {
  const before = compared === undefined ? [] : [[control, compared.candidate.request] as const];
  return { title, requests: new Map([...before, [probe, candidate.request]]), given, expect, unavailable: [] };
}

interface TierExpectations {
  /** Tiers that must be returned, and tiers that must not be. */
  readonly required?: readonly string[];
  readonly absent?: readonly string[];
  /** What else must hold, before anything can be concluded and in the response itself. */
  readonly given?: readonly Assertion[];
  readonly expect?: readonly Assertion[];
}

/** Creates a row about tiers, or none if nothing is expected. Before a tier can be missing, some tier must be returned. */
function createRowAboutTiers(
  topic: RequirementTopic,
  sent: ComparedRequest,
  { required = [], absent = [], given = [], expect = [] }: TierExpectations,
): TopicRow[] {
  const present = includeSimplest(sent);
  const isControlled = required.length > 0 || present.length > 0;
  const expected = [
    ...expect,
    ...createIncludeAssertions(probe, required),
    ...(isControlled ? createExcludeAssertions(probe, absent) : []),
  ];
  const before = [...given, ...(required.length > 0 ? [] : present)];
  return expected.length === 0 ? [] : [[topic, createRow(sent, sent.control, expected, before)]];
}

/** Expects the tier with the fewest rules that the request must get; if there is none, that of its control. */
function includeSimplest(sent: ComparedRequest): Assertion[] {
  if (sent.required.length > 0) return createIncludeAssertions(probe, sent.required.slice(0, 1));
  return createIncludeAssertions(control, sent.control?.required.slice(0, 1) ?? []);
}

/** How many of the last tiers among the newest show the edge. */
const edgeSize = 10;
/** Topics of requests that are accepted only if the deployment knows what they contain. */
const acceptedContents: readonly RequirementTopic[] = ['repeated-item', 'sku-rule', 'metadata-rule'];

/** Requests that a server may refuse for their size. They belong to no other requirement than those that say what is accepted. */
const largeChanges: readonly (RequestVariationKind | undefined)[] = ['large-body', 'many-items', 'long-texts'];

function listResultRows(sent: ComparedRequest, world: World): TopicRow[] {
  const { filtering, change } = sent.candidate;
  if (largeChanges.includes(change?.kind)) return [];
  return filtering === undefined ? listPlainRows(sent, world) : listFilterRows(sent, world);
}

function listPlainRows(sent: ComparedRequest, { tiers }: World): TopicRow[] {
  const { oracle, required, candidate } = sent;
  const newest = tiers.slice(0, windowSize);
  const olderIds = listOlderIds(tiers);
  const edge = new Set(newest.slice(-edgeSize).map(({ id }) => id));
  const atEdge = olderIds.length === 0 ? [] : required.filter((id) => edge.has(id));
  const accepted = oracle.accepted && required.length > 0 ? [createAcceptedAssertion(probe)] : [];
  const exercises = groupBy(listTestedTierDecisions(newest, oracle, candidate.request), ({ topic }) => topic);
  return [
    ...createRowAboutTiers('completeness', sent, { required }),
    ...createRowAboutTiers('validity', sent, { absent: listIds(newest, oracle.valid, 'forbidden') }),
    ...createRowAboutTiers('rank', sent, { required: atEdge, absent: olderIds }),
    ...[...exercises].flatMap(([topic, shown]) => {
      const idsOf = (wanted: Obligation) =>
        shown.flatMap(({ tier, isAlone, expects }) => (isAlone && expects === wanted ? tier.id : []));
      const expect = acceptedContents.includes(topic) ? accepted : [];
      return createRowAboutTiers(topic, sent, { required: idsOf('required'), absent: idsOf('forbidden'), expect });
    }),
  ];
}

/** How many of the newest tiers are looked at: older ones show nothing more of filters. */
const maxMatching = 2 * windowSize;

function listFilterRows(sent: ComparedRequest, { tiers }: World): TopicRow[] {
  const { oracle, required, candidate, showsWindow, sameFilter } = sent;
  const matching = oracle.matched.slice(0, maxMatching);
  const excluded = listIds(tiers.slice(0, maxMatching), oracle.matching, 'forbidden');
  const shared = required.filter((id) => sent.control?.required.includes(id));
  const expect = oracle.accepted && required.length > 0 ? [createAcceptedAssertion(probe)] : [];
  const rows = [
    ...createRowAboutTiers('validity', sent, { absent: listIds(matching, oracle.valid, 'forbidden') }),
    ...createRowAboutTiers('rank', sent, { absent: listIds(matching, oracle.checked, 'forbidden') }),
    ...(candidate.parts.filters ?? []).flatMap(({ subject }) =>
      createRowAboutTiers(`filter-by-${subject.on}`, sent, {
        required,
        absent: excluded,
        given: createIncludeAssertions(control, shared),
        expect,
      }),
    ),
  ];
  if (sameFilter === undefined || !showsWindow) return rows;
  const windowAs = { kind: 'returned.window-as', of: probe, at, data: { compared: control } };
  return [
    ...rows,
    [
      'rank',
      createRow(sent, sameFilter, [windowAs], createIncludeAssertions(control, sameFilter.required.slice(0, 1))),
    ],
  ];
}

/** Changes that change no result, and the topics of the requirements that say so. */
const harmlessChanges: Partial<Record<RequestVariationKind, readonly RequirementTopic[]>> = {
  'expand-added': ['expand'],
  'order-metadata-added': ['order-metadata'],
  'many-items': ['body'],
  'large-body': ['body'],
  'long-texts': ['metadata-rule'],
};

/** Topics of the requirements that say that an encoding changes no result, with filters and without. */
const encodingTopics: readonly RequirementTopic[] = ['body', 'content-type', 'credentials'];

function listHarmlessTopics({ change, filtering }: CandidateRequest): readonly RequirementTopic[] {
  if (change?.kind === 'encoding') return encodingTopics;
  return change === undefined || filtering !== undefined ? [] : (harmlessChanges[change.kind] ?? []);
}

/** Lists rows about an order that is accepted, or about what a request and the order that it varies have in common. */
function listVariationRows(sent: ComparedRequest, { tiers }: World): TopicRow[] {
  const { candidate, base, required } = sent;
  if (candidate.base === undefined && required.length > 0) {
    const accepted = createRow(sent, undefined, [createAcceptedAssertion(probe)]);
    return [
      ['content-type', accepted],
      ['credentials', accepted],
    ];
  }
  if (base === undefined) return [];
  return [
    ...listKeptRows(sent, base),
    ...(candidate.filtering === undefined ? listGoneRows(sent, base, tiers.slice(0, windowSize)) : []),
    ...(candidate.filtering === undefined && candidate.parts.audienceRulesOnly !== undefined
      ? [createAudienceRow(sent, base)]
      : []),
  ];
}

/** A harmless change keeps the tiers that the order gets. */
function listKeptRows(sent: ComparedRequest, base: SentRequest): TopicRow[] {
  const kept = base.required.filter((id) => sent.required.includes(id));
  if (kept.length === 0) return [];
  // A server may require the length of a body.
  const accepted = sent.oracle.accepted ? [createAcceptedAssertion(probe)] : [];
  const expect = [...accepted, ...createIncludeAssertions(probe, kept)];
  return listHarmlessTopics(sent.candidate).map((topic) => [
    topic,
    createRow(sent, base, expect, createIncludeAssertions(control, kept)),
  ]);
}

/** A change of the body that takes tiers away shows that the body decides. */
function listGoneRows(sent: ComparedRequest, base: SentRequest, newest: readonly Tier[]): TopicRow[] {
  const forbidden = new Set(listIds(newest, sent.oracle.returned, 'forbidden'));
  const gone = base.required.filter((id) => forbidden.has(id));
  if (gone.length === 0) return [];
  return [
    [
      'body',
      createRow(sent, base, [...createIncludeAssertions(control, gone), ...createExcludeAssertions(probe, gone)]),
    ],
  ];
}

/** The effect of `audienceRulesOnly` is open, so that nothing may be returned; an empty result may have any status. */
function createAudienceRow(sent: ComparedRequest, base: SentRequest): TopicRow {
  const { empty } = sent;
  const data = empty === undefined ? { unless: 'empty' } : { unless: 'empty-like', compared: 'nothing-valid' };
  const row = createRow(sent, base, [{ kind: 'accepted', of: probe, at, data }], [createAcceptedAssertion(control)]);
  const compared = empty === undefined ? [] : [['nothing-valid', empty.candidate.request] as const];
  return ['audience-rules-only', { ...row, requests: new Map([...row.requests, ...compared]) }];
}
