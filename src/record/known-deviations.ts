import type { Contract } from '../contract/contract.js';
import type { FailingRow, KnownFailureTest } from '../judge/judgement.js';
import { groupBy } from '../support/collections.js';
import { formatLocation, type Problem, suggestName, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';

/** What is wrong with a target and accepted for now. The schema of its file is `schemas/known.schema.json`. */
export type KnownDeviation = DeviationWithCause | DeviationWithRows;

interface CommonDeviation {
  readonly requirement: string;
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which it counts, such as 2027-03-31. */
  readonly until?: string;
}

/** A deviation whose cause the responses prove: what the cause explains is known, whatever its requirement is. */
export interface DeviationWithCause extends CommonDeviation {
  readonly cause: string;
  readonly rows?: undefined;
}

/** A deviation that is described by what fails: the failures of these rows are known, and no other ones. */
export interface DeviationWithRows extends CommonDeviation {
  readonly cause?: undefined;
  readonly rows: RowsByCase;
}

/** By the id of a case: the titles of rows, or `all` for each row of the case, also for a single one without a title. */
export type RowsByCase = Readonly<Record<string, NamedRows>>;
export type NamedRows = 'all' | readonly string[];

export type ListedDeviation = (
  | (DeviationWithCause & {
      /** Whether the responses of a run do not show its cause. */
      readonly isGone?: true;
    })
  | (DeviationWithRows & { readonly isGone?: undefined })
) & {
  readonly at: string;
  readonly isExpired?: true;
};

export interface KnownDeviationsFile {
  readonly file: string;
  readonly entries: readonly ListedDeviation[];
  /** The statuses, apart from 2xx, that an empty result of the target may have. Default: any. */
  readonly emptyStatuses?: readonly number[];
}

/** Reads known deviations, but checks neither their causes nor their rows. @throws UnusableInput with every other problem of the file */
export function readKnownDeviations(
  file: string,
  { requirements }: Pick<Contract, 'requirements'>,
): KnownDeviationsFile {
  const ids = requirements.map(({ id }) => id);
  const today = new Date().toISOString().slice(0, 10);
  const yaml = readYaml(file, file);
  const { deviations } = validateFile('known', yaml) as { deviations: KnownDeviation[] | null };
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const entries = (deviations ?? []).map((entry, n): ListedDeviation => {
    const { requirement, cause, until = today } = entry;
    const at = yaml.locate(['deviations', n, 'requirement']);
    if (!ids.includes(requirement))
      problems.push({ at, message: `unknown requirement '${requirement}'`, hint: suggestName(requirement, ids) });
    const key = JSON.stringify([requirement, cause]);
    if (seen.has(key))
      problems.push({ at, message: `'${requirement}' is listed twice`, hint: 'Remove one of the entries.' });
    seen.add(key);
    const place = formatLocation(yaml.locate(['deviations', n]));
    return { ...entry, at: place, ...(until < today && { isExpired: true }) };
  });
  if (problems.length > 0) throw new UnusableInput(problems);
  return { file, entries };
}

/** Creates a test of which rows entries name whose last day is not over. */
export function createKnownFailureTest(entries: readonly ListedDeviation[]): KnownFailureTest {
  return createNamedRowTest(entries.filter(({ isExpired }) => !isExpired));
}

/** Creates a test of which rows entries name. */
export function createNamedRowTest(entries: readonly ListedDeviation[]): KnownFailureTest {
  const byRequirement = new Map(entries.flatMap(({ requirement, rows }) => (rows ? [[requirement, rows]] : [])));
  return ({ requirement, case: id, title }) => {
    const rows = byRequirement.get(requirement) ?? {};
    // The ids are those of a file: `constructor` is none of its cases.
    const named = Object.hasOwn(rows, id) ? rows[id] : undefined;
    return named === 'all' || named?.includes(title) === true;
  };
}

/** Names rows by their cases, in this order. */
export function nameRows(rows: readonly Pick<FailingRow, 'case' | 'title'>[]): RowsByCase {
  const byCase = groupBy(rows, (row) => row.case);
  return Object.fromEntries(
    Array.from(byCase, ([id, ofCase]): [string, NamedRows] => {
      const titles = new Set(ofCase.map(({ title }) => title));
      return [id, titles.has('') ? 'all' : [...titles]];
    }),
  );
}
