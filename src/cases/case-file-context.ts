import type { CheckInCaseFile } from '../assertions/assertion.js';
import type { Contract } from '../contract/contract.js';
import type { EntityKind, TargetWorld } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { type Problem, suggestName } from '../support/problem.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import type { RequestDraft, RequestPatch } from './request-draft.js';
import type { ValueExtraction } from './test-case.js';

/** A case file as it is written. See `schemas/cases.schema.json`. */
interface CaseFileDocument {
  readonly cases: readonly CaseFileEntry[];
}

/** What is expected for a requirement, with the requests of the case. */
export interface CaseFileStatement {
  readonly id?: string;
  readonly verifies?: string;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly given?: CaseFileChecks;
  readonly expect?: CaseFileChecks;
}

/** A case: it answers a question, or makes one statement about a requirement, or several. */
export interface CaseFileEntry extends CaseFileStatement {
  readonly statements?: readonly CaseFileStatement[];
  readonly answers?: string;
  readonly request?: CaseFileRequest;
  readonly requests?: CaseFileRequests;
  readonly rows?: Readonly<Record<string, CaseFileRequests>>;
  readonly outcomes?: Readonly<Record<string, CaseFileChecks>>;
  readonly evidence?: string;
  readonly value?: {
    readonly take: ValueExtraction['part'];
    readonly values?: readonly string[];
    readonly names?: readonly string[];
  };
}

/** The name of a request, or a change of it. */
export type CaseFileRequest = string | RequestPatch;

export type CaseFileRequests = Readonly<Record<string, CaseFileRequest>>;

/** Checks by the names of the requests that they are about. Under `any-of`, alternatives of such checks. */
export type CaseFileChecks = Readonly<Record<string, CheckInCaseFile | readonly CaseFileChecks[]>>;

/** Complete requests from which cases start, by name. */
export type NamedRequests = ReadonlyMap<string, RequestDraft>;

export interface SuiteWithoutCases {
  readonly contract: Contract;
  readonly world: TargetWorld;
  readonly namedRequests: NamedRequests;
}

/** A file that is being read, with what its names refer to. Problems are reported to it. */
export type FileContext = ReturnType<typeof createFileContext>;

export function createFileContext(file: YamlFile, { ids }: TargetWorld) {
  const problems: Problem[] = [];
  return {
    file,
    problems,
    reportProblem(at: YamlPath, message: string, hint: string): void {
      problems.push({ at: file.locate(at), message, hint });
    },
    /** Whether a name is known. If it is not, reports a problem. */
    checkName(kind: string, name: string, known: readonly string[], at: YamlPath, locate = file.locate): boolean {
      if (known.includes(name)) return true;
      problems.push({ at: locate(at), message: `unknown ${kind} '${name}'`, hint: suggestName(name, known) });
      return false;
    },
    /** Returns the id of a name in `<kind name>`. Reports an unknown name at each place where the file has it. */
    resolveId(kind: string, name: string): string {
      const known = Object.hasOwn(ids, kind) ? ids[kind as EntityKind] : undefined;
      const id = known?.get(name);
      if (id !== undefined) return id;
      const message = known === undefined ? `unknown kind '${kind}' in <${kind} ${name}>` : `unknown ${kind} '${name}'`;
      const hint = known === undefined ? suggestName(kind, Object.keys(ids)) : suggestName(name, [...known.keys()]);
      // `filter: { campaign: spring }` names the campaign without brackets.
      const references = file.locateTexts(`<${kind} ${name}>`);
      const places = references.length > 0 ? references : file.locateTexts(name);
      problems.push(...places.map((at) => ({ at, message, hint })));
      return name;
    },
  };
}

export type CaseFileContext = ReturnType<typeof createCaseFileContext>;

export function createCaseFileContext(file: YamlFile, basis: SuiteWithoutCases, prefix: string) {
  return {
    ...basis,
    ...createFileContext(file, basis.world),
    document: file.value as CaseFileDocument,
    prefix,
    requestsByContent: new Map<string, HttpRequest>(),
  };
}

export type CaseFileRowContext = ReturnType<typeof createCaseFileRowContext>;

export function createCaseFileRowContext(context: CaseFileContext, requests: ReadonlyMap<string, HttpRequest>) {
  const names = [...requests.keys()];
  const checkedNames = new Set<string>();
  return {
    ...context,
    requests,
    names,
    /** The requests that the checks are about, or compare with. */
    checkedNames,
    /** Returns the name of a request; if it is unknown, reports a problem and returns another name. */
    findRequestName(name: string, at: YamlPath): string {
      const found = context.checkName('request', name, names, at) ? name : (names[0] ?? '');
      checkedNames.add(found);
      return found;
    },
  };
}
