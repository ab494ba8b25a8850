import { loadSuite, suiteFolder } from '../cases/suite.js';
import type { Certificate } from '../certificate/certificate.js';
import { createArchiver } from '../certificate/har-archive.js';
import { readTraffic } from '../certificate/read-traffic.js';
import { type WrittenResults, writeResults } from '../outputs/write-results.js';
import { refuse } from '../support/problem.js';
import { judgeTraffic } from './certify-run.js';
import { recordInputs } from './recorded-run.js';
import type { Environment, RunOptions } from './run-options.js';
import { loadSettings } from './settings.js';
import { loadTarget } from './target.js';

/** Options that select or add requests, or that compare answers: real callers sent what they sent. */
const unusable = {
  only: '--only',
  quick: '--quick',
  cases: '--cases',
  against: '--against',
  recordTo: '--to',
} as const;

/**
 * Certifies a deployment by exchanges of real callers, and writes the results. Nothing is sent.
 *
 * @param file an HTTP Archive, with its content
 * @throws UnusableInput if the file or an option cannot be used
 */
export async function certifyTraffic(
  content: Buffer,
  options: RunOptions & { readonly replay: string },
  environment: Environment,
): Promise<{ readonly certificate: Certificate; readonly written: WrittenResults }> {
  const { replay: file } = options;
  for (const [option, flag] of Object.entries(unusable))
    if (options[option as keyof typeof unusable] !== undefined)
      throw refuse(flag, 'cannot be used with exchanges of real callers', 'Leave it out.');
  const stated = loadTarget(options, environment, 'offline').connection.endpoint;
  const { baseUrl, exchanges, notes } = readTraffic(content, file, stated?.baseUrl);
  const target = loadTarget({ ...options, baseUrl, allowHttp: true }, environment, 'offline');
  const whole = loadSuite(suiteFolder, target.availability);
  const loaded = loadSettings(target, options, whole);
  const settings = { ...loaded, notes: [...loaded.notes, ...notes] };
  const inputs = {
    ...recordInputs({ availability: target.availability, settings, suite: whole }),
    isTraffic: true as const,
  };
  const { name, version, digest } = whole;
  const extent = { isCutShort: false, judged: [], unjudged: [] };
  const origin = { suite: { name, version, digest }, baseUrl, isReplay: true as const, inputs, extent };
  const recorded = { ...inputs, origin, evidence: { exchanges, uses: [] } };
  const { certificate, results, suite, ...judged } = await judgeTraffic(recorded, whole, settings);
  const archiver = createArchiver(baseUrl);
  for (const kept of exchanges) archiver.add(kept);
  const { out } = settings.destination;
  const archive = archiver.finish(judged.recorded.evidence.uses, judged.recorded.origin);
  const written = writeResults(certificate, suite, results, { out }, archive);
  return { certificate, written };
}
