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
