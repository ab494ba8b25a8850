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
import { groupBy } from '../support/group-by.js';
import { renderCounts } from '../support/render-short-list.js';

interface NamedExchange {
  readonly id: string;
  readonly exchange: AnsweredExchange;
}

interface ReadExchange extends NamedExchange {
  readonly returned: ReadonlySet<string>;
  readonly oracle: Oracle;
}

interface Expectation {
  readonly topic: Topic;
  readonly kind: string;
  readonly data: unknown;
}

/** More of them take long to read, and show little more. */
const maxSamples = 50;

/** The request of each row has the id of its exchange as name. */
export function createTrafficCases(
  { world, contract }: { readonly world: NamedWorld; readonly contract: Contract },
  exchanges: readonly NamedExchange[],
  target: { readonly tierPatterns?: readonly string[]; readonly mentionFilter?: MentionFilter },
) {
  const read = readExchanges(exchanges, world, target);
  const isFilterRead = createSpellingCheck(read, world);
  const successes = read.filter(({ exchange }) => isSuccessful(exchange.response));
  const accepted = new Set(successes.flatMap(({ exchange }) => listAcceptedParts(exchange)));
  const selectTiers = createTierSelection(world);
  const open: string[] = [];
  const leaveOpen = (reason: string): Expectation[] => {
    open.push(reason);
    return [];
  };
  const expectAcceptance = (topic: Topic) => ({ topic, kind: 'status', data: { patterns: ['2xx'] } });
  const expectOf = (entry: ReadExchange): Expectation[] => {
    const { exchange, returned, oracle } = entry;
    const tiers = selectTiers(returned);
    const parts = listAcceptedParts(exchange);
    if (oracle.filteredOn !== undefined && !isFilterRead(exchange))
      return leaveOpen('filters may not be read in this spelling');
    if (isSuccessful(exchange.response)) {
      const results = listExpectations(tiers, entry);
      if (results.length === 0) leaveOpen(oracle.openReason?.replace(/: .*/s, '') ?? 'nothing is required');
      return [...results, ...parts.map(expectAcceptance)];
    }
    if (!isRefusal(exchange) || !oracle.accepted || !tiers.some((tier) => oracle.returned(tier) === 'required'))
      return leaveOpen(`an answer ${exchange.response.status} is open`);
    const [part = 'body', ...others] = parts.filter((topic) => !accepted.has(topic));
    return [expectAcceptance(others.length > 0 ? 'body' : part)];
  };
  const found = read.map((entry) => ({ ...entry, expectations: expectOf(entry) }));
  const cases = contract.requirements.map(({ id, statement, about = 'body', at }): RequirementCase => {
    const rows = found.flatMap(({ id: name, exchange: { request }, expectations }): RequirementRow[] => {
      const stated = expectations.filter(({ topic }) => topic === about);
      if (stated.length === 0) return [];
      const expect = stated.map(({ kind, data }) => ({ kind, data, of: name, at }));
      const title = `${name}: ${describeRequest(request, world)}`;
      return [{ title, requests: new Map([[name, request]]), given: [], unavailable: [], expect }];
    });
    return { kind: 'requirement', id: `traffic.${id}`, verifies: id, title: statement, at, tags: [id], rows };
  });
  // Without a filter, promotions are returned whatever is beside their ids.
  const unfiltered = successes.filter(({ returned, oracle }) => returned.size > 0 && oracle.filteredOn === undefined);
  return {
    cases,
    /** Some exchanges that help to read the responses of each case. */
    samples: unfiltered.slice(0, maxSamples).map(({ exchange }) => exchange),
    isWorldSeen: read.some(({ returned }) => returned.size > 0),
    judged: read.length - open.length,
    /** Why the others show nothing; empty if there are none. */
    openBecause: renderCounts(open),
  };
}

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

/** Whether a response is about its request, and not about load, credentials, sizes or an address. */
function isRefusal(exchange: AnsweredExchange): boolean {
  const { response } = exchange;
  const reason =
    explainRedirect(response) ??
    explainRefusedCredentials(response) ??
    explainExceededSize(exchange) ??
    explainTransientFailure(exchange);
  return reason === undefined;
}

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

/** Lists what a response must return and must not, by what decides about it, without what it proves nothing of. */
function listExpectations(tiers: readonly Tier[], { exchange, returned, oracle }: ReadExchange): Expectation[] {
  const findTopic = createTopicFinder(exchange.request, oracle);
  // An absence shows something only beside a promotion that is returned as it must be.
  const hasControl = tiers.some((tier) => returned.has(tier.id) && oracle.returned(tier) === 'required');
  const claims = tiers.flatMap((tier) => {
    const topic = findTopic(tier);
    const obligation = oracle.returned(tier);
    const [isRequired, isReturned] = [obligation === 'required', returned.has(tier.id)];
    if (topic === undefined || (!isRequired && !isReturned && !hasControl)) return [];
    const reasons = oracle.listReasons(tier);
    const isByRule = reasons.some((reason) => reason.is === 'rule' && reason.obligation === obligation);
    const topics = new Set([topic]);
    if (isReturned === isRequired) {
      if (isRequired) topics.add('completeness');
      else if (isByRule) topics.add('validity');
      if (isByRule) topics.add('body');
    }
    return [...topics].map((about) => ({ about, isRequired, id: tier.id }));
  });
  // Only both together show that the body decides.
  const isBodyShown = new Set(claims.flatMap((claim) => (claim.about === 'body' ? claim.isRequired : []))).size === 2;
  const shown = claims.filter(({ about }) => about !== 'body' || isBodyShown);
  return [...groupBy(shown, ({ about, isRequired }) => `${about} ${isRequired}`).values()].map((group) => {
    const [{ about, isRequired }] = group;
    const kind = isRequired ? 'returned.include' : 'returned.exclude';
    return { topic: about, kind, data: { tiers: group.map(({ id }) => id) } };
  });
}

/** A deployment may read filters in one of two spellings only: with literal brackets, or percent-encoded. */
function createSpellingCheck(read: readonly ReadExchange[], world: NamedWorld) {
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
  return (exchange: AnsweredExchange) =>
    restricting.has(getSpelling(exchange)) || (restricting.size === 0 && ignoring.size === 2);
}
