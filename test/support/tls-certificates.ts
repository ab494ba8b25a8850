import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';

/**
 * Reads a certificate for tests over TLS, with its key, valid from 2020 to 2119, because Node.js cannot create any. The
 * keys protect nothing. The server certificate is for 127.0.0.1 and deployment.test. The key of the authority was deleted.
 */
const readCertificate = (name: string) =>
  readFileSync(path.join(packageRoot, 'test', 'support', 'tls', `${name}.pem`), 'utf8');

const [server, client] = [readCertificate('server'), readCertificate('client')];
export const authorityCertificate = readCertificate('authority');
export const serverCertificate = { cert: server, key: server };
export const clientCertificate = { cert: client, key: client };
