import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpRequest } from '../src/http/exchange.js';
import { createDeployment, type Deployment, type DeploymentOptions } from './deployment.js';
import { refusal } from './early-response.js';
import { createManaged } from './manage.js';
import { refusalResponse } from './response.js';

export interface ServerOptions extends DeploymentOptions {
  /** A free one, unless given. */
  readonly port?: number;
  /** Whether the world can be added to over the wire; see `createManaged`. */
  readonly manage?: boolean;
}

/** Bodies of more bytes are answered with 413. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Only this machine is answered: the credentials are known to everybody. */
const host = '127.0.0.1';

/**
 * Puts a deployment on a socket.
 *
 * @returns the base URL, without a slash at its end, and how to close it at once, whoever is connected
 * @throws an Error when the port is taken
 */
export async function serveReference(options: ServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { port = 0, manage = false } = options;
  const respond = guarded(manage ? createManaged(options) : createDeployment(options));
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read and let go of: a client that is still sending would not see a response.
      if (size <= maxBodyBytes) chunks.push(chunk);
    });
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const response = size <= maxBodyBytes ? respond(requestOf(incoming, body)) : tooLarge;
      outgoing.statusCode = response.status;
      for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
      outgoing.end(response.body);
    });
  });
  await once(server.listen({ port, host }), 'listening');
  const { port: actual } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://${host}:${actual}`, close };
}

const tooLarge = refusalResponse(refusal(413, `body: has more than ${maxBodyBytes} bytes`));

/** A defect of the deployment ends one request, and not the server. */
function guarded(deployment: Deployment): Deployment {
  return (request) => {
    try {
      return deployment(request);
    } catch (defect) {
      return refusalResponse(refusal(500, String(defect)));
    }
  };
}

/** The request as it was sent: paths and headers are not normalised. */
function requestOf({ method = '', url = '', rawHeaders }: IncomingMessage, body: string): HttpRequest {
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  return { method, path: url, headers, body };
}
