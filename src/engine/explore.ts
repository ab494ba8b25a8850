import fc from 'fast-check';
import { stringify } from 'yaml';
import { listAlternativeTiers } from '../assertions/alternative-tiers.js';
import type { Assertion } from '../assertions/assertion.js';
import { judgeAssertion } from '../assertions/registry.js';
import type { Suite } from '../cases/suite.js';
import { tag } from '../cases/test-case.js';
import type { ExplorationFinding } from '../contract/contract.js';
import { explainUndocumented } from '../contract/explain-undocumented.js';
import { createOracle, type Obligation, type Oracle } from '../contract/oracle.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { explainInapplicable, isSuccessful } from '../http/response-status.js';
import { createRowEvidence, type TargetContext } from '../judge/judge-case.js';
import { explainOwnPromotions } from '../judge/own-promotions.js';
import { InternalError } from '../support/internal-error.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import type { Tier, World } from '../world/world.js';
import { explorationCaseId, type ResultWithExchanges } from './case-result.js';
import { createRandomSequences } from './random-requests.js';
import {
  createRequest,
  createSimpleRequest,
  type Exploration,
  getThing,
  listPatches,
  mergePatches,
  type RandomRequest,
  type RequestSequence,
} from './request-values.js';
import { listSmallerSequences } from './shrink-sequence.js';
import { countSteps, listThoroughRequests } from './thorough-requests.js';

/** Exploration ends after this many unclear responses: the target cannot be judged. */
const maxUnclear = 10;

/** Progress is reported after this many requests. */
const progressInterval = 100;

/** The location of statements that no case file contains. */
const nowhere = { file: 'cases/contract.yaml', line: 1, column: 1 };

/**
 * Sends random documented requests, alone and in sequences, judges the responses by the oracle and shrinks a failure to the
 * smallest sequence that shows it.
 *
 * @param suite with the whole world
 * @param onProgress called now and then with the number of requests
 * @returns a result about the broken requirement, or about `explore` if none is broken
 */
