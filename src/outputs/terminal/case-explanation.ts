import type { Assertion } from '../../assertions/assertion.js';
import { nameTiers } from '../../assertions/judge-result.js';
import { describeAssertion } from '../../assertions/registry.js';
import { getSubjectId, type RequirementRow, type Row, type TestCase } from '../../cases/test-case.js';
import { createTierExplainer } from '../../contract/describe-request.js';
import { createOracle, type Obligation } from '../../contract/oracle.js';
import type { NamedWorld } from '../../contract/world.js';
import { renderCurlCommand } from '../../http/curl-command.js';
import type { HttpRequest } from '../../http/exchange.js';
import type { Suite } from '../../suite/suite.js';
import { groupBy } from '../../support/collections.js';
import { formatLocation } from '../../support/problem.js';
import { renderReason } from '../../support/reason.js';

/** Explains a case, for `conformance explain`. */
export function renderExplanation(testCase: TestCase, { contract, world }: Suite): string {
  const { id, title, at, kind } = testCase;
  const rows: readonly (Row & Partial<RequirementRow>)[] = testCase.rows;
  const subject = getSubjectId(testCase);
  const requirement = contract.requirements.find((known) => known.id === subject);
  const question = contract.questions.find((known) => known.id === subject);
  const listAssertions = (heading: string, assertions: readonly Assertion[]) =>
    assertions.length === 0 ? [] : [heading, ...assertions.map((part) => `  - ${describeAssertion(part, world)}`), ''];
  const lines = [
    `${id}: ${title}`,
    `  ${formatLocation(at)}`,
    '',
    `It ${kind === 'requirement' ? 'verifies the requirement' : 'answers the question'} ${subject}:`,
    `  ${question?.open ?? requirement?.statement}`,
    `  In the documentation: ${(question ?? requirement)?.part}`,
    '',
  ];
  for (const [n, { title: row, given, expect = [], requests, unavailable }] of rows.entries()) {
    if (rows.length > 1) lines.push(`Row ${n + 1} of ${rows.length}: ${row}`, '');
    lines.push(...listAssertions('Given that', given), ...listAssertions('It is expected that', expect));
    for (const [name, request] of requests) {
      const command = renderCurlCommand(request, '$BASE_URL').replaceAll(/^/gm, '    ');
      lines.push(`'${name}' is sent as`, command, ...renderOracle(request, world), '');
    }
    if (unavailable.length > 0) lines.push(`Not sent: the target lacks ${unavailable.join(', ')}.`, '');
  }
  if (kind === 'question' && testCase.answer.kind === 'first-of') {
    const outcomes = question?.answer.kind === 'outcomes' ? question.answer.outcomes : undefined;
    lines.push(`The first of these outcomes that holds is the answer; '${testCase.answer.evidence}' shows it:`, '');
    for (const { outcome, when } of testCase.answer.rules)
      lines.push(...listAssertions(`${outcome}: ${outcomes?.get(outcome)}`, when));
  }
  return lines.join('\n');
}

function renderOracle(request: HttpRequest, world: NamedWorld): string[] {
  const oracle = createOracle(request, world);
  const explain = createTierExplainer(request, world);
  const renderTiers = (obligation: Obligation, heading: string): string[] => {
    const tiers = world.tiers.filter((tier) => oracle.returned(tier) === obligation);
    const byReason = groupBy(tiers, (tier) => (obligation === 'required' ? '' : `: ${explain(tier)}`));
    const groups = [...byReason].map(([reason, group]) => [group.map(({ id }) => id), reason] as const);
    const lines = groups.map(([ids, reason]) => `    ${renderReason(nameTiers(ids, world))}${reason}`);
    return [`  ${heading}: ${tiers.length}`, ...lines];
  };
  const forbidden = renderTiers('forbidden', 'Forbidden');
  if (oracle.openReason !== undefined) return [...forbidden, `  The rest is open: ${oracle.openReason}.`];
  return [...renderTiers('required', 'Required to be returned'), ...forbidden, ...renderTiers('open', 'Open')];
}
