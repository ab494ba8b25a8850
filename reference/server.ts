import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpRequest, HttpResponse } from '../src/http/exchange.js';
import { createDeployment, type DeploymentOptions } from './deployment.js';
import { createRefusal } from './early-response.js';
import { createManagedDeployment, type FindFlaw } from './managed-deployment.js';
import { createRefusalResponse } from './response.js';

export interface ServerOptions extends DeploymentOptions {
  /** A free one, unless given. */
  readonly port?: number;
  /** Where the world can be added to over the wire, what checks that which comes; see `createManaged`. */
  readonly manage?: FindFlaw;
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
  const { port = 0, manage } = options;
  const respond = manage === undefined ? createDeployment(options) : createManagedDeployment(options, manage);
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read and let go of: a client that is still sending would not see a response.
      if (size <= maxBodyBytes) chunks.push(chunk);
    });
    incoming.on('end', () => {
      const request = requestOf(incoming, Buffer.concat(chunks).toString());
      // A defect of the deployment ends one request, and not the server.
      try {
        if (!isMeant(request, incoming.socket.localPort)) answer(outgoing, misdirected);
        else answer(outgoing, size <= maxBodyBytes ? respond(request) : tooLarge);
      } catch (defect) {
        answer(outgoing, createRefusalResponse(createRefusal(500, String(defect))));
      }
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

const tooLarge = createRefusalResponse(createRefusal(413, `body: has more than ${maxBodyBytes} bytes`));

const misdirected = createRefusalResponse(createRefusal(421, 'Host: is not the address of this deployment'));

function answer(outgoing: ServerResponse, { status, headers, body }: HttpResponse): void {
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  outgoing.statusCode = status;
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.end(body);
}

/** Names of this machine that nobody else can give to another. */
const ownNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request was meant for this server. The page of a stranger in a browser here, whose name is made to lead to
 * this machine, sends that name.
 */
function isMeant({ headers }: HttpRequest, port = 0): boolean {
  const [host, another] = headers
    .filter(([name]) => name.toLowerCase() === 'host')
    .map(([, value]) => value.toLowerCase());
  return another === undefined && ownNames.some((name) => host === `${name}:${port}` || (host === name && port === 80));
}

/** The request as it was sent: paths and headers are not normalised. */
function requestOf({ method = '', url = '', headers: parsed, rawHeaders }: IncomingMessage, body: string): HttpRequest {
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  const sent = parsed['transfer-encoding'] === undefined ? {} : ({ sent: 'chunked' } as const);
  return { method, path: url, headers, body, ...sent };
}
