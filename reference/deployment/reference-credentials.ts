import type { Credentials } from '../../src/http/connection-options.js';

/** The credentials that the reference deployment takes unless others are given. */
export const referenceCredentials: Credentials = { applicationId: 'reference-application', token: 'reference-token' };
