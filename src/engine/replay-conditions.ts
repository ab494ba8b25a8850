import type { TestCase } from '../cases/test-case.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { CaseExchanges } from './case-exchanges.js';
import { type Condition, parsePartnerName } from './condition.js';
import type { ConditionSender, Trial } from './condition-sender.js';
import type { ExchangeUse } from './evidence-keeper.js';

/** One attempt to repeat a row under a condition, as the evidence shows it. */
interface RecordedAttempt extends Condition {
  readonly attempt: number;
  readonly partners: ReadonlyMap<string, Partner>;
}

type Partner = { readonly request: HttpRequest; readonly exchange: Exchange };

/** What a replay knows of the conditions that a recorded run tried. */
interface RecordedConditions {
  readonly uses: readonly ExchangeUse[];
  useExchange(id: string): Exchange | undefined;
  getPurpose(testCase: TestCase): string;
  /** Replays the next attempt of one row. */
  replayRow(testCase: TestCase, row: number): CaseExchanges & { readonly attempt: number };
}

/** More than a run tries for one case: evidence is not to make a replay long. */
const maxTrials = 20;

/** Repeats rows under the conditions that a recorded run tried, in the same order. Nothing is sent. */
export function createReplayedConditions({
  uses,
  useExchange,
  getPurpose,
  replayRow,
}: RecordedConditions): ConditionSender {
  const known = new Map<string, RecordedAttempt[]>();
  const listAttempts = (testCase: TestCase): RecordedAttempt[] => {
    const purpose = getPurpose(testCase);
    const attempts = known.get(purpose) ?? readAttempts(purpose);
    known.set(purpose, attempts);
    return attempts;
  };
  const readAttempts = (purpose: string): RecordedAttempt[] => {
    const byAttempt = new Map<
      number,
      Omit<RecordedAttempt, 'labels' | 'partners'> & { labels: string[]; partners: Map<string, Partner> }
    >();
    for (const { id, case: by, row, request: name, attempt } of uses) {
      const parsed = by === purpose ? parsePartnerName(name) : undefined;
      const exchange = parsed && useExchange(id);
      if (parsed === undefined || exchange === undefined) continue;
      const own = byAttempt.get(attempt) ?? {
        attempt,
        row,
        kind: parsed.kind,
        labels: [] as string[],
        partners: new Map<string, Partner>(),
      };
      byAttempt.set(attempt, own);
      own.labels.push(parsed.label);
      own.partners.set(name, { request: exchange.request, exchange });
    }
    return [...byAttempt.values()].sort((one, two) => one.attempt - two.attempt);
  };
  const replay = async (testCase: TestCase, row: number): Promise<CaseExchanges> => {
    const { attempt, ...sent } = replayRow(testCase, row);
    const partners = listAttempts(testCase).find((each) => each.attempt === attempt)?.partners;
    if (partners === undefined) return sent;
    const exchanges = [...partners.values()].map(({ exchange }) => exchange);
    return {
      ...sent,
      partners: { row, exchanges: partners },
      count: sent.count + exchanges.length,
    };
  };
  return {
    listTrials(testCase) {
      // A new connection was tried to describe a confirmed condition better: that is no trial of its own.
      const tried = listAttempts(testCase).filter(({ kind }) => kind !== 'after');
      const byCondition = new Map(
        tried
          .toReversed()
          .map(({ row, kind, labels }): [string, Trial] => [
            JSON.stringify([row, kind, labels.toSorted()]),
            { row, kind, labels, name: '', partners: [] },
          ]),
      );
      return [...byCondition.values()].reverse().slice(0, maxTrials);
    },
    send: (testCase, { row }) => replay(testCase, row),
    sendAlone: replay,
    noteResult: () => undefined,
  };
}
