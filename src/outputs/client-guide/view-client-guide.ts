/** One screen for somebody who writes a client: what to send, what comes back, what is refused, and what is limited. */

import type { RequirementEntry } from '../../certificate/judged-requirement.js';
import type { Contract, RequirementTopic } from '../../contract/contract.js';
import { documentedOperation, renderFilterParameter } from '../../contract/operation.js';
import type { Exchange } from '../../http/exchange.js';
import { isSuccessful } from '../../http/response-status.js';
import { getIdFinders } from '../../recognition/id-finders.js';
import { inferShape } from '../../record/body-shape.js';
import { type ResponseRenderer, renderShortCurlCommand } from '../../record/exchange-text.js';
import { groupBy } from '../../support/collections.js';
import { renderCodeBlock, renderCodeInTableCell, renderInlineCode } from '../markdown.js';
import { type AnsweredQuestion, type RunView, renderAnswerOrNone } from '../output.js';
import { renderShape } from './render-shape.js';

/** The questions whose answers a client needs first, by what they are about. */
export const questionsOfClients = {
  request: [
    'omitted-customer',
    'omitted-order',
    'omitted-metadata',
    'omitted-options',
    'missing-quantity',
    'audience-rules-only-effect',
    'expand-category-effect',
    'filter-percent-encoded',
    'filter-literal-brackets',
    'filter-combination',
  ],
  result: ['response-status', 'response-media-type', 'response-shape', 'result-order', 'result-repetition'],
  empty: ['empty-result'],
  limits: ['filter-beyond-window', 'large-order', 'body-length', 'rate-limit-headers', 'caching-headers'],
} as const;

/** What the requirements decide about that limit what a client gets. */
const limitingTopic: RequirementTopic = 'rank';

/** The answers that are shown by a request with filters, the plainest one first. */
const filterExamples = ['filter-combination', 'filter-unknown-campaign', 'filter-beyond-window', 'filter-letter-case'];

type ShownExchange = NonNullable<AnsweredQuestion['shown']>;

/** @returns undefined if no response was seen that a client could rely on */
export function viewClientGuide(
  { answers, certificate: { requirements }, suite }: RunView,
  renderResponse: ResponseRenderer,
) {
  const seen = answers.flatMap(({ shown }) => shown ?? []);
  const successes = seen.filter(({ request, response }) => isOfOperation(request) && isSuccessful(response));
  const [example] = successes;
  if (example === undefined) return undefined;
  const shape = inferShape(
    successes.map(({ response }) => response.body),
    getIdFinders(suite.world),
  );
  const list = (ids: readonly string[]) => listSentences(answers, ids);
  const [empty] = findShown(answers, questionsOfClients.empty);
  const filtered = findShown(answers, filterExamples).find(({ response }) => isSuccessful(response));
  return {
    filters: [renderFilterParameter({ on: 'campaign' }), renderFilterParameter({ on: 'metadata', key: 'KEY' })].map(
      renderInlineCode,
    ),
    request: renderCodeBlock('sh', renderShortCurlCommand(example)),
    filtered: renderQuery(filtered),
    sending: list(questionsOfClients.request),
    result: list(questionsOfClients.result),
    shape: shape === undefined ? '' : renderCodeBlock('text', renderShape(shape)),
    emptySentences: list(questionsOfClients.empty),
    empty: empty === undefined ? '' : renderCodeBlock('text', renderResponse(empty)),
    errors: viewErrors(answers, renderResponse),
    limits: [...listPassingLimits(requirements, suite.contract), ...list(questionsOfClients.limits)],
    failing: requirements.filter(({ verdict }) => verdict === 'fail').map(({ statement }) => statement),
    warnings: listSentences(
      answers,
      answers.flatMap(({ question, entry }) => (entry.warning ? [question.id] : [])),
    ),
  };
}

function isOfOperation({ method, path }: Exchange['request']): boolean {
  return method === documentedOperation.method && path.split('?')[0] === documentedOperation.path;
}

function listPassingLimits(entries: readonly RequirementEntry[], { requirements }: Contract): string[] {
  const limits = requirements.filter(({ about }) => about === limitingTopic);
  const passing = limits.filter((limit) => entries.some(({ id, verdict }) => id === limit.id && verdict === 'pass'));
  return passing.map(({ statement }) => statement);
}

function listSentences(answers: readonly AnsweredQuestion[], ids: readonly string[]): string[] {
  const found = ids.flatMap((id) => answers.find(({ question }) => question.id === id) ?? []);
  return found
    .filter(({ entry }) => entry.outcome !== null)
    .map((answer) => renderAnswerOrNone(answer, renderInlineCode));
}

/** Finds the exchanges that show these answers. */
function findShown(answers: readonly AnsweredQuestion[], ids: readonly string[]): ShownExchange[] {
  return ids.flatMap((id) => {
    const answer = answers.find(({ question, entry }) => question.id === id && entry.outcome !== null);
    return answer?.shown ?? [];
  });
}

function renderQuery(exchange: ShownExchange | undefined): string {
  const [, query] = exchange?.request.path.split('?') ?? [];
  return query === undefined ? '' : renderInlineCode(query);
}

/** An empty result may have the status of an error: what returns nothing refuses nothing. */
const resultQuestion = 'empty-result';
const emptyOutcome = 'nothing-returned';

/** The statuses of errors: an example of each, and the other questions that are answered with it. */
function viewErrors(answers: readonly AnsweredQuestion[], renderResponse: ResponseRenderer) {
  const refused = answers.flatMap(({ shown, ...answer }) => {
    const isEmptyResult = answer.question.id === resultQuestion || answer.entry.outcome === emptyOutcome;
    return shown !== undefined && shown.response.status >= 400 && !isEmptyResult ? [{ ...answer, shown }] : [];
  });
  const byStatus = [...groupBy(refused, ({ shown }) => shown.response.status)].sort(([left], [right]) => left - right);
  return byStatus.map(([, [first, ...others]]) => {
    const [head = '', ...body] = renderResponse(first.shown).split('\n');
    return {
      head: renderCodeInTableCell(head),
      sentence: renderAnswerOrNone(first, renderCodeInTableCell),
      body: renderCodeInTableCell(body.map((line) => line.replace(/^\| /, '')).join(' ')),
      others: others.map(({ question }, n) => ({ id: question.id, separator: n === 0 ? '' : ', ' })),
    };
  });
}
