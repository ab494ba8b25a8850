import fc from 'fast-check';
import { stringify } from 'yaml';
import { listAlternativeTiers } from '../assertions/alternative-tiers.js';
import type { Assertion } from '../assertions/assertion.js';
import { judgeAssertion } from '../assertions/registry.js';
import type { Suite } from '../cases/suite.js';
import { tag } from '../cases/test-case.js';
import type { Contract, ExplorationFinding } from '../contract/contract.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { explainInapplicable } from '../http/response-status.js';
import { createRowEvidence, type TargetContext } from '../judge/judge-case.js';
import { InternalError } from '../support/internal-error.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import type { NamedWorld } from '../world/named-world.js';
import type { Tier, World } from '../world/world.js';
import { explorationId, type ShownResult } from './case-result.js';
import {
  createPatch,
  createRandomRequests,
  createRequest,
  listPatches,
  type RandomRequest,
} from './random-requests.js';

/** Settings of random requests. The same seed sends the same requests to the same world. */
export interface Exploration {
  readonly requests: number;
  readonly seed: number;
}

/** Exploration ends after this many unclear responses: the target cannot be judged. */
const maxUnclear = 10;

/** The location of statements that no case file contains. */
const nowhere = { file: 'cases/contract.yaml', line: 1, column: 1 };

/**
 * Sends random documented requests, judges the responses by the oracle and shrinks a failure to the smallest request that
 * shows it.
 *
 * @param suite with the whole world
 * @returns a result about the broken requirement, or about `explore` if none is broken
 */
export async function explore(
  suite: Suite,
  channel: Channel,
  background: TargetContext,
  { requests, seed }: Exploration,
): Promise<ShownResult> {
  const startedMs = getMonotonicMs();
  const { world, contract } = suite;
  let sent = 0;
  let requestsSent = 0;
  let unclear = { count: 0, reason: '' };
  let found: { random: RandomRequest; violation: Violation; exchange: Exchange } | undefined;
  const references: References = new Map();

  const send = async (request: HttpRequest): Promise<Exchange> => {
    sent += 1;
    const exchange = await channel.send(request);
    requestsSent += exchange.attempts ?? 1;
    return exchange;
  };
  const sendAndJudge = async (random: RandomRequest) => {
    const request = createRequest(listPatches(random), world);
    const { twin } = random;
    const twins = twin === undefined ? [] : [send(createRequest(listPatches({ ...random, ...twin }), world))];
    if (!random.isSentTogether) await Promise.all(twins);
    const [exchange] = await Promise.all([send(request), ...twins]);
    return { request, exchange, judged: judge(request, exchange, references, background) };
  };
  const emptyRequest = createEmptyRequest(world);

  const property = fc.asyncProperty(createRandomRequests(world), async (random) => {
    // Shrinking may send as many requests again.
    if (sent >= (found === undefined ? requests : requests * 2) || unclear.count >= maxUnclear) return;
    if (emptyRequest !== undefined && !references.has('nothing-valid'))
      references.set('nothing-valid', { request: emptyRequest, exchange: await send(emptyRequest) });
    const { request, exchange, judged } = await sendAndJudge(random);
    const name = findReferenceName(request, background.world);
    if (judged === undefined && name !== undefined && !references.has(name))
      references.set(name, { request, exchange });
    if (judged?.is === 'unclear') unclear = { count: unclear.count + 1, reason: judged.reason };
    if (judged?.is !== 'violated') return;
    // A violation must repeat on a new connection.
    channel.reconnect();
    for (const [name, reference] of references)
      references.set(name, { ...reference, exchange: await send(reference.request) });
    const repeated = (await sendAndJudge(random)).judged;
    if (repeated?.is !== 'violated' || repeated.part !== judged.part) {
      const reason = `Unstable: the violation did not repeat. ${judged.reason}`;
      unclear = { count: unclear.count + 1, reason };
      return;
    }
    found = { random, violation: judged, exchange };
    throw new Error(judged.reason);
  });
  const { failed, errorInstance } = await fc.check(property, { numRuns: requests, seed });

  const origin = `Sent by --explore ${requests} --seed ${seed}.`;
  // The request that nothing is valid for is sent in addition.
  const drawn = Math.min(sent, requests);
  const conclude = (): Pick<ShownResult, 'verdict' | 'reason'> & Partial<ShownResult> => {
    if (found !== undefined) {
      const { random, violation, exchange } = found;
      const subject = findRequirement(violation, random, contract);
      const at = contract.requirements.find(({ id }) => id === subject)?.at ?? nowhere;
      const asCase = renderAsCase(random, violation, subject, references);
      return { verdict: 'fail', reason: violation.reason, subject, at, exchange, asCase };
    }
    if (failed) return { verdict: 'error', reason: `Exploration failed. ${new InternalError(errorInstance).message}` };
    if (unclear.count > 0)
      return {
        verdict: 'inconclusive',
        reason: `${unclear.count} of ${drawn} random requests have no clear result. ${unclear.reason}`,
      };
    return { verdict: 'pass', reason: `${drawn} random requests were answered as documented.` };
  };
  const { reason, ...conclusion } = conclude();
  return {
    id: explorationId,
    subject: explorationId,
    at: nowhere,
    rows: [],
    drift: [],
    exchangesJudged: sent,
    requestsSent,
    durationMs: getMonotonicMs() - startedMs,
    ...conclusion,
    reason: `${reason} ${origin}`,
  };
}