export async function explore(
  suite: Suite,
  channel: Channel,
  background: TargetContext,
  { requests: drawn, seed, isThorough = false }: Exploration,
  onProgress: (sent: number, total: number) => void = () => undefined,
): Promise<ResultWithExchanges> {
  const startedMs = getMonotonicMs();
  const { world, contract } = suite;
  const listed = isThorough ? listThoroughRequests(world) : [];
  const requests = drawn + countSteps(listed);
  const references: References = new Map();
  const unclear: string[] = [];
  let sent = 0;
  let requestsSent = 0;
  let notSentReason: string | undefined;

  const send = async (request: HttpRequest): Promise<Exchange> => {
    const undocumented = explainUndocumented(request);
    if (undocumented !== undefined)
      throw new Error(`The suite made a random request that is not documented: ${undocumented}.`);
    sent += 1;
    if (sent % progressInterval === 0) onProgress(sent, requests);
    const exchange = await channel.send(request);
    if ('transportError' in exchange && exchange.transportError === 'not-sent') notSentReason ??= exchange.message;
    requestsSent += exchange.attempts ?? 1;
    return exchange;
  };
  const sendSequence = async ({ steps, isSentTogether }: RequestSequence): Promise<SentStep[]> => {
    const sending: Promise<SentStep>[] = [];
    for (const step of steps) {
      const request = createRequest(step, world);
      const one = send(request).then((exchange) => ({ request, exchange }));
      sending.push(one);
      if (!isSentTogether) await one;
    }
    return Promise.all(sending);
  };
  /** Finds the first violation of a sequence, and ends the sequence there. */
  const findViolation = async (sequence: RequestSequence): Promise<Found | undefined> => {
    for (const [n, step] of (await sendSequence(sequence)).entries()) {
      const { part, reason } = judge(step, references, background) ?? {};
      // Overlapping requests have no order, so all of them stay.
      const steps = sequence.isSentTogether
        ? [...sequence.steps.toSpliced(n, 1), ...sequence.steps.slice(n, n + 1)]
        : sequence.steps.slice(0, n + 1);
      if (reason !== undefined && part !== undefined)
        return { sequence: { ...sequence, steps }, part, reason, exchange: step.exchange };
      if (reason !== undefined) unclear.push(reason);
      const name = findReferenceName(step.request, world);
      if (reason === undefined && name !== undefined && !references.has(name)) references.set(name, step);
    }
    return undefined;
  };
  /** Finds a violation that is seen again on a new connection. */
  const findConfirmed = async (sequence: RequestSequence): Promise<Found | undefined> => {
    const found = await findViolation(sequence);
    if (found === undefined) return undefined;
    // A race may need several attempts.
    for (let n = 0; n < (sequence.isSentTogether ? 3 : 1); n += 1) {
      channel.reconnect();
      for (const [name, { request }] of references) references.set(name, { request, exchange: await send(request) });
      const again = await findViolation(found.sequence);
      if (again?.part === found.part) return again;
    }
    unclear.push(`Unstable: the violation did not repeat. ${found.reason}`);
    return undefined;
  };
  const known = listTexts(world);
  /** Replaces a failing sequence by a smaller one, until none fails in the same way. */
  const shrink = async (found: Found): Promise<Found> => {
    let smallest = found;
    // What made it smaller is tried again first: to begin anew each time would take too many requests.
    for (let [n, failures] = [0, 0]; sent < requests * 2 && notSentReason === undefined; ) {
      const all = [...listSmallerSequences(smallest.sequence, known, `attempt-${sent}`)];
      const attempt = all[n % all.length];
      if (attempt === undefined || failures === all.length) break;
      const smaller = await findConfirmed(attempt.disguised ?? attempt.sequence);
      const isSmaller = smaller?.part === found.part;
      if (isSmaller) smallest = { ...smaller, sequence: attempt.sequence };
      else n += 1;
      failures = isSmaller ? 0 : failures + 1;
    }
    return smallest;
  };
  const run = async (): Promise<Found | undefined> => {
    // A campaign without tiers shows how an empty result looks.
    const empty = [...world.ids.campaign].find(([, id]) => world.tiers.every((tier) => tier.campaign_id !== id));
    if (empty !== undefined) {
      const request = createRequest({ ...createSimpleRequest(world), filters: [['campaign', empty[0]]] }, world);
      references.set('nothing-valid', { request, exchange: await send(request) });
    }
    const random = fc.sample(createRandomSequences(world), { seed, numRuns: drawn });
    for (const sequence of [...listed, ...random]) {
      if (sent >= requests || unclear.length >= maxUnclear || notSentReason !== undefined) return undefined;
      const found = await findConfirmed(sequence);
      if (found !== undefined) return shrink(found);
    }
    return undefined;
  };
  const conclude = (found: Found | undefined): Conclusion => {
    if (found !== undefined) {
      const finding = classify(found);
      const requirement = contract.requirements.find(({ findings }) => findings.includes(finding));
      const { id: subject, at } = requirement ?? { id: explorationCaseId, at: nowhere };
      const asCase = renderAsCase(found, subject, references);
      return { verdict: 'fail', reason: found.reason, subject, at, exchange: found.exchange, asCase };
    }
    if (notSentReason !== undefined)
      return { verdict: 'inconclusive', reason: `Not all random requests were sent. ${notSentReason}` };
    // The request that nothing is valid for is sent in addition.
    const count = Math.min(sent, requests);
    if (unclear.length === 0)
      return { verdict: 'pass', reason: `${count} random requests were answered as documented.` };
    const reason = `${unclear.length} of ${count} random requests have no clear result. ${unclear.at(-1)}`;
    return { verdict: 'inconclusive', reason };
  };
  const { reason, ...conclusion } = await run()
    .then(conclude)
    .catch((error): Conclusion => {
      return { verdict: 'error', reason: `Exploration failed. ${new InternalError(error).message}` };
    });
  return {
    id: explorationCaseId,
    subject: explorationCaseId,
    at: nowhere,
    rows: [],
    drift: [],
    exchangesJudged: sent,
    requestsSent,
    durationMs: getMonotonicMs() - startedMs,
    ...conclusion,
    reason: `${reason} Sent by ${isThorough ? '--thorough' : `--explore ${drawn}`} --seed ${seed}.`,
  };
}

/** Lists the texts of metadata and of rules about metadata. */
function listTexts({ tiers }: World): ReadonlySet<string> {
  const ruleTexts = tiers.flatMap(({ rules }) =>
    rules.flatMap((rule) => (rule.kind === 'metadata' ? [rule.key, rule.is] : [])),
  );
  return new Set([...ruleTexts, ...tiers.flatMap(({ metadata }) => Object.values(metadata).map(String))]);
}

type Conclusion = Pick<ResultWithExchanges, 'verdict' | 'reason'> & Partial<ResultWithExchanges>;

interface SentStep {
  readonly request: HttpRequest;
  readonly exchange: Exchange;
}

/** The part of the documentation that a response can violate. */
type Part = 'status' | 'window' | 'older' | 'unmatching' | 'invalid' | 'not-returned';

/** A sequence whose last request has a wrong response. */
interface Found {
  readonly sequence: RequestSequence;
  readonly part: Part;
  readonly reason: string;
  readonly exchange: Exchange;
}

/** Requests to compare others with, and their latest exchanges. */
type References = Map<ReferenceName, SentStep>;

