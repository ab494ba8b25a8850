/** The API for programs: `import { certify } from 'promotion-validation-conformance'`. */

import { selectFromSuite } from './cases/case-selection.js';
import { type Certificate, collectRunFacts, createCertificate } from './certificate/certificate.js';
import { credentialPlaceholders } from './contract/operation.js';
import type { Credentials } from './http/credentials.js';
import { createTransportChannel, type Transport } from './http/transport-channel.js';
import { runSuite } from './run/run.js';
import { getMonotonicMs } from './support/monotonic-clock.js';
import { omitUndefined } from './support/omit-undefined.js';
import { adaptToTarget } from './target/open-target.js';
import { loadInputs } from './target/recorded-run.js';
import type { RunOptions } from './target/run-options.js';
import { createEngineOptions } from './target/settings.js';
import { createCertifiedTarget, loadTarget } from './target/target.js';
import { listSecrets } from './target/target-connection.js';

export type { Certificate, RunVerdict } from './certificate/certificate.js';
export type { Adapted, AdaptedRequest, Adapter, AdapterContext, Unsupported } from './http/adapter.js';
export type { Credentials } from './http/credentials.js';
export type { Headers, HttpRequest, HttpResponse } from './http/exchange.js';
export type { Transport } from './http/transport-channel.js';
export { UnusableInput } from './support/problem.js';

export interface CertifyOptions extends Pick<RunOptions, 'target' | 'against' | 'only' | 'intrusive' | 'worldLoaded'> {
  /** The name of the deployment in the certificate. Default: the name in the target file, or the host of the base URL. */
  readonly name?: string;
  /** Used in the commands that repeat a request; nothing is sent there. Default: `http://localhost`. */
  readonly baseUrl?: string;
  /**
   * Sent in the credential headers and redacted from the certificate. Default: the environment variables
   * `CLIENT_APPLICATION_ID` and `CLIENT_TOKEN`.
   */
  readonly credentials?: Credentials;
}

/**
 * Certifies a deployment through a function, for example a deployment in this process. It writes no files and does not
 * read `.env`.
 *
 * @param transport sends one request
 * @returns the certificate, as in `certificate.json`
 * @throws UnusableInput if an option or a file that it names is invalid; nothing is sent then
 */
export async function certify(transport: Transport, options: CertifyOptions = {}): Promise<Certificate> {
  const startedAt = new Date();
  const startedMs = getMonotonicMs();
  const { name, credentials: stated, baseUrl: statedUrl, ...others } = options;
  const defaultUrl = others.target === undefined ? 'http://localhost' : process.env.BASE_URL;
  // allowHttp: nothing is sent over the network.
  const runOptions = { ...others, ...omitUndefined({ baseUrl: statedUrl ?? defaultUrl }), allowHttp: true };
  const variables = omitUndefined({ CLIENT_APPLICATION_ID: stated?.applicationId, CLIENT_TOKEN: stated?.token });
  const environment = { ...process.env, ...variables };
  const { suite: whole, settings } = loadInputs(runOptions, environment);
  const { endpoint = { baseUrl: '', credentials: credentialPlaceholders }, options: connection } = loadTarget(
    runOptions,
    environment,
  ).connection;
  const { baseUrl } = endpoint;
  const secrets = listSecrets({ endpoint, options: connection });
  const direct = { ...createTransportChannel(transport, { ...connection, secrets }), close: async () => undefined };
  const channel = adaptToTarget(direct, settings.target, connection);
  const own = selectFromSuite(whole, settings);
  const { results, calibration } = await runSuite(own, channel, createEngineOptions(settings)).finally(channel.close);
  return createCertificate(whole, results, {
    target: createCertifiedTarget({ ...settings.target, ...omitUndefined({ name }) }, baseUrl),
    ...collectRunFacts(results, calibration, settings),
    isCutShort: false,
    startedAt,
    durationMs: getMonotonicMs() - startedMs,
  });
}
