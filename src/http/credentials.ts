import type { Secret } from '../redaction/redactor.js';
import type { HttpRequest } from './exchange.js';

/** What identifies a client to a deployment. */
export interface Credentials {
  readonly applicationId: string;
  readonly token: string;
}

/** What stands for the credentials in requests; the client puts in the target's own at the last moment. */
export const credentialPlaceholders = {
  applicationId: '$CLIENT_APPLICATION_ID',
  token: '$CLIENT_TOKEN',
} as const satisfies Credentials;

/** The headers that carry them. */
export const credentialHeaders = {
  applicationId: 'X-Client-Application-Id',
  token: 'X-Client-Token',
} as const satisfies Credentials;

/** Everything secret that is sent to a deployment. @param others beside its credentials */
export function listSecrets(credentials: Credentials, others: readonly Secret[] = []): readonly Secret[] {
  const own = (['token', 'applicationId'] as const).map((each) => ({
    value: credentials[each],
    placeholder: credentialPlaceholders[each],
    header: credentialHeaders[each],
  }));
  return [...own, ...others];
}

/** A request as it leaves: with secrets in its headers, in the place of what stands for them. */
export function insertSecrets(request: HttpRequest, secrets: readonly Secret[]): HttpRequest {
  const realOf = (value: string) => secrets.find(({ placeholder }) => placeholder === value)?.value ?? value;
  return { ...request, headers: request.headers.map(([name, value]) => [name, realOf(value)] as const) };
}
