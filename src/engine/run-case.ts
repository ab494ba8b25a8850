import { findVolatilePaths } from '../assertions/stable-body.js';
import { getSubjectId, type TestCase } from '../cases/test-case.js';
import { documentedOperation } from '../contract/operation.js';
import type { Channel } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { inferShape } from '../judge/body-shape.js';
import { type Baseline, findDrift } from '../judge/drift.js';
import { extractTemplates } from '../judge/extract-templates.js';
import type { TargetContext } from '../judge/judge-case.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { CaseResult } from './case-result.js';
import type { CaseExchanges, CaseSender } from './case-sender.js';
import { sanitizeDrift, sanitizeResult, sanitizeText } from './sanitize-result.js';
import { type CaseAttempts, sendAndJudge } from './send-and-judge.js';

/** What a case is judged by beside its exchanges. */
export interface CaseTerms {
  readonly background: TargetContext;
  readonly expected: Baseline;
  /** Whether the shape of successful bodies is inferred, which costs more than judging them. */
  readonly infersShape: boolean;
  /** As that of the channel over which the case is sent. */
  readonly redact: Channel['redact'];
  /** Takes note of what came back. */
  keepExchanges?(sent: readonly CaseExchanges[]): void;
}

/** Runs one case: sends its requests and judges what came back. */
export async function runCase(
  testCase: TestCase,
  sender: CaseSender,
  { background, expected, infersShape, redact, keepExchanges: note }: CaseTerms,
): Promise<CaseResult> {
  const sent = await sendAndJudge(testCase, sender, background);
  note?.([sent.first, ...sent.repeats]);
  const judged = caseResultOf(testCase, sent);
  const result = sanitizeResult(withShownValue(judged, testCase, redact), redact);
  const wantsBodies = infersShape || expected.schemas.length > 0;
  const bodies = wantsBodies ? [...new Set(resultBodies(testCase, sent.first))] : [];
  // A record is read by others; what is harmful in it is escaped when it is written.
  const isShown = (key: string) => redact(key) === escapeControlCharacters(key);
  const shape = infersShape ? inferShape(bodies, background.recognizer.ids, isShown) : undefined;
  const answers = infersShape ? extractTemplates(testCase, sent.first.exchanges, background, redact) : undefined;
  const volatile = volatileIn(testCase, sent.first, redact);
  return {
    ...result,
    ...omitUndefined({ answers }),
    ...(volatile.length === 0 ? {} : { volatile }),
    drift: findDrift({ ...result, ...omitUndefined({ taken: judged.outcome }) }, bodies, expected).map((drift) =>
      sanitizeDrift(drift, redact),
    ),
    ...(shape === undefined ? {} : { shape }),
  };
}

function caseResultOf(testCase: TestCase, { judgement, first, repeats: again }: CaseAttempts): CaseResult {
  const { verdict, reason, at, expected, exchange = '', rows, outcome, isUnstable } = judgement;
  const telling = rows.findIndex(
    (row) => row.verdict === verdict && row.at === at && row.exchange === judgement.exchange,
  );
  const sumOf = (what: 'count' | 'requestsSent') => [first, ...again].reduce((sum, sent) => sum + sent[what], 0);
  const shownBy = (sent: CaseExchanges | undefined) => sent?.exchanges[Math.max(telling, 0)]?.get(exchange);
  return {
    id: testCase.id,
    subject: getSubjectId(testCase),
    verdict,
    reason,
    at,
    rows: rows.map(({ title, verdict, reason }) => ({ title, verdict, reason })),
    drift: [],
    exchangesJudged: sumOf('count'),
    requestsSent: sumOf('requestsSent'),
    ...omitUndefined({
      expected: verdict === 'fail' ? expected : undefined,
      outcome,
      evidence: shownBy(first),
      again: isUnstable ? shownBy(again.at(-1)) : undefined,
    }),
  };
}

/** The outcome of an open value is a text of the deployment; the others are words of the suite. */
function withShownValue(result: CaseResult, testCase: TestCase, redact: Channel['redact']): CaseResult {
  const isOpenValue = testCase.kind === 'question' && testCase.answer.kind === 'value';
  return isOpenValue && result.outcome !== undefined
    ? { ...result, outcome: sanitizeText(result.outcome, redact) }
    : result;
}

/** A body in which more places differ has nothing that is worth a document. */
const maxVolatile = 100;

/** The places whose values differ between responses to the same request; the bodies as a whole, where these are many. */
function volatileIn({ kind }: TestCase, { exchanges }: CaseExchanges, redact: Channel['redact']): string[] {
  if (kind !== 'question') return [];
  const paths = exchanges.flatMap((row) => [...findVolatilePaths({ exchanges: row })]);
  return paths.length > maxVolatile ? [''] : paths.map(redact).sort();
}

/** Successful bodies of the operation; what another method or path is answered with has a shape of its own. */
function resultBodies({ rows }: TestCase, { exchanges }: CaseExchanges): string[] {
  const { method, path } = documentedOperation;
  return rows.flatMap(({ requests }, n) =>
    [...requests].flatMap(([name, request]) => {
      const exchange = exchanges[n]?.get(name);
      const isOperation = request.method === method && request.path.split('?')[0] === path;
      if (!isOperation || exchange === undefined || !('response' in exchange)) return [];
      return isSuccessful(exchange.response) ? [exchange.response.body] : [];
    }),
  );
}
