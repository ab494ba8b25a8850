import type { Credentials } from '../src/http/credentials.js';

/** The credentials that the reference deployment takes unless it is told others. */
export const referenceCredentials: Credentials = { applicationId: 'reference-application', token: 'reference-token' };