/** Requests to compare others with, and their latest exchanges. */
type References = Map<ReferenceName, { readonly request: HttpRequest; readonly exchange: Exchange }>;

/** A request with an empty result, and for each kind of filter a request that shows where the window is applied. */
type ReferenceName = 'nothing-valid' | 'discriminating-campaign' | 'discriminating-metadata';

/** Creates a request for a campaign without tiers, which shows how an empty result looks. */
function createEmptyRequest(world: NamedWorld): HttpRequest | undefined {
  const [customer = ''] = world.ids.customer.keys();
  const [product = ''] = world.ids.product.keys();
  const campaign = [...world.ids.campaign].find(([, id]) => world.tiers.every((tier) => tier.campaign_id !== id))?.[0];
  if (campaign === undefined) return undefined;
  const items = [{ product, times: 1, differs: false }];
  const values = { customer, items, quantities: [1], orderMetadata: {}, metadata: {}, expand: false };
  return createRequest([createPatch({ ...values, filters: [['campaign', campaign]] })], world);
}

/** Names a request that shows whether the window or the filter is applied first; undefined for other requests. */
function findReferenceName(request: HttpRequest, world: World): ReferenceName | undefined {
  const oracle = createOracle(request, world);
  const differs = listAlternativeTiers(oracle, world).some(
    ({ required, forbidden }) => required.length + forbidden.length > 0,
  );
  return differs && oracle.filteredOn !== undefined ? `discriminating-${oracle.filteredOn}` : undefined;
}

/** The part of the documentation that a response can violate. */
type Part = 'status' | 'window' | 'older' | 'unmatching' | 'invalid' | 'not-returned';

interface Violation {
  readonly is: 'violated';
  readonly reason: string;
  readonly part: Part;
}

/** Judges an exchange by everything that the documentation states about its request. */
function judge(
  request: HttpRequest,
  exchange: Exchange,
  references: References,
  background: TargetContext,
): Violation | { is: 'unclear'; reason: string } | undefined {
  const oracle = createOracle(request, background.world);
  if (oracle.openReason !== undefined && background.world.tiers.every((tier) => oracle.returned(tier) === 'open'))
    throw new Error(`The documentation does not describe a random request: ${oracle.openReason}.`);
  const others = [...references].map(([name, reference]) => [name, reference.exchange] as const);
  const [evidence] = createRowEvidence([new Map<string, Exchange>([[requestName, exchange], ...others])], background);
  if (evidence === undefined || explainInapplicable(exchange) !== undefined) return undefined;
  let unclear: { is: 'unclear'; reason: string } | undefined;
  for (const [part, assertion] of listAssertions(request, oracle, references, background)) {
    const truth = judgeAssertion(assertion, evidence, 'requirement');
    if (truth.is === 'violated') return { is: 'violated', reason: truth.explain(), part };
    // `accepted` is unclear if an empty result is possible.
    if (truth.is === 'unclear' && assertion.kind !== 'accepted') unclear ??= { is: 'unclear', reason: truth.explain() };
  }
  return unclear;
}

/** The name of the judged request. */
const requestName = 'request';

