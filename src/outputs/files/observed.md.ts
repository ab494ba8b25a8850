import { undetermined } from '../../cases/test-case.js';
import { renderAnswerMarkdown } from '../../certificate/render-answer.js';
import type { Question } from '../../contract/contract.js';
import { isSuccessful } from '../../http/response-status.js';
import { renderErrorShape } from '../../judge/extract-value.js';
import {
  baseUrlPlaceholder,
  createStableRenderer,
  type ResponseRenderer,
  renderRequest,
} from '../../record/exchange-text.js';
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
import type { QuestionAnswer, RunView, ShownAnswer } from '../run-view.js';

/**
 * Renders the part that the documentation lacks: how results and errors look, and the answer to every question with the
 * exchange that shows it. The text is the same if the target behaves the same.
 */
export default ((view) => {
  const { suite, answers, certificate, shortenBody } = view;
  const renderResponse = createStableRenderer(suite.world, shortenBody);
  const warnings = answers.filter(({ entry }) => entry.warning);
  const blocks = [
    markdown`# What ${inlineCode(certificate.target.name)} does where the documentation is silent`,
    markdown`Observed with ${suite.name} ${inlineCode(suite.version)}. In requests, ${inlineCode(baseUrlPlaceholder)}, ${inlineCode('$CLIENT_APPLICATION_ID')} and ${inlineCode('$CLIENT_TOKEN')} stand for your values. In responses, ${inlineCode('…')} and the number 0 stand for values that change from response to response. Lists in JSON are cut to their first entry.`,
    markdown`## All answers`,
    renderMarkdownTable(['Question', 'Answer'], answers.map(renderAnswerRow)),
    markdown`## Warnings`,
    warnings.length === 0
      ? markdown`None.`
      : joinMarkdown(
          warnings.map((answer) => markdown`- ${linkTo(answer.question)}: ${renderSentence(answer)}`),
          '\n',
        ),
    ...renderExamples(view, renderResponse),
    ...suite.contract.groups.flatMap(({ name, asks }) => [
      markdown`## ${rawMarkdown(asks)}`,
      ...answers
        .filter(({ question }) => question.group === name)
        .flatMap((answer) => renderQuestion(answer, renderResponse)),
    ]),
  ];
  return markdown`${joinMarkdown(blocks)}\n`;
}) satisfies Output;

function linkTo({ id }: Question): Markdown {
  return rawMarkdown(`[${id}](#${id})`);
}

function renderAnswerRow({ question, entry, result }: QuestionAnswer): Markdown[] {
  const answer =
    entry.outcome === null
      ? markdown`no answer`
      : renderAnswerMarkdown(question, entry.outcome, result?.exchange, tableCode);
  return [linkTo(question), entry.warning ? markdown`**Warning.** ${answer}` : answer];
}

function renderSentence({ question, entry: { outcome, reason = '' }, result }: QuestionAnswer): Markdown {
  if (outcome === null) return markdown`No answer. ${reason}`;
  if (outcome === undetermined) return markdown`Undetermined. ${reason}`;
  return renderAnswerMarkdown(question, outcome, result?.exchange);
}

function renderQuestion(answer: QuestionAnswer, renderResponse: ResponseRenderer): Markdown[] {
  const { question, entry, result } = answer;
  const isNamed = question.answer.kind === 'outcomes' && entry.outcome !== null;
  return [
    markdown`### ${rawMarkdown(question.id)}`,
    markdown`${rawMarkdown(question.open)} (${rawMarkdown(question.part)})`,
    markdown`**${renderSentence(answer)}**${isNamed ? markdown` (${inlineCode(entry.outcome)})` : ''}`,
    ...(result?.exchange === undefined
      ? []
      : [
          renderCodeBlock('sh', renderRequest(result.exchange)),
          renderCodeBlock('text', renderResponse(result.exchange)),
        ]),
  ];
}

/** Renders one result, and one error for each status with each set of members. */
function renderExamples({ shown, shortenBody }: RunView, renderResponse: ResponseRenderer): Markdown[] {
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
      : [
          markdown`## What does a result look like?`,
          renderCodeBlock('sh', renderRequest(result.exchange)),
          ...renderExample(result),
        ]),
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
