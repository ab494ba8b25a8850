/**
 * What the checks of a target share: the requests that were sent before the cases, and what their responses show. A check
 * may send more. It returns what it found in an area, or that no case can be judged.
 */

import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import type { Suite } from '../../cases/suite.js';
import type { Channel, Exchange, HttpRequest } from '../../http/exchange.js';
import { isTransient } from '../../http/response-status.js';
import type { TargetContext } from '../../judge/judge-case.js';
import { createRecognizer, type Recognizer } from '../../recognition/recognizer.js';
import { hasMentions } from '../../recognition/tier-mentions.js';
import { computeOnce } from '../../support/caches.js';
import { omitUndefined } from '../../support/collections.js';
import { createReason, type Reason } from '../../support/reason.js';
import type { SentRequest } from '../case-sender.js';
import { findFilterRequest } from '../filter-spelling.js';
import { type Comparison, createComparison } from './compare-answers.js';
import { explainFailure } from './explain-failure.js';

export const examinedAreas = ['URL', 'TLS', 'Credentials', 'Body on GET', 'Responses', 'Ids'] as const;
export type ExaminedArea = (typeof examinedAreas)[number];

export type FindingState = 'fine' | 'problem' | 'unknown';

export type Finding = readonly [state: FindingState, reason: Reason];

/** What was found in each area. One that is missing is not known until other problems are solved. */
export type Findings = { readonly [area in ExaminedArea]?: Finding | undefined };

export const fine = (code: string, data?: Reason['data']): Finding => ['fine', createReason(code, data)];
export const problem = (code: string, data?: Reason['data']): Finding => ['problem', createReason(code, data)];
export const unknown = (code: string, data?: Reason['data']): Finding => ['unknown', createReason(code, data)];

export interface ExaminedTarget {
  /** Patterns under which responses name the returned tiers, if the suite cannot detect them. */
  readonly tierPatterns?: readonly string[];
  /** Whether the world is certainly loaded; otherwise a response must show it. */
  readonly isWorldLoaded?: boolean;
  readonly recognizer?: Recognizer;
}

/** What one check found. Findings of later checks replace earlier ones of the same area. */
export interface CheckResult {
  readonly findings?: Findings;
  /** Why no case can be judged, if so: more requests could lock an account. */
  readonly unreachable?: Reason;
  /** Whether the later checks would find nothing that can be relied on. */
  readonly isLast?: boolean;
  /** Whether filters are read only if their brackets are written literally. */
  readonly readsLiteralFiltersOnly?: boolean;
}

/** Returns undefined if there is nothing to say. */
export type Check = (basis: ExaminationBasis) => Promise<CheckResult | undefined> | CheckResult | undefined;

export type ExaminationBasis = Awaited<ReturnType<typeof sendFirstRequests>>;

/** How many calibration requests are sent before it is known that the deployment answers. */
const firstRequests = 2;

/** Sends the calibration requests of a suite. If the first ones fail, the others are not sent. */
export async function sendFirstRequests(
  suite: Suite,
  channel: Pick<Channel, 'send'>,
  { recognizer = createRecognizer(suite.world), tierPatterns, isWorldLoaded = false }: ExaminedTarget,
) {
  const { calibration, world } = suite;
  const sent: SentRequest[] = [];
  let count = 0;
  const send = async (request: HttpRequest): Promise<Exchange> => {
    // In the order in which they are sent, as evidence is replayed in this order.
    const place = count;
    count += 1;
    const exchange = await channel.send(request);
    sent[place] = [request, exchange];
    return exchange;
  };
  const filterRequest = findFilterRequest(suite);
  // Before all others: what a deployment fills at its first request must not depend on the filter of that request.
  if (filterRequest !== undefined) await send(filterRequest);
  const [filtered] = sent;
  // Wrong credentials are sent twice at most.
  const firsts = await Promise.all(calibration.slice(0, firstRequests).map(send));
  const areRefused = firsts.every((exchange) => explainFailure(exchange) !== undefined);
  const others = await Promise.all((areRefused ? [] : calibration.slice(firstRequests)).map(send));
  const exchanges = [...firsts, ...others];
  const successes = listSuccesses(exchanges);
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const isSeen = successes.some(({ response: { body } }) => hasMentions(recognizer.findMentions(body), tierPatterns));
  const differ: Comparison = createComparison(recognizer);
  const target: Pick<TargetContext, 'world' | 'recognizer' | 'configuredPatterns'> = {
    world,
    recognizer,
    ...omitUndefined({ configuredPatterns: tierPatterns }),
  };
  const [request] = calibration;
  return {
    target,
    request,
    /** The responses to the calibration requests. */
    exchanges,
    /** All requests so far, in the order in which they were sent. */
    sent,
    send,
    /** A request with one filter, if any selected case has one. */
    filtered: filterRequest && filtered,
    successes,
    /** Whether the deployment has a promotion of the test data under a known id. */
    hasTiers,
    /** Whether a response names a promotion of the test data. */
    isSeen,
    isWorldLoaded,
    /** Whether the user states that the world is loaded, or where promotions are named. */
    isDescribed: isWorldLoaded || tierPatterns !== undefined,
    differ,
    /** Sends the first request without its body; none if there is none. */
    sendWithoutBody: computeOnce(async (): Promise<readonly Exchange[]> => {
      if (request === undefined) return [];
      const { body: _, ...bare } = request;
      return [await send(bare)];
    }),
  };
}

export function isAnswered(exchange: Exchange): exchange is AnsweredExchange {
  return 'response' in exchange && !isTransient(exchange.response);
}
