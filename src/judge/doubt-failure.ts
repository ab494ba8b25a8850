/**
 * Doubts a failure that something else than the deployment may explain: another reading of the responses, promotions of its own, test
 * data that is not loaded, or loaded wrongly. Pure.
 */

import type { Assertion } from '../assertions/assertion.js';
import { listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import { createOracle } from '../contract/oracle.js';
import { tellDataFile } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { findResponseBreakage } from '../http/response-breakage.js';
import { isDataIndependentRefusal } from '../http/response-status.js';
import { hasMentions } from '../recognition/tier-mentions.js';
import { createReason, type Reason } from '../support/reason.js';
import type { RowEvidenceWithReadings } from './collect-row-evidence.js';
import { findFirst, type RowFinding } from './judge-row-parts.js';
import type { Judgement } from './judgement.js';
import type { OtherReading } from './other-readings.js';
import { findOwnPromotionsReason } from './own-promotions.js';
import { agreesWithOtherWorlds } from './suspected-wrong-data-load.js';

/** Doubts a failure that another reading explains, or promotions of the deployment that take places of the newest 150. */
export function explainDoubt(
  expect: readonly Assertion[],
  { explanation: { at, exchange } }: RowFinding,
  evidence: RowEvidenceWithReadings,
): Judgement | undefined {
  const agrees = ({ reading }: OtherReading) => findFirst(expect, { ...evidence, reading })?.is !== 'violated';
  const agreeing = evidence.listOtherReadings().find(agrees);
  const reason =
    agreeing === undefined
      ? explainByOwnPromotions(exchange, evidence)
      : createReason('named-or-returned', { words: agreeing.words, stated: agreeing.stated });
  return reason && { verdict: 'inconclusive', reason, at, exchange };
}

/** A refusal or a broken response is no matter of the promotions that a deployment has. @param shownBy the name of the request */
function explainByOwnPromotions(shownBy: string | undefined, evidence: RowEvidenceWithReadings): Reason | undefined {
  const shown = evidence.exchanges.get(shownBy ?? '');
  const isWholeResult =
    shown === undefined || (listSuccesses([shown]).length > 0 && findResponseBreakage(shown) === undefined);
  return isWholeResult ? findOwnPromotionsReason([...evidence.exchanges.values()], evidence) : undefined;
}

/** Says what no response names, so that the test data may not be loaded; undefined if it is seen, or the user says that it is. */
export function findUnseenWorld(evidence: readonly RowEvidenceWithReadings[]): string | undefined {
  const { world, recognizer, isWorldSeen, configuredPatterns } = evidence[0] as RowEvidenceWithReadings;
  const bodies = evidence
    .flatMap((row) => [...row.exchanges.values()])
    .flatMap((exchange) => ('response' in exchange ? exchange.response.body : []));
  const isSeen = isWorldSeen || bodies.some((body) => hasMentions(recognizer.findMentions(body), configuredPatterns));
  if (isSeen) return undefined;
  return world.isDataFile ? 'a promotion of the data file' : 'anything of the test data';
}

/** If the world is not loaded, every response may be right except a server error and a refusal that no data explains. */
export function doubtWithoutWorld(
  judgement: Judgement,
  { exchanges, world, calibration }: RowEvidence,
  unseen: string,
): Judgement {
  const { isKnown: _, ...doubted } = judgement;
  const statusOf = (exchange: Exchange | undefined) =>
    exchange !== undefined && 'response' in exchange ? exchange.response.status : 0;
  const status = statusOf(exchanges.get(judgement.exchange ?? ''));
  if (judgement.verdict !== 'fail' || status >= 500) return judgement;
  const documented = [...exchanges.values()].filter(({ request }) => createOracle(request, world).accepted);
  // Another status for another request may mean that this one names something that is gone.
  const statuses = [...[...calibration, ...documented].map(statusOf), status];
  if (calibration.length > 0 && statuses.every(isDataIndependentRefusal)) return judgement;
  const { reason = createReason('passed') } = judgement;
  return {
    ...doubted,
    verdict: 'inconclusive',
    reason: createReason('world-unseen', { reason, unseen, ...tellDataFile(world) }),
  };
}

/** Says of a failure that the load of the test data explains it. If it is certainly the load, the failure proves nothing. */
export function explainByLoad(judgement: Judgement, sent: readonly RowEvidenceWithReadings[]): Judgement {
  const { isKnown: _, reason = createReason('passed'), ...doubted } = judgement;
  const load = sent[0]?.load;
  if (judgement.verdict !== 'fail' || load === undefined) return judgement;
  const isExplained = sent.every((row) => agreesWithOtherWorlds([...row.exchanges.values()], load.worlds, row));
  if (!isExplained) return judgement;
  if (!load.isProven) return { ...judgement, reason: createReason('load-explains', { reason }) };
  return { ...doubted, verdict: 'inconclusive', reason: createReason('load-decides', { reason }) };
}
