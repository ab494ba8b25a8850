import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { type Listening, listenOnLoopback } from './listen-on-loopback.js';

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