/** A request with an empty result, and for each kind of filter a request that shows where the window is applied. */
type ReferenceName = 'nothing-valid' | 'discriminating-campaign' | 'discriminating-metadata';

/** Names a request that shows whether the window or the filter is applied first; undefined for other requests. */
function findReferenceName(request: HttpRequest, world: World): ReferenceName | undefined {
  const oracle = createOracle(request, world);
  const differs = listAlternativeTiers(oracle, world).some(
    ({ required, forbidden }) => required.length + forbidden.length > 0,
  );
  return differs && oracle.filteredOn !== undefined ? `discriminating-${oracle.filteredOn}` : undefined;
}

/**
 * Judges an exchange by everything that the documentation states about its request.
 *
 * @returns the violated part; no part if the exchange is unclear; undefined if it is as documented
 */
function judge(
  { request, exchange }: SentStep,
  references: References,
  background: TargetContext,
): { readonly part?: Part; readonly reason: string } | undefined {
  const oracle = createOracle(request, background.world);
  const others = [...references].map(([name, reference]) => [name, reference.exchange] as const);
  const [evidence] = createRowEvidence([new Map<string, Exchange>([[requestName, exchange], ...others])], background);
  if (evidence === undefined || explainInapplicable(exchange) !== undefined) return undefined;
  const mayBeRefused = !oracle.accepted && oracle.openReason === undefined;
  if (mayBeRefused && 'response' in exchange && !isSuccessful(exchange.response)) return undefined;
  let unclear: string | undefined;
  for (const [part, assertion] of listAssertions(request, oracle, references, background)) {
    const truth = judgeAssertion(assertion, evidence, 'requirement');
    if (truth.is === 'violated') {
      const displaced = explainOwnPromotions([exchange], evidence);
      return displaced === undefined ? { part, reason: truth.explain() } : { reason: displaced };
    }
    // `accepted` is unclear if an empty result is possible.
    if (truth.is === 'unclear' && assertion.kind !== 'accepted') unclear ??= truth.explain();
  }
  return unclear === undefined ? undefined : { reason: unclear };
}

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
  const state = (isStated: boolean, part: Part, kind: string, data: object): [Part, Assertion][] =>
    isStated ? [[part, { kind, of: requestName, at: nowhere, data }]] : [];
  const exclude = (part: Part) => {
    const tiers = listTiers('forbidden').filter((tier) => findViolatedPart(tier) === part);
    return state(tiers.length > 0, part, 'returned.exclude', { tiers: tiers.map(({ id }) => id) });
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

/** Classifies the violation by the last request of the smallest failing sequence. */
function classify({ part, sequence }: Found): ExplorationFinding {
  const { filters, openChange, expand, items, orderMetadata } = sequence.steps.at(-1) as RandomRequest;
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
      if (new Set(items.map(getThing)).size < items.length) return 'repeated-product-refused';
      if (Object.keys(orderMetadata).length > 0) return 'order-metadata-refused';
      return filters.length === 0 ? 'request-refused' : filterFinding;
  }
}

/** Renders a failing sequence as a case for a file in cases/requirements/. */
function renderAsCase({ sequence, part }: Found, verifies: string, references: References): string {
  const last = sequence.steps.at(-1) as RandomRequest;
  const earlier = sequence.steps.slice(0, -1).map((step, n) => [`earlier-${n + 1}`, mergePatches(step)] as const);
  const [plain, ...changes] = listPatches(last);
  const render = (content: object) => {
    const testCase = { id: 'found-by-exploring', verifies, title: 'Found by exploring', ...content };
    return stringify({ cases: [testCase] }, { lineWidth: 0, aliasDuplicateObjects: false });
  };
  const returned =
    last.openChange === undefined ? { include: 'required', exclude: 'forbidden' } : { exclude: 'forbidden' };
  if (changes.length === 0 && earlier.length === 0) return render({ request: plain, expect: [{ returned }] });
  const name = `discriminating-${last.filters[0]?.[0] === 'campaign' ? 'campaign' : 'metadata'}` as const;
  const discriminating = part === 'window' ? references.get(name)?.request : undefined;
  return render({
    // A serial case keeps other requests from coming between these.
    ...(earlier.length === 0 || sequence.isSentTogether ? {} : { tags: [tag.serial] }),
    requests: {
      plain,
      ...Object.fromEntries(earlier),
      ...(discriminating && { discriminating: { raw: discriminating.body, query: discriminating.path.split('?')[1] } }),
      probe: { like: 'plain', ...Object.assign({}, ...changes) },
    },
    given: [{ of: 'plain', returned: { include: 'greeting' } }],
    expect: [{ of: 'probe', returned: discriminating === undefined ? returned : { 'window-as': 'discriminating' } }],
  });
}
