import type { Question } from '../contract/contract.js';
import type { YamlPath } from '../support/yaml-file.js';
import { readChecks } from './assertion-reader.js';
import type { CaseEntry, OutcomeEntry, RowContext } from './case-file-context.js';
import type { OutcomeRule, QuestionAnswer } from './test-case.js';

export function readAnswer(entry: CaseEntry, question: Question, at: YamlPath, context: RowContext): QuestionAnswer {
  const { names, reportProblem, findRequestName } = context;
  if (entry.value !== undefined) {
    const { of, take, values = [], names: byName = [] } = entry.value;
    const path: YamlPath = [...at, 'value'];
    if (question.answer.kind !== 'value')
      reportProblem(path, `the question '${question.id}' has outcomes`, "Add 'outcomes:' in place of 'value:'.");
    return {
      kind: 'value',
      of: findRequestName(of, of === undefined ? path : [...path, 'of']),
      take: take === 'headers' ? { part: take, values, names: byName } : { part: take },
      at: context.file.locate(path),
    };
  }
  const evidence = entry.evidence ?? context.document.shared?.evidence;
  if (evidence === undefined && names.length > 1)
    reportProblem(at, 'no request is named as evidence', `Add 'evidence:' with one of ${names.join(', ')}.`);
  return {
    kind: 'first-of',
    rules: readRules(entry, question, at, context),
    evidence: findRequestName(
      evidence ?? names[0],
      entry.evidence === undefined ? ['shared', 'evidence'] : [...at, 'evidence'],
    ),
  };
}

/** Reads the rules of a case in the order of trial: first the shared ones whose outcome the case does not name. */
function readRules({ outcomes = [] }: CaseEntry, { id, answer }: Question, at: YamlPath, context: RowContext) {
  const { reportProblem } = context;
  const path: YamlPath = [...at, 'outcomes'];
  if (answer.kind === 'value') {
    reportProblem(path, `the question '${id}' has an open value`, "Add 'value:' in place of 'outcomes:'.");
    return [];
  }
  const known = [...answer.outcomes.keys()];
  const locate = (entries: readonly OutcomeEntry[], list: YamlPath) =>
    entries.map((entry, n) => ({ ...entry, at: [...list, n] }));
  const shared = locate(context.document.shared?.outcomes ?? [], ['shared', 'outcomes']);
  const stated = locate(outcomes, path);
  const isNamed = (name: string) => stated.some(({ outcome }) => outcome === name);
  const rules = [...shared.filter(({ outcome }) => known.includes(outcome) && !isNamed(outcome)), ...stated];
  const missing = known.filter((outcome) => !rules.some((rule) => rule.outcome === outcome));
  if (missing.length > 0) reportProblem(path, `no rule for the outcome '${missing.join("', '")}'`, 'Add one.');
  return rules.flatMap(({ outcome, when, at: place }, n): OutcomeRule[] => {
    context.checkName(`outcome of the question '${id}':`, outcome, known, [...place, 'outcome']);
    if (rules.findIndex((earlier) => earlier.outcome === outcome) < n)
      reportProblem([...place, 'outcome'], `several rules for '${outcome}'`, 'Remove one of them.');
    // A rule without `when` has the shared one, tried at this place.
    const rule = when === undefined ? shared.find((entry) => entry.outcome === outcome) : { when, at: place };
    if (rule?.when !== undefined) return [{ outcome, when: readChecks(rule.when, [...rule.at, 'when'], context) }];
    reportProblem(place, `no shared rule for '${outcome}'`, "Add 'when:' with what shows it.");
    return [];
  });
}
