import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';

/** Where a server listens, and how it ends. */
export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Ends all its connections, too. */
  close(): Promise<void>;
}

/** Starts a server on a free local port. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port, url: `http://127.0.0.1:${port}`, close };
}

/** Answers a request. @param connection the same object for all requests of a connection */
export type StatefulAnswer = (request: HttpRequest, connection: Record<string, unknown>) => Promise<HttpResponse>;

/** Serves a deployment that knows which requests share a connection. */
export async function listenStatefully(answer: StatefulAnswer): Promise<Listening> {
  const connections = new WeakMap<object, Record<string, unknown>>();
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headersDistinct, socket } = incoming;
    const connection = connections.get(socket) ?? {};
    connections.set(socket, connection);
    const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value) => [name, value] as const),
    );
    const respond = async (body: string) => {
      const response = await answer({ method, path, headers, ...(body !== '' && { body }) }, connection);
      outgoing.writeHead(response.status, response.headers.flat()).end(response.body);
    };
    // A closed connection must not become an unhandled rejection.
    text(incoming).then(respond, () => outgoing.destroy());
  });
  return listenOnLoopback(server);
}
