/**
 * What the checks of a target share: the requests that were sent before the cases, and what their responses show. A check
 * may send more. It returns what it found in an area, or that no case can be judged.
 */

import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import type { RequirementTopic } from '../../contract/contract.js';
import { createOracle } from '../../contract/oracle.js';
import type { Exchange, HttpRequest, RequestChannel } from '../../http/exchange.js';
import { hasTransientStatus } from '../../http/response-status.js';
import type { TargetContext } from '../../judge/collect-row-evidence.js';
import type { SuspectedWrongDataLoad } from '../../judge/suspected-wrong-data-load.js';
import { createRecognizer, type Recognizer } from '../../recognition/recognizer.js';
import { hasMentions } from '../../recognition/tier-mentions.js';
import type { Suite } from '../../suite/suite.js';
import { computeOnce } from '../../support/caches.js';
import { createReason, type Reason } from '../../support/reason.js';
import type { RequestWithExchange } from '../case-sender.js';
import { findFilterRequest } from '../filter-spelling.js';
import { leaveOutPart, type RefusedPart } from '../request-parts.js';
import { createResponseComparer, type ResponseComparer } from './compare-answers.js';
import { findRequestIndependentFailure } from './find-request-independent-failure.js';

export const examinedAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids', 'Load'] as const;
export type ExaminedArea = (typeof examinedAreas)[number];

export type FindingState = 'fine' | 'problem' | 'unknown';

export type AreaFinding = readonly [state: FindingState, reason: Reason];

/** What was found in each area. One that is missing is not known until other problems are solved. */
export type FindingsByArea = { readonly [area in ExaminedArea]?: AreaFinding | undefined };

export const createFineFinding = (code: string, data?: Reason['data']): AreaFinding => [
  'fine',
  createReason(code, data),
];
/** Data of a reason that speaks of GET, or of proxies: a transport may send another request. */
export function tellTransport({ isThroughTransport }: Pick<ExaminationContext, 'isThroughTransport'>) {
  return { throughTransport: isThroughTransport ? 1 : 0 };
}
/** The finding about TLS if there is a response. */
export const createTlsFinding = ({ isEncrypted }: Pick<ExaminationContext, 'isEncrypted'>): AreaFinding =>
  createFineFinding(isEncrypted ? 'trusted' : 'tls-unused');
export const createProblemFinding = (code: string, data?: Reason['data']): AreaFinding => [
  'problem',
  createReason(code, data),
];
export const createUnknownFinding = (code: string, data?: Reason['data']): AreaFinding => [
  'unknown',
  createReason(code, data),
];

export interface ExaminationSettings {
  /** Patterns under which responses name the returned tiers, if the suite cannot detect them. */
  readonly tierPatterns?: readonly string[];
  /** Whether the world is certainly loaded; otherwise a response must show it. */
  readonly isWorldLoaded?: boolean;
  readonly recognizer?: Recognizer;
  /** Whether the base URL has https://. */
  readonly isEncrypted?: boolean;
  /** Whether it is the reference deployment, which has the test data. */
  readonly isReference?: boolean;
  /** Whether a transport of the user sends the requests, so that nothing is known of their method. */
  readonly isThroughTransport?: boolean;
}

/** What the deployment refuses although it must accept it: no data explains it. */
export interface UndueRefusal {
  /** Finds the requirement that says that it is accepted, which fails. */
  readonly about: RequirementTopic;
  readonly reason: Reason;
  /** A refused request. */
  readonly exchange: Exchange;
}

/** What one check found. In each area, the first problem counts, or else what was found last. */
export interface ExaminationCheckResult {
  readonly findings?: FindingsByArea;
  /** Why no case can be judged, if so: more requests could lock an account. */
  readonly unreachable?: Reason;
  readonly refusals?: readonly UndueRefusal[];
  /** Why nothing can be judged apart from these refusals, if so. */
  readonly unjudged?: Reason;
  /** Without them requests are accepted, so that everything else is judged without them. */
  readonly refusedParts?: readonly RefusedPart[];
  /** Whether the later checks would find nothing that can be relied on. */
  readonly isLast?: boolean;
  /** Whether filters are read only if their brackets are written literally. */
  readonly readsLiteralFiltersOnly?: boolean;
  /** What is wrong with the test data, as it seems. */
  readonly load?: SuspectedWrongDataLoad;
  /** What the later checks rest on, if it is something else. */
  readonly next?: CalibrationContext;
}

/** Returns undefined if there is nothing to say. */
export type ExaminationCheck = (
  context: ExaminationContext,
) => Promise<ExaminationCheckResult | undefined> | ExaminationCheckResult | undefined;

export type ExaminationContext = CalibrationContext & {
  /** Sends the calibration requests again, without what the deployment refuses. Later checks rest on these. */
  sendAgainWithout(refused: readonly RefusedPart[]): Promise<CalibrationContext>;
};

type CalibrationContext = Awaited<ReturnType<typeof sendCalibration>>;

