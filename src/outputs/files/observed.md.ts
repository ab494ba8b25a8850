import { undetermined } from '../../cases/test-case.js';
import { renderAnswerMarkdown } from '../../certificate/render-answer.js';
import { isWarningOutcome, type Question } from '../../contract/contract.js';
import type { Exchange } from '../../http/exchange.js';
import { isSuccessful } from '../../http/response-status.js';
import { renderErrorShape } from '../../judge/extract-value.js';
import {
  baseUrlPlaceholder,
  createStableRenderer,
  type ResponseRenderer,
  renderRequest,
} from '../../record/exchange-text.js';
import { notSelectedReason, type ResultWithExchanges } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import {
  inlineCode,
  joinMarkdown,
  type Markdown,
  markdown,
  rawMarkdown,
  renderCodeBlock,
  renderMarkdownTable,
  tableCode,
} from '../../support/markdown.js';
import type { Output } from '../output.js';
import { type BodyShortener, createBodyShortener, listShownAnswers, type ShownAnswer } from '../shown-answers.js';

/**
 * Renders the part that the documentation lacks: how results and errors look, and the answer to every question with the
 * exchange that shows it. The text is the same if the target behaves the same.
 */
export default (({ suite, suiteResults, certificate: { target } }) => {
  const byQuestion = new Map(suiteResults.map((result) => [result.subject, result]));
  const { groups, questions } = suite.contract;
  const answered = questions.map((question) => ({ question, result: byQuestion.get(question.id) }));
  const warnings = answered
    .filter(({ question, result }) => isWarningOutcome(question, result?.outcome))
    .map(({ question, result }) => markdown`- ${linkTo(question)}: ${renderSentence(question, result)}`);
  const shortenBody = createBodyShortener(suite.world, suiteResults);
  const renderResponse = createStableRenderer(suite.world, shortenBody);
  const answerRows = answered.map(({ question, result }) => renderAnswerRow(question, result));
  const blocks = [
    markdown`# What ${inlineCode(target.name)} does where the documentation is silent`,
    markdown`Observed with ${suite.name} ${inlineCode(suite.version)}. In requests, ${inlineCode(baseUrlPlaceholder)}, ${inlineCode('$CLIENT_APPLICATION_ID')} and ${inlineCode('$CLIENT_TOKEN')} stand for your values. In responses, ${inlineCode('…')} and the number 0 stand for values that change from response to response. Lists in JSON are cut to their first entry.`,
    markdown`## All answers`,
    renderMarkdownTable(['Question', 'Answer'], answerRows),
    markdown`## Warnings`,
    warnings.length === 0 ? markdown`None.` : joinMarkdown(warnings, '\n'),
    ...renderExamples(listShownAnswers(suite, suiteResults), shortenBody, renderResponse),
    ...groups.flatMap(({ name, asks }) => [
      markdown`## ${rawMarkdown(asks)}`,
      ...answered
        .filter(({ question }) => question.group === name)
        .flatMap(({ question, result }) => renderQuestion(question, result, renderResponse)),
    ]),
  ];
  return markdown`${joinMarkdown(blocks)}\n`;
}) satisfies Output;

function linkTo({ id }: Question): Markdown {
  return rawMarkdown(`[${id}](#${id})`);
}

function renderAnswerRow(question: Question, { outcome, exchange }: Partial<ResultWithExchanges> = {}): Markdown[] {
  const answer =
    outcome === undefined ? markdown`no answer` : renderAnswerMarkdown(question, outcome, exchange, tableCode);
  return [linkTo(question), isWarningOutcome(question, outcome) ? markdown`**Warning.** ${answer}` : answer];
}

function renderSentence(question: Question, result: ResultWithExchanges | undefined): Markdown {
  if (result?.outcome === undefined) return markdown`No answer. ${result?.reason ?? notSelectedReason}`;
  if (result.outcome === undetermined) return markdown`Undetermined. ${result.reason}`;
  return renderAnswerMarkdown(question, result.outcome, result.exchange);
}

function renderQuestion(
  question: Question,
  result: ResultWithExchanges | undefined,
  renderResponse: ResponseRenderer,
): Markdown[] {
  const { outcome, exchange } = result ?? {};
  const name = question.answer.kind === 'outcomes' && outcome !== undefined ? markdown` (${inlineCode(outcome)})` : '';
  return [
    markdown`### ${rawMarkdown(question.id)}`,
    markdown`${rawMarkdown(question.open)} (${rawMarkdown(question.part)})`,
    markdown`**${renderSentence(question, result)}**${name}`,
    ...(exchange === undefined ? [] : [renderCommand(exchange), renderCodeBlock('text', renderResponse(exchange))]),
  ];
}

function renderCommand(exchange: Exchange): Markdown {
  return renderCodeBlock('sh', renderRequest(exchange));
}

/** Renders one result, and one error for each status with each set of members. */
function renderExamples(
  shown: readonly ShownAnswer[],
  shortenBody: BodyShortener,
  renderResponse: ResponseRenderer,
): Markdown[] {
  /** Shows the body as JSON if it has a short sample. */
  const renderExample = ({ exchange }: ShownAnswer): Markdown[] => {
    const sample = shortenBody(exchange.response.body);
    const text = renderResponse(exchange);
    if (sample === undefined) return [renderCodeBlock('text', text)];
    const [head = ''] = text.split('\n');
    return [renderCodeBlock('text', head), renderCodeBlock('json', JSON.stringify(sample, null, 2))];
  };
  const successes = shown.filter(({ exchange: { response } }) => isSuccessful(response));
  const result =
    successes.find(({ exchange: { response } }) => shortenBody(response.body) !== undefined) ?? successes[0];
  const errors = groupBy(
    shown.filter(({ exchange: { response } }) => response.status >= 400),
    ({ exchange: { response } }) => `${response.status} ${renderErrorShape(response)}`,
  );
  return [
    ...(result === undefined
      ? []
      : [markdown`## What does a result look like?`, renderCommand(result.exchange), ...renderExample(result)]),
    ...(errors.size === 0 ? [] : [markdown`## What do errors look like?`]),
    ...[...errors].sort().flatMap(([kind, answers]) => [
      markdown`### ${inlineCode(kind)}`,
      markdown`Seen in the answer to ${joinMarkdown(
        answers.map(({ question }) => linkTo(question)),
        ', ',
      )}.`,
      ...renderExample(answers[0]),
    ]),
  ];
}
