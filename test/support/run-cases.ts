/**
 * Runs some cases against several deployments, in a process of its own whose memory can be measured:
 *
 *     node run-cases.js CASE,CASE… BASE-URL…
 *
 * Prints a `CaseRun` for each deployment as JSON.
 */

import { listCredentialSecrets } from '../../src/contract/operation.js';
import { openClient } from '../../src/http/client.js';
import { noRetry } from '../../src/http/connection-options.js';
import type { ResultWithExchanges } from '../../src/run/case-result.js';
import { runSuite } from '../../src/run/run.js';
import { suite } from './in-process.js';

export interface CaseRun {
  readonly results: readonly Pick<ResultWithExchanges, 'id' | 'verdict' | 'reason'>[];
  /** The peak memory of the process so far, in bytes. */
  readonly peak: number;
}

const credentials = { applicationId: 'the-application', token: 'the-token-0815' };
const [ids = '', ...baseUrls] = process.argv.slice(2);
const cases = suite.cases.filter(({ id }) => ids.split(',').includes(id));
const ran: CaseRun[] = [];
for (const baseUrl of baseUrls) {
  const client = openClient({ retry: noRetry, baseUrl, secrets: listCredentialSecrets(credentials) });
  const { results } = await runSuite({ ...suite, cases }, client);
  await client.close();
  ran.push({
    results: results.map(({ id, verdict, reason }) => ({ id, verdict, reason })),
    peak: process.resourceUsage().maxRSS * 1024,
  });
}
process.stdout.write(JSON.stringify(ran));
