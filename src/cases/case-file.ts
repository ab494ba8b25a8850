import type { CheckEntry } from '../assertions/assertion.js';
import type { Contract } from '../contract/contract.js';
import type { Problem } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import type { NamedWorld } from '../world/named-world.js';
import { type AssertionReader, createAssertionReader } from './assertion-reader.js';
import { type CaseFileContext, createCaseFileContext } from './case-file-context.js';
import { listUnavailable } from './list-unavailable.js';
import { type AnswerEntry, readAnswer, type SharedAnswers } from './read-answer.js';
import { applyPatch, documentedRequestDraft, type RequestPatch } from './request-draft.js';
import { findEqualRequests, findRowFlaws } from './row-flaws.js';
import {
  checkPatch,
  createRowReader,
  type MatrixAxis,
  type PreparedRequest,
  type PreparedRow,
  type RequestsEntry,
} from './row-reader.js';
import { type QuestionAnswer, type RequirementRow, type Row, type TestCase, tag } from './test-case.js';

/** A case file as it is written. See `schemas/cases.schema.json`. */
interface CaseFileDocument {
  readonly base?: RequestPatch;
  readonly axes?: Readonly<Record<string, MatrixAxis>>;
  readonly shared?: Partial<SharedAnswers> & {
    readonly requests?: Readonly<Record<string, RequestPatch>>;
    readonly given?: readonly CheckEntry[];
  };
  readonly cases: readonly CaseEntry[];
}

interface CaseEntry extends RequestsEntry, AnswerEntry {
  readonly id?: string;
  readonly verifies?: string;
  readonly answers?: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly given?: readonly CheckEntry[];
  readonly expect?: readonly CheckEntry[];
}

/**
 * Reads the cases of a parsed case file: checks it against its schema, replaces names by ids, expands matrices into
 * rows and selections into sets of tiers.
 *
 * @param prefix what the ids of its cases begin with, where they are not of the suite: then it answers a question under
 *   the id of the question behind the prefix, and the tags by which the suite sends cases for its own sake are refused
 * @returns the cases, and every problem of the file; with problems the cases are not fit to be run
 */
export function readCaseFile(
  file: YamlFile,
  ledger: Contract,
  world: NamedWorld,
  prefix = '',
): { cases: TestCase[]; problems: Problem[] } {
  const problems = findSchemaProblems('cases', file);
  if (problems.length > 0) return { cases: [], problems };
  const document = file.value as CaseFileDocument;
  const reader = createCaseFileContext(file, ledger, world, problems);
  const assertions = createAssertionReader(reader);
  checkPatch(document.base ?? {}, ['base'], reader);
  const readRows = createRowReader(reader, {
    base: applyPatch(documentedRequestDraft, document.base ?? {}),
    sharedRequests: document.shared?.requests ?? {},
    axes: document.axes ?? {},
  });
  const tools = {
    document,
    reader,
    assertions,
    readRows: (entry: CaseEntry, at: YamlPath) => {
      const rows = readRows(entry, at);
      const sent = rows.map(({ requests }) => requests);
      const flaw = findEqualRequests(sent, entry.tags ?? []);
      if (flaw !== undefined) reader.reportProblem(at, flaw.message, flaw.hint);
      return rows;
    },
    problems,
    prefix,
  };
  const cases = document.cases.flatMap((entry, n) => readCase(entry, ['cases', n], tools) ?? []);
  for (const at of assertions.listIdleSelections())
    reader.reportProblem(at, 'no tier of the world is meant, so this can never apply', 'Choose others.');
  return { cases, problems };
}

interface FileTools {
  readonly document: CaseFileDocument;
  readonly reader: CaseFileContext;
  readonly assertions: AssertionReader;
  readonly readRows: (entry: CaseEntry, at: YamlPath) => PreparedRow[];
  readonly problems: Problem[];
  readonly prefix: string;
}

function readCase(entry: CaseEntry, at: YamlPath, tools: FileTools): TestCase | undefined {
  if (tools.prefix !== '') checkOwn(entry, at, tools);
  return entry.answers === undefined ? readRequirementCase(entry, at, tools) : readQuestionCase(entry, at, tools);
}

