/** The first and the last line of a run against the reference deployment. */
export const referenceNotice = 'This run tests the reference deployment, which comes with the suite, and no other.';
export const referenceEndNotice =
  'This was the reference deployment, which comes with the suite. Name yours with BASE_URL, --base-url or --target.';

/** The last line of a run that judged recorded exchanges. */
export const replayEndNotice = 'Nothing was sent: this is the verdict on the exchanges of an earlier run.';

export const quickNotice =
  'With --quick: the rows that catch almost all known faults, and no questions. A run without it has the verdict.';
