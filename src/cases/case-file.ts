import type { Assertion } from '../assertions/assertion.js';
import { findResponseAssertionDefinition } from '../assertions/registry.js';
import type { Question } from '../contract/contract.js';
import { createOracle } from '../contract/oracle.js';
import { countWindowPlaces, type TargetWorld, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { hasWellFormedTexts } from '../support/json.js';
import type { Problem } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import { readAssertions, readListedAssertions } from './assertion-reader.js';
import {
  type CaseFileContext,
  type CaseFileEntry,
  type CaseFileRowContext,
  createCaseFileContext,
  createCaseFileRowContext,
  type RequestPatches,
  type SuiteWithoutCases,
} from './case-file-context.js';
import {
  applyPatch,
  assembleRequest,
  findUnusableRequestForm,
  listUnmatchedRemovals,
  type RequestDraft,
  type RequestPatch,
} from './request-draft.js';
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
  const cases = context.document.cases.flatMap((entry, n) => readCase(entry, ['cases', n], context) ?? []);
  return { cases, problems: removeDuplicates(context.problems) };
}

/** Rows often have the same problem. */
function removeDuplicates(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.message]), problem])).values()];
}

function readCase(entry: CaseFileEntry, at: YamlPath, context: CaseFileContext): TestCase | undefined {
  const { contract, world, file, prefix, problems } = context;
  if (prefix !== '') checkOwnCase(entry, at, context);
  const { tags = [], title, id = '', answers, verifies = '' } = entry;
  const sent = readRows(entry, at, context);
  const common = { title, at: file.locate(at) };
  const ownTags = prefix === '' ? tags : [caseTags.own, ...tags];
  const readGiven = (row: CaseFileRowContext) => [
    ...readAssertions(context.document.shared?.given, ['shared', 'given'], row),
    ...readAssertions(entry.given, [...at, 'given'], row),
  ];

  if (answers !== undefined) {
    context.checkName('question', answers, listIds(contract.questions), [...at, 'answers']);
    const question = contract.questions.find((known) => known.id === answers);
    const [row] = sent;
    if (question === undefined || row === undefined) return undefined;
    const ofRow = createCaseFileRowContext(context, row.requests);
    const given = readGiven(ofRow);
    const answer = readAnswer(entry, question, at, ofRow);
    if (answer === undefined) return undefined;
    const assertions = [...given, ...(answer.kind === 'value' ? [] : answer.rules.flatMap(({ when }) => when))];
    const unavailable = listUnavailable(row.requests, assertions, 'question', world);
    const ids = { id: `${prefix}${answers}`, answers, tags: ['question', answers, ...ownTags] };
    return { ...common, kind: 'question', ...ids, rows: [{ ...row, given, unavailable }], answer };
  }

  if (!context.checkName('requirement', verifies, listIds(contract.requirements), [...at, 'verifies']))
    return undefined;
  const rows = sent.map((row): RequirementRow => {
    const before = problems.length;
    const ofRow = createCaseFileRowContext(context, row.requests);
    const given = readGiven(ofRow);
    const expect = readAssertions(entry.expect, [...at, 'expect'], ofRow);
    // An expectation that could not be read would seem to be missing.
    if (problems.length === before) problems.push(...findRowFlaws({ ...row, given, expect }, common.at, world));
    const unavailable = listUnavailable(row.requests, [...given, ...expect], 'requirement', world);
    return { ...row, given, expect, unavailable };
  });
  return { ...common, kind: 'requirement', id, verifies, tags: [verifies, ...ownTags], rows };
}

type SentRow = Pick<CaseRow, 'title' | 'requests'>;

