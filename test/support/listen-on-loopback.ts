import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

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
