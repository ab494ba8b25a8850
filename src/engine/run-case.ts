import { volatilePaths } from '../assertions/steady-body.js';
import { subjectOf, type TestCase } from '../cases/case.js';
import { documentedOperation } from '../contract/documented-request.js';
import type { Channel } from '../http/exchange.js';
import { succeeded } from '../http/response-status.js';
import { answersIn } from '../judge/answers.js';
import { driftOf, type Expected } from '../judge/drift.js';
import type { Background } from '../judge/judge-case.js';
import { shapeOfBodies } from '../judge/shape.js';
import { defined } from '../support/defined.js';
import { escapeControlCharacters } from '../support/escape-control.js';
import type { CaseResult } from './case-result.js';
import { presentable, presentableDrift, shown } from './presentable.js';
import { type SentCase, sendAndJudge } from './send-and-judge.js';
import type { CaseExchanges, CaseSender } from './send-case.js';

/** What a case is judged by beside its exchanges. */
export interface Terms {
  readonly background: Background;
  readonly expected: Expected;
  /** Whether the shape of successful bodies is inferred, which costs more than judging them. */
  readonly infersShape: boolean;
  /** As that of the channel over which the case is sent. */
  readonly redact: Channel['redact'];
  /** Takes note of what came back. */
  note?(sent: readonly CaseExchanges[]): void;
}

/** Runs one case: sends its requests and judges what came back. */
export async function runCase(
  testCase: TestCase,
  sender: CaseSender,
  { background, expected, infersShape, redact, note }: Terms,
): Promise<CaseResult> {
  const sent = await sendAndJudge(testCase, sender, background);
  note?.([sent.first, ...sent.again]);
  const judged = caseResultOf(testCase, sent);
  const result = presentable(withShownValue(judged, testCase, redact), redact);
  const wantsBodies = infersShape || expected.schemas.length > 0;
  const bodies = wantsBodies ? [...new Set(resultBodies(testCase, sent.first))] : [];
  // A record is read by others; what is harmful in it is escaped when it is written.
  const isShown = (key: string) => redact(key) === escapeControlCharacters(key);
  const shape = infersShape ? shapeOfBodies(bodies, background.recognizer.ids, isShown) : undefined;
  const answers = infersShape ? answersIn(testCase, sent.first.exchanges, background, redact) : undefined;
  const volatile = volatileIn(testCase, sent.first, redact);
  return {
    ...result,
    ...defined({ answers }),
    ...(volatile.length === 0 ? {} : { volatile }),
    drift: driftOf({ ...result, ...defined({ taken: judged.outcome }) }, bodies, expected).map((drift) =>
      presentableDrift(drift, redact),
    ),
    ...(shape === undefined ? {} : { shape }),
  };
}

function caseResultOf(testCase: TestCase, { judgement, first, again }: SentCase): CaseResult {
  const { verdict, reason, at, expected, exchange = '', rows, outcome, isUnstable } = judgement;
  const telling = rows.findIndex(
    (row) => row.verdict === verdict && row.at === at && row.exchange === judgement.exchange,
  );
  const sumOf = (what: 'count' | 'requestsSent') => [first, ...again].reduce((sum, sent) => sum + sent[what], 0);
  const shownBy = (sent: CaseExchanges | undefined) => sent?.exchanges[Math.max(telling, 0)]?.get(exchange);
  return {
    id: testCase.id,
    subject: subjectOf(testCase),
    verdict,
    reason,
    at,
    rows: rows.map(({ title, verdict, reason }) => ({ title, verdict, reason })),
    drift: [],
    exchangesJudged: sumOf('count'),
    requestsSent: sumOf('requestsSent'),
    ...defined({
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
  return isOpenValue && result.outcome !== undefined ? { ...result, outcome: shown(result.outcome, redact) } : result;
}

/** A body in which more places differ has nothing that is worth a document. */
const maxVolatile = 100;

/** The places whose values differ between responses to the same request; the bodies as a whole, where these are many. */
function volatileIn({ kind }: TestCase, { exchanges }: CaseExchanges, redact: Channel['redact']): string[] {
  if (kind !== 'question') return [];
  const paths = exchanges.flatMap((row) => [...volatilePaths({ exchanges: row })]);
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
      return succeeded(exchange.response) ? [exchange.response.body] : [];
    }),
  );
}
