/** The first and the last line of a run against the reference deployment. */
export const referenceNotice =
  'This run tests the reference deployment, which comes with the suite. Name yours with BASE_URL, --base-url or --target.';

export const replayNotice = 'Nothing was sent: this is the verdict on the exchanges of an earlier run.';

export const quickNotice =
  'With --quick: the rows that catch almost all known faults, and no questions. A run without it has the verdict.';
