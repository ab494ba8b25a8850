import type { Assertion } from '../assertions/assertion.js';
import { findResponseAssertionDefinition } from '../assertions/registry.js';
import type { Question } from '../contract/contract.js';
import { createOracle } from '../contract/oracle.js';
import { countWindowPlaces, type TargetWorld, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Problem } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import { readChecks } from './assertion-reader.js';
import {
  type CaseFileContext,
  type CaseFileEntry,
  type CaseFileRowContext,
  type CaseFileStatement,
  createCaseFileContext,
  createCaseFileRowContext,
  type SuiteWithoutCases,
} from './case-file-context.js';
import { readRows, type SentRow } from './case-rows.js';
import { findRowFlaws } from './row-flaws.js';
import {
  type CaseRow,
  caseTags,
  type OutcomeCondition,
  type OutcomeRule,
  type RequirementRow,
  type TestCase,
} from './test-case.js';

/**
 * Reads the cases of a parsed case file. With problems, they cannot be run.
 *
 * @param prefix the beginning of the ids of cases that are not of the suite. The id of a question's case is then the id of
 *   the question behind the prefix, and tags of the suite are refused
 */
export function readCaseFile(file: YamlFile, basis: SuiteWithoutCases, prefix = '') {
  const problems = findSchemaProblems('cases', file);
  if (problems.length > 0) return { cases: [], problems };
  const context = createCaseFileContext(file, basis, prefix);
  const cases = context.document.cases.flatMap((entry, n) => readCase(entry, ['cases', n], context));
  return { cases, problems: removeDuplicates(context.problems) };
}

/** Rows often have the same problem. */
function removeDuplicates(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.message]), problem])).values()];
}

function readCase(entry: CaseFileEntry, at: YamlPath, context: CaseFileContext): TestCase[] {
  const rows = readRows(entry, at, context);
  if (entry.answers !== undefined) return readQuestionCase(entry, entry.answers, rows, at, context);
  const { statements } = entry;
  if (statements === undefined) return readRequirementCase([{ statement: entry, at }], rows, context);
  const common: StatementPart = { statement: { tags: entry.tags, given: entry.given }, at };
  const cases = statements.flatMap((statement, n) =>
    readRequirementCase([{ statement, at: [...at, 'statements', n] }, common], rows, context),
  );
  if (cases.length === statements.length) reportUncheckedRequests(cases, rows, at, context);
  return cases;
}

/** Finds requests that no statement has a check of: none of them sends those. */
function reportUncheckedRequests(
  cases: readonly TestCase[],
  [first]: readonly SentRow[],
  at: YamlPath,
  { reportProblem }: CaseFileContext,
): void {
  const sent = new Set(cases.flatMap(({ rows }) => rows.flatMap(({ requests }) => [...requests.keys()])));
  for (const name of first?.requests.keys() ?? [])
    if (!sent.has(name))
      reportProblem(at, `no statement has a check of the request '${name}'`, 'Remove it, or add a check.');
}

/** A statement, or what several of them have in common, and where it is. */
interface StatementPart {
  readonly statement: CaseFileStatement;
  readonly at: YamlPath;
}

/** Reads the case of a statement. @param parts the statement, and what it has in common with others of these rows */
function readRequirementCase(
  parts: readonly [StatementPart, common?: StatementPart],
  sent: readonly SentRow[],
  context: CaseFileContext,
): TestCase[] {
  const { contract, file } = context;
  const [{ statement, at }] = parts;
  const { id = '', verifies = '', title = '' } = statement;
  const tags = readTags(parts, context);
  checkOwnId(id, at, context);
  if (!context.checkName('requirement', verifies, listIds(contract.requirements), [...at, 'verifies'])) return [];
  const rows = sent.map((row) => readRequirementRow(row, parts, context));
  return [{ at: file.locate(at), title, kind: 'requirement', id, verifies, tags: [verifies, ...tags], rows }];
}

function readRequirementRow(
  row: SentRow,
  [stated, common]: readonly [StatementPart, common?: StatementPart],
  context: CaseFileContext,
): RequirementRow {
  const { world, file, problems } = context;
  const before = problems.length;
  const ofRow = createCaseFileRowContext(context, row.requests);
  const given = [common, stated].flatMap((part) =>
    part === undefined ? [] : readChecks(part.statement.given, [...part.at, 'given'], ofRow),
  );
  const expect = readChecks(stated.statement.expect, [...stated.at, 'expect'], ofRow);
  // A statement beside others sends the requests that it is about.
  const requests = common === undefined ? row.requests : selectRequests(row.requests, ofRow.checkedNames);
  // An expectation that could not be read would seem to be missing.
  if (problems.length === before)
    problems.push(...findRowFlaws({ ...row, requests, given, expect }, file.locate(stated.at), world));
  const unavailable = listUnavailable(requests, [...given, ...expect], 'requirement', world);
  return { ...row, requests, given, expect, unavailable };
}

function selectRequests(requests: SentRow['requests'], names: ReadonlySet<string>): SentRow['requests'] {
  return new Map([...requests].filter(([name]) => names.has(name)));
}

