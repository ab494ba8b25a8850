import type { Problem } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import { type AssertionReader, createAssertionReader, type Expectations } from './assertion-reader.js';
import { type CaseFileContext, createCaseFileContext, type SuiteBasis } from './case-file-context.js';
import { listUnavailable } from './list-unavailable.js';
import { type AnswerEntry, readAnswer, type SharedAnswers } from './read-answer.js';
import { applyPatch, expandTemplates, type RequestPatch, type Templates } from './request-draft.js';
import { findEqualRequests, findRowFlaws } from './row-flaws.js';
import {
  checkTemplates,
  createRowReader,
  type MatrixAxis,
  type PreparedRequest,
  type PreparedRow,
  type RequestsEntry,
} from './row-reader.js';
import { type RequirementRow, type Row, type TestCase, tag } from './test-case.js';

/** A case file as it is written. See `schemas/cases.schema.json`. */
interface CaseFileDocument {
  readonly base?: RequestPatch;
  readonly templates?: Templates;
  readonly axes?: Readonly<Record<string, MatrixAxis>>;
  readonly shared?: Partial<SharedAnswers> & {
    readonly requests?: Readonly<Record<string, RequestPatch>>;
    readonly given?: Expectations;
  };
  readonly cases: readonly CaseEntry[];
}

interface CaseEntry extends RequestsEntry, AnswerEntry {
  readonly id?: string;
  readonly verifies?: string;
  readonly answers?: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly given?: Expectations;
  readonly expect?: Expectations;
}

/**
 * Reads the cases of a parsed case file: checks it against its schema, replaces names by ids, expands matrices into
 * rows and selections into sets of tiers.
 *
 * @param prefix the beginning of the ids of cases that are not of the suite. The id of a question's case is then the id of
 *   the question behind the prefix, and tags of the suite are refused
 * @returns the cases, and all problems of the file; with problems the cases cannot be run
 */
export function readCaseFile(
  file: YamlFile,
  basis: SuiteBasis,
  prefix = '',
): { cases: TestCase[]; problems: Problem[] } {
  const problems = findSchemaProblems('cases', file);
  if (problems.length > 0) return { cases: [], problems };
  const document = file.value as CaseFileDocument;
  const { base = {}, templates = {}, axes = {}, shared = {} } = document;
  const context = createCaseFileContext(file, basis, problems);
  checkTemplates(base, ['base'], templates, context);
  const readRows = createRowReader(context, {
    base: expandTemplates(base, templates).reduce(applyPatch, basis.defaultRequest),
    templates,
    requests: shared.requests ?? {},
    axes,
  });
  const tools: CaseTools = {
    shared,
    context,
    assertions: createAssertionReader(context),
    readRows: (entry, at) => {
      const rows = readRows(entry, at);
      const sent = rows.map(({ requests }) => requests);
      const flaw = findEqualRequests(sent, entry.tags ?? []);
      if (flaw !== undefined) context.reportProblem(at, flaw.message, flaw.hint);
      return rows;
    },
    problems,
    prefix,
  };
  const cases = document.cases.flatMap((entry, n) => readCase(entry, ['cases', n], tools) ?? []);
  return { cases, problems };
}

interface CaseTools {
  readonly shared: NonNullable<CaseFileDocument['shared']>;
  readonly context: CaseFileContext;
  readonly assertions: AssertionReader;
  readonly readRows: (entry: CaseEntry, at: YamlPath) => PreparedRow[];
  readonly problems: Problem[];
  readonly prefix: string;
}

function readCase(entry: CaseEntry, at: YamlPath, tools: CaseTools): TestCase | undefined {
  if (tools.prefix !== '') checkOwnCase(entry, at, tools);
  return entry.answers === undefined ? readRequirementCase(entry, at, tools) : readQuestionCase(entry, at, tools);
}

