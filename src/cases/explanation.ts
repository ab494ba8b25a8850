import type { Assertion } from '../assertions/assertion.js';
import { renderTierNames } from '../assertions/judge-result.js';
import { describeAssertion } from '../assertions/registry.js';
import { createTierExplainer } from '../contract/describe-request.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { formatLocation } from '../support/problem.js';
import type { Suite } from './suite.js';
import { getSubjectId, type QuestionCase, type RequirementRow, type Row, type TestCase } from './test-case.js';

/** Explains a case, for `conformance explain`. @param row the number of the row to show, from 1 */
export function renderExplanation(testCase: TestCase, suite: Suite, row = 1): string {
  const rows: readonly (Row | RequirementRow)[] = testCase.rows;
  const shown = rows[row - 1] as Row | RequirementRow;
  const titles = rows.map(({ title }, n) => `  ${n + 1}. ${title}`);
  const matrix = [`${rows.length} rows:`, ...titles, '', `Row ${row}: ${shown.title} (another row: --row NUMBER)`, ''];
  return [
    `${testCase.id}: ${testCase.title}`,
    `  ${formatLocation(testCase.at)}`,
    '',
    ...renderSubject(testCase, suite),
    '',
    ...(rows.length > 1 ? matrix : []),
    ...renderAssertions('Given that', shown.given, suite),
    ...('expect' in shown ? renderAssertions('It is expected that', shown.expect, suite) : []),
    ...[...shown.requests].flatMap(([name, request]) => [
      `'${name}' is sent as`,
      renderCurlCommand(request, '$BASE_URL').replaceAll(/^/gm, '    '),
      ...renderOracle(request, suite),
      '',
    ]),
    ...(shown.unavailable.length === 0 ? [] : [`Not sent: the target lacks ${shown.unavailable.join(', ')}.`, '']),
    ...(testCase.kind === 'question' ? renderAnswer(testCase, suite) : []),
  ].join('\n');
}

function renderSubject(testCase: TestCase, { contract }: Suite): string[] {
  const id = getSubjectId(testCase);
  const requirement = contract.requirements.find((entry) => entry.id === id);
  const question = contract.questions.find((entry) => entry.id === id);
  return [
    `It ${requirement === undefined ? 'answers the question' : 'verifies the requirement'} ${id}:`,
    `  ${requirement?.statement ?? question?.open}`,
    `  In the documentation: ${requirement?.part ?? question?.part}`,
  ];
}

function renderOracle(request: HttpRequest, { world }: Suite): string[] {
  const oracle = createOracle(request, world);
  const explain = createTierExplainer(request, world);
  const renderTiers = (obligation: Obligation, heading: string): string[] => {
    const tiers = world.tiers.filter((tier) => oracle.returned(tier) === obligation);
    // One reason is enough to forbid a tier.
    const byReason = groupBy(tiers, (tier) => (obligation === 'required' ? '' : explain(tier, obligation)));
    const groups = [...byReason].map(([reason, group]) => {
      const ids = group.map(({ id }) => id);
      return `    ${renderTierNames(ids, world)}${reason === '' ? '' : `: ${reason}`}`;
    });
    return [`  ${heading}: ${tiers.length === 0 ? 'none' : tiers.length}`, ...groups];
  };
  if (oracle.openReason !== undefined)
    return [...renderTiers('forbidden', 'Forbidden'), `  The rest is open: ${oracle.openReason}.`];
  return [
    ...renderTiers('required', 'Required to be returned'),
    ...renderTiers('forbidden', 'Forbidden'),
    ...renderTiers('open', 'Open'),
  ];
}

function renderAssertions(heading: string, assertions: readonly Assertion[], suite: Suite): string[] {
  if (assertions.length === 0) return [];
  return [heading, ...assertions.map((assertion) => `  - ${describeAssertion(assertion, suite.world)}`), ''];
}

function renderAnswer({ answer, answers }: QuestionCase, { contract, world }: Suite): string[] {
  const known = contract.questions.find(({ id }) => id === answers)?.answer;
  if (answer.kind === 'value')
    return [
      `The answer is read from the response to '${answer.of}': ${known?.kind === 'value' ? known.describes : ''}`,
      '',
    ];
  return [
    `The first of these outcomes that holds is the answer; '${answer.evidence}' shows it:`,
    ...answer.rules.flatMap(({ outcome, when }) => [
      `  ${outcome}: ${known?.kind === 'outcomes' ? known.outcomes.get(outcome) : ''}`,
      ...when.map((assertion) => `    - ${describeAssertion(assertion, world)}`),
    ]),
    '',
  ];
}
