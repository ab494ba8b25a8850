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
  return (validateFile('accepted-differences', readYaml(file, file)) as { accept: AcceptedDifference[] }).accept;
}

/** A difference, with what a user says about it if it is accepted. */
export type JudgedDifference = AnswerDifference & Partial<Pick<AcceptedDifference, 'reason' | 'until'>>;

/** Differences, and what a user says about them. */
export interface JudgedDifferences {
  /** Those that count: nobody accepts them, or no longer. */
  readonly counted: readonly AnswerDifference[];
  readonly accepted: readonly JudgedDifference[];
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
  const findEntry = ({ kind, relation }: AnswerDifference) =>
    entries.find((each) => each.kind === kind && each.difference === relation);
  const known = new Set(differences.map(findEntry));
  const counted: AnswerDifference[] = [];
  const accepted: JudgedDifference[] = [];
  for (const difference of differences) {
    const entry = findEntry(difference);
    if (entry === undefined || isOver(entry)) counted.push(difference);
    else accepted.push({ ...entry, ...difference });
  }
  return {
    counted,
    accepted,
    outdated: entries.flatMap((entry) => {
      const name = `The accepted difference '${entry.kind}: ${entry.difference}'`;
      if (!known.has(entry)) return [`${name} matches no difference: correct or remove it.`];
      return isOver(entry) ? [`${name} was accepted until ${entry.until}: it counts again.`] : [];
    }),
  };
}
