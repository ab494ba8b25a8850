import { undetermined } from '../../cases/test-case.js';
import { renderAnswer } from '../../certificate/render-answer.js';
import { isSuccessful } from '../../http/response-status.js';
import { maxDepth } from '../../record/body-shape.js';
import {
  baseUrlPlaceholder,
  createResponseRenderer,
  type ResponseRenderer,
  renderRequest,
  volatilePattern,
} from '../../record/exchange-text.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
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
import { truncate } from '../../support/untrusted-text.js';
import type { Output, QuestionAnswer } from '../output.js';

/** Renders the part that the documentation lacks. The text is the same if the target behaves the same. */
export default (({ suite, answers, certificate, suiteResults }) => {
  const sampleBody = createBodySampler(suiteResults);
  const renderResponse = createResponseRenderer(suite.world, sampleBody);
  const [example] = answers.flatMap(({ shown }) => (shown && isSuccessful(shown.response) ? [shown] : []));
  const sample = example && sampleBody(example.response.body);
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
    ...(example === undefined || sample === undefined
      ? []
      : [
          markdown`## What does a result look like?`,
          renderCodeBlock('sh', renderRequest(example)),
          renderCodeBlock('json', JSON.stringify(sample, null, 2)),
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

const maxText = 120;
/** The length of a sample as JSON. A longer one shows nothing at a glance. */
const maxSample = 6_000;
/** A larger number is a point in time or an identifier. */
const minVolatileNumber = 1e9;

/** Shortens bodies that are JSON, and replaces what differs between responses: the same target has the same sample. */
function createBodySampler(results: readonly ResultWithExchanges[]): (body: string) => unknown {
  const volatile = new Set(results.flatMap((result) => result.volatile ?? []));
  const createSample = (value: unknown, path: string, depth: number): unknown => {
    const sampleMember = (member: unknown, step: string) => createSample(member, `${path}/${step}`, depth + 1);
    if (typeof value === 'number') return volatile.has(path) || Math.abs(value) >= minVolatileNumber ? 0 : value;
    // Cut first: on a long run of letters, the pattern takes quadratic time.
    if (typeof value === 'string')
      return volatile.has(path) ? '…' : truncate(value, maxText).replaceAll(volatilePattern, '…');
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) return '…';
    if (Array.isArray(value)) return value.slice(0, 1).map((entry) => sampleMember(entry, '*'));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sampleMember(member, key)]));
  };
  return (body) => {
    const value = parseJson(body);
    const sample = value === undefined ? undefined : createSample(value, '', 0);
    return (JSON.stringify(sample)?.length ?? 0) > maxSample ? undefined : sample;
  };
}
