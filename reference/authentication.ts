import type { Credentials } from '../src/http/credentials.js';
import type { Headers } from '../src/http/exchange.js';
import { decider } from './decide.js';
import type { AuthenticationHandlers, Facts } from './handlers.js';
import { header } from './header.js';

/** The status of bad credentials that are `rejected`: another 4xx than that of a bad body, so that the two differ. */
export const rejectedCredentials = 404;

/** Whether a request comes from somebody known. */
export function authenticationHandlers({ credentials, behaviours }: Facts): AuthenticationHandlers {
  const inCredentials = decider(behaviours, 'not_found', rejectedCredentials);

  return {
    authenticate(headers) {
      const { applicationId, token } = sentCredentials(headers);
      if (applicationId === '' && token === '') inCredentials('credentials-missing-both', 'credentials');
      else if (applicationId === '') inCredentials('credentials-missing-id', 'X-Client-Application-Id');
      else if (token === '') inCredentials('credentials-missing-token', 'X-Client-Token');
      else if (applicationId !== credentials.applicationId || token !== credentials.token) {
        inCredentials('credentials-wrong-token', 'credentials');
      }
    },
  };
}

/** The credentials of a request; each is empty where it is not sent. */
export function sentCredentials(headers: Headers): Credentials {
  return {
    applicationId: header(headers, 'x-client-application-id') ?? '',
    token: header(headers, 'x-client-token') ?? '',
  };
}