/** Lists everything that the documentation states about a request as assertions. */
function listAssertions(
  request: HttpRequest,
  oracle: Oracle,
  references: References,
  { world }: TargetContext,
): [Part, Assertion][] {
  const listTiers = (obligation: Obligation) => world.tiers.filter((tier) => oracle.returned(tier) === obligation);
  const required = listTiers('required').map(({ id }) => id);
  const findViolatedPart = (tier: Tier): Part => {
    if (oracle.matching(tier) === 'forbidden') return 'unmatching';
    return oracle.valid(tier) === 'forbidden' ? 'invalid' : 'older';
  };
  const forbidden = listTiers('forbidden').map((tier) => ({ id: tier.id, part: findViolatedPart(tier) }));
  const state = (isStated: boolean, part: Part, kind: string, data: object): [Part, Assertion][] =>
    isStated ? [[part, { kind, of: requestName, at: nowhere, data }]] : [];
  const exclude = (part: Part) => {
    const tiers = forbidden.filter((each) => each.part === part).map(({ id }) => id);
    return state(tiers.length > 0, part, 'returned.exclude', { tiers });
  };
  const isRequired = required.length > 0;
  const isPartlyOpen = oracle.openReason !== undefined && references.has('nothing-valid');
  const name = findReferenceName(request, world);
  const reference = name === undefined ? undefined : references.get(name);
  return [
    ...state(oracle.accepted && isRequired, 'status', 'status', { patterns: ['2xx'] }),
    ...state(oracle.accepted && isPartlyOpen, 'status', 'accepted', { unless: 'empty-like', other: 'nothing-valid' }),
    ...state(name !== undefined, 'window', 'returned.window-as', {
      other: reference === undefined ? requestName : name,
      alternatives: listAlternativeTiers(oracle, world),
      ofOther: listAlternativeTiers(reference === undefined ? oracle : createOracle(reference.request, world), world),
    }),
    ...exclude('older'),
    ...exclude('unmatching'),
    ...exclude('invalid'),
    ...state(isRequired, 'not-returned', 'returned.include', { tiers: required }),
  ];
}

/** Finds the requirement that the smallest failing request violates. */
function findRequirement({ part }: Violation, random: RandomRequest, { requirements }: Contract): string {
  const finding = classify(part, random);
  return requirements.find(({ findings }) => findings.includes(finding))?.id ?? explorationId;
}

function classify(
  part: Part,
  { filters, openChange, expand, items, orderMetadata }: RandomRequest,
): ExplorationFinding {
  const filterFinding = filters[0]?.[0] === 'campaign' ? 'campaign-filter-wrong' : 'metadata-filter-wrong';
  switch (part) {
    case 'window':
    case 'older':
      return 'older-returned';
    case 'invalid':
      // In a partly open request, only reservations for other customers make a tier invalid.
      return openChange === undefined ? 'invalid-returned' : 'reserved-returned';
    case 'unmatching':
      return filterFinding;
    case 'not-returned':
      return filters.length === 0 ? 'valid-not-returned' : filterFinding;
    case 'status':
      if (openChange !== undefined) return 'audience-rules-only-refused';
      if (expand) return 'expand-refused';
      if (items.some((item) => 'times' in item && item.times > 1)) return 'repeated-product-refused';
      if (Object.keys(orderMetadata).length > 0) return 'order-metadata-refused';
      return filters.length === 0 ? 'request-refused' : filterFinding;
  }
}

/** Renders a failing request as a case for a file in cases/requirements/. */
function renderAsCase(random: RandomRequest, { part }: Violation, verifies: string, references: References): string {
  const { filter: _, ...plain } = createPatch(random);
  const [, ...patches] = listPatches(random);
  const render = (content: object) => {
    const testCase = { id: 'found-by-exploring', verifies, title: 'Found by exploring', ...content };
    return stringify({ cases: [testCase] }, { lineWidth: 0, aliasDuplicateObjects: false });
  };
  const returned =
    random.openChange === undefined ? { include: 'required', exclude: 'forbidden' } : { exclude: 'forbidden' };
  if (patches.length === 0 && random.twin === undefined) return render({ request: plain, expect: [{ returned }] });
  const name = `discriminating-${random.filters[0]?.[0] === 'campaign' ? 'campaign' : 'metadata'}` as const;
  const discriminating = part === 'window' ? references.get(name)?.request : undefined;
  return render({
    // A serial case keeps other requests from coming between the twins.
    ...(random.twin === undefined ? {} : { tags: [tag.serial] }),
    requests: {
      plain,
      ...(random.twin === undefined ? {} : { twin: createPatch(random.twin) }),
      ...(discriminating === undefined
        ? {}
        : { discriminating: { raw: discriminating.body, query: discriminating.path.split('?')[1] } }),
      probe: { like: 'plain', ...Object.assign({}, ...patches) },
    },
    given: [{ of: 'plain', returned: { include: 'greeting' } }],
    expect: [{ of: 'probe', returned: discriminating === undefined ? returned : { 'window-as': 'discriminating' } }],
  });
}
