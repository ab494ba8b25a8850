import { createHash, timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../../src/http/connection-options.js';
import type { Headers } from '../../src/http/exchange.js';
import { createDecider } from './decider.js';
import { findHeader } from './find-header.js';
import type { AuthenticationHandlers, DeploymentFacts } from './handlers.js';

/** The status of bad credentials that are `rejected`: another 4xx than that of a bad body, so that the two differ. */
export const rejectedCredentialsStatus = 404;

export function createAuthenticationHandlers({ credentials, behaviours }: DeploymentFacts): AuthenticationHandlers {
  const inCredentials = createDecider(behaviours, 'not_found', rejectedCredentialsStatus);

  return {
    authenticate(headers) {
      const sent = readCredentials(headers);
      const { applicationId, token } = sent;
      // An empty result has a 2xx status, too.
      const isUnchecked =
        behaviours['credentials-before-body'] === 'credentials-unchecked' &&
        behaviours['credentials-wrong-token'] !== 'nothing-returned';
      if (applicationId === '' && token === '') inCredentials('credentials-missing-both', 'credentials');
      else if (applicationId === '') inCredentials('credentials-missing-id', 'X-Client-Application-Id');
      else if (token === '') inCredentials('credentials-missing-token', 'X-Client-Token');
      else if (!isUnchecked && !areCredentialsValid(sent, credentials))
        inCredentials('credentials-wrong-token', 'credentials');
    },
  };
}

/** The credentials of a request. A missing one is empty. */
export function readCredentials(headers: Headers): Credentials {
  return {
    applicationId: findHeader(headers, 'x-client-application-id') ?? '',
    token: findHeader(headers, 'x-client-token') ?? '',
  };
}

/** Whether credentials are right. The comparison takes constant time. */
export function areCredentialsValid(sent: Credentials, known: Credentials): boolean {
  const matches = [isSame(sent.applicationId, known.applicationId), isSame(sent.token, known.token)];
  return !matches.includes(false);
}

function isSame(left: string, right: string): boolean {
  // Hashes have equal lengths, as `timingSafeEqual` requires.
  const [first, second] = [left, right].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(first, second);
}
