/**
 * Says what the responses of a run show beside a contrast: which results are refused, and what the wrong promotions have in common.
 * In: a group of failures with what was found, and the responses. Out: sentences. Pure.
 */

import type { Exchange } from '../http/exchange.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import type { Contrast } from '../run/case-report.js';
import type { NarrowedGroup } from './failure-groups.js';
import { isUnexplained } from './rank-findings.js';
import { describeRefusedResults } from './refused-results.js';
import { listSymptoms } from './symptom.js';
import {
  describeCompanion,
  describeTraitsOfWrongTiers,
  type RequestWithReturnedTiers,
  type ResultCountsByTier,
} from './wrong-tier-traits.js';

/** The responses of a run, as far as they are evidence. */
export interface EvidenceOfRun {
  readonly responses: readonly RequestWithReturnedTiers[];
  readonly sent: readonly Exchange[];
  /** How often each tier was wrong: without a filter, and in all responses. None where results change. */
  readonly counts: readonly ResultCountsByTier[];
}

/** Says what was found out of a group. Where no request makes a difference, what all wrong promotions share says more. */
export function describeFinding(
  group: NarrowedGroup,
  run: EvidenceOfRun,
  target: TargetContext,
): Pick<Contrast, 'sentence' | 'evidence'> {
  const { sentence } = group.narrowed;
  const evidence = [
    ...(group.also ?? []),
    ...describeRefusedGroup(group, run, target),
    ...listEvidence(group, run, target),
  ];
  const [trait, ...others] = evidence;
  if (trait === undefined || !isUnexplained(group)) return { sentence, evidence };
  return { sentence: trait, evidence: [sentence, ...others] };
}

/** Says which results are refused, if the part of the contrast is accepted elsewhere. */
function describeRefusedGroup(
  { symptom, narrowed: { wrong, right } }: NarrowedGroup,
  { responses, sent }: EvidenceOfRun,
  target: TargetContext,
): string[] {
  const [refused] = wrong;
  if (symptom.kind !== 'refused' || refused === undefined || right === undefined) return [];
  const { status } = symptom;
  // What was accepted need not be read again: only a response with this status can be refused alike.
  const isRefusedAlike = (exchange: Exchange) =>
    'response' in exchange && exchange.response.status === status && listSymptoms(exchange, target).length > 0;
  const run = { refused: sent.filter(isRefusedAlike).map(({ request }) => request), accepted: responses };
  const contrast = { status, refused: refused.request, accepted: right.request };
  return [describeRefusedResults(contrast, run, target.world) ?? []].flat();
}

/** Lists what the responses of the run show of a symptom, apart from the contrast. */
function listEvidence(group: NarrowedGroup, { responses, counts }: EvidenceOfRun, { world }: TargetContext): string[] {
  const { symptom } = group;
  const { kind } = symptom;
  if (kind === 'refused') return [];
  const traits = describeTraits(counts, kind, world);
  const companion =
    symptom.kind === 'missing' && isUnexplained(group) ? describeCompanion(symptom.tier, responses, world) : undefined;
  return [companion ?? [], traits ?? []].flat();
}

/** Says what the wrong promotions have in common, in responses without a filter, or else in all. */
function describeTraits(
  counts: readonly ResultCountsByTier[],
  kind: 'missing' | 'extra',
  world: TargetContext['world'],
): string | undefined {
  const [unfiltered, all] = counts.map((some) => describeTraitsOfWrongTiers(some, kind, world));
  if (unfiltered === undefined || unfiltered === all) return all;
  return `Without a filter, ${unfiltered.replace(/^O(?=f )/, 'o')}`;
}
