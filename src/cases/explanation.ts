import type { Assertion } from '../assertions/assertion.js';
import { renderTierNames } from '../assertions/judge-result.js';
import { describeAssertion } from '../assertions/registry.js';
import { createOracle, type Obligation, type ObligationReason } from '../contract/oracle.js';
import { createNameLookup, renderRule } from '../contract/render-rule.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { HttpRequest } from '../http/exchange.js';
import { formatLocation } from '../support/problem.js';
import { describeRow } from './describe-row.js';
import type { Suite } from './suite.js';
import { getSubjectId, type QuestionCase, type RequirementRow, type Row, type TestCase } from './test-case.js';

/**
 * Explains a case: its requirement or question, the meaning of each row, the requests as commands, what the documentation
 * says about each request, and what is expected.
 *
 * @param row the number of the row to show in full, from 1
 */
export function renderExplanation(testCase: TestCase, suite: Suite, row = 1): string {
  const rows: readonly (Row | RequirementRow)[] = testCase.rows;
  const shown = rows[row - 1] as Row | RequirementRow;
  const matrix = [
    `${rows.length} rows:`,
    ...rows.flatMap((each, n) => [`  ${n + 1}. ${each.title}`, `     ${describeRow(each, suite.world)}`]),
    '',
    `Row ${row}: ${shown.title} (another row: --row NUMBER)`,
    '',
  ];
  return [
    `${testCase.id}: ${testCase.title}`,
    `  ${formatLocation(testCase.at)}`,
    '',
    ...renderSubject(testCase, suite),
    '',
    ...(rows.length > 1 ? matrix : [`Meaning: ${describeRow(shown, suite.world)}`, '']),
    ...renderRow(shown, suite),
    ...(testCase.kind === 'question' ? renderAnswer(testCase, suite) : []),
  ].join('\n');
}

function renderSubject(testCase: TestCase, { contract }: Suite): string[] {
  const id = getSubjectId(testCase);
  const requirement = contract.requirements.find((each) => each.id === id);
  const question = contract.questions.find((each) => each.id === id);
  return [
    `It ${requirement === undefined ? 'answers the question' : 'verifies the requirement'} ${id}:`,
    `  ${requirement?.statement ?? question?.open}`,
    `  In the documentation: ${requirement?.part ?? question?.part}`,
  ];
}

function renderRow(row: Row | RequirementRow, suite: Suite): string[] {
  return [
    ...renderAssertions('Given that', row.given, suite),
    ...('expect' in row ? renderAssertions('It is expected that', row.expect, suite) : []),
    ...[...row.requests].flatMap(([name, request]) => [
      `'${name}' is sent as`,
      ...renderCurlCommand(request, '$BASE_URL')
        .split('\n')
        .map((line) => `    ${line}`),
      ...renderOracle(request, suite),
      '',
    ]),
    ...(row.unavailable.length === 0 ? [] : [`Not sent: the target lacks ${row.unavailable.join(', ')}.`, '']),
  ];
}

/** Renders what the documentation says about a request, and why. */
function renderOracle(request: HttpRequest, { world }: Suite): string[] {
  const oracle = createOracle(request, world);
  const nameOf = createNameLookup(world);
  const renderTiers = (obligation: Obligation, heading: string): string[] => {
    const tiers = world.tiers.filter((tier) => oracle.returned(tier) === obligation);
    const byReason = new Map<string, string[]>();
    for (const tier of tiers) {
      // One reason is enough to forbid a tier.
      const found = oracle.listReasons(tier).find((each) => each.obligation === obligation);
      const reason = obligation === 'required' || found === undefined ? '' : describeReason(found, nameOf);
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
    return [...renderTiers('forbidden', 'Forbidden'), `  The rest is open: ${oracle.openReason}.`];
  return [
    ...renderTiers('required', 'Required to be returned'),
    ...renderTiers('forbidden', 'Forbidden'),
    ...renderTiers('open', 'Open'),
  ];
}

function describeReason(reason: ObligationReason, nameOf: (id: string) => string): string {
  const isOpen = reason.obligation === 'open';
  switch (reason.is) {
    case 'rank':
      return `older than the newest 150${isOpen ? ', and the filter may come first' : ''}`;
    case 'filter':
      return `the filter requires ${nameOf(reason.value)}${isOpen ? ', which may compare as equal' : ''}`;
    case 'rule':
      return `rule: ${renderRule(reason.rule, nameOf)}`;
  }
}

function renderAssertions(heading: string, assertions: readonly Assertion[], suite: Suite): string[] {
  if (assertions.length === 0) return [];
  return [heading, ...assertions.map((assertion) => `  - ${describeAssertion(assertion, suite.world)}`), ''];
}

function renderAnswer({ answer, answers }: QuestionCase, suite: Suite): string[] {
  const question = suite.contract.questions.find(({ id }) => id === answers);
  if (answer.kind === 'value') {
    const describes = question?.answer.kind === 'value' ? question.answer.describes : '';
    return [`The answer is read from the response to '${answer.of}': ${describes}`, ''];
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
