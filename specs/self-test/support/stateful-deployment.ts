import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { HttpRequest, HttpResponse } from '../../../src/http/exchange.js';

/** Answers a request. @param connection the same object for all requests of a connection */
export type StatefulAnswer = (request: HttpRequest, connection: Record<string, unknown>) => Promise<HttpResponse>;

/** Serves a deployment that knows which requests share a connection. */
export async function listenStatefully(answer: StatefulAnswer): Promise<{ url: string; close(): Promise<void> }> {
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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
