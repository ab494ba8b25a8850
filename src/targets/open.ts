import { referenceCredentials } from '../../reference/credentials.js';
import { relocated } from '../contract/operation.js';
import { type Client, openClient } from '../http/client.js';
import { defaultOptions, type Repeats } from '../http/connection-options.js';
import type { Account } from '../http/request-budget.js';
import type { CertifiedTarget } from '../report/certificate.js';
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
 * @param account where the requests are booked, if others book theirs there too
 */
export function openTarget(
  { place, manners = {}, operation }: Target,
  referenceUrl = '',
  { account, repeats }: { readonly account?: Account; readonly repeats?: Repeats } = {},
): Client {
  const { baseUrl, credentials } =
    place.kind === 'deployment' ? place : { baseUrl: referenceUrl, credentials: referenceCredentials };
  const {
    headers = [],
    secrets = [],
    proxy,
    pacing = {},
    limits = {},
    budget = {},
    tls = {},
    allowHttp = false,
  } = manners;
  const { budget: usual } = defaultOptions;
  const { requests = usual.requests, seconds = usual.timeMs / 1_000 } = budget;
  const client = openClient(
    {
      ...defaultOptions,
      baseUrl,
      credentials,
      allowHttp,
      extraHeaders: headers,
      secrets,
      ...(proxy === undefined ? {} : { proxy }),
      tls,
      limits: { ...defaultOptions.limits, ...limits },
      pacing: { ...defaultOptions.pacing, ...pacing },
      budget: { requests, timeMs: seconds * 1_000 },
      repeats: repeats ?? { ...defaultOptions.repeats, ...manners.repeats },
    },
    account,
  );
  return relocated(client, operation);
}
