import { undetermined } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { deservesWarning, type Question } from '../contract/ledger.js';
import type { CaseResult } from '../engine/case-result.js';
import { oneLine } from '../support/foreign-text.js';
import { baseUrlPlaceholder, type ResponseText, requestText, responseTextFor } from './exchange-text.js';

/**
 * The part that the documentation does not have: for every question what is left open and what this target does, with
 * the exchange that shows it. Markdown, the same text whenever the target does the same.
 */
export function observedDocument(suite: Suite, results: readonly CaseResult[], target: string): string {
  const byQuestion = new Map(results.map((result) => [result.subject, result]));
  const answered = suite.ledger.questions.map((question) => ({ question, result: byQuestion.get(question.id) }));
  const warnings = answered.filter(({ question, result }) => deservesWarning(question, result?.outcome));
  const responseText = responseTextFor(suite.world);
  const groups = [...new Set(suite.ledger.questions.map(({ group }) => group))];
  return [
    `# What ${plain(target)} does where the documentation is silent`,
    `Observed with ${suite.name} ${suite.version}. In the requests, \`${baseUrlPlaceholder}\`, \`$CLIENT_APPLICATION_ID\` and \`$CLIENT_TOKEN\` stand for yours; in the responses, \`…\` for what changes from answer to answer.`,
    '## Warnings',
    warnings.length === 0
      ? 'None.'
      : warnings
          .map(({ question, result }) => `- [${question.id}](#${question.id}): ${sentence(question, result)}`)
          .join('\n'),
    ...groups.flatMap((group) => [
      `## ${group}`,
      ...answered
        .filter(({ question }) => question.group === group)
        .flatMap(({ question, result }) => section(question, result, responseText)),
    ]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** What a target does, in one plain sentence. */
export function sentence({ answer }: Question, result: CaseResult | undefined): string {
  if (result?.outcome === undefined) return `No answer. ${plain(result?.reason ?? 'Not sent in this run.')}`;
  if (result.outcome === undetermined) return `Undetermined. ${plain(result.reason)}`;
  if (answer.kind === 'value') return code(result.outcome);
  return answer.outcomes.get(result.outcome) ?? plain(result.outcome);
}

function section(question: Question, result: CaseResult | undefined, responseText: ResponseText): string[] {
  const { outcome, evidence } = result ?? {};
  const named = question.answer.kind === 'outcomes' && outcome !== undefined ? ` (${code(outcome)})` : '';
  const described = question.answer.kind === 'value' ? ` ${question.answer.describes}` : '';
  return [
    `### ${question.id}`,
    `${question.open}${described} (${question.part})`,
    `**${sentence(question, result)}**${named}`,
    ...(evidence === undefined ? [] : [fenced('sh', requestText(evidence)), fenced('text', responseText(evidence))]),
  ];
}

/** A text that a deployment may have written, without what it might mean in Markdown. */
function plain(text: string): string {
  return oneLine(text.replaceAll(/\s+/g, ' ')).replaceAll(/[\\`*<>&[\]]/g, '\\$&');
}

/** A text within a line, as it is. */
function code(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${space}${oneLine(text.replaceAll(/\s+/g, ' '))}${space}${fence}`;
}

function fenced(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Of backticks: a fence has to be longer. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
