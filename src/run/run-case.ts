import { describeAssertion } from '../assertions/registry.js';
import { listSuccesses } from '../assertions/row-evidence.js';
import { findVolatilePaths } from '../assertions/volatile-values.js';
import { getSubjectId, type TestCase } from '../cases/test-case.js';
import { documentedOperation } from '../contract/operation.js';
import type { Exchange } from '../http/exchange.js';
import { wasSent } from '../http/response-status.js';
import { type CaseJudgement, collectEvidence, judgeCase, type TargetContext } from '../judge/judge-case.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { inferShape } from '../record/body-shape.js';
import { type Baseline, emptyBaseline, findDrift } from '../record/drift.js';
import { extractBodies } from '../record/recorded-bodies.js';
import { isOwnCase } from '../suite/suite.js';
import { omitUndefined } from '../support/collections.js';
import { mapReasonTexts, type Reason } from '../support/reason.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';
import type { CaseExchanges, ResultWithExchanges } from './case-result.js';
import type { CaseSender } from './case-sender.js';
import { type Confirmation, confirmFailure } from './confirm-failure.js';
import type { EvidenceKeeper } from './evidence-keeper.js';
import { maxResultBody, sanitizeText, shortenExchange } from './sanitize-result.js';

export interface CaseTerms {
  readonly background: TargetContext;
  readonly knownRequirements: readonly string[];
  readonly expected: Baseline;
  /** Whether to infer the shape of successful bodies, which costs more than judging them. */
  readonly infersShape: boolean;
  readonly keeper: EvidenceKeeper | undefined;
  readonly find: EvidenceKeeper['find'];
}

export async function runCase(
  testCase: TestCase,
  sender: CaseSender,
  { background, knownRequirements, expected, infersShape, keeper, find }: CaseTerms,
  needsConfirmation: (failure: CaseJudgement) => boolean,
  purpose?: string,
): Promise<ResultWithExchanges> {
  const sent = await sendAndJudge(testCase, sender, background, needsConfirmation);
  const { first, evidence, repetitions, judgement } = sent;
  keeper?.keepCase(testCase, [first, ...repetitions], purpose);
  const { verdict, at, exchange = '', expected: violated } = judgement;
  const subject = getSubjectId(testCase);
  const isListed = knownRequirements.includes(subject);
  const rows = judgement.rows.map(({ title, verdict, reason, isKnown }) => ({
    title,
    verdict,
    ...sanitizeReason(reason),
    ...((isKnown || (isListed && verdict === 'fail')) && { known: true as const }),
  }));
  const row = judgement.rows.findIndex(
    (judged) => judged.verdict === verdict && judged.at === at && judged.exchange === judgement.exchange,
  );
  const findShown = (sent: CaseExchanges) => sent.exchanges[Math.max(row, 0)]?.get(exchange);
  const shown = findShown(first);
  const repeated = judgement.isUnstable ? repetitions.map(findShown).findLast((found) => found) : undefined;
  const show = (unsafe: Exchange | undefined) => unsafe && shortenExchange(unsafe, maxResultBody);
  const isUnsent = verdict === 'inconclusive' && shown !== undefined && !wasSent(shown);
  const wantsBodies = infersShape || expected.schema !== undefined;
  const successes = wantsBodies ? [...new Set(listResultBodies(testCase, first))] : [];
  const compared = testCase.kind === 'question' ? first.exchanges : [];
  const volatile = compared.flatMap((row) => [...findVolatilePaths(row)].map(escapeControlCharacters)).sort();
  // That of an open value is text of the deployment.
  const outcome = judgement.outcome && sanitizeText(judgement.outcome);
  // Pins and records are about the cases of the suite: a case of the user may answer the question in another situation.
  const baseline = isOwnCase(testCase) ? emptyBaseline : expected;
  const drift = findDrift({ subject, ...omitUndefined({ outcome }) }, successes, baseline);
  return {
    id: testCase.id,
    subject,
    verdict: isUnsent ? 'not-run' : verdict,
    ...sanitizeReason(judgement.reason),
    at,
    rows,
    drift: drift.map((found) =>
      found.kind === 'outcome' ? found : { ...found, message: sanitizeText(found.message) },
    ),
    ...omitUndefined({
      expected: verdict === 'fail' && violated ? describeAssertion(violated, background.world) : undefined,
      apart_from_known: rows.some(({ known }) => known)
        ? findWorstVerdict(rows.map((judged) => (judged.known ? 'pass' : judged.verdict)))
        : undefined,
      outcome,
      exchange: show(shown),
      repeatedExchange: show(repeated),
      exchangeId: shown && find(shown)?.id,
      repeatedExchangeId: repeated && find(repeated)?.id,
      bodies: infersShape ? extractBodies(testCase, evidence) : undefined,
      shape: infersShape ? inferShape(successes, background.recognizer.ids) : undefined,
      volatile: volatile.length === 0 ? undefined : volatile,
    }),
  };
}

const sanitizeReason = (reason: Reason | undefined) => reason && { reason: mapReasonTexts(reason, sanitizeText) };

/** Lists the successful bodies of the operation; responses to other methods and paths may have another shape. */
function listResultBodies({ rows }: TestCase, { exchanges }: CaseExchanges): string[] {
  const { method, path } = documentedOperation;
  const results = rows.flatMap(({ requests }, n) =>
    [...requests].flatMap(([name, request]) => {
      const isOfOperation = request.method === method && request.path.split('?')[0] === path;
      return (isOfOperation && exchanges[n]?.get(name)) || [];
    }),
  );
  return listSuccesses(results).map(({ response }) => response.body);
}

export type CaseAttempts = Awaited<ReturnType<typeof sendAndJudge>>;

/** Sends a case and judges it. @param needsConfirmation whether a failure counts only if it is seen again */
export async function sendAndJudge(
  testCase: TestCase,
  sender: CaseSender,
  background: TargetContext,
  needsConfirmation: (failure: CaseJudgement) => boolean = () => true,
) {
  const first = await sender.send(testCase);
  const evidence = collectEvidence(first.exchanges, background);
  const once = judgeCase(testCase, evidence);
  const isFinal = once.verdict !== 'fail' || testCase.kind === 'question' || !needsConfirmation(once);
  const confirmation: Confirmation = isFinal
    ? { judgement: once, repetitions: [] }
    : await confirmFailure({ testCase, sender, background, first, evidence, once });
  return { first, evidence, ...confirmation };
}
