import type { Assertion } from '../../assertions/assertion.js';
import { describeTiers } from '../../assertions/judge-returned-tiers.js';
import { describeAssertion, nameRequest } from '../../assertions/registry.js';
import {
  type CaseRow,
  getRequirementOrQuestionId,
  type QuestionCase,
  type RequirementRow,
  type TestCase,
} from '../../cases/test-case.js';
import type { Contract } from '../../contract/contract.js';
import { createObligationExplainer } from '../../contract/describe-request.js';
import { createOracle, type Obligation } from '../../contract/oracle.js';
import type { TargetWorld } from '../../contract/world.js';
import { renderCurlCommand } from '../../http/curl-command.js';
import type { HttpRequest } from '../../http/exchange.js';
import type { Suite } from '../../suite/suite.js';
import { groupBy } from '../../support/collections.js';
import { formatLocation } from '../../support/problem.js';
import { renderReason } from '../../support/reason.js';

/** Explains a case, for `conformance explain`. */
export function renderCaseExplanation(testCase: TestCase, { contract, world }: Suite): string {
  const { id, title, at } = testCase;
  const rows: readonly ExplainedRow[] = testCase.rows;
  const lines = [
    `${id}: ${title}`,
    `  ${formatLocation(at)}`,
    '',
    ...renderSubject(testCase, contract),
    ...rows.flatMap((row, n) => [
      ...(rows.length > 1 ? [`Row ${n + 1} of ${rows.length}: ${row.title}`, ''] : []),
      ...renderRow(row, world),
    ]),
    ...(testCase.kind === 'question' ? renderOutcomes(testCase, contract, world) : []),
  ];
  return lines.join('\n');
}

/** Lists the cases that a name stands for, each with its title. @param name of a requirement, a question, a group or a tag */
export function renderCaseList(name: string, cases: readonly TestCase[], { contract }: Suite): string {
  const { requirements, questions } = contract;
  const requirement = requirements.find(({ id }) => id === name);
  const question = questions.find(({ id }) => id === name);
  const statement = requirement?.statement ?? question?.open;
  const part = (requirement ?? question)?.part;
  const width = Math.max(...cases.map(({ id }) => id.length));
  const lines = [
    ...(statement === undefined ? [] : [`${name}: ${statement}`, `  In the documentation: ${part}`, '']),
    `'${name}' has ${cases.length} cases. To see what one of them sends and expects: npx conformance explain CASE`,
    '',
    ...cases.map(({ id, title }) => `  ${id.padEnd(width)}  ${title}`),
    '',
  ];
  return lines.join('\n');
}

type ExplainedRow = CaseRow & Partial<RequirementRow>;

function renderSubject(testCase: TestCase, { requirements, questions }: Contract): string[] {
  const subject = getRequirementOrQuestionId(testCase);
  const requirement = requirements.find(({ id }) => id === subject);
  const question = questions.find(({ id }) => id === subject);
  const relation = testCase.kind === 'requirement' ? 'verifies the requirement' : 'answers the question';
  return [
    `It ${relation} ${subject}:`,
    `  ${question?.open ?? requirement?.statement}`,
    `  In the documentation: ${(question ?? requirement)?.part}`,
    '',
  ];
}

function renderRow({ given, expect = [], requests, unavailable }: ExplainedRow, world: TargetWorld): string[] {
  return [
    ...listAssertions('Given that', given, world),
    ...listAssertions('It is expected that', expect, world),
    ...[...requests].flatMap(([name, request]) => {
      const command = renderCurlCommand(request, '$BASE_URL').replaceAll(/^/gm, '    ');
      return [
        `${nameRequest(name).replace(/^./, (letter) => letter.toUpperCase())} is sent as`,
        command,
        ...renderOracle(request, world),
        '',
      ];
    }),
    ...(unavailable.length > 0 ? [`Not sent: the target lacks ${unavailable.join(', ')}.`, ''] : []),
  ];
}

/** Lists the outcomes that a question may have. An open value, such as a status code, has none. */
function renderOutcomes({ answer, answers }: QuestionCase, { questions }: Contract, world: TargetWorld): string[] {
  if (answer.kind !== 'first-of') return [];
  const known = questions.find(({ id }) => id === answers)?.answer;
  const outcomes = known?.kind === 'outcomes' ? known.outcomes : undefined;
  return [
    `The first of these outcomes that holds is the answer; ${nameRequest(answer.evidence)} shows it:`,
    '',
    ...answer.rules.flatMap(({ outcome, when }) =>
      listAssertions(`${outcome}: ${outcomes?.get(outcome)}`, when, world),
    ),
  ];
}

function listAssertions(heading: string, assertions: readonly Assertion[], world: TargetWorld): string[] {
  if (assertions.length === 0) return [];
  return [heading, ...assertions.map((assertion) => `  - ${describeAssertion(assertion, world)}`), ''];
}

/** Renders what the documentation says of the tiers, for one request. */
function renderOracle(request: HttpRequest, world: TargetWorld): string[] {
  const oracle = createOracle(request, world);
  const explain = createObligationExplainer(request, world);
  const renderTiers = (obligation: Obligation, heading: string): string[] => {
    const tiers = world.tiers.filter((tier) => oracle.returned(tier) === obligation);
    const byReason = groupBy(tiers, (tier) => (obligation === 'required' ? '' : `: ${explain(tier)}`));
    const groups = [...byReason].map(([reason, group]) => [group.map(({ id }) => id), reason] as const);
    const lines = groups.map(([ids, reason]) => `    ${renderReason(describeTiers(ids, world))}${reason}`);
    return [`  ${heading}: ${tiers.length}`, ...lines];
  };
  const forbidden = renderTiers('forbidden', 'Forbidden');
  if (oracle.openReason !== undefined) return [...forbidden, `  The rest is open: ${oracle.openReason}.`];
  return [...renderTiers('required', 'Required to be returned'), ...forbidden, ...renderTiers('open', 'Open')];
}
