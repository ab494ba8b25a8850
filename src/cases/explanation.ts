import type { Assertion } from '../assertions/assertion.js';
import { renderTierNames } from '../assertions/judge-result.js';
import { describeAssertion, findResponseKind } from '../assertions/registry.js';
import { createTierExplainer, describeRequest } from '../contract/describe-request.js';
import type { NamedWorld } from '../contract/named-world.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/group-by.js';
import { formatLocation } from '../support/problem.js';
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
    ...rows.flatMap((listed, n) => [`  ${n + 1}. ${listed.title}`, `     ${describeRow(listed, suite.world)}`]),
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
  const requirement = contract.requirements.find((entry) => entry.id === id);
  const question = contract.questions.find((entry) => entry.id === id);
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
  const explain = createTierExplainer(request, world);
  const renderTiers = (obligation: Obligation, heading: string): string[] => {
    const tiers = world.tiers.filter((tier) => oracle.returned(tier) === obligation);
    // One reason is enough to forbid a tier.
    const byReason = groupBy(tiers, (tier) => (obligation === 'required' ? '' : explain(tier, obligation)));
    if (tiers.length === 0) return [`  ${heading}: none`];
    return [
      `  ${heading}: ${tiers.length}`,
      ...[...byReason].map(([reason, group]) => {
        const ids = group.map(({ id }) => id);
        return `    ${renderTierNames(ids, world)}${reason === '' ? '' : `: ${reason}`}`;
      }),
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

/** The number of promotions that a sentence names; of more, only the first. */
const maxNames = 4;

/** Describes a row in one sentence: the requests that the case is about, and what is expected of their responses. */
function describeRow(row: Row | RequirementRow, world: NamedWorld): string {
  const expected = 'expect' in row ? row.expect : [];
  const names = expected.length === 0 ? [...row.requests.keys()] : [...new Set(expected.flatMap(listRequestNames))];
  const clauses = names.map((name) => {
    const request = row.requests.get(name) as HttpRequest;
    const claims = expected.flatMap((claim) =>
      'of' in claim && claim.of === name ? [describeClaim(claim, world)] : [],
    );
    const subject = `'${name}' (${describeRequest(request, world)})`;
    return claims.length === 0 ? `${subject} is sent` : `${subject} ${claims.join(', and ')}`;
  });
  return `${clauses.join('; ')}.`;
}

function listRequestNames(assertion: Assertion): string[] {
  return 'lists' in assertion ? assertion.lists.flat().flatMap(listRequestNames) : [assertion.of];
}

function describeClaim(assertion: Exclude<Assertion, { lists: unknown }>, { tiers }: NamedWorld): string {
  const nameTiers = (ids: readonly string[]) => {
    const names = ids.map((id) => `'${tiers.find((tier) => tier.id === id)?.name}'`);
    return names.length <= maxNames ? names.join(', ') : `${names[0]} and ${names.length - 1} more`;
  };
  return findResponseKind(assertion).describe(assertion.data, nameTiers);
}
