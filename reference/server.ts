import type { AddressInfo } from 'node:net';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Headers } from '../src/http/exchange.js';
import { createDeployment, type DeploymentOptions } from './deployment.js';
import { createManaged } from './manage.js';

export interface ServerOptions extends DeploymentOptions {
  /** A free one, unless given. */
  readonly port?: number;
  /** Whether the world can be added to over the wire; see `createManaged`. */
  readonly manage?: boolean;
}

/** Bodies above this are answered with 413. */
const bodyLimit = 4 * 1024 * 1024;

/** Only this machine is answered: the credentials are known to everybody. */
const host = '127.0.0.1';

/**
 * Puts a deployment on a socket.
 *
 * @returns the base URL, without a slash at its end, and how to stop
 */
export async function serveReference(options: ServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { port = 0 } = options;
  const respond = options.manage ? createManaged(options) : createDeployment(options);
  const server = fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    // The deployment looks at methods and paths itself, and at paths as they were sent.
    rewriteUrl: () => '/',
  });
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.addHook('onRequest', async ({ raw }) => {
    // Fastify would refuse a malformed one by itself. The deployment reads the raw headers, in which it stays.
    delete raw.headers['content-type'];
  });
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  const handle = (request: FastifyRequest, reply: FastifyReply): void => {
    const { status, headers, body } = respond({
      method: request.method,
      path: request.originalUrl,
      headers: headersOf(request.raw.rawHeaders),
      body: typeof request.body === 'string' ? request.body : '',
    });
    // Written past Fastify, which would add a Content-Type where the deployment sends none.
    reply.hijack();
    const isBodyless = status === 204 || request.method === 'HEAD';
    const length: Headers = isBodyless ? [] : [['content-length', String(Buffer.byteLength(body))]];
    reply.raw.writeHead(status, [...headers, ...length].flat()).end(body);
  };
  server.all('/', handle);
  // Methods that Fastify does not know.
  server.setNotFoundHandler(handle);
  await server.listen({ port, host });
  const { port: actual } = server.server.address() as AddressInfo;
  return { url: `http://${host}:${actual}`, close: () => server.close() };
}

/** @param raw names and values by turns */
function headersOf(raw: readonly string[]): Headers {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