function readQuestionCase(entry: CaseEntry, at: YamlPath, tools: CaseTools): TestCase | undefined {
  const { shared, context, assertions, readRows, prefix } = tools;
  const { contract, world, file } = context;
  const question = findEntry('question', entry.answers ?? '', contract.questions, [...at, 'answers'], context);
  const [sent] = readRows(entry, at);
  if (question === undefined || sent === undefined) return undefined;
  const { title, requests } = sent;
  const given = readGiven(entry, at, requests, tools);
  const answer = readAnswer(entry, { outcomes: [], ...shared }, question, at, requests, { context, assertions });
  const needed = [...given, ...(answer.kind === 'value' ? [] : answer.rules.flatMap(({ when }) => when))];
  const unavailable = listUnavailable({ requests, assertions: needed, mode: 'question' }, world);
  return {
    kind: 'question',
    id: `${prefix}${question.id}`,
    answers: question.id,
    title: entry.title,
    at: file.locate(at),
    tags: ['question', question.id, ...listTags(entry, tools)],
    rows: [{ title, requests: listHttpRequests(requests), given, unavailable }],
    answer,
  };
}

function readRequirementCase(entry: CaseEntry, at: YamlPath, tools: CaseTools): TestCase | undefined {
  const { context, assertions, readRows, problems } = tools;
  const { contract, world, file } = context;
  const requirement = findEntry(
    'requirement',
    entry.verifies ?? '',
    contract.requirements,
    [...at, 'verifies'],
    context,
  );
  if (requirement === undefined) return undefined;
  const location = file.locate(at);
  const rows = readRows(entry, at).map(({ title, requests }): RequirementRow => {
    const before = problems.length;
    const given = readGiven(entry, at, requests, tools);
    const expect = assertions.readExpectations(entry.expect ?? [], [...at, 'expect'], requests);
    // An expectation that could not be read would seem to be missing.
    if (problems.length === before)
      problems.push(...findRowFlaws({ title, at: location, requests, given, expect }, world));
    const needs = { requests, assertions: [...given, ...expect], mode: 'requirement' } as const;
    return { title, requests: listHttpRequests(requests), given, expect, unavailable: listUnavailable(needs, world) };
  });
  return {
    kind: 'requirement',
    id: entry.id ?? '',
    verifies: requirement.id,
    title: entry.title,
    at: location,
    tags: [requirement.id, ...listTags(entry, tools)],
    rows,
  };
}

/** The suite sends cases with these tags for its own purposes. */
const tagsOfSuite: readonly string[] = [tag.calibration, tag.doctor, tag.sample];

function checkOwnCase({ id, tags = [] }: CaseEntry, at: YamlPath, { context, prefix }: CaseTools): void {
  if (id !== undefined && !id.startsWith(prefix))
    context.reportProblem([...at, 'id'], `the id '${id}' does not begin with '${prefix}'`, `Use '${prefix}${id}'.`);
  for (const [n, each] of tags.entries())
    if (tagsOfSuite.includes(each))
      context.reportProblem([...at, 'tags', n], `the tag '${each}' is for cases of the suite only`, 'Remove it.');
}

function listTags({ tags = [] }: CaseEntry, { prefix }: CaseTools): string[] {
  return prefix === '' ? [...tags] : [tag.own, ...tags];
}

function readGiven(
  entry: CaseEntry,
  at: YamlPath,
  requests: ReadonlyMap<string, PreparedRequest>,
  { shared, assertions }: CaseTools,
) {
  return [
    ...assertions.readExpectations(shared.given ?? [], ['shared', 'given'], requests),
    ...assertions.readExpectations(entry.given ?? [], [...at, 'given'], requests),
  ];
}

/** Returns the entry of the contract with an id; reports a problem if there is none. */
function findEntry<T extends { readonly id: string }>(
  kind: string,
  id: string,
  entries: readonly T[],
  at: YamlPath,
  context: CaseFileContext,
): T | undefined {
  const entry = entries.find((each) => each.id === id);
  const ids = entries.map((each) => each.id);
  if (entry === undefined) context.reportProblem(at, `unknown ${kind} '${id}'`, suggest(id, ids));
  return entry;
}

function listHttpRequests(requests: ReadonlyMap<string, PreparedRequest>): Row['requests'] {
  return new Map([...requests].map(([name, { http }]) => [name, http]));
}
