import type { Question } from '../contract/contract.js';
import type { YamlPath } from '../support/yaml-file.js';
import { readChecks } from './assertion-reader.js';
import type { CaseEntry, OutcomeEntry, RowContext } from './case-file-context.js';
import type { OutcomeRule, QuestionAnswer } from './test-case.js';

/** Reads how a question is answered. @param at the path of its case */
export function readAnswer(entry: CaseEntry, question: Question, at: YamlPath, context: RowContext): QuestionAnswer {
  const { names } = context;
  if (entry.value !== undefined) {
    const { of, take, values = [], names: byName = [] } = entry.value;
    const path: YamlPath = [...at, 'value'];
    if (question.answer.kind !== 'value')
      context.reportProblem(
        path,
        `the question '${question.id}' has outcomes`,
        "Add 'outcomes:' in place of 'value:'.",
      );
    return {
      kind: 'value',
      of: context.findRequestName(of, of === undefined ? path : [...path, 'of']),
      take: take === 'headers' ? { part: take, values, names: byName } : { part: take },
      at: context.file.locate(path),
    };
  }
  const rules = readRules(entry, question, at, context);
  const evidence = entry.evidence ?? context.document.shared?.evidence;
  if (evidence === undefined && names.length > 1)
    context.reportProblem(at, 'no request is named as evidence', `Add 'evidence:' with one of ${names.join(', ')}.`);
  const path = entry.evidence === undefined ? ['shared', 'evidence'] : [...at, 'evidence'];
  return {
    kind: 'first-of',
    rules,
    evidence: context.findRequestName(evidence ?? names[0], path),
  };
}

/** Reads the rules of a case in the order of trial: first the shared ones whose outcome the case does not name. */
function readRules(
  { outcomes: stated = [] }: CaseEntry,
  { id, answer }: Question,
  at: YamlPath,
  context: RowContext,
): OutcomeRule[] {
  const path: YamlPath = [...at, 'outcomes'];
  if (answer.kind === 'value') {
    context.reportProblem(path, `the question '${id}' has an open value`, "Add 'value:' in place of 'outcomes:'.");
    return [];
  }
  const known = [...answer.outcomes.keys()];
  const named = new Set(stated.map(({ outcome }) => outcome));
  const shared = locateRules(context.document.shared?.outcomes ?? [], ['shared', 'outcomes'], context).filter(
    ({ outcome }) => known.includes(outcome),
  );
  const rules = [...shared.filter(({ outcome }) => !named.has(outcome)), ...locateRules(stated, path, context)];
  const missing = known.filter((outcome) => !rules.some((rule) => rule.outcome === outcome));
  if (missing.length > 0) context.reportProblem(path, `no rule for the outcome '${missing.join("', '")}'`, 'Add one.');
  return rules.flatMap((rule): OutcomeRule[] => {
    const { outcome } = rule;
    context.checkName(`outcome of the question '${id}':`, outcome, known, [...rule.at, 'outcome']);
    const { when, at: place } =
      rule.when === undefined ? (shared.find((entry) => entry.outcome === outcome) ?? rule) : rule;
    if (when !== undefined) return [{ outcome, when: readChecks(when, [...place, 'when'], context) }];
    context.reportProblem(place, `no shared rule for '${outcome}'`, "Add 'when:' with what shows it.");
    return [];
  });
}

/** Adds the path to each rule. Reports outcomes with several rules. */
function locateRules(
  entries: readonly OutcomeEntry[],
  at: YamlPath,
  { reportProblem }: RowContext,
): (OutcomeEntry & { readonly at: YamlPath })[] {
  return entries.map((entry, n) => {
    if (entries.findIndex(({ outcome }) => outcome === entry.outcome) < n)
      reportProblem([...at, n, 'outcome'], `several rules for '${entry.outcome}'`, 'Remove one of them.');
    return { ...entry, at: [...at, n] };
  });
}
