import { undetermined } from '../../cases/test-case.js';
import { renderAnswer } from '../../certificate/case-entry.js';
import { isSuccessful } from '../../http/response-status.js';
import { maskChanging } from '../../judge/recorded-bodies.js';
import {
  baseUrlPlaceholder,
  createResponseRenderer,
  type ResponseRenderer,
  renderRequest,
  volatilePattern,
} from '../../record/exchange-text.js';
import { parseJson } from '../../support/json.js';
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
import type { Output, QuestionAnswer } from '../output.js';

/** Renders the part that the documentation lacks. The text is the same if the target behaves the same. */
export default (({ suite, answers, certificate, suiteResults }) => {
  const volatile = new Set(suiteResults.flatMap((result) => result.volatile ?? []));
  const maskBody = (body: string) => maskChanging(parseJson(body), volatile);
  const renderResponse = createResponseRenderer(suite.world, maskBody);
  const [example] = answers.flatMap(({ shown }) => (shown && isSuccessful(shown.response) ? [shown] : []));
  const sample = example === undefined ? '' : renderSample(maskBody(example.response.body));
  const blocks = [
    markdown`# What ${inlineCode(certificate.target.name)} does where the documentation is silent`,
    markdown`Observed with ${suite.name} ${inlineCode(suite.version)}. In requests, ${inlineCode(baseUrlPlaceholder)}, ${inlineCode('$CLIENT_APPLICATION_ID')} and ${inlineCode('$CLIENT_TOKEN')} stand for your values. In responses, ${inlineCode('…')} and ${inlineCode('<changing>')} stand for values that change from response to response. Lists in JSON are cut to their first entry.`,
    markdown`## All answers`,
    renderMarkdownTable(
      ['Question', 'Answer'],
      answers.map((answer) => {
        const sentence = renderSentence(answer, tableCode);
        const link = rawMarkdown(`[${answer.question.id}](#${answer.question.id})`);
        return [link, answer.entry.warning ? markdown`**Warning.** ${sentence}` : sentence];
      }),
    ),
    ...(example === undefined || sample === ''
      ? []
      : [
          markdown`## What does a result look like?`,
          renderCodeBlock('sh', renderRequest(example)),
          renderCodeBlock('json', sample),
        ]),
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
  const shown = result?.exchange;
  return [
    markdown`### ${rawMarkdown(question.id)}`,
    markdown`${rawMarkdown(question.open)} (${rawMarkdown(question.part)})`,
    markdown`**${renderSentence(answer)}**${isNamed ? markdown` (${inlineCode(outcome)})` : ''}`,
    ...(outcome === null || outcome === undetermined ? [markdown`${reason}`] : []),
    ...(shown ? [renderCodeBlock('sh', renderRequest(shown)), renderCodeBlock('text', renderResponse(shown))] : []),
  ];
}

/** The length of a longer sample, which shows nothing at a glance. */
const maxSample = 6_000;

/** Renders a body with the first entry of each list; empty if it is no JSON, or too long. */
function renderSample(body: unknown): string {
  const text = JSON.stringify(body, (_, value) => (Array.isArray(value) ? value.slice(0, 1) : value), 2) ?? '';
  return text.length > maxSample ? '' : text.replaceAll(volatilePattern, '…');
}
