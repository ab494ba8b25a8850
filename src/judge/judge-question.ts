/** Answers a question: finds the first outcome that the exchanges show, or the value that they have. Pure. */

import { judgeWhetherAllHold } from '../assertions/registry.js';
import type { RowEvidence } from '../assertions/row-evidence.js';
import { type OutcomeRule, type QuestionCase, undeterminedOutcome } from '../cases/test-case.js';
import { explainTransientFailure, explainUnsupportedRequest } from '../http/response-status.js';
import type { Location } from '../support/problem.js';
import { createReason } from '../support/reason.js';
import { extractOpenValue } from './extract-open-value.js';
import { findUnusable, judgePreconditions } from './judge-row-parts.js';
import type { CaseJudgement } from './judgement.js';

/** Judges the only row of a question. */
export function judgeQuestion({ rows: [row], answer, at }: QuestionCase, evidence: RowEvidence): AnswerJudgement {
  const unmet = judgePreconditions(row, at, evidence, explainUnsupportedRequest);
  if (unmet !== undefined) return unmet;
  // Without a response there is no answer. If there are responses and a rule stays unclear, the outcome is undetermined.
  const unanswered = findUnusable(evidence, explainTransientFailure);
  if (unanswered !== undefined) return { verdict: 'inconclusive', at, ...unanswered };
  return answer.kind === 'value' ? extractOutcome(answer, evidence) : findOutcome(answer, at, evidence);
}

type AnswerJudgement = Omit<CaseJudgement, 'rows'>;

function extractOutcome(answer: Extract<OutcomeRule, { kind: 'value' }>, evidence: RowEvidence): AnswerJudgement {
  const source = { at: answer.at, exchange: answer.of };
  const extracted = extractOpenValue(answer, evidence);
  if ('reason' in extracted) return { verdict: 'inconclusive', reason: extracted.reason, ...source };
  return { verdict: 'pass', ...source, outcome: extracted.value };
}

/** Finds the first outcome that holds. If an earlier one may hold, the outcome is undetermined. */
function findOutcome(
  answer: Extract<OutcomeRule, { kind: 'first-of' }>,
  at: Location,
  evidence: RowEvidence,
): AnswerJudgement {
  const answered = { verdict: 'pass', exchange: answer.evidence } as const;
  for (const { outcome, when } of answer.rules) {
    const result = judgeWhetherAllHold(when, evidence, 'question');
    const location = when[0]?.at ?? at;
    if (result.is === 'holds') return { ...answered, at: location, outcome };
    if (result.is === 'unclear') {
      const reason = createReason('outcome-unclear', { outcome, reason: result.reason });
      return {
        ...answered,
        reason,
        at: location,
        exchange: result.shownBy ?? answer.evidence,
        outcome: undeterminedOutcome,
      };
    }
  }
  return { ...answered, reason: createReason('no-outcome'), at, outcome: undeterminedOutcome };
}