function readRows(entry: CaseFileEntry, at: YamlPath, context: CaseFileContext): SentRow[] {
  const { base = {}, shared = {} } = context.document;
  const requests = [
    ...listRequests(shared.requests, ['shared', 'requests']),
    ...listRequests(entry.request && { request: entry.request }, at),
    ...listRequests(entry.requests, [...at, 'requests']),
  ];
  const names = requests.map(({ name }) => name);
  if (names.length === 0) {
    context.reportProblem(at, 'the case sends nothing', "Add 'request: {}' to send the base request, or 'requests:'.");
    return [];
  }
  const baseRequest = patchRequest(context.defaultRequest, base, ['base'], context);
  const rows = Object.entries(entry.rows ?? { '': {} }).map(([title, changes]): SentRow => {
    const path = [...at, 'rows', title];
    for (const name of Object.keys(changes))
      context.checkName('request', name, ['every', ...names], [...path, name], context.file.locateKey);
    const drafts = new Map<string, RequestDraft>();
    for (const { name, patch, at: place } of requests) {
      const { like } = patch;
      if (like !== undefined) context.checkName('earlier request', like, [...drafts.keys()], [...place, 'like']);
      let draft = patchRequest(drafts.get(like ?? '') ?? baseRequest, patch, place, context);
      for (const part of ['every', name]) draft = patchRequest(draft, changes[part] ?? {}, [...path, part], context);
      drafts.set(name, draft);
    }
    const assembled = [...drafts].map(([name, draft]) => {
      const place = entry.rows === undefined ? (requests.find((request) => request.name === name)?.at ?? at) : path;
      reportUnsendable(draft, place, context);
      return [name, shareRequest(draft, context)] as const;
    });
    return { title, requests: new Map(assembled) };
  });
  reportEqualRequests(rows, entry.tags ?? [], at, context);
  return rows;
}

function listRequests(requests: RequestPatches = {}, at: YamlPath) {
  return Object.entries(requests).map(([name, patch]) => ({ name, patch, at: [...at, name] }));
}

/** Applies changes to a request, those of the templates first. */
function patchRequest(request: RequestDraft, patch: RequestPatch, at: YamlPath, context: CaseFileContext) {
  const { templates = {} } = context.document;
  const used = [patch.use ?? []].flat();
  for (const name of used) context.checkName('template', name, Object.keys(templates), [...at, 'use']);
  const patches = [
    ...used.map((name) => ({ change: templates[name] ?? {}, place: [...at, 'use'] })),
    { change: patch, place: [...at, 'without'] },
  ];
  return patches.reduce((before, { change, place }) => {
    for (const path of listUnmatchedRemovals(before, change)) {
      const shown = [path].flat().join('.');
      const hint = 'Correct the path, or remove it. If a name has a dot, write the path as a list of names.';
      context.reportProblem(place, `the request has no member '${shown}' to remove`, hint);
    }
    return applyPatch(before, change);
  }, request);
}

/** Reports what keeps a request from being written: a form that needs JSON, or a text that no URL can have. */
function reportUnsendable(draft: RequestDraft, at: YamlPath, { reportProblem }: CaseFileContext): void {
  const unusable = findUnusableRequestForm(draft);
  if (unusable !== undefined)
    reportProblem(at, `'sent: ${unusable.form}' does not fit the request`, `It needs ${unusable.needs}.`);
  if (!hasWellFormedTexts(draft.query ?? ''))
    reportProblem(at, 'a query parameter has half of a surrogate pair', 'Write whole characters: a URL is UTF-8.');
}

/** Makes equal requests one object: what the documentation says about it is determined once. */
function shareRequest(draft: RequestDraft, { resolveId, requestsByContent }: CaseFileContext): HttpRequest {
  const request = assembleRequest(draft, resolveId);
  const key = JSON.stringify(request);
  const shared = requestsByContent.get(key) ?? request;
  requestsByContent.set(key, shared);
  return shared;
}

/** Finds two requests of a case that are equal in every row: only one of them would be sent. */
function reportEqualRequests(
  rows: readonly SentRow[],
  tags: readonly string[],
  at: YamlPath,
  context: CaseFileContext,
) {
  const names = tags.includes(caseTags.serial) ? [] : [...(rows[0]?.requests.keys() ?? [])];
  const byContent = groupBy(names, (name) => JSON.stringify(rows.map(({ requests }) => requests.get(name))));
  const [name, twin] = [...byContent.values()].find(({ length }) => length > 1) ?? [];
  if (twin === undefined) return;
  const hint = `Remove one of them, or add 'again: 1' to '${twin}' to send both.`;
  context.reportProblem(at, `the requests '${name}' and '${twin}' are equal, so only one is sent`, hint);
}

