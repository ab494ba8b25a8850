import type { Contract } from '../contract/contract.js';
import { formatLocation, type Problem, suggestName, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
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

export interface ListedDeviation extends KnownDeviation {
  readonly at: string;
  readonly isExpired?: true;
  /** Whether the responses of a run do not show its cause. */
  readonly isGone?: true;
}

export interface KnownDeviationsFile {
  readonly file: string;
  readonly entries: readonly ListedDeviation[];
  /** The statuses, apart from 2xx, that an empty result of the target may have. Default: any. */
  readonly emptyStatuses?: readonly number[];
}

/** Reads known deviations, but does not check their causes. @throws UnusableInput with every other problem of the file */
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
