import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { createDeployment, type DeploymentOptions } from './deployment.js';
import { createRefusal } from './early-response.js';
import { createRefusalResponse } from './response.js';

export interface ServerOptions extends DeploymentOptions {
  /** A free one, unless given. */
  readonly port?: number;
  /** The address to listen at. Default: this machine only. */
  readonly host?: string;
}

/** Bodies of more bytes are answered with 413. */
const maxBodyBytes = 4 * 1024 * 1024;

/**
 * Puts a deployment on a socket.
 *
 * @returns the base URL without a trailing slash, and a function that closes the server and all connections at once
 * @throws an Error when the port is taken
 */
export async function serveReference(options: ServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { port = 0, host = '127.0.0.1' } = options;
  const server = createServer(createRequestListener(createDeployment(options)));
  await once(server.listen({ port, host }), 'listening');
  const { port: actual } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://${isIPv6(host) ? `[${host}]` : host}:${actual}`, close };
}

/** Answers the requests of a server of Node.js, whatever host they name. */
export function createRequestListener(respond: (request: HttpRequest) => HttpResponse): RequestListener {
  return (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read and dropped: a client that is still sending would not see a response.
      if (size <= maxBodyBytes) chunks.push(chunk);
    });
    incoming.on('end', () => {
      const request = requestOf(incoming, Buffer.concat(chunks).toString());
      // A defect of the deployment ends one request, and not the server.
      try {
        answer(outgoing, size <= maxBodyBytes ? respond(request) : tooLarge);
      } catch (defect) {
        answer(outgoing, createRefusalResponse(createRefusal(500, String(defect))));
      }
    });
  };
}

const tooLarge = createRefusalResponse(createRefusal(413, `body: has more than ${maxBodyBytes} bytes`));

function answer(outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  outgoing.statusCode = status;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.end(body);
}

/** The request as it was sent, without normalization of path and headers. */
function requestOf({ method = '', url = '', rawHeaders }: IncomingMessage, body: string): HttpRequest {
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  return { method, path: url, headers, body };
}
