import type { DataFileSummary } from '../own-data/data-suite.js';
import { toOneLine } from '../support/untrusted-text.js';

/** The last line of a run against the reference deployment. */
export const referenceNotice =
  'This run tests the reference deployment, which comes with the suite. Name yours with BASE_URL, --base-url or --target.';

/** Beside the commands of a run through a transport. */
export const documentedRequestNotice = 'Commands show the documented requests: the transport may send others.';

export const replayNotice = 'Nothing was sent: this is the verdict on the exchanges of an earlier run.';

export const quickNotice =
  'With --quick: the rows that catch almost all known faults, and no questions. A run without it has the verdict.';

export const interruptionNotice = 'The run was interrupted.';

/** Says what the requests show that were drawn from a data file. */
export function describeDataCoverage({ file, digest, counts, covered }: DataFileSummary): string[] {
  const list = (numbers: Readonly<Record<string, number>>) =>
    Object.entries(numbers)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  const { tiers, of, filters, rules } = covered;
  return [
    `On its own data: ${toOneLine(file)}, ${digest}, with ${list(counts)}.`,
    `The requests show ${tiers} of the newest ${of} promotions as valid, and use ${filters} filters. Their rules: ${list(rules) || 'none'}.`,
  ];
}
