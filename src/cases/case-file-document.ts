import type { CheckEntry } from '../assertions/assertion.js';
import type { RequestPatch, Templates } from './request-draft.js';
import type { ValueExtraction } from './test-case.js';

/** A case file as it is written. See `schemas/cases.schema.json`. */
export interface CaseFileDocument {
  readonly base?: RequestPatch;
  readonly templates?: Templates;
  readonly axes?: Readonly<Record<string, MatrixAxis>>;
  readonly shared?: Pick<CaseEntry, 'requests' | 'given' | 'outcomes' | 'evidence'>;
  readonly cases: readonly CaseEntry[];
}

export interface CaseEntry {
  readonly id?: string;
  readonly verifies?: string;
  readonly answers?: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly request?: RequestPatch;
  readonly requests?: Readonly<Record<string, RequestPatch>>;
  /** Axes by name; a text is the name of an axis of the file. */
  readonly matrix?: Readonly<Record<string, MatrixAxis | string>>;
  readonly given?: Expectations;
  readonly expect?: Expectations;
  readonly outcomes?: readonly OutcomeEntry[];
  readonly evidence?: string;
  readonly value?: {
    readonly of?: string;
    readonly take: ValueExtraction['part'];
    readonly values?: readonly string[];
    readonly names?: readonly string[];
  };
}

/** The variants of an axis by title; each changes the requests that it names, or `every` request. */
export type MatrixAxis = Readonly<Record<string, Readonly<Record<string, RequestPatch>>>>;

/** A rule for an outcome. Without `when`, the shared rule is tried at this place. */
export interface OutcomeEntry {
  readonly outcome: string;
  readonly when?: Checks;
}

/** A check, or several that all hold. */
export type Checks = CheckEntry | readonly CheckEntry[];

/** `given` or `expect`: a list of checks, or checks by the name of the request. */
export type Expectations = readonly CheckEntry[] | Readonly<Record<string, Checks>>;
