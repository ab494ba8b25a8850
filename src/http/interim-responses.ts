import type { Socket } from 'node:net';

/** Interim responses. 101 is excluded: another protocol follows it. */
const interimHeads = /^(?:HTTP\/1\.\d 1(?!01)\d\d[ \r][\s\S]*?\r\n\r\n)*/;
const beginning = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const example = 'HTTP/1.1 100 ';
const nothing = Buffer.alloc(0);

/**
 * Removes interim responses (RFC 9110, section 15.2) from what a socket receives. A client must accept any number of
 * them, but undici fails at a 100 that it did not ask for. Each write counts as a request, and responses come one at a
 * time.
 *
 * @param maxHead the largest head to inspect, in bytes
 * @returns the same socket
 */
export function dropInterimResponses<S extends Socket>(socket: S, maxHead: number): S {
  /** The beginning of a head that may be interim; undefined after it. */
  let head: Buffer | undefined = nothing;
  const { write, push } = socket;
  socket.write = function (this: S, ...args: unknown[]) {
    head ??= nothing;
    return Reflect.apply(write, this, args);
  };
  socket.push = function (this: S, chunk: Buffer | null, encoding) {
    if (head === undefined) return push.call(this, chunk, encoding);
    const received = Buffer.concat([head, chunk ?? nothing]);
    const text = received.toString('latin1');
    const rest = text.slice(interimHeads.exec(text)?.[0].length);
    head = received.subarray(received.length - rest.length);
    const mayBeInterim = head.length <= maxHead && beginning.test(rest + example.slice(rest.length));
    if (chunk !== null && mayBeInterim) return true;
    const bytes = head;
    head = undefined;
    const continues = bytes.length === 0 || push.call(this, bytes, encoding);
    return chunk === null ? push.call(this, null) : continues;
  };
  return socket;
}
