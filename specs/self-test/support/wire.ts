import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { test as base } from '@playwright/test';
import { credentialPlaceholders, listCredentialSecrets } from '../../../src/contract/operation.js';
import { type Client, openClient } from '../../../src/http/client.js';
import { noRetry, type PartialConnectionOptions } from '../../../src/http/connection-options.js';
import type { Credentials } from '../../../src/http/credentials.js';
import type { Exchange, HttpRequest } from '../../../src/http/exchange.js';

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
  /** Starts a server. Request n gets reply n, all further requests get the last reply. */
  serve: (...replies: readonly Reply[]) => Promise<Wire>;
  /** Opens a client with the credentials above. By default it retries nothing. */
  open: (baseUrl: string, options?: PartialConnectionOptions, token?: string) => Client;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured first argument.
  serve: async ({}, use) => {
    const servers: { server: Server; sockets: Set<Socket> }[] = [];
    await use(async (...replies) => {
      const received: ReceivedRequest[] = [];
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        let pending: Buffer = Buffer.alloc(0);
        socket.on('data', (chunk) => {
          pending = Buffer.concat([pending, chunk]);
          for (let parsed = parseReceived(pending); parsed !== undefined; parsed = parseReceived(pending)) {
            pending = parsed.rest;
            const reply = replies[Math.min(received.length, replies.length - 1)] ?? '';
            received.push(parsed.received);
            if (typeof reply === 'function') reply(socket, parsed.received);
            else socket.write(reply);
          }
        });
      });
      servers.push({ server, sockets });
      const port = await listenOnLoopback(server);
      return { url: `http://127.0.0.1:${port}`, port, received, countConnections: () => sockets.size };
    });
    for (const { server, sockets } of servers) {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured first argument.
  open: async ({}, use) => {
    const clients: Client[] = [];
    await use((baseUrl, { secrets = [], limits, ...options } = {}, token = credentials.token) => {
      const all = [...listCredentialSecrets({ ...credentials, token }), ...secrets];
      // The usual 10 s are too short for large bodies on a busy machine.
      const patient = { timeoutMs: 120_000, ...limits };
      const client = openClient({ baseUrl, retry: noRetry, ...options, limits: patient, secrets: all });
      clients.push(client);
      return client;
    });
    await Promise.all(clients.map((client) => client.close()));
  },
});

/** Returns the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Parses the first complete request of a connection. */
function parseReceived(bytes: Buffer): { received: ReceivedRequest; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((each) => {
    const colon = each.indexOf(':');
    return [each.slice(0, colon), each.slice(colon + 1).trim()] as const;
  });
  const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0);
  const start = end + 4;
  if (bytes.length < start + length) return undefined;
  const body = bytes.subarray(start, start + length).toString();
  return { received: { line, headers, body }, rest: bytes.subarray(start + length) };
}

/** Renders a response. Adds Content-Length, unless the headers announce a length. */
export function renderResponse(status: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body);
  const hasLength = headers.some((line) => /^(content-length|transfer-encoding):/i.test(line));
  const length = hasLength ? [] : [`Content-Length: ${bytes.length}`];
  return Buffer.concat([Buffer.from([`HTTP/1.1 ${status}`, ...headers, ...length, '', ''].join('\r\n')), bytes]);
}
