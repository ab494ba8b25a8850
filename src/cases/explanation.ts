import type { Assertion } from '../assertions/assertion.js';
import { renderTierNames } from '../assertions/judge-result.js';
import { describeAssertion } from '../assertions/registry.js';
import { createTierExplainer } from '../contract/describe-request.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import type { NamedWorld } from '../contract/world.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { formatLocation } from '../support/problem.js';
import type { Suite } from './suite.js';
import { getSubjectId, type RequirementRow, type Row, type TestCase } from './test-case.js';

/** Explains a case, for `conformance explain`. @param row the number of the row to show, from 1 */
export function renderExplanation(testCase: TestCase, { contract, world }: Suite, row = 1): string {
  const rows: readonly (Row | RequirementRow)[] = testCase.rows;
  const shown = rows[row - 1] as Row | RequirementRow;
  const subject = getSubjectId(testCase);
  const requirement = contract.requirements.find(({ id }) => id === subject);
  const question = contract.questions.find(({ id }) => id === subject);
  const answers = question?.answer.kind === 'outcomes' ? question.answer.outcomes : undefined;
  const listAssertions = (heading: string, assertions: readonly Assertion[]) =>
    assertions.length === 0
      ? []
      : [heading, ...assertions.map((assertion) => `  - ${describeAssertion(assertion, world)}`), ''];
  return [
    `${testCase.id}: ${testCase.title}`,
    `  ${formatLocation(testCase.at)}`,
    '',
    `It ${question === undefined ? 'verifies the requirement' : 'answers the question'} ${subject}:`,
    `  ${question?.open ?? requirement?.statement}`,
    `  In the documentation: ${(question ?? requirement)?.part}`,
    '',
    ...(rows.length > 1
      ? [`Row ${row} of ${rows.length} (another row: --row NUMBER):`, ...rows.map(renderRowTitle), '']
      : []),
    ...listAssertions('Given that', shown.given),
    ...('expect' in shown ? listAssertions('It is expected that', shown.expect) : []),
    ...[...shown.requests].flatMap(([name, request]) => [
      `'${name}' is sent as`,
      renderCurlCommand(request, '$BASE_URL').replaceAll(/^/gm, '    '),
      ...renderOracle(request, world),
      '',
    ]),
    ...(shown.unavailable.length === 0 ? [] : [`Not sent: the target lacks ${shown.unavailable.join(', ')}.`, '']),
    ...(testCase.kind === 'question' && testCase.answer.kind === 'first-of'
      ? [
          `The first of these outcomes that holds is the answer; '${testCase.answer.evidence}' shows it:`,
          '',
          ...testCase.answer.rules.flatMap(({ outcome, when }) =>
            listAssertions(`${outcome}: ${answers?.get(outcome)}`, when),
          ),
        ]
      : []),
  ].join('\n');
}

const renderRowTitle = ({ title }: Row, n: number) => `  ${n + 1}. ${title}`;

function renderOracle(request: HttpRequest, world: NamedWorld): string[] {
  const oracle = createOracle(request, world);
  const explain = createTierExplainer(request, world);
  const renderTiers = (obligation: Obligation, heading: string): string[] => {
    const tiers = world.tiers.filter((tier) => oracle.returned(tier) === obligation);
    // One reason is enough to forbid a tier.
    const byReason = groupBy(tiers, (tier) => (obligation === 'required' ? '' : `: ${explain(tier, obligation)}`));
    const groups = [...byReason].map(
      ([reason, group]) =>
        `    ${renderTierNames(
          group.map(({ id }) => id),
          world,
        )}${reason}`,
    );
    return [`  ${heading}: ${tiers.length}`, ...groups];
  };
  const forbidden = renderTiers('forbidden', 'Forbidden');
  if (oracle.openReason !== undefined) return [...forbidden, `  The rest is open: ${oracle.openReason}.`];
  return [...renderTiers('required', 'Required to be returned'), ...forbidden, ...renderTiers('open', 'Open')];
}
