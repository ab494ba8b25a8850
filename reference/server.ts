import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpRequest, HttpResponse } from '../src/http/exchange.js';
import { createDeployment, type DeploymentOptions } from './deployment.js';
import { createRefusal } from './early-response.js';
import { createRefusalResponse } from './response.js';

export interface ServerOptions extends DeploymentOptions {
  /** A free one, unless given. */
  readonly port?: number;
}

/** Bodies of more bytes are answered with 413. */
const maxBodyBytes = 4 * 1024 * 1024;

/** The server listens on this machine only, because its credentials are public. */
const host = '127.0.0.1';

/**
 * Puts a deployment on a socket.
 *
 * @returns the base URL without a trailing slash, and a function that closes the server and all connections at once
 * @throws an Error when the port is taken
 */
export async function serveReference(options: ServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { port = 0 } = options;
  const respond = createDeployment(options);
  const server = createServer(
    createRequestListener((request, localPort) => (isMeant(request, localPort) ? respond(request) : misdirected)),
  );
  await once(server.listen({ port, host }), 'listening');
  const { port: actual } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close().closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://${host}:${actual}`, close };
}

/** Answers the requests of a server of Node.js. @param respond gets the local port, too */
export function createRequestListener(
  respond: (request: HttpRequest, localPort?: number) => HttpResponse,
): RequestListener {
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
        answer(outgoing, size <= maxBodyBytes ? respond(request, incoming.socket.localPort) : tooLarge);
      } catch (defect) {
        answer(outgoing, createRefusalResponse(createRefusal(500, String(defect))));
      }
    });
  };
}

const tooLarge = createRefusalResponse(createRefusal(413, `body: has more than ${maxBodyBytes} bytes`));

const misdirected = createRefusalResponse(createRefusal(421, 'Host: is not the address of this deployment'));

function answer(outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  outgoing.statusCode = status;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.end(body);
}

/** Host names that always mean this machine. */
const ownNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether the Host header names this server. This protects against DNS rebinding from a page in a browser. */
function isMeant({ headers }: HttpRequest, port = 0): boolean {
  const [host, another] = headers
    .filter(([name]) => name.toLowerCase() === 'host')
    .map(([, value]) => value.toLowerCase());
  return another === undefined && ownNames.some((name) => host === `${name}:${port}` || (host === name && port === 80));
}

/** The request as it was sent, without normalization of path and headers. */
function requestOf({ method = '', url = '', headers: parsed, rawHeaders }: IncomingMessage, body: string): HttpRequest {
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  const sent = parsed['transfer-encoding'] === undefined ? {} : ({ sent: 'chunked' } as const);
  return { method, path: url, headers, body, ...sent };
}
