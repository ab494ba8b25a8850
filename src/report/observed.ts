import { undetermined } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { deservesWarning, type Question } from '../contract/ledger.js';
import type { CaseResult } from '../engine/case-result.js';
import { headerValues } from '../http/exchange.js';
import { succeeded } from '../http/response-status.js';
import { errorShape } from '../judge/value.js';
import { type KnownIds, knownIdsOf } from '../recognition/known-ids.js';
import { namesTiers, namingOf } from '../recognition/naming.js';
import { escapeControlCharacters } from '../support/escape-control.js';
import { answerSentence } from './answer-sentence.js';
import { baseUrlPlaceholder, type ResponseText, requestText, responseTextFor } from './exchange-text.js';
import { code, fenced, plain } from './markdown.js';
import { type Sampler, type ShownAnswer, samplerFor, shownAnswers } from './shown-answers.js';

/**
 * The part that the documentation does not have: a result and the errors as they look, and for every question what is
 * left open and what this target does, with the exchange that shows it. Markdown, the same text whenever the target does
 * the same.
 */
export function observedDocument(suite: Suite, results: readonly CaseResult[], target: string): string {
  const byQuestion = new Map(results.map((result) => [result.subject, result]));
  const { groups, questions } = suite.ledger;
  const answered = questions.map((question) => ({ question, result: byQuestion.get(question.id) }));
  const warnings = answered.filter(({ question, result }) => deservesWarning(question, result?.outcome));
  const ids = knownIdsOf(suite.world);
  const sampler = samplerFor(suite.world, results);
  const responseText = steadyText(responseTextFor(suite.world), ids, sampler);
  return [
    `# What ${plain(target)} does where the documentation is silent`,
    `Observed with ${suite.name} ${suite.version}. In the requests, \`${baseUrlPlaceholder}\`, \`$CLIENT_APPLICATION_ID\` and \`$CLIENT_TOKEN\` stand for yours; in the responses, \`…\`, or the number 0, for what changes from answer to answer. Lists in JSON are cut to their first entry.`,
    '## Warnings',
    warnings.length === 0
      ? 'None.'
      : warnings
          .map(({ question, result }) => `- [${question.id}](#${question.id}): ${sentence(question, result)}`)
          .join('\n'),
    ...looks(shownAnswers(suite, results), ids, { sampler, responseText }),
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
function sentence(question: Question, result: CaseResult | undefined): string {
  if (result?.outcome === undefined) return `No answer. ${plain(result?.reason ?? 'Not sent in this run.')}`;
  if (result.outcome === undetermined) return `Undetermined. ${plain(result.reason)}`;
  return answerSentence(question, result.outcome, code);
}

function section(question: Question, result: CaseResult | undefined, responseText: ResponseText): string[] {
  const { outcome, evidence } = result ?? {};
  const named = question.answer.kind === 'outcomes' && outcome !== undefined ? ` (${code(outcome)})` : '';
  return [
    `### ${question.id}`,
    `${question.open} (${question.part})`,
    `**${sentence(question, result)}**${named}`,
    ...(evidence === undefined ? [] : [fenced('sh', requestText(evidence)), fenced('text', responseText(evidence))]),
  ];
}

/** A response in words, in which what is volatile is no more to be seen than in a sample of its body. */
function steadyText(responseText: ResponseText, ids: KnownIds, sampler: Sampler): ResponseText {
  return (exchange) => {
    if (!('response' in exchange) || namesTiers(namingOf(exchange.response.body, ids))) return responseText(exchange);
    const sample = sampler(exchange.response.body);
    if (sample === undefined) return responseText(exchange);
    return responseText({ ...exchange, response: { ...exchange.response, body: JSON.stringify(sample) } });
  };
}

/** How responses are shown. */
interface Showing {
  readonly sampler: Sampler;
  readonly responseText: ResponseText;
}

/** One result, and one error of each kind: of a status, and of the members of its body. */
function looks(shown: readonly ShownAnswer[], ids: KnownIds, showing: Showing): string[] {
  const successes = shown.filter(({ exchange: { response } }) => succeeded(response));
  const result =
    successes.find(
      ({ exchange: { response } }) =>
        showing.sampler(response.body) !== undefined && namesTiers(namingOf(response.body, ids)),
    ) ?? successes[0];
  const kinds = new Map<string, ShownAnswer[]>();
  for (const each of shown) {
    const { status, headers, body } = each.exchange.response;
    if (status < 400) continue;
    const kind = `${status} ${errorShape(body, headerValues(headers, 'content-type')[0])}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), each]);
  }
  const errors = [...kinds].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    ...(result === undefined
      ? []
      : ['## What does a result look like?', fenced('sh', requestText(result.exchange)), ...look(result, showing)]),
    ...(errors.length === 0 ? [] : ['## What do errors look like?']),
    ...errors.flatMap(([kind, [first, ...others]]) =>
      first === undefined
        ? []
        : [
            `### ${code(kind)}`,
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
  if (sample === undefined) return [fenced('text', text)];
  const [head = ''] = text.split('\n');
  return [fenced('text', head), fenced('json', escapeControlCharacters(JSON.stringify(sample, null, 2)))];
}
