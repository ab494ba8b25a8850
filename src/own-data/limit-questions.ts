import { caseTags, type QuestionCase } from '../cases/test-case.js';
import { serializeRequest } from '../http/exchange.js';
import { leaveOut } from './bind-questions.js';

/** The share of all requests that questions may have. */
const questionShare = 1 / 6;

/** Questions, where one without room has a reason why it is not asked, and the number of requests that all of them send. */
export interface LimitedQuestions {
  readonly questions: readonly QuestionCase[];
  readonly added: number;
}

/**
 * Leaves out questions without room: first intrusive ones, which run only on demand, then those with many requests.
 *
 * @param count the number of requests of the whole run
 */
export function limitQuestions(stated: readonly QuestionCase[], count: number): LimitedQuestions {
  const sent = new Set<string>();
  const asked = new Set<QuestionCase>();
  for (const question of stated.toSorted((question, next) => rateCost(question) - rateCost(next))) {
    const all = new Set([...sent, ...listKeys(question)]);
    if (isUnavailable(question) || all.size > count * questionShare) continue;
    asked.add(question);
    for (const key of all) sent.add(key);
  }
  const questions = stated.map((question) =>
    isUnavailable(question) || asked.has(question)
      ? question
      : leaveOut(question, ["'requests' in its target file is too small"]),
  );
  return { questions, added: sent.size };
}

function rateCost({ rows: [{ requests }], tags }: QuestionCase): number {
  return tags.includes(caseTags.intrusive) ? Number.MAX_VALUE : requests.size;
}

/** Lists keys of requests. Cases share requests with equal keys; serial cases share none. */
function listKeys({ id, rows: [{ requests }], tags }: QuestionCase): string[] {
  const prefix = tags.includes(caseTags.serial) ? id : '';
  return [...requests.values()].map((request) => prefix + serializeRequest(request));
}

function isUnavailable({ rows: [row] }: QuestionCase): boolean {
  return row.unavailable.length > 0;
}
