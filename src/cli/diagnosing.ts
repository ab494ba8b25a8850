import { referenceCredentials } from '../../reference/credentials.js';
import { serveReference } from '../../reference/server.js';
import { loadSuite, ownFolder } from '../cases/suite.js';
import { noRepeats } from '../http/connection-options.js';
import { referenceBegins, referenceEnds } from '../report/reference-notice.js';
import { asLines } from '../support/foreign-text.js';
import { availabilityOf } from '../targets/availability.js';
import { endpointOf } from '../targets/connection.js';
import { diagnose, findingsText } from '../targets/doctor.js';
import { openTarget } from '../targets/open.js';
import { loadTarget } from '../targets/target.js';
import { exitStatus } from './exit-status.js';
import { setVariables, type TargetFlags, targetVariables } from './flags.js';

/**
 * Finds out what keeps a target from being certified, and prints it.
 *
 * @param url in place of the base URL of flags, environment and target file
 * @returns the exit status
 */
export async function doctor(url: string | undefined, flags: TargetFlags): Promise<number> {
  setVariables(targetVariables(flags, url === undefined ? [] : [url]));
  const { target, connection } = loadTarget(process.env);
  const { place, options } = connection;
  const suite = loadSuite(ownFolder, availabilityOf(process.env).availability);
  const reference =
    place.kind === 'reference'
      ? await serveReference({ world: suite.world, credentials: referenceCredentials })
      : undefined;
  const endpoint = endpointOf(place, { baseUrl: reference?.url ?? '', credentials: referenceCredentials });
  const client = openTarget(target, endpoint, { ...options, repeats: noRepeats });
  const findings = await diagnose(suite, client, { ...target, baseUrl: endpoint.baseUrl });
  await client.close();
  await reference?.close();
  const isReference = place.kind === 'reference';
  const where = isReference ? referenceBegins : `Target ${target.name}: ${place.baseUrl}`;
  process.stdout.write(
    asLines([where, ...(target.notes ?? []), '']) +
      findingsText(findings) +
      asLines(isReference ? ['', referenceEnds] : []),
  );
  if (findings.some(({ state }) => state === 'problem')) return exitStatus['does-not-conform'];
  return findings.some(({ state }) => state === 'unknown') ? exitStatus.incomplete : exitStatus.conforms;
}
