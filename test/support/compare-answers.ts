import { indexExchanges, readTogether } from '../../src/certificate/exchange-index.js';
import type { StoredEvidence } from '../../src/certificate/har-archive.js';
import { createOracle } from '../../src/contract/oracle.js';
import { explainTransientFailure } from '../../src/http/response-status.js';
import { recognizer, suite } from './in-process.js';

/** A request that two deployments answered differently. In pairs, the first deployment comes first. */
export interface AnswerDifference {
  readonly place: string;
  readonly isDocumented: boolean;
  readonly statuses: readonly [number, number];
  /** Names of tiers that only one of them returned. */
  readonly only: readonly [readonly string[], readonly string[]];
}

/** Compares the status and the returned tiers of each request of the cases. */
export function compareAnswers(one: StoredEvidence, other: StoredEvidence) {
  const [ofOne, ofOther] = [readAnswers(one), readAnswers(other)];
  const differences: AnswerDifference[] = [];
  const unread: string[] = [];
  let compared = 0;
  for (const [place, { status, tiers, isDocumented }] of ofOne) {
    const then = ofOther.get(place);
    if (status === undefined || then?.status === undefined) {
      unread.push(place);
      continue;
    }
    compared += 1;
    const missing = tiers.filter((name) => !then.tiers.includes(name));
    const added = then.tiers.filter((name) => !tiers.includes(name));
    if (status !== then.status || missing.length + added.length > 0)
      differences.push({ place, isDocumented, statuses: [status, then.status], only: [missing, added] });
  }
  return { compared, differences, unread };
}

interface Answer {
  readonly isDocumented: boolean;
  /** Undefined if the response cannot be read. */
  readonly status: number | undefined;
  readonly tiers: readonly string[];
}

function readAnswers(evidence: StoredEvidence): Map<string, Answer> {
  const index = indexExchanges(evidence, recognizer);
  const names = new Map([...suite.world.ids.tier].map(([name, id]) => [id, name]));
  return new Map(
    suite.cases.flatMap(({ id, rows }) => {
      const first = index.listByCase(id).filter(({ attempt }) => attempt === 1);
      return readTogether(first, index, undefined).map(({ row, request, exchange, result }): [string, Answer] => {
        const title = rows[row]?.title ?? '';
        const isDocumented = createOracle(exchange.request, suite.world).undocumentedReason === undefined;
        const isRead = explainTransientFailure(exchange) === undefined && (result?.unclear.size ?? 0) === 0;
        return [
          `${id}${title === '' ? '' : `, ${title}`}: ${request}`,
          {
            isDocumented,
            status: isRead && 'response' in exchange ? exchange.response.status : undefined,
            tiers: [...(result?.returned ?? [])].flatMap((tier) => names.get(tier) ?? []),
          },
        ];
      });
    }),
  );
}
