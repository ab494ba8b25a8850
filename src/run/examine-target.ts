import { type TargetWorld, tellDataFile } from '../contract/world.js';
import type { Exchange, RequestChannel } from '../http/exchange.js';
import { describeResponse, isDataIndependentRefusal } from '../http/response-status.js';
import type { SuspectedWrongDataLoad } from '../judge/suspected-wrong-data-load.js';
import type { Suite } from '../suite/suite.js';
import { createReason, mapReasonTexts, type Reason } from '../support/reason.js';
import { checkAddress } from './examination/check-address.js';
import { checkBodyIsAccepted } from './examination/check-body-is-accepted.js';
import { checkBodyIsRead } from './examination/check-body-is-read.js';
import { checkDataLoad, checkIdsRefusedLikeCredentials, checkRefusedIds } from './examination/check-data-load.js';
import { checkFilterSpelling } from './examination/check-filter-spelling.js';
import { checkNamedPromotions } from './examination/check-named-promotions.js';
import { checkHasRequestToSend, checkReachability } from './examination/check-reachability.js';
import { checkRefusedParts } from './examination/check-refused-parts.js';
import {
  type AreaFinding,
  beginExamination,
  createUnknownFinding,
  type ExaminationCheck,
  type ExaminationCheckResult,
  type ExaminationContext,
  type ExaminationSettings,
  examinedAreas,
} from './examination/examination.js';
import { sanitizeText } from './sanitize-result.js';

export type { ExaminationSettings, ExaminedArea } from './examination/examination.js';

export type Examination = Awaited<ReturnType<typeof examineTarget>>;

/** In this order. What an earlier check found is said first. */
const checks: readonly ExaminationCheck[] = [
  checkHasRequestToSend,
  checkBodyIsAccepted,
  checkIdsRefusedLikeCredentials,
  checkReachability,
  checkRefusedParts,
  checkRefusedIds,
  checkAddress,
  checkFilterSpelling,
  checkDataLoad,
  checkBodyIsRead,
  checkNamedPromotions,
];

/** Sends the calibration requests of a suite, and others if these do not show whether the cases can be judged. */
export async function examineTarget(suite: Suite, channel: Pick<RequestChannel, 'send'>, target: ExaminationSettings) {
  let context = await beginExamination(suite, channel, target);
  const results: ExaminationCheckResult[] = [];
  for (const check of checks) {
    const result = await check(context);
    if (result !== undefined) results.push(result);
    if (result?.isLast === true) break;
    context = { ...context, ...result?.next };
  }
  return conclude(context, results);
}

function conclude(context: ExaminationContext, results: readonly ExaminationCheckResult[]) {
  const { calibration, exchanges, sent, successes, areNotFound, hasTiers, isSeen, isWorldLoaded } = context;
  const unreachable = results.find((result) => result.unreachable !== undefined)?.unreachable;
  const unjudged = results.find((result) => result.unjudged !== undefined)?.unjudged;
  const refusals = results.flatMap((result) => result.refusals ?? []);
  const isMissing = (successes.length > 0 || areNotFound) && hasTiers && !isSeen;
  const missing =
    isMissing && unreachable === undefined ? explainMissingWorld(exchanges, context.target.world) : undefined;
  const sanitize = (reason: Reason | undefined) => reason && mapReasonTexts(reason, sanitizeText);
  return {
    /** The requests whose responses show how responses are read, as the deployment accepts them, and what came back. */
    calibration,
    exchanges,
    sent,
    /** Whether a response names the world, or nothing has to: the cases that remain without ids of tiers need none. */
    isWorldSeen: isWorldLoaded || !hasTiers || isSeen,
    changes: {
      readsLiteralFiltersOnly: results.some(({ readsLiteralFiltersOnly }) => readsLiteralFiltersOnly === true),
      refusedParts: results.flatMap(({ refusedParts = [] }) => refusedParts),
    },
    findings: examinedAreas.map((area) => {
      const found = results.flatMap(({ findings }) => (findings?.[area] === undefined ? [] : [findings[area]]));
      const isProblem = ([state]: AreaFinding) => state === 'problem';
      const [state, reason] = found.find(isProblem) ?? found.at(-1) ?? createUnknownFinding('not-checked');
      return { area, state, reason: mapReasonTexts(reason, sanitizeText) };
    }),
    refusals: refusals.map((refusal) => ({ ...refusal, reason: mapReasonTexts(refusal.reason, sanitizeText) })),
    /** Why no case can be judged, if so: more requests could lock an account. */
    unreachable: sanitize(unreachable),
    /** Why nothing can be judged apart from the refusals, if so. */
    unjudged: sanitize(unjudged),
    /** What is wrong with the test data, as it seems. */
    load: describeLoad(results.find((result) => result.load !== undefined)?.load ?? missing),
    constantAnswer: findConstantAnswer(context),
  };
}

function explainMissingWorld(exchanges: readonly Exchange[], world: TargetWorld): SuspectedWrongDataLoad {
  const [response] = exchanges.flatMap((exchange) => ('response' in exchange ? exchange.response : []));
  const answer = response === undefined ? '' : describeResponse(response);
  return { reason: createReason('world-missing', { answer, ...tellDataFile(world) }), isProven: false, worlds: [] };
}

function describeLoad(load: SuspectedWrongDataLoad | undefined): SuspectedWrongDataLoad | undefined {
  return load && { ...load, reason: mapReasonTexts(load.reason, sanitizeText) };
}

/** How many requests must have one answer, though they differ, before it counts as constant. */
const minAlike = 5;

/** Finds the answer that all requests got, if it cannot be right for all of them. */
function findConstantAnswer({ exchanges: [first], sent, differ, isSeen }: ExaminationContext): string | undefined {
  if (first === undefined || !('response' in first) || sent.length < minAlike) return undefined;
  if (differ(sent.map(([, exchange]) => exchange))) return undefined;
  return isSeen || isDataIndependentRefusal(first.response.status) ? describeResponse(first.response) : undefined;
}
