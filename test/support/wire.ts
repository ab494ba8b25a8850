import { createServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test as base } from '@playwright/test';
import { credentialPlaceholders, listCredentialSecrets } from '../../src/contract/operation.js';
import { type Client, openClient } from '../../src/http/client.js';
import type { Credentials } from '../../src/http/connection-options.js';
import { noRetry, type PartialConnectionOptions } from '../../src/http/connection-options.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { type Listening, listenOnLoopback } from './listen-on-loopback.js';

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Text or bytes to send, or a function that uses the socket. */
export type Reply = string | Buffer | ((socket: Socket, received: ReceivedRequest) => void);

/** A server on loopback that controls each byte of its responses. */
export interface Wire {
  readonly url: string;
  readonly port: number;
  readonly received: readonly ReceivedRequest[];
  countConnections(): number;
}

export const credentials: Credentials = { applicationId: 'the-application-0815', token: 'the-secret-token-4711' };

/** A timeout that expires in a test, but not while a loaded machine answers. */
export const timeoutMs = 1_500;

export const createRequest = (name: string, method = 'GET'): HttpRequest => ({ method, path: `/${name}`, headers: [] });

/** A documented request with a body. */
export const documentedRequest: HttpRequest = {
  method: 'GET',
  path: '/v1/promotions/validation',
  headers: [
    ['X-Client-Application-Id', credentialPlaceholders.applicationId],
    ['X-Client-Token', credentialPlaceholders.token],
    ['Content-Type', 'application/json'],
  ],
  body: '{"customer":{"id":"ä"}}',
};

export const getOutcome = (exchange: Exchange) =>
  'response' in exchange ? exchange.response.status : exchange.transportError;
export const getMessage = (exchange: Exchange) => ('message' in exchange ? exchange.message : '');
export const getResponse = (exchange: Exchange) => ('response' in exchange ? exchange.response : undefined);
/** The paths of all received requests without slashes. */
export const joinNames = ({ received }: Wire) => received.map(({ line }) => /\/(\S*) /.exec(line)?.[1]).join('');

export const test = base.extend<{
  /** Lets a server listen on a free local port until the test ends. */
  listen: (server: Server) => Promise<Listening>;
  /** Starts a server. Request n gets reply n, all further requests get the last reply. */
  serve: (...replies: readonly Reply[]) => Promise<Wire>;
  /** Opens a client with the credentials above. By default it retries nothing. */
  open: (baseUrl: string, options?: PartialConnectionOptions, token?: string) => Client;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured first argument.
  listen: async ({}, use) => {
    const servers: Listening[] = [];
    await use(async (server) => {
      const listening = await listenOnLoopback(server);
      servers.push(listening);
      return listening;
    });
    await Promise.all(servers.map(({ close }) => close()));
  },
  serve: ({ listen }, use) =>
    use(async (...replies) => {
      const received: ReceivedRequest[] = [];
      let connections = 0;
      const server = createServer(async (request) => {
        const { method, url, httpVersion, rawHeaders, socket } = request;
        const headers = rawHeaders.flatMap((name, n) =>
          n % 2 === 0 ? [[name, rawHeaders[n + 1] ?? ''] as const] : [],
        );
        const body = await text(request);
        const reply = replies[Math.min(received.length, replies.length - 1)] ?? '';
        received.push({ line: `${method} ${url} HTTP/${httpVersion}`, headers, body });
        // Node.js parses requests. The replies are written byte by byte, past its responses.
        if (typeof reply === 'function') reply(socket, received.at(-1) as ReceivedRequest);
        else socket.write(reply);
      });
      server.on('connection', (socket) => {
        connections += 1;
        socket.on('error', () => undefined);
      });
      return { ...(await listen(server)), received, countConnections: () => connections };
    }),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured first argument.
  open: async ({}, use) => {
    const clients: Client[] = [];
    await use((baseUrl, { secrets = [], limits, ...options } = {}, token = credentials.token) => {
      const all = [...listCredentialSecrets({ ...credentials, token }), ...secrets];
      // The usual 10 s are too short for large bodies on a busy machine.
      const patient = { timeout_ms: 120_000, ...limits };
      const client = openClient({ baseUrl, retry: noRetry, ...options, limits: patient, secrets: all });
      clients.push(client);
      return client;
    });
    await Promise.all(clients.map((client) => client.close()));
  },
});

/** Renders a response. Adds Content-Length, unless the headers announce a length. */
export function renderResponse(status: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body);
  const hasLength = headers.some((line) => /^(content-length|transfer-encoding):/i.test(line));
  const length = hasLength ? [] : [`Content-Length: ${bytes.length}`];
  return Buffer.concat([Buffer.from([`HTTP/1.1 ${status}`, ...headers, ...length, '', ''].join('\r\n')), bytes]);
}
