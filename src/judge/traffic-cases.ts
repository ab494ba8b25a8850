/** Test cases made from exchanges of real callers: one per requirement, with a row for each exchange that exercises it. */

import { type AnsweredExchange, listSuccesses } from '../assertions/row-evidence.js';
import type { RequirementCase, RequirementRow } from '../cases/test-case.js';
import type { Contract, Topic } from '../contract/contract.js';
import { describeRequest } from '../contract/describe-request.js';
import { createTopicFinder } from '../contract/find-topic.js';
import { getWindowSize, type NamedWorld, windowSize } from '../contract/named-world.js';
import { audienceParameter } from '../contract/operation.js';
import { createOracle, type DocumentedBody, type Oracle } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import { parseRequest } from '../http/request-content.js';
import {
  explainExceededSize,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  isSuccessful,
} from '../http/response-status.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { readReturned } from '../recognition/returned-tiers.js';
import type { MentionFilter } from '../recognition/sibling-values.js';
import { determineReading } from '../recognition/tier-reading.js';
import { renderCounts } from '../support/render-short-list.js';

/** An exchange with its id. */
interface NamedExchange {
  readonly id: string;
  readonly exchange: AnsweredExchange;
}

/** The cases of traffic. The request of each row has the id of its exchange as name. */
export interface TrafficCases {
  readonly cases: readonly RequirementCase[];
  /** Some exchanges that help to read the responses of each case. */
  readonly samples: readonly AnsweredExchange[];
  /** Whether a response names a promotion of the data. */
  readonly isWorldSeen: boolean;
  /** The number of exchanges that show something. */
  readonly judged: number;
  /** Why the others show nothing, in words; empty if there are none. */
  readonly openBecause: string;
}

/** A documented exchange with what its response returned. */
interface ReadExchange extends NamedExchange {
  readonly returned: ReadonlySet<string>;
  readonly oracle: Oracle;
}

/** What a row expects, by the topic of the requirement that it exercises. */
type Expectations = Map<Topic, { kind: string; data: unknown }[]>;

/**
 * Creates a case for each requirement from documented exchanges. A case without rows is exercised by none of them.
 *
 * @param target what the target file states of its responses
 */
export function createTrafficCases(
  { world, contract }: { readonly world: NamedWorld; readonly contract: Contract },
  exchanges: readonly NamedExchange[],
  target: { readonly tierPatterns?: readonly string[]; readonly mentionFilter?: MentionFilter },
): TrafficCases {
  const read = readExchanges(exchanges, world, target);
  const isFilterRead = createSpellingCheck(read, world);
  const successes = read.filter(({ exchange }) => isSuccessful(exchange.response));
  const accepted = new Set(successes.flatMap(({ exchange }) => listAcceptedParts(exchange)));
  const selectTiers = createTierSelection(world);
  const open: string[] = [];
  const found = read.map((entry): NamedExchange & { readonly expectations: Expectations } => {
    const { id, exchange, returned, oracle } = entry;
    const expectations: Expectations = new Map();
    const expect = (topic: Topic, kind: string, data: unknown) =>
      expectations.set(topic, [...(expectations.get(topic) ?? []), { kind, data }]);
    const tiers = selectTiers(returned);
    const parts = listAcceptedParts(exchange);
    if (oracle.filteredOn !== undefined && !isFilterRead(exchange))
      open.push('filters may not be read in this spelling');
    else if (isSuccessful(exchange.response)) {
      for (const [topic, { required, forbidden }] of groupTiers(tiers, entry)) {
        if (required.length > 0) expect(topic, 'returned.include', { tiers: required });
        if (forbidden.length > 0) expect(topic, 'returned.exclude', { tiers: forbidden });
      }
      if (expectations.size === 0) open.push(oracle.openReason?.replace(/: .*/s, '') ?? 'nothing is required');
      for (const part of parts) expect(part, 'status', { patterns: ['2xx'] });
    } else if (isRefusal(exchange) && oracle.accepted && tiers.some((tier) => oracle.returned(tier) === 'required')) {
      const [part, ...others] = parts.filter((topic) => !accepted.has(topic));
      const refused = part === undefined || others.length > 0 ? 'body' : part;
      expect(refused, 'status', { patterns: ['2xx'] });
    } else open.push(`an answer ${exchange.response.status} is open`);
    return { id, exchange, expectations };
  });
  const cases = contract.requirements.map(({ id, statement, about = 'body', at }): RequirementCase => {
    const rows = found.flatMap(({ id: name, exchange: { request }, expectations }): RequirementRow[] => {
      const expect = expectations.get(about)?.map(({ kind, data }) => ({ kind, data, of: name, at }));
      if (expect === undefined) return [];
      const title = `${name}: ${describeRequest(request, world)}`;
      return [{ title, requests: new Map([[name, request]]), given: [], unavailable: [], expect }];
    });
    return { kind: 'requirement', id: `traffic.${id}`, verifies: id, title: statement, at, tags: [id], rows };
  });
  // Without a filter, promotions are returned whatever is beside their ids.
  const unfiltered = successes.filter(({ returned, oracle }) => returned.size > 0 && oracle.filteredOn === undefined);
  return {
    cases,
    samples: unfiltered.slice(0, maxSamples).map(({ exchange }) => exchange),
    isWorldSeen: read.some(({ returned }) => returned.size > 0),
    judged: read.length - open.length,
    openBecause: renderCounts(open),
  };
}

/** More of them take long to read, and show little more. */
const maxSamples = 50;

