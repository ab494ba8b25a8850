import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { type Location, type Problem, UnusableInput } from '../support/problem.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import { readYaml, type YamlFile } from '../support/yaml-file.js';

/** What random requests can find broken. */
export type ExplorationFinding =
  | 'request-refused'
  | 'expand-refused'
  | 'audience-rules-only-refused'
  | 'repeated-product-refused'
  | 'order-metadata-refused'
  | 'campaign-filter-wrong'
  | 'metadata-filter-wrong'
  | 'older-returned'
  | 'invalid-returned'
  | 'reserved-returned'
  | 'valid-not-returned';

/** A statement that the documentation makes. */
export interface Requirement {
  readonly id: string;
  /** What random requests find broken where this is. */
  readonly findings: readonly ExplorationFinding[];
  readonly part: string;
  readonly statement: string;
  readonly at: Location;
}

/** What of the operation a question concerns; in the body, by the names of its members. */
export type OperationElement =
  | 'operation'
  | 'credentials'
  | `query/${'audienceRulesOnly' | 'promotion_id' | 'metadata'}`
  | 'body'
  | `body/${string}`
  | 'response'
  | 'errors';

/** Questions that documents show together. */
export interface QuestionGroup {
  readonly name: string;
  /** What a client developer asks. */
  readonly asks: string;
}

/** Behaviour that the documentation leaves open. */
export interface Question {
  readonly id: string;
  /** The name of one. */
  readonly group: string;
  readonly about: OperationElement;
  readonly part: string;
  readonly open: string;
  readonly answer: PossibleAnswers;
  readonly at: Location;
}

/** What the answer to a question can be: one of named outcomes, or an open value such as a status code. */
export type PossibleAnswers =
  | { readonly kind: 'outcomes'; readonly outcomes: ReadonlyMap<string, string>; readonly warn: ReadonlySet<string> }
  | { readonly kind: 'value'; readonly describes: string };

/** A statement for which nothing is sent. */
export interface Exclusion {
  readonly part: string;
  readonly statement: string;
  readonly reason: string;
}

export interface Contract {
  readonly requirements: readonly Requirement[];
  readonly groups: readonly QuestionGroup[];
  readonly questions: readonly Question[];
  readonly exclusions: readonly Exclusion[];
}

/** Whether an outcome of a question deserves a warning. */
export function isWarningOutcome({ answer }: Question, outcome: string | undefined): boolean {
  return outcome !== undefined && answer.kind === 'outcomes' && answer.warn.has(outcome);
}

interface LedgerDocument {
  requirements: { id: string; part: string; statement: string; findings?: ExplorationFinding[] }[];
  groups: (QuestionGroup & { about: OperationElement })[];
  questions: {
    id: string;
    group: string;
    about?: OperationElement;
    part: string;
    open: string;
    outcomes?: Record<string, string>;
    value?: string;
    warn?: string[];
  }[];
  exclusions: Exclusion[];
}

/**
 * Loads and checks the ledger of the suite.
 *
 * @throws UnusableInput with every problem of the file
 */
export function loadContract(file = path.join(packageRoot, 'cases', 'contract.yaml')): Contract {
  return parseContract(readYaml(file));
}

/** Reads a parsed ledger; see `loadLedger`. */
export function parseContract(file: YamlFile): Contract {
  const problems: Problem[] = findSchemaProblems('contract', file);
  if (problems.length > 0) throw new UnusableInput(problems);
  const document = file.value as LedgerDocument;

  const seen = new Set<string>();
  for (const list of ['requirements', 'questions'] as const) {
    document[list].forEach(({ id }, index) => {
      const at = file.locate([list, index, 'id']);
      if (seen.has(id))
        problems.push({ at, message: `the id '${id}' is taken`, hint: 'Ids are permanent; choose another.' });
      seen.add(id);
    });
  }
  const groups = new Map(document.groups.map((group) => [group.name, group]));
  document.questions.forEach(({ group, outcomes, warn = [] }, index) => {
    if (!groups.has(group)) {
      const at = file.locate(['questions', index, 'group']);
      problems.push({ at, message: `there is no group '${group}'`, hint: suggest(group, [...groups.keys()]) });
    }
    warn.forEach((outcome, n) => {
      if (Object.hasOwn(outcomes ?? {}, outcome)) return;
      const at = file.locate(['questions', index, 'warn', n]);
      problems.push({
        at,
        message: `there is no outcome '${outcome}'`,
        hint: suggest(outcome, Object.keys(outcomes ?? {})),
      });
    });
  });
  if (problems.length > 0) throw new UnusableInput(problems);

  return {
    requirements: document.requirements.map((entry, n) => ({
      findings: [],
      ...entry,
      at: file.locate(['requirements', n]),
    })),
    groups: document.groups.map(({ name, asks }) => ({ name, asks })),
    questions: document.questions.map(({ outcomes, value, warn, about, ...entry }, n) => ({
      ...entry,
      about: about ?? groups.get(entry.group)?.about ?? 'operation',
      at: file.locate(['questions', n]),
      answer:
        outcomes === undefined
          ? { kind: 'value', describes: value ?? '' }
          : { kind: 'outcomes', outcomes: new Map(Object.entries(outcomes)), warn: new Set(warn) },
    })),
    exclusions: document.exclusions,
  };
}
