/** Identifies a client to a deployment. */
export interface Credentials {
  readonly applicationId: string;
  readonly token: string;
}
