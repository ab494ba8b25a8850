import path from 'node:path';
import { isOwnCase } from '../../cases/suite.js';
import type { CaseEntry, Certificate, RequirementEntry } from '../../certificate/certificate.js';
import { samplesCaseId } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import { packageRoot } from '../../support/package-root.js';
import type { Location } from '../../support/problem.js';
import { sortByUrgency } from '../counts.js';

/** Cases that fail for one cause; without a known cause, those of one requirement. */
export interface FailureGroup {
  /** The number of the cause. */
  readonly number?: number;
  /** The requirement of the case that is shown. */
  readonly subject: string;
  /** The case that shows it best. */
  readonly entry: CaseEntry;
  readonly cases: readonly string[];
}

/** Groups all cases that fail or are an error: by cause, the cause of most failures first, then by requirement. */
export function groupFailures({ causes = [], requirements, own_cases }: Certificate): FailureGroup[] {
  const failing = [
    ...requirements.flatMap(({ id, cases }) => cases.map((entry) => ({ subject: id, entry }))),
    ...(own_cases?.cases ?? []).map((entry) => ({
      subject: 'verifies' in entry ? entry.verifies : entry.answers,
      entry,
    })),
  ].filter(({ entry }) => entry.verdict === 'fail' || entry.verdict === 'error');
  const known = new Set(causes.flatMap(({ cases }) => cases));
  const ofCauses = causes.flatMap(({ example, cases }, n) => {
    const own = failing.filter(({ entry }) => cases.includes(entry.id));
    const shown = own.find(({ entry }) => entry.id === example.case) ?? own[0];
    return shown === undefined ? [] : [{ number: n + 1, ...shown, cases: own.map(({ entry }) => entry.id) }];
  });
  const unknown = failing.filter(({ entry }) => !known.has(entry.id));
  const others = groupBy(unknown, ({ subject, entry }) => `${isOwnCase(entry)} ${subject}`);
  const groups: FailureGroup[] = [
    ...ofCauses,
    ...[...others.values()].map((own) => ({ ...own[0], cases: own.map(({ entry }) => entry.id) })),
  ];
  // The sample cases repeat what others show, unless they are all that fails.
  const ownGroups = groups.filter(({ entry }) => entry.id !== samplesCaseId);
  return ownGroups.length > 0 ? ownGroups : groups;
}

/** Sorts by verdict, failures first and passes last; those of the first cause are the first. */
export function sortRequirements({ requirements, causes = [] }: Certificate): RequirementEntry[] {
  // What no cause explains comes last.
  const rank = ({ id }: RequirementEntry) =>
    causes.findIndex((cause) => cause.requirements.includes(id) || cause.follows.includes(id)) >>> 0;
  return sortByUrgency(requirements.toSorted((one, other) => rank(one) - rank(other)));
}

/** Says how many requirements could not be judged because of a cause. */
export function describeFollows({ length }: readonly string[]): string {
  return `${length} more ${length === 1 ? 'requirement' : 'requirements'} could not be judged for this reason.`;
}

/** Where a case is, as a path that a terminal can open. */
export function locateEntry({ id, at }: Pick<CaseEntry, 'id' | 'at'>): Location | undefined {
  const [, file = '', line, column] = /^(.*):(\d+):(\d+)$/.exec(at ?? '') ?? [];
  if (line === undefined) return undefined;
  // Paths of the user's own cases are relative to the working folder.
  const whole = isOwnCase({ id }) ? path.resolve(file) : path.resolve(packageRoot, file);
  const relative = path.relative('', whole);
  return { file: relative.startsWith('..') ? whole : relative, line: Number(line), column: Number(column) };
}
