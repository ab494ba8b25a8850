/**
 * Runs some cases against a deployment, in a process of its own, whose memory can so be measured:
 *
 *     node run-cases.js BASE-URL CASE…
 *
 * Prints a `Ran` as JSON.
 */

import type { CaseResult } from '../../../src/engine/case-result.js';
import { runSuite } from '../../../src/engine/run.js';
import { openClient } from '../../../src/http/client.js';
import { noRepeats } from '../../../src/http/connection-options.js';
import { suite } from './in-process.js';

export interface Ran {
  readonly results: readonly Pick<CaseResult, 'id' | 'verdict' | 'reason'>[];
  /** The memory that the process took at its peak, in bytes. */
  readonly peak: number;
}

const credentials = { applicationId: 'the-application', token: 'the-token-0815' };
const [baseUrl = '', ...ids] = process.argv.slice(2);
const client = openClient({ repeats: noRepeats, baseUrl, credentials });
const cases = suite.cases.filter(({ id }) => ids.includes(id));
const { results } = await runSuite({ ...suite, cases }, client);
await client.close();
const ran: Ran = {
  results: results.map(({ id, verdict, reason }) => ({ id, verdict, reason })),
  peak: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(JSON.stringify(ran));
