import type { ProfileFigures } from '../engine/profile.js';

/** What a run says that was restricted to few requests, so that its certificate is never taken for a full one. */
export function renderProfileNotice({
  name,
  max_requests,
  requests,
  rows,
  rows_of,
  questions,
  questions_of,
  faults_caught,
  faults_known,
}: ProfileFigures): string {
  const flag = name === 'quick' ? '--quick' : `--budget ${max_requests}`;
  const share = Math.floor((100 * faults_caught) / faults_known);
  return `With ${flag}: ${rows} of ${rows_of} rows and ${questions} of ${questions_of} questions, in ${requests} requests. They catch ${faults_caught} of the ${faults_known} known faults (${share} %). A full certificate takes a run without ${flag.split(' ')[0]}.`;
}
