/** The API for programs: `import { certify } from 'promotion-validation-conformance'`. */

import { selectCases } from './cases/case-selection.js';
import type { Certificate } from './certificate/certificate.js';
import type { Credentials } from './http/connection-options.js';
import type { Transport } from './http/transport.js';
import { samplesCaseId } from './run/case-result.js';
import { omitUndefined } from './support/collections.js';
import { openTarget } from './target/open-target.js';
import { ReportedRun } from './target/reported-run.js';
import { loadInputs } from './target/run-inputs.js';
import type { RunOptions } from './target/run-options.js';
import { judgeCases } from './target/target-run.js';

export type { Certificate, RunVerdict } from './certificate/certificate.js';
export type { Credentials } from './http/connection-options.js';
export type { Headers, HttpRequest, HttpResponse } from './http/exchange.js';
export { NoResponse, type PlainRequest, type Transport, type TransportContext, Unsupported } from './http/transport.js';
export { UnusableInput } from './support/problem.js';

export interface CertifyOptions extends Pick<RunOptions, 'target' | 'against' | 'only' | 'intrusive' | 'worldLoaded'> {
  /** The name of the deployment in the certificate. Default: the name in the target file, or the host of the base URL. */
  readonly name?: string;
  /** Where `send` of the transport sends; also in the commands that repeat a request. Default: `http://localhost`. */
  readonly baseUrl?: string;
  /** In the credential headers, and redacted. Default: `CLIENT_APPLICATION_ID` and `CLIENT_TOKEN` of the environment. */
  readonly credentials?: Credentials;
}

/**
 * Certifies a deployment through a function, such as one in this process. Writes no files and does not read `.env`.
 * @throws UnusableInput if an option or a file that it names is invalid, or if the transport fails
 */
export async function certify(transport: Transport, options: CertifyOptions = {}): Promise<Certificate> {
  const { name, credentials, baseUrl, ...others } = options;
  const defaultUrl = others.target === undefined ? 'http://localhost' : process.env.BASE_URL;
  // allowHttp: the transport sends, not the suite.
  const runOptions = { ...others, ...omitUndefined({ baseUrl: baseUrl ?? defaultUrl }), allowHttp: true };
  const variables = omitUndefined({
    CLIENT_APPLICATION_ID: credentials?.applicationId,
    CLIENT_TOKEN: credentials?.token,
  });
  const environment = { ...process.env, ...variables };
  const { suite, connection, settings: stated } = loadInputs(runOptions, environment);
  const inputs = { suite, settings: { ...stated, target: { ...stated.target, ...omitUndefined({ name }) } } };
  const plannedCases = [...selectCases(suite, stated).map(({ id }) => id), samplesCaseId];
  const channel = await openTarget(connection, transport);
  const judged = await judgeCases(inputs, channel, { plannedCases }).finally(channel.close);
  const failure = channel.findFailure();
  if (failure !== undefined) throw failure;
  const reported = new ReportedRun(new Set(plannedCases), inputs).addAll(judged);
  return (await reported.certify()).certificate;
}
