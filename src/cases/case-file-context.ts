import type { AssertionsInCaseFile } from '../assertions/assertion.js';
import type { Contract } from '../contract/contract.js';
import type { EntityKind, TargetWorld } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { type Problem, suggestName } from '../support/problem.js';
import type { YamlFile, YamlPath } from '../support/yaml-file.js';
import type { RequestDraft, RequestPatch } from './request-draft.js';
import type { ValueExtraction } from './test-case.js';

/** A case file as it is written. See `schemas/cases.schema.json`. */
interface CaseFileDocument {
  readonly base?: RequestPatch;
  readonly templates?: RequestPatches;
  readonly shared?: Pick<CaseFileEntry, 'requests' | 'given' | 'outcomes' | 'evidence'>;
  readonly cases: readonly CaseFileEntry[];
}

export type RequestPatches = Readonly<Record<string, RequestPatch>>;

export interface CaseFileEntry {
  readonly id?: string;
  readonly verifies?: string;
  readonly answers?: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly request?: RequestPatch;
  readonly requests?: RequestPatches;
  readonly rows?: Readonly<Record<string, RequestPatches>>;
  readonly given?: CaseFileExpectations;
  readonly expect?: CaseFileExpectations;
  /** Without `when`, the shared rule is tried at this place. */
  readonly outcomes?: readonly { readonly outcome: string; readonly when?: CaseFileAssertions }[];
  readonly evidence?: string;
  readonly value?: {
    readonly of?: string;
    readonly take: ValueExtraction['part'];
    readonly values?: readonly string[];
    readonly names?: readonly string[];
  };
}

/** Several checks all hold. */
export type CaseFileAssertions = AssertionsInCaseFile | readonly AssertionsInCaseFile[];

/** `given` or `expect`: a list of checks, or checks by the name of the request. */
export type CaseFileExpectations = readonly AssertionsInCaseFile[] | Readonly<Record<string, CaseFileAssertions>>;

export interface SuiteWithoutCases {
  readonly contract: Contract;
  readonly world: TargetWorld;
  readonly defaultRequest: RequestDraft;
}

/** A case file that is being read, with what its names refer to. Problems are reported to it. */
export type CaseFileContext = ReturnType<typeof createCaseFileContext>;

export function createCaseFileContext(file: YamlFile, basis: SuiteWithoutCases, prefix: string) {
  const { ids } = basis.world;
  const problems: Problem[] = [];
  return {
    ...basis,
    file,
    document: file.value as CaseFileDocument,
    prefix,
    problems,
    requestsByContent: new Map<string, HttpRequest>(),
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

export type CaseFileRowContext = ReturnType<typeof createCaseFileRowContext>;

export function createCaseFileRowContext(context: CaseFileContext, requests: ReadonlyMap<string, HttpRequest>) {
  const names = [...requests.keys()];
  return {
    ...context,
    requests,
    names,
    /** Returns the name of a request; if it is missing or unknown, reports a problem and returns another name. */
    findRequestName(name: string | undefined, at: YamlPath): string {
      if (name !== undefined && context.checkName('request', name, names, at)) return name;
      const hint = `Add 'of:' with one of ${names.join(', ')}; for outcomes, 'evidence:'.`;
      if (name === undefined && names.length > 1) context.reportProblem(at, 'no request is named', hint);
      return names[0] ?? '';
    },
  };
}
