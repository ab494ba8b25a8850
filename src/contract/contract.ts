import type { Location } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import type { YamlFile } from '../support/yaml-file.js';
import type { EntityKind } from './world.js';

/** A statement of the documentation. All are listed in `cases/contract.yaml`, and so are the questions. */
export interface Requirement {
  readonly id: string;
  readonly part: string;
  readonly statement: string;
  readonly about?: RequirementTopic;
  /** What a target has none of if the requirement does not apply to it. */
  readonly needs?: EntityKind;
  readonly at: Location;
}

/** What a requirement decides about: a part of a request, or of a promotion. */
export type RequirementTopic = RequestTopic | RuleTopic | ResultTopic;

type RequestTopic = 'body' | 'content-type' | 'credentials' | 'expand' | 'order-metadata' | 'audience-rules-only';
type RuleTopic = `${'customer' | 'product' | 'sku' | 'metadata'}-rule` | 'quantity' | 'repeated-item';
type ResultTopic = `filter-by-${'campaign' | 'metadata'}` | 'rank' | 'validity' | 'completeness';

export interface QuestionGroup {
  readonly name: string;
  /** The question of a client developer that the group answers. */
  readonly asks: string;
}

export interface Question {
  readonly id: string;
  readonly group: string;
  readonly part: string;
  readonly open: string;
  readonly answer: PossibleAnswers;
  readonly at: Location;
}

/** Named outcomes, or an open value such as a status code. */
export type PossibleAnswers =
  | { readonly kind: 'outcomes'; readonly outcomes: ReadonlyMap<string, string>; readonly warn: ReadonlySet<string> }
  | { readonly kind: 'value'; readonly describes: string };

export interface UntestedStatement {
  readonly part: string;
  readonly statement: string;
  readonly reason: string;
}

export interface Contract {
  readonly requirements: readonly Requirement[];
  readonly groups: readonly QuestionGroup[];
  readonly questions: readonly Question[];
  readonly exclusions: readonly UntestedStatement[];
}

export function isWarningOutcome({ answer }: Question, outcome: string | undefined): boolean {
  return outcome !== undefined && answer.kind === 'outcomes' && answer.warn.has(outcome);
}

interface ContractDocument extends Pick<Contract, 'groups' | 'exclusions'> {
  requirements: Omit<Requirement, 'at'>[];
  questions: (Pick<Question, 'id' | 'group' | 'part' | 'open'> & {
    outcomes?: Record<string, string>;
    value?: string;
    warn?: string[];
  })[];
}

/** Checks and reads a parsed contract. @throws UnusableInput with every problem of the file */
export function parseContract(file: YamlFile): Contract {
  const { requirements, groups, questions, exclusions } = validateFile('contract', file) as ContractDocument;
  return {
    requirements: requirements.map((entry, n) => ({ ...entry, at: file.locate(['requirements', n]) })),
    groups,
    questions: questions.map(({ outcomes, value = '', warn, ...entry }, n) => ({
      ...entry,
      at: file.locate(['questions', n]),
      answer:
        outcomes === undefined
          ? { kind: 'value', describes: value }
          : { kind: 'outcomes', outcomes: new Map(Object.entries(outcomes)), warn: new Set(warn) },
    })),
    exclusions,
  };
}