function readQuestionCase(entry: CaseEntry, at: YamlPath, tools: FileTools): TestCase | undefined {
  const { document, reader, assertions, readRows, prefix } = tools;
  const question = known('question', entry.answers ?? '', reader.contract.questions, [...at, 'answers'], reader);
  const [sent] = readRows(entry, at);
  if (question === undefined || sent === undefined) return undefined;
  const given = readGiven(entry, at, sent.requests, tools);
  const shared = { outcomes: [], ...document.shared };
  const answer = readAnswer(entry, shared, question, at, sent.requests, { reader, assertions });
  const needing = [...given, ...assertionsOf(answer)];
  const unavailable = listUnavailable({ requests: sent.requests, assertions: needing, mode: 'question' }, reader.world);
  const row: Row = { title: sent.title, requests: httpOf(sent.requests), given, unavailable };
  return {
    kind: 'question',
    id: `${prefix}${question.id}`,
    answers: question.id,
    title: entry.title,
    at: reader.file.locate(at),
    tags: ['question', question.id, ...ownTags(tools), ...(entry.tags ?? [])],
    rows: [row],
    answer,
  };
}

function readRequirementCase(entry: CaseEntry, at: YamlPath, tools: FileTools): TestCase | undefined {
  const { reader, assertions, readRows, problems } = tools;
  const { requirements } = reader.contract;
  const requirement = known('requirement', entry.verifies ?? '', requirements, [...at, 'verifies'], reader);
  if (requirement === undefined) return undefined;
  const place = reader.file.locate(at);
  const rows = readRows(entry, at).map(({ title, requests }): RequirementRow => {
    const given = readGiven(entry, at, requests, tools);
    const expect = assertions.read(entry.expect ?? [], [...at, 'expect'], requests);
    problems.push(...findRowFlaws({ title, at: place, requests, given, expect }, reader.world));
    const needing = { requests, assertions: [...given, ...expect], mode: 'requirement' } as const;
    return { title, requests: httpOf(requests), given, expect, unavailable: listUnavailable(needing, reader.world) };
  });
  return {
    kind: 'requirement',
    id: entry.id ?? '',
    verifies: requirement.id,
    title: entry.title,
    at: place,
    tags: [requirement.id, ...ownTags(tools), ...(entry.tags ?? [])],
    rows,
  };
}

/** Tags by which a case is sent for the suite's sake, not for its own verdict. */
const tagsOfSuite: readonly string[] = [tag.calibration, tag.doctor, tag.sample];

function checkOwn({ id, tags = [] }: CaseEntry, at: YamlPath, { reader, prefix }: FileTools): void {
  if (id !== undefined && !id.startsWith(prefix))
    reader.reportProblem([...at, 'id'], `the id '${id}' may become one of the suite's`, `Call it '${prefix}${id}'.`);
  for (const [n, each] of tags.entries())
    if (tagsOfSuite.includes(each))
      reader.reportProblem([...at, 'tags', n], `the tag '${each}' is for cases of the suite`, 'Leave it out.');
}

/** For --only and --grep. */
function ownTags({ prefix }: FileTools): string[] {
  return prefix === '' ? [] : [tag.own];
}

function readGiven(
  entry: CaseEntry,
  at: YamlPath,
  requests: ReadonlyMap<string, PreparedRequest>,
  { document, assertions }: FileTools,
) {
  return [
    ...assertions.read(document.shared?.given ?? [], ['shared', 'given'], requests),
    ...assertions.read(entry.given ?? [], [...at, 'given'], requests),
  ];
}

/** The entry of the ledger with an id; a problem is noted where there is none. */
function known<T extends { readonly id: string }>(
  kind: string,
  id: string,
  entries: readonly T[],
  at: YamlPath,
  reader: CaseFileContext,
): T | undefined {
  const entry = entries.find((each) => each.id === id);
  const ids = entries.map((each) => each.id);
  if (entry === undefined) reader.reportProblem(at, `there is no ${kind} '${id}' in the ledger`, suggest(id, ids));
  return entry;
}

function httpOf(requests: ReadonlyMap<string, PreparedRequest>): Row['requests'] {
  return new Map([...requests].map(([name, { http }]) => [name, http]));
}

function assertionsOf(answer: QuestionAnswer) {
  return answer.kind === 'value' ? [] : answer.rules.flatMap(({ when }) => when);
}
