import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { test as base } from '@playwright/test';
import { type Client, openClient } from '../../../src/http/client.js';
import {
  type Limits,
  noRetry,
  type Pacing,
  type PartialConnectionOptions,
} from '../../../src/http/connection-options.js';
import type { Credentials } from '../../../src/http/credentials.js';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** What a server does with a request: text or bytes to send, or something of its own with the socket. */
export type Reply = string | Buffer | ((socket: Socket, received: ReceivedRequest) => void);

/** A server on loopback that answers byte for byte as it is meant to. */
export interface Wire {
  readonly url: string;
  readonly port: number;
  readonly received: readonly ReceivedRequest[];
  connections(): number;
}

export const credentials: Credentials = { applicationId: 'the-application-0815', token: 'the-secret-token-4711' };

export const test = base.extend<{
  /** Starts a server; each request gets the reply of its number, the last one over and over. */
  serve: (...replies: readonly Reply[]) => Promise<Wire>;
  /** Opens a client with the credentials above, which repeats nothing unless the options say so. */
  open: (
    baseUrl: string,
    limits?: Partial<Limits & Pick<Pacing, 'concurrency'>>,
    own?: Partial<Credentials>,
    options?: PartialConnectionOptions,
  ) => Client;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
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
          for (let taken = takeRequest(pending); taken !== undefined; taken = takeRequest(pending)) {
            pending = taken.rest;
            const reply = replies[Math.min(received.length, replies.length - 1)] ?? '';
            received.push(taken.received);
            if (typeof reply === 'function') reply(socket, taken.received);
            else socket.write(reply);
          }
        });
      });
      servers.push({ server, sockets });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      return { url: `http://127.0.0.1:${port}`, port, received, connections: () => sockets.size };
    });
    for (const { server, sockets } of servers) {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
  open: async ({}, use) => {
    const clients: Client[] = [];
    await use((baseUrl, { concurrency, ...limits } = {}, own, options) => {
      const client = openClient({
        retry: noRetry,
        baseUrl,
        credentials: { ...credentials, ...own },
        limits,
        ...(concurrency === undefined ? {} : { pacing: { concurrency } }),
        ...options,
      });
      clients.push(client);
      return client;
    });
    await Promise.all(clients.map((client) => client.close()));
  },
});

/** The first whole request among the bytes of a connection, and what comes after it. */
function takeRequest(bytes: Buffer): { received: ReceivedRequest; rest: Buffer } | undefined {
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

/** A whole response; its length is announced unless the headers say something of it. */
export function renderResponse(status: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body);
  const length = headers.some((line) => /^(content-length|transfer-encoding):/i.test(line))
    ? []
    : [`Content-Length: ${bytes.length}`];
  return Buffer.concat([Buffer.from([`HTTP/1.1 ${status}`, ...headers, ...length, '', ''].join('\r\n')), bytes]);
}
