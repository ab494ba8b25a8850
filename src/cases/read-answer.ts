import type { Question } from '../contract/contract.js';
import { suggest } from '../support/suggest.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { AssertionReader, Checks } from './assertion-reader.js';
import type { CaseFileContext } from './case-file-context.js';
import type { PreparedRequest } from './row-reader.js';
import type { OutcomeRule, QuestionAnswer, ValueExtraction } from './test-case.js';

/** A rule as it is written; without `when` it is the one that the file shares, tried at this place. */
export interface OutcomeEntry {
  readonly outcome: string;
  readonly when?: Checks;
}

/** What of a case says how its question is answered. */
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

/** What the cases of a file share for their answers. */
export interface SharedAnswers {
  readonly outcomes: readonly OutcomeEntry[];
  readonly evidence?: string;
}

/** Reads how a question is answered. @param at where its case stands */
export function readAnswer(
  entry: AnswerEntry,
  shared: SharedAnswers,
  question: Question,
  at: YamlPath,
  requests: ReadonlyMap<string, PreparedRequest>,
  { reader, assertions }: { readonly reader: CaseFileContext; readonly assertions: AssertionReader },
): QuestionAnswer {
  const names = [...requests.keys()];
  if (entry.value !== undefined) {
    const { of, take, values = [], names: byName = [] } = entry.value;
    const where: YamlPath = [...at, 'value'];
    if (question.answer.kind !== 'value')
      reader.reportProblem(where, `the ledger lists outcomes for '${question.id}'`, "Say 'outcomes:' instead.");
    return {
      kind: 'value',
      of: reader.findRequestName(of, of === undefined ? where : [...where, 'of'], names),
      take: take === 'headers' ? { part: take, values, names: byName } : { part: take },
      at: reader.file.locate(where),
    };
  }
  const rules = rulesFor(entry.outcomes ?? [], shared.outcomes, question, at, reader).map(
    ({ outcome, when, at: place }): OutcomeRule => ({ outcome, when: assertions.read(when, place, requests) }),
  );
  return { kind: 'first-of', rules, evidence: evidenceOf(entry, shared, at, names, reader) };
}

function evidenceOf(
  { evidence }: AnswerEntry,
  shared: SharedAnswers,
  at: YamlPath,
  names: readonly string[],
  reader: CaseFileContext,
): string {
  if (evidence !== undefined) return reader.findRequestName(evidence, [...at, 'evidence'], names);
  if (shared.evidence !== undefined) return reader.findRequestName(shared.evidence, ['shared', 'evidence'], names);
  const [first = ''] = names;
  if (names.length > 1) {
    const hint = `Add 'evidence:' with one of ${names.join(', ')}.`;
    reader.reportProblem(at, 'which request shows the answer is not said', hint);
  }
  return first;
}

/** Notes outcomes that stand twice in a list: only one rule of each can be meant. */
function checkOnce(entries: readonly OutcomeEntry[], at: YamlPath, reader: CaseFileContext): void {
  for (const [n, { outcome }] of entries.entries()) {
    if (entries.slice(0, n).some((earlier) => earlier.outcome === outcome))
      reader.reportProblem([...at, n, 'outcome'], `there is another rule for '${outcome}'`, 'Leave out one of them.');
  }
}

interface PlacedRule {
  readonly outcome: string;
  readonly when: Checks;
  readonly at: YamlPath;
}

/** The rules of a case in the order in which they are tried: shared ones first, unless the case names their outcome. */
function rulesFor(
  own: readonly OutcomeEntry[],
  shared: readonly OutcomeEntry[],
  { id, answer }: Question,
  at: YamlPath,
  reader: CaseFileContext,
): PlacedRule[] {
  const where: YamlPath = [...at, 'outcomes'];
  const known = answer.kind === 'outcomes' ? [...answer.outcomes.keys()] : [];
  if (known.length === 0)
    reader.reportProblem(where, `the answer to '${id}' is an open value`, "Say 'value:' instead.");
  checkOnce(shared, ['shared', 'outcomes'], reader);
  checkOnce(own, where, reader);
  const sharedRules = shared.flatMap(({ outcome, when }, n): PlacedRule[] =>
    when === undefined || !known.includes(outcome) ? [] : [{ outcome, when, at: ['shared', 'outcomes', n, 'when'] }],
  );
  const ownRules = own.flatMap(({ outcome, when }, n): PlacedRule[] => {
    const place: YamlPath = [...where, n];
    if (known.length > 0 && !known.includes(outcome)) {
      const message = `'${id}' has no outcome '${outcome}' in the ledger`;
      reader.reportProblem([...place, 'outcome'], message, suggest(outcome, known));
    }
    if (when !== undefined) return [{ outcome, when, at: [...place, 'when'] }];
    const rule = sharedRules.find((each) => each.outcome === outcome);
    if (rule === undefined)
      reader.reportProblem(place, `the file shares no rule for '${outcome}'`, "Add 'when:' with what shows it.");
    return rule === undefined ? [] : [rule];
  });
  const named = new Set(own.map(({ outcome }) => outcome));
  const rules = [...sharedRules.filter(({ outcome }) => !named.has(outcome)), ...ownRules];
  const untold = known.filter((outcome) => !named.has(outcome) && !rules.some((rule) => rule.outcome === outcome));
  if (untold.length > 0)
    reader.reportProblem(where, `nothing shows the outcome '${untold.join("', '")}'`, 'Add a rule for it.');
  return rules;
}
