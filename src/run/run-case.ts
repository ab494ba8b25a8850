import { describeAssertion } from '../assertions/registry.js';
import { listSuccesses } from '../assertions/row-evidence.js';
import { findVolatilePaths } from '../assertions/volatile-values.js';
import { isOwnCase } from '../cases/suite.js';
import { getSubjectId, type RequirementCase, type TestCase } from '../cases/test-case.js';
import { documentedOperation } from '../contract/operation.js';
import type { Exchange } from '../http/exchange.js';
import { wasSent } from '../http/response-status.js';
import {
  type CaseEvidence,
  type CaseJudgement,
  collectEvidence,
  isNewFailure,
  judgeCase,
  type RowExchanges,
  type RowJudgement,
  summarizeRows,
  type TargetContext,
} from '../judge/judge-case.js';
import { extractBodies } from '../judge/recorded-bodies.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { inferShape } from '../record/body-shape.js';
import { type Baseline, emptyBaseline, findDrift } from '../record/drift.js';
import { omitUndefined } from '../support/collections.js';
import { createReason, mapReasonTexts, type Reason } from '../support/reason.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';
import type { CaseExchanges, ResultWithExchanges } from './case-result.js';
import type { CaseSender } from './case-sender.js';
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

/** What came back for a case, each time that it was sent. */
interface SentCase {
  readonly first: CaseExchanges;
  readonly evidence: readonly CaseEvidence[];
  readonly repetitions: CaseExchanges[];
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
  const sent: SentCase = { first, evidence: collectEvidence(first.exchanges, background), repetitions: [] };
  const once = judgeCase(testCase, sent.evidence);
  const isFinal = once.verdict !== 'fail' || testCase.kind === 'question' || !needsConfirmation(once);
  return { ...sent, judgement: isFinal ? once : await confirmFailure(testCase, sender, background, sent, once) };
}

/** Two responses confirm a failure: more rows would only cost requests. */
const rowsAtOnce = 2;

/** A proxy that damages one response in twenty damages the same one three times once in 200 runs. */
const maxTurns = 3;

/**
 * Sends a failing case again: a failure counts only if it is seen again. Failing rows are sent alone. A row that then passes
 * may fail only among other requests, so it is sent in its batch, too. All other rows are inconclusive and unstable.
 */
async function confirmFailure(
  testCase: RequirementCase,
  sender: CaseSender,
  background: TargetContext,
  { first, evidence, repetitions }: SentCase,
  once: CaseJudgement,
): Promise<CaseJudgement> {
  const again: CaseEvidence[][] = [];
  let judgement = once;
  const sendAgain = async (rows: readonly number[], turn: number): Promise<readonly number[]> => {
    const sent = await sender.sendAlone(testCase, rows, turn);
    repetitions.push(sent);
    again.push(collectEvidence(sent.exchanges, background));
    judgement = judgeCase(testCase, evidence, again, once);
    const still = listFailingRows(judgement);
    return rows.filter((row) => still.includes(row));
  };
  const failing = listFailingRows(once);
  while (failing.length > 0) {
    let confirmed = await sendAgain(failing.splice(0, rowsAtOnce), 1);
    for (let turn = 2; turn <= maxTurns; turn += 1)
      if (confirmed.length > 0 && showsOneResponse(confirmed, judgement, first))
        confirmed = await sendAgain(confirmed, turn);
    if (confirmed.length > 0) return judgement;
  }

  const confirmInBatch = async (row: number): Promise<RowJudgement | undefined> => {
    const ofRow: RequirementCase = { ...testCase, rows: testCase.rows.slice(row, row + 1) };
    const passes = (exchanges: RowExchanges[number]) =>
      judgeCase(ofRow, collectEvidence([exchanges], background)).verdict === 'pass';
    const inRun = first.exchanges[row] ?? new Map<string, Exchange>();
    const alone = repetitions.flatMap(({ exchanges }) => exchanges[row] ?? []).find(({ size }) => size > 0);
    if (alone === undefined || !passes(alone)) return undefined;
    // Of several responses, the wrong one is that without which the row passes.
    const isWrong = (request: string) => passes(new Map([...inRun, [request, alone.get(request) as Exchange]]));
    const name = [...inRun.keys()].find(isWrong) ?? once.rows[row]?.exchange ?? '';
    const wrong = inRun.get(name);
    let confirmed: RowJudgement | undefined;
    for (let turn = 1; turn <= maxTurns; turn += 1) {
      const sent = wrong && (await sender.sendInBatch(testCase, row, name, wrong, turn));
      if (sent === undefined) return undefined;
      repetitions.push(sent);
      const received = collectEvidence([new Map([...alone, ...(sent.exchanges[row] ?? [])])], background);
      [confirmed] = judgeCase(ofRow, evidence.slice(row, row + 1), [received]).rows;
      if (confirmed?.verdict !== 'fail') return undefined;
    }
    const reason = confirmed?.reason;
    return confirmed && reason && { ...confirmed, reason: createReason('only-among-others', { reason }) };
  };

  for (const row of listFailingRows(once)) {
    const confirmed = await confirmInBatch(row);
    if (confirmed !== undefined) return summarizeRows(judgement.rows.with(row, confirmed), testCase);
  }
  return judgement;
}

/** Lists the rows that fail. If there are new failures, these are to be confirmed, and not what is known. */
function listFailingRows({ rows }: CaseJudgement): number[] {
  const list = (isMeant: (row: RowJudgement) => boolean) => rows.flatMap((row, n) => (isMeant(row) ? [n] : []));
  const unknown = list(isNewFailure);
  return unknown.length > 0 ? unknown : list(({ verdict }) => verdict === 'fail');
}

function showsOneResponse(failing: readonly number[], { rows }: CaseJudgement, { exchanges }: CaseExchanges): boolean {
  const shown = failing.flatMap((row) => rows[row]?.shownBy?.map((name) => exchanges[row]?.get(name)) ?? []);
  return new Set(shown).size <= 1;
}
