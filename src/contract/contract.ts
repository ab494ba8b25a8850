import { createInputError, type Location } from '../support/problem.js';
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

/** The sentence of an outcome that several questions have, with `<subject>` in place of the subject of a question. */
interface CommonOutcome {
  readonly sentence: string;
  /** The sentence for a question that has one of these outcomes, too. */
  readonly beside?: { readonly outcomes: readonly string[]; readonly sentence: string };
}

interface QuestionEntry extends Pick<Question, 'id' | 'group' | 'part' | 'open'> {
  readonly subject?: string;
  /** Each outcome with its sentence. Without one, it has the common sentence. */
  readonly outcomes?: Readonly<Record<string, string | null>>;
  readonly value?: string;
  readonly warn?: readonly string[];
}

interface ContractDocument extends Pick<Contract, 'groups' | 'exclusions'> {
  readonly requirements: readonly Omit<Requirement, 'at'>[];
  readonly common_outcomes: Readonly<Record<string, CommonOutcome>>;
  readonly questions: readonly QuestionEntry[];
}

/** Checks and reads a parsed contract. @throws UnusableInput with every problem of the file */
export function parseContract(file: YamlFile): Contract {
  const document = validateFile('contract', file) as ContractDocument;
  return {
    requirements: document.requirements.map((entry, n) => ({ ...entry, at: file.locate(['requirements', n]) })),
    groups: document.groups,
    questions: document.questions.map(({ id, group, part, open, ...entry }, n) => ({
      ...{ id, group, part, open },
      at: file.locate(['questions', n]),
      answer: readAnswer(entry, document.common_outcomes, (outcome) =>
        file.locate(['questions', n, 'outcomes', outcome]),
      ),
    })),
    exclusions: document.exclusions,
  };
}

function readAnswer(
  { outcomes, value = '', warn, subject }: Omit<QuestionEntry, 'id' | 'group' | 'part' | 'open'>,
  common: ContractDocument['common_outcomes'],
  locate: (outcome: string) => Location,
): PossibleAnswers {
  if (outcomes === undefined) return { kind: 'value', describes: value };
  const readSentence = (outcome: string, sentence: string | null): string => {
    if (sentence !== null) return sentence;
    const shared = common[outcome];
    if (shared === undefined || subject === undefined) throw createSentenceError(outcome, locate(outcome));
    const isBeside = shared.beside?.outcomes.some((name) => Object.hasOwn(outcomes, name)) ?? false;
    const template = (isBeside ? shared.beside?.sentence : undefined) ?? shared.sentence;
    return template.replace('<subject>', () => subject);
  };
  const sentences = Object.entries(outcomes).map(([outcome, sentence]) => [outcome, readSentence(outcome, sentence)]);
  return { kind: 'outcomes', outcomes: new Map(sentences as [string, string][]), warn: new Set(warn) };
}

function createSentenceError(outcome: string, at: Location): Error {
  const hint = 'Write what shows it, or give the question a `subject` and the outcome a sentence in `common_outcomes`.';
  return createInputError(at, `outcome '${outcome}' has no sentence`, hint);
}
