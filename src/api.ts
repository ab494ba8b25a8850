/** The suite for programs: `import { certify } from 'promotion-validation-conformance'`. */

import { selectFromSuite } from './cases/case-selection.js';
import { loadSuite, suiteFolder } from './cases/suite.js';
import { credentialPlaceholders, listCredentialSecrets } from './contract/operation.js';
import { relocated } from './contract/relocation.js';
import { runSuite } from './engine/run.js';
import type { Credentials } from './http/credentials.js';
import { createTransportChannel, type Transport } from './http/transport-channel.js';
import { type Certificate, collectRunFacts, createCertificate } from './report/certificate.js';
import { getMonotonicMs } from './support/monotonic-clock.js';
import { omitUndefined } from './support/omit-undefined.js';
import { readAvailability } from './targets/availability.js';
import type { RunOptions } from './targets/run-options.js';
import { createEngineOptions, loadSettings } from './targets/settings.js';
import { createCertifiedTarget, loadTarget } from './targets/target.js';
import { resolveEndpoint } from './targets/target-connection.js';

export type { Credentials } from './http/credentials.js';
export type { Headers, HttpRequest, HttpResponse } from './http/exchange.js';
export type { Transport } from './http/transport-channel.js';
export type { Certificate, RunVerdict } from './report/certificate.js';
export { UnusableInput } from './support/problem.js';

/** What may be said of a deployment and of a run; all of it may be left out. */
export interface CertifyOptions {
  /** Of the deployment, for the certificate; otherwise that of the target file, or the host of the base URL. */
  readonly name?: string;
  /** For the commands that send a request again: nothing is sent there. `http://localhost` unless given. */
  readonly baseUrl?: string;
  /**
   * Put into the headers that carry them, and replaced in all that the certificate shows. `CLIENT_APPLICATION_ID` and
   * `CLIENT_TOKEN` of the environment unless given.
   */
  readonly credentials?: Credentials;
  /** A target file: ids, pins, pacing and all else that it may say. Its variables are those of the environment. */
  readonly target?: string;
  /** A record to compare with: differences are `drift` of the certificate. */
  readonly against?: string;
  /** Cases, requirements, questions, tags and groups, as for `--only`. */
  readonly only?: readonly string[];
  /** Whether bad credentials, oversized bodies and other methods are sent, too; they are unless this is false. */
  readonly intrusive?: boolean;
  /** Whether the deployment is known to have the world, though no response may show it. */
  readonly worldLoaded?: boolean;
}

/**
 * Certifies a deployment that is reached by a function: one in this process, say, or behind a client of one's own. It
 * writes no file, and reads no `.env`.
 *
 * @param transport sends one request
 * @returns the certificate, as `certificate.json` holds it
 * @throws UnusableInput where an option or a file that it names cannot be used; nothing was sent then
 */
export async function certify(transport: Transport, options: CertifyOptions = {}): Promise<Certificate> {
  const startedAt = new Date();
  const startedMs = getMonotonicMs();
  const { target: file } = options;
  const { intrusive, worldLoaded, against, only } = options;
  const runOptions: RunOptions = omitUndefined({
    target: file,
    baseUrl: options.baseUrl ?? (file === undefined ? 'http://localhost' : process.env.BASE_URL),
    // Nothing goes over the network.
    allowHttp: true,
    intrusive,
    worldLoaded,
    against,
    only,
  });
  const { applicationId, token } = options.credentials ?? {};
  const stated = omitUndefined({ CLIENT_APPLICATION_ID: applicationId, CLIENT_TOKEN: token });
  const environment = { ...process.env, ...stated };
  const whole = loadSuite(suiteFolder, readAvailability(runOptions).availability);
  const settings = loadSettings(runOptions, environment, whole);
  const { location: place, options: connection } = loadTarget(runOptions, environment).connection;
  // A deployment is always named: the reference deployment does not come in here.
  const { baseUrl, credentials } = resolveEndpoint(place, { baseUrl: '', credentials: credentialPlaceholders });
  const secrets = [...listCredentialSecrets(credentials), ...(connection.secrets ?? [])];
  const channel = relocated(createTransportChannel(transport, { ...connection, secrets }), settings.target.operation);
  const suite = selectFromSuite(whole, settings);
  const { results, calibration } = await runSuite(suite, channel, createEngineOptions(settings));
  const target = { ...settings.target, ...omitUndefined({ name: options.name }) };
  return createCertificate(whole, results, {
    target: createCertifiedTarget(target, baseUrl),
    ...collectRunFacts(results, calibration, settings),
    isCutShort: false,
    startedAt,
    durationMs: getMonotonicMs() - startedMs,
  });
}
