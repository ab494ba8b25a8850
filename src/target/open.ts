import { referenceCredentials } from '../../reference/deployment.js';
import type { CertifiedTarget } from '../certificate/certificate.js';
import { type Client, defaultLimits, openClient } from '../exchange/client.js';
import { relocated } from './operation.js';
import type { Target } from './target.js';

/** What a certificate says of a target. */
export function certified({ name, version, contact }: Target, baseUrl: string): CertifiedTarget {
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(contact === undefined ? {} : { contact }),
    base_url: baseUrl,
  };
}

/**
 * Opens a client for a target, with all that its target file says of how it is asked.
 *
 * @param referenceUrl where the reference deployment was started, for a target without a base URL
 */
export function openTarget({ place, manners = {}, operation }: Target, referenceUrl = ''): Client {
  const { baseUrl, credentials } =
    place.kind === 'deployment' ? place : { baseUrl: referenceUrl, credentials: referenceCredentials };
  const client = openClient({ baseUrl, credentials, limits: { ...defaultLimits, ...manners.limits } });
  return relocated(client, operation);
}