function readQuestionCase(
  entry: CaseFileEntry,
  answers: string,
  [row]: readonly SentRow[],
  at: YamlPath,
  context: CaseFileContext,
): TestCase[] {
  const { contract, world, file, prefix } = context;
  const tags = readTags([{ statement: entry, at }], context);
  context.checkName('question', answers, listIds(contract.questions), [...at, 'answers']);
  const question = contract.questions.find(({ id }) => id === answers);
  if (question === undefined || row === undefined) return [];
  const ofRow = createCaseFileRowContext(context, row.requests);
  const given = readChecks(entry.given, [...at, 'given'], ofRow);
  const answer = readAnswer(entry, question, at, ofRow);
  if (answer === undefined) return [];
  const assertions = [...given, ...(answer.kind === 'value' ? [] : answer.rules.flatMap(({ when }) => when))];
  const unavailable = listUnavailable(row.requests, assertions, 'question', world);
  return [
    {
      at: file.locate(at),
      title: entry.title ?? '',
      kind: 'question',
      id: `${prefix}${answers}`,
      answers,
      tags: ['question', answers, ...tags],
      rows: [{ ...row, given, unavailable }],
      answer,
    },
  ];
}

/** Reads what is observed for a question: an open value, or the first outcome whose checks hold. */
function readAnswer(
  entry: CaseFileEntry,
  { id, answer }: Question,
  at: YamlPath,
  context: CaseFileRowContext,
): OutcomeRule | undefined {
  const { findRequestName, reportProblem, file, names } = context;
  const { kind } = answer;
  const stated = entry.value === undefined ? 'outcomes' : 'value';
  if (stated !== kind)
    reportProblem([...at, stated], `the question '${id}' has '${kind}:'`, `Add '${kind}:' in place of '${stated}:'.`);
  const evidence = findRequestName(entry.evidence ?? names.at(-1) ?? '', [...at, 'evidence']);
  if (entry.value !== undefined) {
    const { take, values = [], names: headers = [] } = entry.value;
    return {
      kind: 'value',
      of: evidence,
      take: take === 'headers' ? { part: take, values, names: headers } : { part: take },
      at: file.locate([...at, 'value']),
    };
  }
  if (answer.kind === 'value') return undefined;
  return { kind: 'first-of', rules: readRules(entry, [...answer.outcomes.keys()], at, context), evidence };
}

/** Reads what shows the outcomes of a question, in the order of trial. */
function readRules(
  { outcomes = {} }: CaseFileEntry,
  known: readonly string[],
  at: YamlPath,
  context: CaseFileRowContext,
): OutcomeCondition[] {
  const { reportProblem, checkName, file } = context;
  const path = [...at, 'outcomes'];
  const missing = known.filter((outcome) => !Object.hasOwn(outcomes, outcome));
  if (missing.length > 0)
    reportProblem(path, `no checks for the outcome '${missing.join("', '")}'`, 'Add what shows it.');
  return Object.entries(outcomes).map(([outcome, checks]): OutcomeCondition => {
    checkName('outcome', outcome, known, [...path, outcome], file.locateKey);
    return { outcome, when: readChecks(checks, [...path, outcome], context) };
  });
}

const listIds = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

function checkOwnId(id: string, at: YamlPath, { reportProblem, prefix }: CaseFileContext): void {
  if (!id.startsWith(prefix))
    reportProblem([...at, 'id'], `the id '${id}' does not begin with '${prefix}'`, `Use '${prefix}${id}'.`);
}

/** The suite sends cases with these tags for its own purposes. */
const tagsOfSuite: readonly string[] = [caseTags.calibration, caseTags.sample, caseTags.everyRequest];

function readTags(
  [stated, common]: readonly [StatementPart, common?: StatementPart],
  { reportProblem, prefix }: CaseFileContext,
): string[] {
  const isOwn = prefix !== '';
  const parts = common === undefined ? [stated] : [common, stated];
  const tags = parts.flatMap(({ statement, at }) =>
    (statement.tags ?? []).map((name, n) => {
      if (isOwn && tagsOfSuite.includes(name))
        reportProblem([...at, 'tags', n], `the tag '${name}' is for cases of the suite only`, 'Remove it.');
      return name;
    }),
  );
  return isOwn ? [caseTags.own, ...tags] : tags;
}

/** Lists what a row needs of the world and the target lacks, with kind and name, such as `customer ann`. */
function listUnavailable(
  requests: CaseRow['requests'],
  assertions: readonly Assertion[],
  mode: TestCase['kind'],
  world: TargetWorld,
): string[] {
  if (world.unavailable.size === 0) return [];
  const allTiers = listIds(world.tiers);
  const newest = allTiers.slice(0, countWindowPlaces(world));
  const getOracle = (name: string) => createOracle(requests.get(name) as HttpRequest, world);
  const listNeeded = (assertion: Assertion): readonly string[] => {
    if ('lists' in assertion) return assertion.lists.flat().flatMap(listNeeded);
    const oracle = getOracle(assertion.of);
    // If only the age of a tier forbids it, the target must have the newest 150 tiers, too.
    const addWindow = (ids: readonly string[]) => {
      const isForbiddenByAge = (tier: Tier) =>
        ids.includes(tier.id) &&
        !newest.includes(tier.id) &&
        oracle.valid(tier) !== 'forbidden' &&
        oracle.matching(tier) !== 'forbidden';
      return world.tiers.some(isForbiddenByAge) ? [...ids, ...newest] : ids;
    };
    const context = { mode, world, oracle, getOracle, allTiers, addWindow };
    return findResponseAssertionDefinition(assertion).listNeededIds?.(assertion.data, context) ?? [];
  };
  const needed = new Set(assertions.flatMap(listNeeded));
  const sent = JSON.stringify([...requests.values()]);
  const lacking = [...world.unavailable].filter(([id]) => needed.has(id) || sent.includes(id));
  return lacking.map(([, { kind, name }]) => `${kind} ${name}`);
}
