import type { Assertion } from '../assertions/assertion.js';
import { findResponseKind } from '../assertions/registry.js';
import type { JudgeMode } from '../assertions/row-evidence.js';
import { createOracle } from '../contract/oracle.js';
import { getWindowSize, type NamedWorld, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import { readAssertions } from './assertion-reader.js';
import {
  type CaseEntry,
  type CaseFileContext,
  createCaseFileContext,
  createRowContext,
  type RowContext,
  type SuiteBasis,
} from './case-file-context.js';
import { readAnswer } from './read-answer.js';
import { findEqualRequests, findRowFlaws } from './row-flaws.js';
import { checkTemplates, readRows } from './row-reader.js';
import { type RequirementRow, type Row, type TestCase, tag } from './test-case.js';

/**
 * Reads the cases of a parsed case file. With problems, they cannot be run.
 *
 * @param prefix the beginning of the ids of cases that are not of the suite. The id of a question's case is then the id of
 *   the question behind the prefix, and tags of the suite are refused
 */
export function readCaseFile(file: YamlFile, basis: SuiteBasis, prefix = '') {
  const problems = findSchemaProblems('cases', file);
  if (problems.length > 0) return { cases: [], problems };
  const context = createCaseFileContext(file, basis, prefix);
  const { base = {}, cases } = context.document;
  checkTemplates(base, ['base'], context);
  return {
    cases: cases.flatMap((entry, n) => readCase(entry, ['cases', n], context) ?? []),
    problems: context.problems,
  };
}

function readCase(entry: CaseEntry, at: YamlPath, context: CaseFileContext): TestCase | undefined {
  const { contract, world, file, prefix, problems } = context;
  if (prefix !== '') checkOwnCase(entry, at, context);
  const { tags = [], title, id = '', answers, verifies = '' } = entry;
  const sent = readRows(entry, at, context);
  const flaw = findEqualRequests(sent, tags);
  if (flaw !== undefined) context.reportProblem(at, flaw.message, flaw.hint);
  const common = { title, at: file.locate(at) };
  const ownTags = prefix === '' ? tags : [tag.own, ...tags];
  const readGiven = (row: RowContext) => [
    ...readAssertions(context.document.shared?.given, ['shared', 'given'], row),
    ...readAssertions(entry.given, [...at, 'given'], row),
  ];

  if (answers !== undefined) {
    const question = contract.questions.find((known) => known.id === answers);
    context.checkName('question', answers, listIds(contract.questions), [...at, 'answers']);
    const [row] = sent;
    if (question === undefined || row === undefined) return undefined;
    const ofRow = createRowContext(context, row.requests);
    const given = readGiven(ofRow);
    const answer = readAnswer(entry, question, at, ofRow);
    const assertions = [...given, ...(answer.kind === 'value' ? [] : answer.rules.flatMap(({ when }) => when))];
    const unavailable = listUnavailable(row.requests, assertions, 'question', world);
    const rows = [{ ...row, given, unavailable }] as const;
    const ids = { id: `${prefix}${answers}`, answers, tags: ['question', answers, ...ownTags] };
    return { ...common, kind: 'question', ...ids, rows, answer };
  }

  if (!context.checkName('requirement', verifies, listIds(contract.requirements), [...at, 'verifies']))
    return undefined;
  const rows = sent.map((row): RequirementRow => {
    const before = problems.length;
    const ofRow = createRowContext(context, row.requests);
    const given = readGiven(ofRow);
    const expect = readAssertions(entry.expect, [...at, 'expect'], ofRow);
    // An expectation that could not be read would seem to be missing.
    if (problems.length === before) problems.push(...findRowFlaws({ ...row, given, expect }, common.at, world));
    const unavailable = listUnavailable(row.requests, [...given, ...expect], 'requirement', world);
    return { ...row, given, expect, unavailable };
  });
  return { ...common, kind: 'requirement', id, verifies, tags: [verifies, ...ownTags], rows };
}

const listIds = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

function checkOwnCase({ id, tags = [] }: CaseEntry, at: YamlPath, { reportProblem, prefix }: CaseFileContext): void {
  if (id !== undefined && !id.startsWith(prefix))
    reportProblem([...at, 'id'], `the id '${id}' does not begin with '${prefix}'`, `Use '${prefix}${id}'.`);
  // The suite sends cases with these tags for its own purposes.
  for (const [n, name] of tags.entries())
    if (name === tag.calibration || name === tag.sample)
      reportProblem([...at, 'tags', n], `the tag '${name}' is for cases of the suite only`, 'Remove it.');
}

/** Lists what a row needs of the world and the target lacks, with kind and name, such as `customer ann`. */
function listUnavailable(
  requests: Row['requests'],
  assertions: readonly Assertion[],
  mode: JudgeMode,
  world: NamedWorld,
): string[] {
  if (world.unavailable.size === 0) return [];
  const allTiers = listIds(world.tiers);
  const newest = allTiers.slice(0, getWindowSize(world));
  const getOracle = (name: string) => createOracle(requests.get(name) as HttpRequest, world);
  const listNeeded = (assertion: Assertion): readonly string[] => {
    if ('lists' in assertion) return assertion.lists.flat().flatMap(listNeeded);
    const oracle = getOracle(assertion.of);
    // If only the age of a tier forbids it, the target must have the newest 150 tiers, too.
    const addWindow = (ids: readonly string[]) => {
      const isAged = ({ id }: Tier) => ids.includes(id) && !newest.includes(id);
      const isOtherwiseReturned = (tier: Tier) =>
        oracle.valid(tier) !== 'forbidden' && oracle.matching(tier) !== 'forbidden';
      return world.tiers.some((tier) => isAged(tier) && isOtherwiseReturned(tier)) ? [...ids, ...newest] : ids;
    };
    const context = { mode, world, oracle, getOracle, allTiers, addWindow };
    return findResponseKind(assertion).listNeededIds?.(assertion.data, context) ?? [];
  };
  const needed = new Set(assertions.flatMap(listNeeded));
  const sent = JSON.stringify([...requests.values()]);
  return [...world.unavailable]
    .filter(([id]) => needed.has(id) || sent.includes(id))
    .map(([, { kind, name }]) => `${kind} ${name}`);
}
