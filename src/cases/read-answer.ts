import type { Question } from '../contract/contract.js';
import { suggest } from '../support/suggest.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { AssertionReader, Checks } from './assertion-reader.js';
import type { CaseFileContext } from './case-file-context.js';
import type { PreparedRequest } from './row-reader.js';
import type { QuestionAnswer, ValueExtraction } from './test-case.js';

/** A rule for an outcome. Without `when`, the shared rule is tried at this place. */
export interface OutcomeEntry {
  readonly outcome: string;
  readonly when?: Checks;
}

/** The keys of a case that say how its question is answered. */
export interface AnswerEntry {
  readonly outcomes?: readonly OutcomeEntry[];
  readonly evidence?: string;
  readonly value?: {
    readonly of?: string;
    readonly take: ValueExtraction['part'];
    readonly values?: readonly string[];
    readonly names?: readonly string[];
  };
}

export interface SharedAnswers {
  readonly outcomes: readonly OutcomeEntry[];
  readonly evidence?: string;
}

/** Reads how a question is answered. @param at the path of its case */
export function readAnswer(
  { outcomes = [], evidence, value }: AnswerEntry,
  shared: SharedAnswers,
  question: Question,
  at: YamlPath,
  requests: ReadonlyMap<string, PreparedRequest>,
  { context, assertions }: { readonly context: CaseFileContext; readonly assertions: AssertionReader },
): QuestionAnswer {
  const names = [...requests.keys()];
  if (value !== undefined) {
    const { of, take, values = [], names: byName = [] } = value;
    const path: YamlPath = [...at, 'value'];
    if (question.answer.kind !== 'value')
      context.reportProblem(
        path,
        `the question '${question.id}' has outcomes`,
        "Add 'outcomes:' in place of 'value:'.",
      );
    return {
      kind: 'value',
      of: context.findRequestName(of, of === undefined ? path : [...path, 'of'], names),
      take: take === 'headers' ? { part: take, values, names: byName } : { part: take },
      at: context.file.locate(path),
    };
  }
  const rules = listRules(outcomes, shared.outcomes, question, at, context).map(({ outcome, when, at: path }) => ({
    outcome,
    when: assertions.read(when, path, requests),
  }));
  const [name = shared.evidence, path] =
    evidence === undefined ? [undefined, ['shared', 'evidence']] : [evidence, [...at, 'evidence']];
  if (name !== undefined) return { kind: 'first-of', rules, evidence: context.findRequestName(name, path, names) };
  if (names.length > 1)
    context.reportProblem(at, 'no request is named as evidence', `Add 'evidence:' with one of ${names.join(', ')}.`);
  return { kind: 'first-of', rules, evidence: names[0] ?? '' };
}

interface LocatedRule {
  readonly outcome: string;
  readonly when: Checks;
  readonly at: YamlPath;
}

/** Lists the rules of a case in the order of trial: first the shared ones whose outcome the case does not name. */
function listRules(
  own: readonly OutcomeEntry[],
  shared: readonly OutcomeEntry[],
  { id, answer }: Question,
  at: YamlPath,
  context: CaseFileContext,
): LocatedRule[] {
  const path: YamlPath = [...at, 'outcomes'];
  const known = answer.kind === 'outcomes' ? [...answer.outcomes.keys()] : [];
  if (known.length === 0)
    context.reportProblem(path, `the question '${id}' has an open value`, "Add 'value:' in place of 'outcomes:'.");
  checkUnique(shared, ['shared', 'outcomes'], context);
  checkUnique(own, path, context);
  const sharedRules = shared.flatMap(({ outcome, when }, n): LocatedRule[] =>
    when === undefined || !known.includes(outcome) ? [] : [{ outcome, when, at: ['shared', 'outcomes', n, 'when'] }],
  );
  const ownRules = own.flatMap(({ outcome, when }, n): LocatedRule[] => {
    if (known.length > 0 && !known.includes(outcome)) {
      const message = `unknown outcome '${outcome}' of the question '${id}'`;
      context.reportProblem([...path, n, 'outcome'], message, suggest(outcome, known));
    }
    if (when !== undefined) return [{ outcome, when, at: [...path, n, 'when'] }];
    const rule = sharedRules.find((each) => each.outcome === outcome);
    if (rule !== undefined) return [rule];
    context.reportProblem([...path, n], `no shared rule for '${outcome}'`, "Add 'when:' with what shows it.");
    return [];
  });
  const named = new Set(own.map(({ outcome }) => outcome));
  const rules = [...sharedRules.filter(({ outcome }) => !named.has(outcome)), ...ownRules];
  const missing = known.filter((outcome) => !named.has(outcome) && !rules.some((rule) => rule.outcome === outcome));
  if (missing.length > 0) context.reportProblem(path, `no rule for the outcome '${missing.join("', '")}'`, 'Add one.');
  return rules;
}

function checkUnique(entries: readonly OutcomeEntry[], at: YamlPath, context: CaseFileContext): void {
  for (const [n, { outcome }] of entries.entries())
    if (entries.slice(0, n).some((earlier) => earlier.outcome === outcome))
      context.reportProblem([...at, n, 'outcome'], `several rules for '${outcome}'`, 'Remove one of them.');
}
