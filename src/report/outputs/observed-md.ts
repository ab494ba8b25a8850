import type { Suite } from '../../cases/suite.js';
import { undetermined } from '../../cases/test-case.js';
import { isWarningOutcome, type Question } from '../../contract/contract.js';
import type { ShownResult } from '../../engine/case-result.js';
import { getHeaderValues } from '../../http/exchange.js';
import { isSuccessful } from '../../http/response-status.js';
import { renderErrorShape } from '../../judge/extract-value.js';
import { createKnownIds, type KnownIds } from '../../recognition/known-ids.js';
import { findTierMentions, hasMentions } from '../../recognition/tier-mentions.js';
import { escapeControlCharacters } from '../../support/escape-control-characters.js';
import { baseUrlPlaceholder, createResponseRenderer, type ResponseRenderer, renderRequest } from '../exchange-text.js';
import { codeBlock, escapeMarkdown, inlineCode } from '../markdown.js';
import { renderAnswer } from '../render-answer.js';
import { createSampler, listShownAnswers, type Sampler, type ShownAnswer } from '../shown-answers.js';

/**
 * The part that the documentation does not have: a result and the errors as they look, and for every question what is
 * left open and what this target does, with the exchange that shows it. Markdown, the same text whenever the target does
 * the same.
 */
export function renderObserved(suite: Suite, results: readonly ShownResult[], target: string): string {
  const byQuestion = new Map(results.map((result) => [result.subject, result]));
  const { groups, questions } = suite.contract;
  const answered = questions.map((question) => ({ question, result: byQuestion.get(question.id) }));
  const warnings = answered.filter(({ question, result }) => isWarningOutcome(question, result?.outcome));
  const ids = createKnownIds(suite.world);
  const sampler = createSampler(suite.world, results);
  const responseText = steadyText(createResponseRenderer(suite.world), ids, sampler);
  return [
    `# What ${escapeMarkdown(target)} does where the documentation is silent`,
    `Observed with ${suite.name} ${suite.version}. In the requests, \`${baseUrlPlaceholder}\`, \`$CLIENT_APPLICATION_ID\` and \`$CLIENT_TOKEN\` stand for yours; in the responses, \`…\`, or the number 0, for what changes from answer to answer. Lists in JSON are cut to their first entry.`,
    '## Warnings',
    warnings.length === 0
      ? 'None.'
      : warnings
          .map(({ question, result }) => `- [${question.id}](#${question.id}): ${sentence(question, result)}`)
          .join('\n'),
    ...looks(listShownAnswers(suite, results), ids, { sampler, responseText }),
    ...groups.flatMap(({ name, asks }) => [
      `## ${asks}`,
      ...answered
        .filter(({ question }) => question.group === name)
        .flatMap(({ question, result }) => section(question, result, responseText)),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** What a target does, in one plain sentence. */
function sentence(question: Question, result: ShownResult | undefined): string {
  if (result?.outcome === undefined) return `No answer. ${escapeMarkdown(result?.reason ?? 'Not sent in this run.')}`;
  if (result.outcome === undetermined) return `Undetermined. ${escapeMarkdown(result.reason)}`;
  return renderAnswer(question, result.outcome, inlineCode);
}

function section(question: Question, result: ShownResult | undefined, responseText: ResponseRenderer): string[] {
  const { outcome, exchange: evidence } = result ?? {};
  const named = question.answer.kind === 'outcomes' && outcome !== undefined ? ` (${inlineCode(outcome)})` : '';
  return [
    `### ${question.id}`,
    `${question.open} (${question.part})`,
    `**${sentence(question, result)}**${named}`,
    ...(evidence === undefined
      ? []
      : [codeBlock('sh', renderRequest(evidence)), codeBlock('text', responseText(evidence))]),
  ];
}

/** A response in words, in which what is volatile is no more to be seen than in a sample of its body. */
function steadyText(responseText: ResponseRenderer, ids: KnownIds, sampler: Sampler): ResponseRenderer {
  return (exchange) => {
    if (!('response' in exchange) || hasMentions(findTierMentions(exchange.response.body, ids)))
      return responseText(exchange);
    const sample = sampler(exchange.response.body);
    if (sample === undefined) return responseText(exchange);
    return responseText({ ...exchange, response: { ...exchange.response, body: JSON.stringify(sample) } });
  };
}

/** How responses are shown. */
interface Showing {
  readonly sampler: Sampler;
  readonly responseText: ResponseRenderer;
}

/** One result, and one error of each kind: of a status, and of the members of its body. */
function looks(shown: readonly ShownAnswer[], ids: KnownIds, showing: Showing): string[] {
  const successes = shown.filter(({ exchange: { response } }) => isSuccessful(response));
  const result =
    successes.find(
      ({ exchange: { response } }) =>
        showing.sampler(response.body) !== undefined && hasMentions(findTierMentions(response.body, ids)),
    ) ?? successes[0];
  const kinds = new Map<string, ShownAnswer[]>();
  for (const each of shown) {
    const { status, headers, body } = each.exchange.response;
    if (status < 400) continue;
    const kind = `${status} ${renderErrorShape(body, getHeaderValues(headers, 'content-type')[0])}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), each]);
  }
  const errors = [...kinds].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    ...(result === undefined
      ? []
      : [
          '## What does a result look like?',
          codeBlock('sh', renderRequest(result.exchange)),
          ...look(result, showing),
        ]),
    ...(errors.length === 0 ? [] : ['## What do errors look like?']),
    ...errors.flatMap(([kind, [first, ...others]]) =>
      first === undefined
        ? []
        : [
            `### ${inlineCode(kind)}`,
            `As in the answer to ${[first, ...others].map(linked).join(', ')}.`,
            ...look(first, showing),
          ],
    ),
  ];
}

function linked({ question: { id } }: ShownAnswer): string {
  return `[${id}](#${id})`;
}

/** A response with its body as JSON, where that can be shown; otherwise in a line. */
function look({ exchange }: ShownAnswer, { sampler, responseText }: Showing): string[] {
  const sample = sampler(exchange.response.body);
  const text = responseText(exchange);
  if (sample === undefined) return [codeBlock('text', text)];
  const [head = ''] = text.split('\n');
  return [codeBlock('text', head), codeBlock('json', escapeControlCharacters(JSON.stringify(sample, null, 2)))];
}
