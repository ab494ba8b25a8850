import { type Problem, UnusableInput } from '../../support/problem.js';
import { validateFile } from '../../support/schema-validation.js';
import { readYaml } from '../../support/yaml-file.js';
import type { AnswerDifference, Relation } from './compare-runs.js';
import type { RequestKind } from './request-kind.js';

/** A difference that a user accepts; see `schemas/accepted-differences.schema.json`. */
export interface AcceptedDifference {
  readonly kind: RequestKind;
  readonly difference: Relation;
  readonly reason: string;
  /** The last day, such as 2027-03-31; from then on the difference counts again. */
  readonly until?: string;
}

/** Reads the differences that a user accepts. @throws UnusableInput with all problems of the file */
export function readAcceptedDifferences(file: string): readonly AcceptedDifference[] {
  const yaml = readYaml(file, file);
  const { accept } = validateFile('accepted-differences', yaml) as { accept: AcceptedDifference[] };
  const problems = accept.flatMap(({ kind, difference }, n): Problem[] => {
    const isTwice = accept.slice(0, n).some((each) => each.kind === kind && each.difference === difference);
    const message = `'${kind}' is accepted as '${difference}' twice`;
    return isTwice ? [{ at: yaml.locate(['accept', n]), message, hint: 'Remove one of the entries.' }] : [];
  });
  if (problems.length > 0) throw new UnusableInput(problems);
  return accept;
}

/** Differences, and what a user says about them. */
export interface JudgedDifferences {
  /** Those that count: nobody accepts them, or no longer. */
  readonly counted: readonly AnswerDifference[];
  readonly accepted: readonly (AnswerDifference & Pick<AcceptedDifference, 'reason' | 'until'>)[];
  /** A sentence for each entry that is out of date: its day has passed, or its difference no longer exists. */
  readonly outdated: readonly string[];
}

/** Separates accepted differences from others. @param today such as 2027-03-31 */
export function judgeDifferences(
  differences: readonly AnswerDifference[],
  entries: readonly AcceptedDifference[],
  today: string,
): JudgedDifferences {
  const isOver = ({ until }: AcceptedDifference) => until !== undefined && until < today;
  const found = differences.map((difference) => ({
    difference,
    entry: entries.find((each) => each.kind === difference.kind && each.difference === difference.relation),
  }));
  const isCounted = ({ entry }: (typeof found)[number]) => entry === undefined || isOver(entry);
  return {
    counted: found.filter(isCounted).map(({ difference }) => difference),
    accepted: found.flatMap((each) => {
      if (each.entry === undefined || isCounted(each)) return [];
      const { reason, until } = each.entry;
      return [{ ...each.difference, reason, ...(until === undefined ? {} : { until }) }];
    }),
    outdated: entries.flatMap((entry) => {
      const name = `The accepted difference '${entry.kind}: ${entry.difference}'`;
      if (!found.some((each) => each.entry === entry)) return [`${name} matches no difference: correct or remove it.`];
      return isOver(entry) ? [`${name} was accepted until ${entry.until}: it counts again.`] : [];
    }),
  };
}
