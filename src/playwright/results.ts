import path from 'node:path';

/** Names the folder for the certificate to the reporter. */
export const outVariable = 'CONFORMANCE_OUT';

/** Where the results of a target go unless somebody says otherwise. */
export function resultsFolder(target: string): string {
  return path.join('results', target.replaceAll(/[^A-Za-z0-9._-]+/g, '-'));
}
