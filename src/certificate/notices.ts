import type { QuickFigures } from '../run/quick-rows.js';

/** The first and the last line of a run against the reference deployment. */
export const referenceNotice = 'This run tests the reference deployment, which comes with the suite, and no other.';
export const referenceEndNotice =
  'This was the reference deployment, which comes with the suite. Name yours with BASE_URL, --base-url or --target.';

/** The last line of a run that judged recorded exchanges. */
export const replayEndNotice = 'Nothing was sent: this is the verdict on the exchanges of an earlier run.';

export function renderQuickNotice({ requests, rows, rows_of, faults_caught, faults_known }: QuickFigures): string {
  const share = Math.floor((100 * faults_caught) / faults_known);
  return `With --quick: ${rows} of ${rows_of} rows and no questions, in ${requests} requests. With all of their answers, they catch ${faults_caught} of the ${faults_known} known faults (${share} %). For a full certificate, run without --quick.`;
}
