import { listSuccesses } from '../assertions/row-evidence.js';
import { findVolatilePaths } from '../assertions/volatile-values.js';
import { getSubjectId, type TestCase } from '../cases/test-case.js';
import { documentedOperation } from '../contract/operation.js';
import type { Exchange } from '../http/exchange.js';
import { wasSent } from '../http/response-status.js';
import { type CaseJudgement, collectEvidence, judgeCase, type TargetContext } from '../judge/judge-case.js';
import { extractBodies } from '../judge/recorded-bodies.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { inferShape } from '../record/body-shape.js';
import { type Baseline, findDrift } from '../record/drift.js';
import { omitUndefined } from '../support/collections.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';
import type { CaseExchanges, ResultWithExchanges } from './case-result.js';
import type { CaseSender } from './case-sender.js';
import { confirmFailure } from './confirm-failure.js';
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
  const attempts = await sendAndJudge(testCase, sender, background, needsConfirmation);
  keeper?.keepCase(testCase, [attempts.first, ...attempts.repetitions], purpose);
  const isListed = knownRequirements.includes(getSubjectId(testCase));
  const result = createResult(testCase, attempts, isListed, find);
  const wantsBodies = infersShape || expected.schema !== undefined;
  const successes = wantsBodies ? [...new Set(listResultBodies(testCase, attempts.first))] : [];
  const volatile = findVolatile(testCase, attempts.first).map(escapeControlCharacters).sort();
  return {
    ...result,
    ...omitUndefined({
      bodies: infersShape ? extractBodies(testCase, attempts.evidence) : undefined,
      shape: infersShape ? inferShape(successes, background.recognizer.ids) : undefined,
      volatile: volatile.length === 0 ? undefined : volatile,
    }),
    drift: findDrift(result, successes, expected).map((drift) =>
      drift.kind === 'outcome' ? drift : { ...drift, message: sanitizeText(drift.message) },
    ),
  };
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
  if (once.verdict !== 'fail' || testCase.kind === 'question' || !needsConfirmation(once))
    return { judgement: once, first, evidence, repetitions: [] };
  return { first, evidence, ...(await confirmFailure(testCase, sender, background, { ...first, evidence }, once)) };
}

function createResult(
  testCase: TestCase,
  { judgement, first, repetitions }: CaseAttempts,
  isListed: boolean,
  find: EvidenceKeeper['find'],
): ResultWithExchanges {
  const { verdict, reason, at, expected, exchange = '', outcome, isUnstable } = judgement;
  const rows = judgement.rows.map(({ title, verdict, reason, isKnown }) => ({
    title,
    verdict,
    reason: sanitizeText(reason),
    ...((isKnown || (isListed && verdict === 'fail')) && { known: true as const }),
  }));
  const apart = findWorstVerdict(rows.map((row) => (row.known ? 'pass' : row.verdict)));
  const row = judgement.rows.findIndex(
    (judged) => judged.verdict === verdict && judged.at === at && judged.exchange === judgement.exchange,
  );
  const findShown = (sent: CaseExchanges | undefined) => sent?.exchanges[Math.max(row, 0)]?.get(exchange);
  const shown = findShown(first);
  const repeated = isUnstable ? repetitions.map(findShown).findLast((found) => found !== undefined) : undefined;
  const show = (unsafe: Exchange | undefined) => unsafe && shortenExchange(unsafe, maxResultBody);
  const isUnsent = verdict === 'inconclusive' && shown !== undefined && !wasSent(shown);
  return {
    id: testCase.id,
    subject: getSubjectId(testCase),
    verdict: isUnsent ? 'not-run' : verdict,
    reason: sanitizeText(reason),
    at,
    rows,
    drift: [],
    ...omitUndefined({
      expected: verdict === 'fail' ? expected : undefined,
      apart_from_known: rows.some(({ known }) => known) ? apart : undefined,
      // That of an open value is text of the deployment.
      outcome: outcome && sanitizeText(outcome),
      exchange: show(shown),
      repeatedExchange: show(repeated),
      exchangeId: shown && find(shown)?.id,
      repeatedExchangeId: repeated && find(repeated)?.id,
    }),
  };
}

/** With more volatile places than this, the body as a whole counts as volatile. */
const maxVolatile = 100;

function findVolatile({ kind }: TestCase, { exchanges }: CaseExchanges): string[] {
  if (kind !== 'question') return [];
  const paths = exchanges.flatMap((row) => [...findVolatilePaths({ exchanges: row })]);
  return paths.length > maxVolatile ? [''] : paths;
}

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