function readExchanges(
  exchanges: readonly NamedExchange[],
  world: NamedWorld,
  { tierPatterns, mentionFilter }: Parameters<typeof createTrafficCases>[2],
): ReadExchange[] {
  const recognizer = createRecognizer(world, mentionFilter);
  const mentions = listSuccesses(exchanges.map(({ exchange }) => exchange)).map(({ response }) =>
    recognizer.findMentions(response.body),
  );
  const reading = determineReading(mentions, tierPatterns);
  return exchanges.map(({ id, exchange }) => {
    const isRead = isSuccessful(exchange.response);
    const returned = new Set(isRead ? readReturned(exchange.response.body, { reading, recognizer }).returned : []);
    const oracle = createOracle(exchange.request, world);
    return { id, exchange, returned, oracle: (returned.size > 0 && oracle.whenReturning) || oracle };
  });
}

/** Whether a response is about its request alone, and not about load, credentials, sizes or an address. */
function isRefusal(exchange: AnsweredExchange): boolean {
  const { response } = exchange;
  const reasons = [
    explainRedirect(response),
    explainRefusedCredentials(response),
    explainExceededSize(exchange),
    explainTransientFailure(exchange),
  ];
  return reasons.every((reason) => reason === undefined);
}

/** Lists the topics of the requirements by which a request is accepted. */
function listAcceptedParts({ request }: AnsweredExchange): Topic[] {
  const { query, body } = parseRequest(request);
  const { order, options, metadata = {} } = body as DocumentedBody;
  const parts: readonly (readonly [topic: Topic, isSent: boolean])[] = [
    ['content-type', true],
    ['credentials', true],
    ['expand', (options?.expand ?? []).length > 0],
    ['audience-rules-only', query.some(([name]) => name === audienceParameter)],
    ['order-metadata', Object.keys(order?.metadata ?? {}).length > 0],
    ['metadata-rule', Object.keys(metadata).length > 0],
  ];
  return parts.flatMap(([topic, isSent]) => (isSent ? [topic] : []));
}

/** Creates the function that selects the tiers by which a response is judged. More of the older ones would show nothing new. */
function createTierSelection(world: NamedWorld): (returned: ReadonlySet<string>) => Tier[] {
  const isAvailable = ({ id }: Tier) => !world.unavailable.has(id);
  const window = world.tiers.slice(0, getWindowSize(world));
  // If the deployment lacks one of the newest, an older one takes its place.
  const known = window.every(isAvailable) ? world.tiers : window;
  const newest = known.slice(0, 2 * windowSize).filter(isAvailable);
  const older = new Map(known.slice(2 * windowSize).map((tier) => [tier.id, tier]));
  return (returned) => [...newest, ...[...returned].flatMap((id) => older.get(id) ?? [])];
}

/** Groups tiers by what decides about them, and leaves out what a response proves nothing of. */
function groupTiers(tiers: readonly Tier[], { exchange, returned, oracle }: ReadExchange) {
  const groups = new Map<Topic, { required: string[]; forbidden: string[] }>();
  const add = (topic: Topic, list: 'required' | 'forbidden', id: string) => {
    const group = groups.get(topic) ?? { required: [], forbidden: [] };
    group[list].push(id);
    groups.set(topic, group);
  };
  const findTopic = createTopicFinder(exchange.request, oracle);
  const isDecidedByRule = (tier: Tier) =>
    oracle.listReasons(tier).some(({ is, obligation }) => is === 'rule' && obligation === oracle.returned(tier));
  // An absence shows something only beside a promotion that is returned as it must be.
  const hasControl = tiers.some((tier) => returned.has(tier.id) && oracle.returned(tier) === 'required');
  for (const tier of tiers) {
    const topic = findTopic(tier);
    if (topic === undefined) continue;
    const { id } = tier;
    if (oracle.returned(tier) === 'required') {
      add(topic, 'required', id);
      if (returned.has(id) && topic !== 'completeness') add('completeness', 'required', id);
      if (returned.has(id) && isDecidedByRule(tier)) add('body', 'required', id);
    } else if (returned.has(id)) add(topic, 'forbidden', id);
    else if (hasControl) {
      add(topic, 'forbidden', id);
      if (!isDecidedByRule(tier)) continue;
      if (topic !== 'validity') add('validity', 'forbidden', id);
      add('body', 'forbidden', id);
    }
  }
  // Only both together show that the body decides.
  const { required = [], forbidden = [] } = groups.get('body') ?? {};
  if (required.length === 0 || forbidden.length === 0) groups.delete('body');
  return groups;
}

/**
 * Creates the function that says whether filters are read as a request writes them. A deployment may read one of two
 * spellings: with literal brackets, or percent-encoded.
 */
function createSpellingCheck(
  read: readonly ReadExchange[],
  world: NamedWorld,
): (exchange: AnsweredExchange) => boolean {
  const getSpelling = ({ request }: AnsweredExchange) => request.path.includes('[');
  const restricting = new Set<boolean>();
  const ignoring = new Set<boolean>();
  for (const { exchange, returned, oracle } of read) {
    if (oracle.filteredOn === undefined || returned.size === 0) continue;
    const excluded = world.tiers.filter((tier) => oracle.matching(tier) === 'forbidden');
    const isExcludedAlone = (tier: Tier) =>
      oracle.listReasons(tier).every(({ is, obligation }) => obligation === 'required' || is === 'filter');
    if (excluded.some(({ id }) => returned.has(id))) ignoring.add(getSpelling(exchange));
    else if (excluded.some(isExcludedAlone)) restricting.add(getSpelling(exchange));
  }
  return (exchange) => restricting.has(getSpelling(exchange)) || (restricting.size === 0 && ignoring.size === 2);
}
