import { undetermined } from '../../cases/test-case.js';
import { renderAnswerMarkdown } from '../../certificate/render-answer.js';
import type { Question } from '../../contract/contract.js';
import { isSuccessful } from '../../http/response-status.js';
import {
  baseUrlPlaceholder,
  createStableRenderer,
  type ResponseRenderer,
  renderRequest,
} from '../../record/exchange-text.js';
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
import type { QuestionAnswer, RunView } from '../run-view.js';

/**
 * Renders the part that the documentation lacks: how a result looks, and the answer to every question with the
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
    ...renderExample(view, renderResponse),
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

/** Renders a result, as a short sample if there is one. */
function renderExample({ shown, shortenBody }: RunView, renderResponse: ResponseRenderer): Markdown[] {
  const results = shown.map(({ exchange }) => exchange).filter(({ response }) => isSuccessful(response));
  const example = results.find(({ response }) => shortenBody(response.body) !== undefined) ?? results[0];
  if (example === undefined) return [];
  const sample = shortenBody(example.response.body);
  const [head = '', ...body] = renderResponse(example).split('\n');
  return [
    markdown`## What does a result look like?`,
    renderCodeBlock('sh', renderRequest(example)),
    renderCodeBlock('text', sample === undefined ? [head, ...body].join('\n') : head),
    ...(sample === undefined ? [] : [renderCodeBlock('json', JSON.stringify(sample, null, 2))]),
  ];
}
