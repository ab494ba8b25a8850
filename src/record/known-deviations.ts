import type { Contract } from '../contract/contract.js';
import { formatLocation, type Problem, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import { readYaml } from '../support/yaml-file.js';

/** What is wrong with a target and accepted for now. The schema of its file is `schemas/known.schema.json`. */
export interface KnownDeviation {
  readonly requirement: string;
  /** The id of a cause. Without it, any failure of the requirement is known. */
  readonly cause?: string;
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which it counts, such as 2027-03-31. */
  readonly until?: string;
}

/** An entry of a file of known deviations. */
export interface ListedDeviation extends KnownDeviation {
  readonly at: string;
  /** Whether its last day is over. */
  readonly isExpired?: true;
  /** Whether the responses of a run do not show its cause. */
  readonly isGone?: true;
}

/** A file of known deviations. */
export interface KnownFile {
  readonly file: string;
  readonly entries: readonly ListedDeviation[];
  /** The statuses, apart from 2xx, that an empty result of the target may have. Default: any. */
  readonly emptyStatuses?: readonly number[];
}

/**
 * Reads a file of known deviations. Whether there are such causes is not checked.
 *
 * @throws UnusableInput with every other problem of the file
 */
export function readKnownDeviations(file: string, { requirements }: Pick<Contract, 'requirements'>): KnownFile {
  const ids = requirements.map(({ id }) => id);
  const today = new Date().toISOString().slice(0, 10);
  const yaml = readYaml(file, file);
  const { deviations: listed } = validateFile('known', yaml) as { deviations: KnownDeviation[] | null };
  const deviations = listed ?? [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [n, { requirement, cause }] of deviations.entries()) {
    const report = (message: string, hint: string) =>
      problems.push({ at: yaml.locate(['deviations', n, 'requirement']), message, hint });
    if (!ids.includes(requirement)) report(`unknown requirement '${requirement}'`, suggest(requirement, ids));
    const key = JSON.stringify([requirement, cause]);
    if (seen.has(key)) report(`'${requirement}' is listed twice`, 'Remove one of the entries.');
    seen.add(key);
  }
  if (problems.length > 0) throw new UnusableInput(problems);
  const entries = deviations.map((entry, n) => ({
    ...entry,
    at: formatLocation(yaml.locate(['deviations', n])),
    ...(entry.until !== undefined && entry.until < today ? { isExpired: true as const } : {}),
  }));
  return { file, entries };
}
