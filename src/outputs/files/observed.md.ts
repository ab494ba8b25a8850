import { undetermined } from '../../cases/test-case.js';
import { renderAnswer } from '../../certificate/render-answer.js';
import { isSuccessful } from '../../http/response-status.js';
import {
  baseUrlPlaceholder,
  createResponseRenderer,
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
import { type BodyShortener, createBodyShortener } from '../body-shortener.js';
import type { Output, QuestionAnswer } from '../output.js';

/** Renders the part that the documentation lacks. The text is the same if the target behaves the same. */
export default (({ suite, answers, certificate, suiteResults }) => {
  const shortenBody = createBodyShortener(suiteResults);
  const renderResponse = createResponseRenderer(suite.world, shortenBody);
  const blocks = [
    markdown`# What ${inlineCode(certificate.target.name)} does where the documentation is silent`,
    markdown`Observed with ${suite.name} ${inlineCode(suite.version)}. In requests, ${inlineCode(baseUrlPlaceholder)}, ${inlineCode('$CLIENT_APPLICATION_ID')} and ${inlineCode('$CLIENT_TOKEN')} stand for your values. In responses, ${inlineCode('…')} and the number 0 stand for values that change from response to response. Lists in JSON are cut to their first entry.`,
    markdown`## All answers`,
    renderMarkdownTable(
      ['Question', 'Answer'],
      answers.map((answer) => {
        const sentence = renderSentence(answer, tableCode);
        const link = rawMarkdown(`[${answer.question.id}](#${answer.question.id})`);
        return [link, answer.entry.warning ? markdown`**Warning.** ${sentence}` : sentence];
      }),
    ),
    ...renderExample(answers, shortenBody, renderResponse),
    ...suite.contract.groups.flatMap(({ name, asks }) => [
      markdown`## ${rawMarkdown(asks)}`,
      ...answers
        .filter(({ question }) => question.group === name)
        .flatMap((answer) => renderQuestion(answer, renderResponse)),
    ]),
  ];
  return markdown`${joinMarkdown(blocks)}\n`;
}) satisfies Output;

function renderSentence({ question, entry: { outcome } }: QuestionAnswer, quote = inlineCode): Markdown {
  if (outcome === null) return markdown`No answer.`;
  return rawMarkdown(renderAnswer(question, outcome, (text) => quote(text).text));
}

function renderQuestion(answer: QuestionAnswer, renderResponse: ResponseRenderer): Markdown[] {
  const { question, entry, result } = answer;
  const { outcome, reason = '' } = entry;
  const isNamed = question.answer.kind === 'outcomes' && outcome !== null;
  return [
    markdown`### ${rawMarkdown(question.id)}`,
    markdown`${rawMarkdown(question.open)} (${rawMarkdown(question.part)})`,
    markdown`**${renderSentence(answer)}**${isNamed ? markdown` (${inlineCode(outcome)})` : ''}`,
    ...(outcome === null || outcome === undetermined ? [markdown`${reason}`] : []),
    ...(result?.exchange === undefined
      ? []
      : [
          renderCodeBlock('sh', renderRequest(result.exchange)),
          renderCodeBlock('text', renderResponse(result.exchange)),
        ]),
  ];
}

function renderExample(
  answers: readonly QuestionAnswer[],
  shortenBody: BodyShortener,
  renderResponse: ResponseRenderer,
): Markdown[] {
  const results = answers.flatMap(({ shown }) => (shown && isSuccessful(shown.response) ? [shown] : []));
  const example = results.find(({ response }) => shortenBody(response.body) !== undefined) ?? results[0];
  if (example === undefined) return [];
  const sample = shortenBody(example.response.body);
  const response = renderResponse(example);
  return [
    markdown`## What does a result look like?`,
    renderCodeBlock('sh', renderRequest(example)),
    ...(sample === undefined
      ? [renderCodeBlock('text', response)]
      : [
          renderCodeBlock('text', response.replace(/\n.*/s, '')),
          renderCodeBlock('json', JSON.stringify(sample, null, 2)),
        ]),
  ];
}