/** Sends the calibration requests of a suite. */
export async function beginExamination(
  suite: Suite,
  channel: Pick<RequestChannel, 'send'>,
  {
    recognizer = createRecognizer(suite.world),
    tierPatterns,
    isWorldLoaded = false,
    isEncrypted = false,
    isReference = false,
    isThroughTransport = false,
  }: ExaminationSettings,
): Promise<ExaminationContext> {
  const { world } = suite;
  const sent: RequestWithExchange[] = [];
  let count = 0;
  const shared = {
    suite,
    target: { world, recognizer, configuredPatterns: tierPatterns },
    /** All requests so far, in the order in which they were sent: evidence is replayed in this order. */
    sent,
    async send(request: HttpRequest): Promise<Exchange> {
      const place = count;
      count += 1;
      const exchange = await channel.send(request);
      sent[place] = [request, exchange];
      return exchange;
    },
    /** Whether the deployment has a promotion of the test data under a known id. */
    hasTiers: world.tiers.some(({ id }) => !world.unavailable.has(id)),
    isWorldLoaded,
    isEncrypted,
    isReference,
    isThroughTransport,
    /** Whether the user states that the world is loaded, or where promotions are named. */
    isDescribed: isWorldLoaded || tierPatterns !== undefined,
    differ: createResponseComparer(recognizer),
  };
  const filterRequest = findFilterRequest(suite);
  return {
    ...(await sendCalibration(shared, suite.calibration, filterRequest)),
    async sendAgainWithout(refused) {
      const leaveOut = (request: HttpRequest) => refused.reduce(leaveOutPart, request);
      return await sendCalibration(shared, suite.calibration.map(leaveOut), filterRequest && leaveOut(filterRequest));
    },
  };
}

interface SharedContext {
  readonly suite: Suite;
  readonly target: Pick<TargetContext, 'world' | 'recognizer' | 'configuredPatterns'>;
  readonly sent: readonly RequestWithExchange[];
  readonly send: RequestChannel['send'];
  readonly hasTiers: boolean;
  readonly isWorldLoaded: boolean;
  readonly isEncrypted: boolean;
  readonly isReference: boolean;
  readonly isThroughTransport: boolean;
  readonly isDescribed: boolean;
  readonly differ: ResponseComparer;
}

/** How many calibration requests are sent before it is known that the deployment answers. */
const firstRequests = 2;

/** If the first requests fail, the others are not sent. */
async function sendCalibration(
  shared: SharedContext,
  calibration: readonly HttpRequest[],
  filterRequest: HttpRequest | undefined,
) {
  const { send, target } = shared;
  const { recognizer, configuredPatterns } = target;
  // Before all others: what a deployment fills at its first request must not depend on the filter of that request.
  const filtered = filterRequest && ([filterRequest, await send(filterRequest)] as const);
  // Wrong credentials are sent twice at most.
  const firsts = await Promise.all(calibration.slice(0, firstRequests).map(send));
  const areRefused = firsts.every((exchange) => findRequestIndependentFailure(exchange) !== undefined);
  const others = await Promise.all((areRefused ? [] : calibration.slice(firstRequests)).map(send));
  const exchanges = [...firsts, ...others];
  const successes = listSuccesses(exchanges);
  const [request] = calibration;
  return {
    ...shared,
    calibration,
    request,
    /** The responses to the calibration requests. */
    exchanges,
    successes,
    /** Whether all of them are 404, as they may be where the customers of the test data are unknown. */
    areNotFound: exchanges.every((exchange) => 'response' in exchange && exchange.response.status === 404),
    /** A request with one filter, if any selected case has one. */
    filtered,
    /** Whether a response names a promotion of the test data. */
    isSeen: successes.some(({ response: { body } }) => hasMentions(recognizer.findMentions(body), configuredPatterns)),
    /** Sends the first request without its body; none if there is none. */
    sendWithoutBody: computeOnce(async (): Promise<readonly Exchange[]> => {
      if (request === undefined) return [];
      const { body: _, ...bare } = request;
      return [await send(bare)];
    }),
  };
}

/**
 * Statuses with which common proxies and firewalls refuse what they do not know. What a front answers proves nothing about
 * the deployment behind it.
 */
export const proxyRefusalStatuses: readonly number[] = [400, 401, 403, 407, 411, 413, 414, 431];

/**
 * Whether a response names a tier that the documentation requires for the first request. Then the test data is loaded, the
 * tier is valid, and a refusal of the first request is no empty result.
 */
export function showsRequiredTier(
  { response }: AnsweredExchange,
  { request, target: { world, recognizer } }: ExaminationContext,
): boolean {
  if (request === undefined) return false;
  const { returned } = createOracle(request, world);
  const { idsByPattern, certainPatterns } = recognizer.findMentions(response.body);
  const named = new Set([...idsByPattern].flatMap(([pattern, ids]) => (certainPatterns.has(pattern) ? ids : [])));
  return world.tiers.some((tier) => named.has(tier.id) && returned(tier) === 'required');
}

export function hasUsableResponse(exchange: Exchange): exchange is AnsweredExchange {
  return 'response' in exchange && !hasTransientStatus(exchange.response);
}
