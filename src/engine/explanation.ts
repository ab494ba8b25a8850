import type { Assertion } from '../assertions/assertion.js';
import { describeAssertion } from '../assertions/describe-assertion.js';
import { renderTierNames } from '../assertions/judge-result.js';
import type { Suite } from '../cases/suite.js';
import type { QuestionCase, RequirementRow, Row, TestCase } from '../cases/test-case.js';
import { createOracle, type Obligation, type ObligationReason } from '../contract/oracle.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { HttpRequest } from '../http/exchange.js';
import { formatLocation } from '../support/problem.js';
import { createNameLookup, renderRule } from '../world/render-rule.js';

/** Stands for the base URL in commands. */
const baseUrl = '$BASE_URL';

/** So many rows are shown as a whole, unless one is named. */
const maxRowsInFull = 3;

/**
 * What a case is, in plain words: the statement or the question that it is about, its requests as commands, what the
 * documentation says of each, and what is expected.
 *
 * @param row the number of the only row to show, from 1; otherwise all of them where they are few, or the first
 */
export function renderExplanation(testCase: TestCase, suite: Suite, row?: number): string {
  const rows: readonly (Row | RequirementRow)[] = testCase.rows;
  const shown = row === undefined ? (rows.length <= maxRowsInFull ? rows : rows.slice(0, 1)) : rows.slice(row - 1, row);
  const number = (one: Row) => rows.indexOf(one) + 1;
  return [
    `${testCase.id}: ${testCase.title}`,
    `  ${formatLocation(testCase.at)}`,
    '',
    ...subjectLines(testCase, suite),
    '',
    ...(rows.length === 1 ? [] : [`${rows.length} rows:`, ...rows.map(({ title }, n) => `  ${n + 1}. ${title}`), '']),
    ...shown.flatMap((one) => [
      ...(rows.length === 1 ? [] : [`Row ${number(one)}: ${one.title}`, '']),
      ...rowLines(one, suite),
    ]),
    ...(testCase.kind === 'question' ? answerLines(testCase, suite) : []),
    ...(shown.length < rows.length && row === undefined ? ['Another row: --row NUMBER', ''] : []),
  ].join('\n');
}

function subjectLines(testCase: TestCase, { contract: ledger }: Suite): string[] {
  if (testCase.kind === 'requirement') {
    const requirement = ledger.requirements.find(({ id }) => id === testCase.verifies);
    return [
      `It verifies the requirement ${testCase.verifies}:`,
      `  ${requirement?.statement}`,
      `  In the documentation: ${requirement?.part}`,
    ];
  }
  const question = ledger.questions.find(({ id }) => id === testCase.answers);
  return [
    `It answers the question ${testCase.answers}:`,
    `  ${question?.open}`,
    `  In the documentation: ${question?.part}`,
  ];
}

function rowLines(row: Row | RequirementRow, suite: Suite): string[] {
  return [
    ...[...row.requests].flatMap(([name, request]) => requestLines(name, request, suite)),
    ...(row.unavailable.length === 0 ? [] : [`Not sent: the target does not have ${row.unavailable.join(', ')}.`, '']),
    ...assertionLines('Given that', row.given, suite),
    ...('expect' in row ? assertionLines('It is expected that', row.expect, suite) : []),
  ];
}

function requestLines(name: string, request: HttpRequest, suite: Suite): string[] {
  return [`'${name}' is sent as`, ...indented(renderCurlCommand(request, baseUrl)), ...oracleLines(request, suite), ''];
}

/** What the documentation says of a request, and why. */
function oracleLines(request: HttpRequest, { world }: Suite): string[] {
  const oracle = createOracle(request, world);
  const isBound = world.tiers.some((tier) => oracle.returned(tier) !== 'open');
  if (oracle.openReason !== undefined && !isBound) return [`  The result is open: ${oracle.openReason}.`];
  const nameOf = createNameLookup(world);
  const linesFor = (obligation: Obligation, heading: string): string[] => {
    const tiers = world.tiers.filter((tier) => oracle.returned(tier) === obligation);
    const byReason = new Map<string, string[]>();
    for (const tier of tiers) {
      // One ground is enough to forbid; a required tier has nothing against it.
      const ground = oracle.listReasons(tier).find((each) => each.obligation === obligation);
      const reason = obligation === 'required' || ground === undefined ? '' : groundText(ground, nameOf);
      byReason.set(reason, [...(byReason.get(reason) ?? []), tier.id]);
    }
    if (tiers.length === 0) return [`  ${heading}: none`];
    return [
      `  ${heading}: ${tiers.length}`,
      ...[...byReason].map(
        ([reason, ids]) => `    ${renderTierNames(ids, world)}${reason === '' ? '' : `: ${reason}`}`,
      ),
    ];
  };
  if (oracle.openReason !== undefined)
    return [...linesFor('forbidden', 'Forbidden'), `  The rest is open: ${oracle.openReason}.`];
  return [
    ...linesFor('required', 'Required to be returned'),
    ...linesFor('forbidden', 'Forbidden'),
    ...linesFor('open', 'Open'),
  ];
}

function groundText(ground: ObligationReason, nameOf: (id: string) => string): string {
  switch (ground.is) {
    case 'rank':
      return ground.obligation === 'open'
        ? 'older than the newest 150, and the filter may come first'
        : 'older than the newest 150';
    case 'filter':
      return ground.obligation === 'open'
        ? `the filter asks for ${nameOf(ground.value)}, which may compare as equal`
        : `the filter asks for ${nameOf(ground.value)}`;
    case 'rule':
      return `rule: ${renderRule(ground.rule, nameOf)}`;
  }
}

function assertionLines(heading: string, assertions: readonly Assertion[], suite: Suite): string[] {
  if (assertions.length === 0) return [];
  return [heading, ...assertions.map((assertion) => `  - ${describeAssertion(assertion, suite.world)}`), ''];
}

function answerLines({ answer, answers }: QuestionCase, suite: Suite): string[] {
  const question = suite.contract.questions.find(({ id }) => id === answers);
  if (answer.kind === 'value') {
    const describes = question?.answer.kind === 'value' ? question.answer.describes : '';
    return [`The answer is taken from '${answer.of}': ${describes}`, ''];
  }
  const outcomes = question?.answer.kind === 'outcomes' ? question.answer.outcomes : new Map<string, string>();
  return [
    `The first of these outcomes that holds is the answer; '${answer.evidence}' shows it:`,
    ...answer.rules.flatMap(({ outcome, when }) => [
      `  ${outcome}: ${outcomes.get(outcome) ?? ''}`,
      ...when.map((assertion) => `    - ${describeAssertion(assertion, suite.world)}`),
    ]),
    '',
  ];
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `    ${line}`);
}
