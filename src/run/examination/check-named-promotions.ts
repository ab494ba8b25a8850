import type { AnsweredExchange } from '../../assertions/row-evidence.js';
import { tellDataFile } from '../../contract/world.js';
import type { HttpResponse } from '../../http/exchange.js';
import { findResponseBreakage } from '../../http/response-breakage.js';
import { allowsPostAlone, describeResponse, isDataIndependentRefusal } from '../../http/response-status.js';
import { locateReturnedTiers } from '../../judge/collect-row-evidence.js';
import { findOtherReadings } from '../../judge/other-readings.js';
import { findOwnPromotionsReason } from '../../judge/own-promotions.js';
import { readReturnedTiersOfBody } from '../../recognition/returned-tiers.js';
import { parseJson } from '../../support/json.js';
import { createReason } from '../../support/reason.js';
import {
  type AreaFinding,
  createFineFinding,
  createProblemFinding,
  createUnknownFinding,
  type ExaminationCheckResult,
  type ExaminationContext,
  hasUsableResponse,
} from './examination.js';

/** Checks whether the promotions of a response can be read, and whether they are those of the test data. */
export function checkNamedPromotions({
  exchanges,
  successes,
  areNotFound,
  target,
  hasTiers,
  isThroughTransport,
}: ExaminationContext): ExaminationCheckResult {
  const ofData = tellDataFile(target.world);
  const [success] = successes;
  if (success === undefined) {
    const [{ response }] = exchanges.filter(hasUsableResponse) as [AnsweredExchange];
    const data = { answer: describeResponse(response), status: response.status, ...ofData };
    const Responses = createProblemFinding(chooseRejection(response, isThroughTransport), data);
    // Such an answer may come from elsewhere: the problem asks whether the base URL is right.
    const isElsewhere = isDataIndependentRefusal(response.status);
    // An unknown customer may be answered 404.
    return {
      findings: {
        Responses,
        ...(isElsewhere && { URL: createUnknownFinding('not-checked') }),
        ...(areNotFound && hasTiers && { Ids: createProblemFinding('ids-unnamed', data) }),
      },
    };
  }
  const reading = locateReturnedTiers(exchanges, { ...target, calibration: exchanges });
  const unreadable = successes.find(({ response }) => parseJson(response.body) === undefined);
  const describe = (): AreaFinding => {
    if (unreadable !== undefined) return explainUnreadable(unreadable);
    const { patterns: paths } = reading;
    const { reason } = readReturnedTiersOfBody(success.response.body, { ...target, reading });
    if ((reading.kind === 'ambiguous' || reading.kind === 'misstated') && reason) return ['problem', reason];
    if (paths.length === 0) return createUnknownFinding('names-nothing', ofData);
    const [other] = findOtherReadings(exchanges, reading, { ...target, calibration: exchanges });
    if (other !== undefined)
      return createProblemFinding('named-or-returned', { words: other.words, stated: other.stated });
    return createFineFinding(reading.kind === 'stated' ? 'paths-stated' : 'paths-found', { paths });
  };
  const mentions = successes.map(({ response }) => target.recognizer.findMentions(response.body));
  const named = new Set(mentions.flatMap(({ idsByPattern }) => [...idsByPattern.values()].flat())).size;
  const foreign = findOwnPromotionsReason(exchanges, { ...target, reading, calibration: [] });
  const describeIds = (): AreaFinding => {
    if (foreign !== undefined) return ['problem', foreign];
    if (!hasTiers) return createUnknownFinding('no-tier-ids');
    return named > 0
      ? createFineFinding('ids-named', { count: named, ...ofData })
      : createProblemFinding('ids-unnamed', { answer: describeResponse(success.response), ...ofData });
  };
  return { findings: { Responses: describe(), Ids: describeIds() } };
}

/** A body that is cut off is the mistake of the deployment; another format may come from somebody else. */
function explainUnreadable(unreadable: AnsweredExchange): AreaFinding {
  const breakage = findResponseBreakage(unreadable);
  if (breakage !== undefined) return ['problem', createReason('cut-off', { reason: breakage.reason })];
  return createProblemFinding('unreadable', { answer: describeResponse(unreadable.response) });
}

function chooseRejection(response: HttpResponse, isThroughTransport: boolean): string {
  const { status } = response;
  if (status >= 500) return 'rejected-by-a-fault';
  if (!isDataIndependentRefusal(status)) return 'rejected';
  if (isThroughTransport) return 'rejected-through-transport';
  return allowsPostAlone(response) ? 'rejected-for-post' : 'rejected-always';
}