/** Reads what is observed for a question: an open value, or the first outcome whose rule holds. */
function readAnswer(
  entry: CaseFileEntry,
  { id, answer }: Question,
  at: YamlPath,
  context: CaseFileRowContext,
): OutcomeRule | undefined {
  const { findRequestName, reportProblem, file, document } = context;
  const { kind } = answer;
  const stated = entry.value === undefined ? 'outcomes' : 'value';
  if (stated !== kind)
    reportProblem([...at, stated], `the question '${id}' has '${kind}:'`, `Add '${kind}:' in place of '${stated}:'.`);
  if (entry.value !== undefined) {
    const { of, take, values = [], names = [] } = entry.value;
    const path: YamlPath = [...at, 'value'];
    return {
      kind: 'value',
      of: findRequestName(of, [...path, 'of']),
      take: take === 'headers' ? { part: take, values, names } : { part: take },
      at: file.locate(path),
    };
  }
  if (answer.kind === 'value') return undefined;
  const { shared } = document;
  const isShared = entry.evidence === undefined && shared?.evidence !== undefined;
  return {
    kind: 'first-of',
    rules: readRules(entry, [...answer.outcomes.keys()], at, context),
    evidence: findRequestName(entry.evidence ?? shared?.evidence, [...(isShared ? ['shared'] : at), 'evidence']),
  };
}

/** Reads the rules of a case in the order of trial: first the shared ones whose outcome the case does not name. */
function readRules(
  { outcomes = [] }: CaseFileEntry,
  known: readonly string[],
  at: YamlPath,
  context: CaseFileRowContext,
) {
  const { reportProblem, checkName, document } = context;
  const sharedRules = document.shared?.outcomes ?? [];
  const shared = new Map(sharedRules.map((rule, n) => [rule.outcome, { ...rule, at: ['shared', 'outcomes', n] }]));
  const stated = outcomes.map((rule, n) => ({ ...rule, at: [...at, 'outcomes', n] }));
  const named = new Set(stated.map(({ outcome }) => outcome));
  const usual = [...shared.values()].filter(({ outcome }) => known.includes(outcome) && !named.has(outcome));
  const rules = [...usual, ...stated];
  const missing = known.filter((outcome) => !rules.some((rule) => rule.outcome === outcome));
  if (missing.length > 0)
    reportProblem([...at, 'outcomes'], `no rule for the outcome '${missing.join("', '")}'`, 'Add one.');
  return rules.flatMap((rule): OutcomeCondition[] => {
    const { outcome } = rule;
    checkName('outcome', outcome, known, [...rule.at, 'outcome']);
    const { when, at: place } = rule.when === undefined ? (shared.get(outcome) ?? rule) : rule;
    if (when !== undefined) return [{ outcome, when: readListedAssertions(when, [...place, 'when'], context) }];
    reportProblem(place, `no shared rule for '${outcome}'`, "Add 'when:' with what shows it.");
    return [];
  });
}

const listIds = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

function checkOwnCase(
  { id, tags = [] }: CaseFileEntry,
  at: YamlPath,
  { reportProblem, prefix }: CaseFileContext,
): void {
  if (id !== undefined && !id.startsWith(prefix))
    reportProblem([...at, 'id'], `the id '${id}' does not begin with '${prefix}'`, `Use '${prefix}${id}'.`);
  // The suite sends cases with these tags for its own purposes.
  for (const [n, name] of tags.entries())
    if (name === caseTags.calibration || name === caseTags.sample || name === caseTags.everyRequest)
      reportProblem([...at, 'tags', n], `the tag '${name}' is for cases of the suite only`, 'Remove it.');
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
