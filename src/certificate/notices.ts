import { joinLines } from '../support/untrusted-text.js';

/** The first and the last line of a run against the reference deployment. */
export const referenceNotice = 'This run tests the reference deployment, which comes with the suite, and no other.';
export const referenceEndNotice =
  'This was the reference deployment, which comes with the suite. Name yours with BASE_URL, --base-url or --target.';

/** The last line of a run that judged recorded exchanges. */
export const replayEndNotice = 'Nothing was sent: this is the verdict on the exchanges of an earlier run.';

/** Renders what decides the exit status of a run beside the cases; empty if nothing does. */
export function renderTermsNotice(config: string | undefined, records: readonly string[]): string {
  const compared = records.map((record) => `Compares with the record ${record}.`);
  const sentences = config === undefined ? compared : [`With ${config}.`, ...compared];
  return sentences.length === 0 ? '' : joinLines([sentences.join(' ')]);
}

export const quickNotice =
  'With --quick: the rows that catch almost all known faults, and no questions. A run without it has the verdict.';
