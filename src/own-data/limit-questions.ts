import { caseTags, type QuestionCase } from '../cases/test-case.js';
import { serializeRequest } from '../http/exchange.js';
import { leaveOut } from './bind-questions.js';

/** How many requests a run on a data file sends at most, unless a target file says otherwise. */
export const defaultRequests = 230;
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
 * @param requests the maximum number of requests of the whole run @param others how many of them nobody may choose
 */
export function limitQuestions(stated: readonly QuestionCase[], requests: number, others: number): LimitedQuestions {
  const most = Math.max(1, requests - others) * questionShare;
  const sent = new Set<string>();
  const asked = new Set<QuestionCase>();
  const available = stated.filter((question) => !isUnavailable(question));
  for (const question of available.toSorted((left, right) => rateCost(left) - rateCost(right))) {
    const all = new Set([...sent, ...listKeys(question)]);
    if (all.size > most) continue;
    asked.add(question);
    for (const key of all) sent.add(key);
  }
  const leaveOutWithoutRoom = (question: QuestionCase) => {
    const withIntrusive = isIntrusive(question);
    const together = available.filter((other) => withIntrusive || !isIntrusive(other)).flatMap(listKeys);
    const enough = Math.ceil(new Set(together).size / questionShare) + others;
    return leaveOut(
      question,
      `room for this question: of ${requests} requests ('requests' in a target file, ${defaultRequests} by default), questions have a sixth. With ${enough}, there is room for ${withIntrusive ? 'all' : 'all that are not intrusive'}`,
    );
  };
  const questions = stated.map((question) =>
    isUnavailable(question) || asked.has(question) ? question : leaveOutWithoutRoom(question),
  );
  return { questions, added: sent.size };
}

function isIntrusive({ tags }: QuestionCase): boolean {
  return tags.includes(caseTags.intrusive);
}

function rateCost(question: QuestionCase): number {
  return isIntrusive(question) ? Number.MAX_VALUE : question.rows[0].requests.size;
}

/** Lists keys of requests. Cases share requests with equal keys; serial cases share none. */
function listKeys({ id, rows: [{ requests }], tags }: QuestionCase): string[] {
  const prefix = tags.includes(caseTags.serial) ? id : '';
  return [...requests.values()].map((request) => prefix + serializeRequest(request));
}

function isUnavailable({ rows: [row] }: QuestionCase): boolean {
  return row.unavailable.length > 0;
}
